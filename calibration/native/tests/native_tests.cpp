// Tests that need no GPU: statistics, JSON, the operation catalogue, and the warp kernels of src/kernels run on the host
// against the fp64 definitions of src/reference.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>
#include <thread>

#include "core/json.hpp"
#include "core/operations.hpp"
#include "core/options.hpp"
#include "core/point.hpp"
#include "core/statistics.hpp"
#include "host/blas.hpp"
#include "host/loops.hpp"
#include "kernels/allreduce.hpp"
#include "kernels/attention.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gdn.hpp"
#include "kernels/topk.hpp"
#include "reference/random.hpp"
#include "reference/reference.hpp"
#include "reference/tree.hpp"

namespace foretoken {
namespace {

int failures = 0;
int checks = 0;

void expect(bool ok, const std::string& what) {
    ++checks;
    if (!ok) {
        ++failures;
        std::printf("FAILED %s\n", what.c_str());
    }
}

template <class E>
void expect_throws(const std::function<void()>& call, const std::string& part, const std::string& what) {
    try {
        call();
        expect(false, what + ": nothing was thrown");
    } catch (const E& e) {
        expect(std::string(e.what()).find(part) != std::string::npos, what + ": message '" + e.what() + "'");
    }
}

std::vector<Bf16> random_bf16(std::size_t n, Random& random) {
    std::vector<Bf16> v(n);
    for (auto& x : v) x = to_bf16(random.symmetric());
    return v;
}

std::vector<double> widen(const std::vector<Bf16>& v) {
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) out[i] = to_float(v[i]);
    return out;
}

void bf16_rounds_to_nearest_even() {
    expect(to_bf16(1.0f).bits == 0x3f80, "1.0 is 0x3f80");
    expect(to_bf16(-2.5f).bits == 0xc020, "-2.5 is 0xc020");
    // 1 + 2^-8 lies half way between 1 and 1 + 2^-7: even mantissa wins
    expect(to_bf16(1.0f + 0x1.0p-8f).bits == 0x3f80, "ties go to even, down");
    expect(to_bf16(1.0f + 0x3.0p-8f).bits == 0x3f82, "ties go to even, up");
    expect(std::isnan(to_float(to_bf16(std::nanf("")))), "NaN stays NaN");
    expect(std::isinf(to_float(to_bf16(INFINITY))), "infinity stays infinite");
}

/** Every lane layout of ldmatrix and mma at once: a 16x16 by 16x8 product through shared memory. */
void mma_multiplies_matrices() {
    Random random(3);
    alignas(16) Bf16 a[16 * 24];
    alignas(16) Bf16 bt[16 * 24];  // two column tiles, stored as columns (n x k)
    alignas(16) Bf16 b[16 * 24];   // the same, stored as k x n for the transposed load
    for (auto& x : a) x = to_bf16(random.symmetric());
    for (auto& x : bt) x = to_bf16(random.symmetric());
    for (int n = 0; n < 16; ++n)
        for (int k = 0; k < 16; ++k) b[k * 24 + n] = bt[n * 24 + k];
    Lanes<std::uint32_t> fa[4];
    Lanes<const Bf16*> address;
    FT_LANES(l) address[l] = a + (l % 16) * 24 + 8 * (l / 16);
    load_matrix_x4(fa, address);
    Lanes<std::uint32_t> fb[4];
    FT_LANES(l) address[l] = bt + (8 * (l / 16) + l % 8) * 24 + 8 * ((l / 8) % 2);
    load_matrix_x4(fb, address);
    Lanes<std::uint32_t> ft[4];
    FT_LANES(l) address[l] = b + (l % 16) * 24 + 8 * (l / 16);
    load_matrix_x4_transposed(ft, address);
    for (int i = 0; i < 4; ++i)
        for (int l = 0; l < 32; ++l) expect(fb[i][l] == ft[i][l], "both loads give the same B fragment");
    for (int tile = 0; tile < 2; ++tile) {
        Lanes<float> d[4] = {};
        mma_bf16(d, fa, fb[2 * tile], fb[2 * tile + 1]);
        for (int l = 0; l < 32; ++l)
            for (int i = 0; i < 4; ++i) {
                const int row = l / 4 + 8 * (i / 2);
                const int col = 8 * tile + 2 * (l % 4) + i % 2;
                double want = 0.0;
                for (int k = 0; k < 16; ++k)
                    want += static_cast<double>(to_float(a[row * 24 + k])) * to_float(bt[col * 24 + k]);
                expect(std::abs(d[i][l] - want) < 1e-4, "mma element");
            }
    }
}

/** Ancestors of each token in a random tree, as words for the kernel and as a matrix for the reference. */
struct TreeMask {
    std::vector<std::uint32_t> words;
    std::vector<char> sees;
    std::vector<int> parent;
};

TreeMask random_tree(int batch, int tokens, Random& random, bool chain) {
    TreeMask t;
    t.words.assign(static_cast<std::size_t>(batch) * tokens * kAttentionMaskWords, 0);
    t.sees.assign(static_cast<std::size_t>(batch) * tokens * tokens, 0);
    t.parent.assign(static_cast<std::size_t>(batch) * tokens, -1);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < tokens; ++i) {
            const std::size_t row = static_cast<std::size_t>(b) * tokens + i;
            if (i > 0) t.parent[row] = chain ? i - 1 : static_cast<int>(random.below(static_cast<std::uint64_t>(i)));
            for (int j = i; j >= 0; j = t.parent[static_cast<std::size_t>(b) * tokens + j]) {
                t.words[row * kAttentionMaskWords + j / 32] |= 1u << (j % 32);
                t.sees[row * tokens + j] = 1;
            }
        }
    return t;
}

template <int D>
double attention_error(int batch, int tokens, int kv_len, int hq, int hkv, int splits, bool chain, Random& random) {
    const TreeMask tree = random_tree(batch, tokens, random, chain);
    const auto q = random_bf16(static_cast<std::size_t>(batch) * tokens * hq * D, random);
    const auto k = random_bf16(static_cast<std::size_t>(batch) * (kv_len + tokens) * hkv * D, random);
    const auto v = random_bf16(k.size(), random);
    AttentionProblem p{};
    p.q = q.data();
    p.k = k.data();
    p.v = v.data();
    p.mask = tree.words.data();
    p.batch = batch;
    p.tokens = tokens;
    p.kv_len = kv_len;
    p.query_heads = hq;
    p.kv_heads = hkv;
    p.splits = splits;
    p.scale = 1.0f / std::sqrt(static_cast<float>(D));
    const std::size_t rows = static_cast<std::size_t>(batch) * hkv * splits * p.padded_rows();
    std::vector<float> partial(rows * D, NAN);
    std::vector<float> lse(rows, NAN);
    std::vector<Bf16> out(q.size(), Bf16{0x7fc0});
    p.partial_out = partial.data();
    p.partial_lse = lse.data();
    p.out = out.data();
    std::vector<Vec16> shared(AttentionTile<D>::kSharedBytes / 16);
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < hkv; ++h) {
            for (int tile = 0; tile < p.row_tiles(); ++tile)
                for (int s = 0; s < splits; ++s) {
                    std::memset(shared.data(), 0xff, shared.size() * 16);  // NaN: a read before a write shows
                    attention_block<D>(p, s, tile, h, b, shared.data());
                }
            for (int row = 0; row < p.rows(); ++row) attention_combine_row<D>(p, row, h, b);
        }
    const auto want = reference::attention({batch, tokens, kv_len, hq, hkv, D}, widen(q), widen(k), widen(v), tree.sees,
                                           p.scale);
    return reference::relative_error(widen(out), want);
}

void attention_agrees_with_fp64() {
    // bound: bf16 rounding of the probabilities (2^-9) and of the output (2^-9), relative to the largest output
    constexpr double kBound = 1e-2;
    Random random(11);
    struct Case {
        int batch, tokens, kv, hq, hkv, splits;
    };
    const Case cases[] = {{1, 1, 1, 1, 1, 1},     {1, 1, 64, 6, 1, 1},   {2, 5, 63, 6, 2, 2},    {1, 8, 65, 4, 4, 3},
                          {1, 17, 200, 6, 1, 4},  {2, 16, 129, 8, 1, 2}, {1, 33, 31, 2, 2, 2},   {1, 40, 500, 3, 1, 7},
                          {1, 128, 96, 4, 1, 2},  {3, 3, 0, 4, 2, 1},    {1, 64, 1000, 2, 1, 16}, {1, 100, 7, 1, 1, 5}};
    double worst = 0.0;
    for (const auto& c : cases)
        for (const bool chain : {false, true}) {
            for (const auto& [dim, error] :
                 {std::pair<int, double>{64, attention_error<64>(c.batch, c.tokens, c.kv, c.hq, c.hkv, c.splits, chain, random)},
                  {128, attention_error<128>(c.batch, c.tokens, c.kv, c.hq, c.hkv, c.splits, chain, random)},
                  {256, attention_error<256>(c.batch, c.tokens, c.kv, c.hq, c.hkv, c.splits, chain, random)}}) {
                worst = std::max(worst, error);
                std::ostringstream what;
                what << "attention d=" << dim << " m=" << c.tokens << " kv=" << c.kv << " hq=" << c.hq << " hkv=" << c.hkv
                     << " splits=" << c.splits << ": relative error " << error;
                expect(error <= kBound, what.str());
            }
        }
    for (int trial = 0; trial < 30; ++trial) {
        const int hkv = 1 + static_cast<int>(random.below(3));
        const int group = 1 + static_cast<int>(random.below(8));
        const int tokens = 1 + static_cast<int>(random.below(48));
        const int kv = static_cast<int>(random.below(400));
        const int splits = 1 + static_cast<int>(random.below(9));
        const double error = attention_error<128>(1, tokens, kv, hkv * group, hkv, splits, false, random);
        worst = std::max(worst, error);
        expect(error <= kBound, "attention, random shape " + std::to_string(trial));
    }
    std::printf("attention: worst relative error %.2e (bound %.0e)\n", worst, kBound);
}

/** The mask matters: taking one ancestor away changes the result by far more than the bound. */
void attention_reads_the_mask() {
    Random random(5);
    const int tokens = 8;
    const int dim = 64;
    TreeMask tree = random_tree(1, tokens, random, true);
    const auto q = random_bf16(static_cast<std::size_t>(tokens) * dim, random);
    const auto k = random_bf16(static_cast<std::size_t>(tokens) * dim, random);
    const auto v = random_bf16(k.size(), random);
    const auto with = reference::attention({1, tokens, 0, 1, 1, dim}, widen(q), widen(k), widen(v), tree.sees, 0.125);
    tree.sees[7 * tokens + 3] = 0;
    const auto without = reference::attention({1, tokens, 0, 1, 1, dim}, widen(q), widen(k), widen(v), tree.sees, 0.125);
    expect(reference::relative_error(without, with) > 0.03, "an ancestor left out is seen");
}

template <int DK>
void gdn_case(int batch, int tokens, int hk, int hv, int dv, Random& random, double& worst) {
    constexpr double kOutputBound = 1e-2;  // bf16 output
    constexpr double kStateBound = 1e-4;   // fp32 state
    const TreeMask tree = random_tree(batch, tokens, random, false);
    const auto q = random_bf16(static_cast<std::size_t>(batch) * tokens * hk * DK, random);
    auto k = random_bf16(q.size(), random);
    for (std::size_t row = 0; row < k.size() / DK; ++row) {
        double norm = 0.0;
        for (int j = 0; j < DK; ++j) norm += std::pow(to_float(k[row * DK + j]), 2);
        for (int j = 0; j < DK; ++j)
            k[row * DK + j] = to_bf16(to_float(k[row * DK + j]) / static_cast<float>(std::sqrt(norm)));
    }
    const auto v = random_bf16(static_cast<std::size_t>(batch) * tokens * hv * dv, random);
    std::vector<float> g(static_cast<std::size_t>(batch) * tokens * hv);
    std::vector<float> beta(g.size());
    for (auto& x : g) x = -0.3f * static_cast<float>(random.uniform());
    for (auto& x : beta) x = static_cast<float>(random.uniform());
    std::vector<float> state(static_cast<std::size_t>(batch) * hv * dv * DK);
    for (auto& x : state) x = random.symmetric();
    const std::size_t per_head = static_cast<std::size_t>(dv) * DK;

    GdnProblem p{};
    p.q = q.data();
    p.k = k.data();
    p.v = v.data();
    p.g = g.data();
    p.beta = beta.data();
    p.state_in = state.data();
    p.parent = tree.parent.data();
    p.batch = batch;
    p.tokens = tokens;
    p.key_heads = hk;
    p.value_heads = hv;
    p.dv = dv;
    p.scale = 1.0f / std::sqrt(static_cast<float>(DK));

    const auto run = [&](GdnMode mode) {
        for (int b = 0; b < batch; ++b)
            for (int h = 0; h < hv; ++h)
                for (int row = 0; row < dv; row += kGdnRows) {
                    if (mode == GdnMode::kFinalState) gdn_warp<DK, GdnMode::kFinalState>(p, b, h, row);
                    if (mode == GdnMode::kStatePerToken) gdn_warp<DK, GdnMode::kStatePerToken>(p, b, h, row);
                    if (mode == GdnMode::kReplay) gdn_warp<DK, GdnMode::kReplay>(p, b, h, row);
                }
    };
    const auto reference_state = [&](int b, int h, const std::vector<int>& path, std::vector<double>& out) {
        const std::size_t at = (static_cast<std::size_t>(b) * hv + h) * per_head;
        std::vector<double> s(state.begin() + static_cast<std::ptrdiff_t>(at),
                              state.begin() + static_cast<std::ptrdiff_t>(at + per_head));
        const auto wq = widen(q);
        const auto wk = widen(k);
        const auto wv = widen(v);
        for (const int t : path) {
            const std::size_t bt = static_cast<std::size_t>(b) * tokens + t;
            out = reference::gdn_step(s, &wq[(bt * hk + h / (hv / hk)) * DK], &wk[(bt * hk + h / (hv / hk)) * DK],
                                      &wv[(bt * hv + h) * dv], g[bt * hv + h], beta[bt * hv + h], DK, dv, p.scale);
        }
        return s;
    };
    const auto path_to = [&](int b, int token) {
        std::vector<int> path;
        for (int t = token; t >= 0; t = tree.parent[static_cast<std::size_t>(b) * tokens + t]) path.insert(path.begin(), t);
        return path;
    };

    // state per token over a random tree: every node's state and output
    std::vector<float> saved(static_cast<std::size_t>(batch) * tokens * hv * per_head, NAN);
    std::vector<Bf16> out(v.size(), Bf16{0x7fc0});
    p.saved = saved.data();
    p.out = out.data();
    run(GdnMode::kStatePerToken);
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < hv; ++h)
            for (int t = 0; t < tokens; ++t) {
                std::vector<double> o;
                const auto want = reference_state(b, h, path_to(b, t), o);
                const std::size_t bt = static_cast<std::size_t>(b) * tokens + t;
                const float* s = saved.data() + (bt * hv + h) * per_head;
                const double se = reference::relative_error(std::vector<double>(s, s + per_head), want);
                std::vector<double> got(static_cast<std::size_t>(dv));
                for (int i = 0; i < dv; ++i) got[i] = to_float(out[(bt * hv + h) * dv + i]);
                const double oe = reference::relative_error(got, o);
                worst = std::max(worst, se);
                expect(se <= kStateBound, "gdn state of node " + std::to_string(t) + ": " + std::to_string(se));
                expect(oe <= kOutputBound, "gdn output of node " + std::to_string(t) + ": " + std::to_string(oe));
            }

    // rollback: replaying the accepted path gives the state saved at its end, bit for bit
    std::vector<int> path(static_cast<std::size_t>(batch) * tokens, 0);
    std::vector<int> accepted(static_cast<std::size_t>(batch), 0);
    for (int b = 0; b < batch; ++b) {
        const auto chosen = path_to(b, static_cast<int>(random.below(static_cast<std::uint64_t>(tokens))));
        accepted[b] = static_cast<int>(chosen.size());
        std::copy(chosen.begin(), chosen.end(), path.begin() + static_cast<std::ptrdiff_t>(b) * tokens);
    }
    std::vector<float> replayed(state.size(), NAN);
    p.path = path.data();
    p.accepted = accepted.data();
    p.state_out = replayed.data();
    run(GdnMode::kReplay);
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < hv; ++h) {
            const int last = path[static_cast<std::size_t>(b) * tokens + accepted[b] - 1];
            const std::size_t bt = static_cast<std::size_t>(b) * tokens + last;
            expect(std::memcmp(replayed.data() + (static_cast<std::size_t>(b) * hv + h) * per_head,
                               saved.data() + (bt * hv + h) * per_head, per_head * sizeof(float)) == 0,
                   "replay equals rollback by index");
        }

    // final state of a chain
    std::vector<float> final_state(state.size(), NAN);
    p.state_out = final_state.data();
    run(GdnMode::kFinalState);
    std::vector<int> all(static_cast<std::size_t>(tokens));
    for (int t = 0; t < tokens; ++t) all[t] = t;
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < hv; ++h) {
            std::vector<double> o;
            const auto want = reference_state(b, h, all, o);
            const float* s = final_state.data() + (static_cast<std::size_t>(b) * hv + h) * per_head;
            expect(reference::relative_error(std::vector<double>(s, s + per_head), want) <= kStateBound, "gdn final state");
        }
}

void gdn_agrees_with_fp64() {
    Random random(23);
    double worst = 0.0;
    gdn_case<128>(1, 1, 1, 1, 8, random, worst);
    gdn_case<128>(2, 7, 1, 3, 16, random, worst);
    gdn_case<64>(1, 16, 2, 4, 24, random, worst);
    gdn_case<256>(1, 5, 1, 2, 8, random, worst);
    gdn_case<128>(1, 48, 1, 1, 8, random, worst);
    std::printf("gated delta-net: worst relative error of a state %.2e (bound 1e-04)\n", worst);
}

void topk_agrees_with_sorting() {
    Random random(31);
    for (const int vocab : {32, 33, 1000, 4099, 8192})
        for (const int slices : {1, 3, 8})
            for (const int k : {1, 5, 32}) {
                const int rows = 2;
                auto logits = random_bf16(static_cast<std::size_t>(rows) * vocab, random);
                for (int i = 0; i < vocab / 3; ++i) logits[static_cast<std::size_t>(i) * 3] = to_bf16(0.5f);  // many ties
                TopKProblem p{};
                p.logits = logits.data();
                p.rows = rows;
                p.vocab = vocab;
                p.slices = slices;
                p.k = k;
                const std::size_t lists = static_cast<std::size_t>(rows) * slices;
                std::vector<float> value(lists * kTopKList);
                std::vector<int> index(lists * kTopKList);
                std::vector<float> max(lists);
                std::vector<float> sum(lists);
                std::vector<float> log_prob(static_cast<std::size_t>(rows) * k, NAN);
                std::vector<int> token(log_prob.size(), -1);
                p.list_value = value.data();
                p.list_index = index.data();
                p.slice_max = max.data();
                p.slice_sum = sum.data();
                p.log_prob = log_prob.data();
                p.token = token.data();
                for (int r = 0; r < rows; ++r) {
                    for (int s = 0; s < slices; ++s) topk_slice(p, r, s);
                    topk_row(p, r);
                    std::vector<double> row(static_cast<std::size_t>(vocab));
                    for (int i = 0; i < vocab; ++i) row[i] = to_float(logits[static_cast<std::size_t>(r) * vocab + i]);
                    const auto want = reference::top_k(row, k);
                    const double log_sum = reference::log_sum_exp(row);
                    for (int i = 0; i < k; ++i) {
                        expect(token[static_cast<std::size_t>(r) * k + i] == want[i], "top-k index");
                        expect(std::abs(log_prob[static_cast<std::size_t>(r) * k + i] - (row[want[i]] - log_sum)) < 1e-4,
                               "top-k log-probability");
                    }
                }
            }
}

void elementwise_agrees_with_fp64() {
    Random random(41);
    const int hidden = 200;
    std::vector<Vec16> x(hidden / 8);
    std::vector<Vec16> w(hidden / 8);
    std::vector<Vec16> out(hidden / 8);
    const auto fill = [&](std::vector<Vec16>& v) {
        for (auto& word : v)
            for (auto& u : word.w) u = pack_bf16(random.symmetric(), random.symmetric());
    };
    const auto value = [](const std::vector<Vec16>& v, int i) { return static_cast<double>(element(v[i / 8], i % 8)); };
    fill(x);
    fill(w);
    float shared[kNormWarps];
    rmsnorm_block(x.data(), w.data(), out.data(), hidden / 8, 1e-6f, shared);
    double square = 0.0;
    for (int i = 0; i < hidden; ++i) square += std::pow(value(x, i), 2);
    std::vector<double> got(hidden);
    std::vector<double> want(hidden);
    for (int i = 0; i < hidden; ++i) {
        got[i] = value(out, i);
        want[i] = value(x, i) / std::sqrt(square / hidden + 1e-6) * value(w, i);
    }
    expect(reference::relative_error(got, want) < 1e-2, "rms norm");

    std::vector<Vec16> gate_up(2 * 3 * 7);
    std::vector<Vec16> product(3 * 7);
    fill(gate_up);
    for (std::size_t t = 0; t < 3; ++t)
        for (int i = 0; i < 7; ++i) silu_mul_vector(gate_up.data(), product.data(), 7, t, i);
    got.assign(3 * 56, 0.0);
    want.assign(3 * 56, 0.0);
    for (int t = 0; t < 3; ++t)
        for (int i = 0; i < 56; ++i) {
            got[t * 56 + i] = value(product, t * 56 + i);
            want[t * 56 + i] = reference::silu(value(gate_up, t * 112 + i)) * value(gate_up, t * 112 + 56 + i);
        }
    expect(reference::relative_error(got, want) < 1e-2, "gated SiLU");

    for (const int width : {2, 4, 8})
        for (const int tokens : {1, 3, 9}) {
            const int channels = 5;
            const auto in = random_bf16(static_cast<std::size_t>(2) * tokens * channels, random);
            const auto taps = random_bf16(static_cast<std::size_t>(channels) * width, random);
            const auto old = random_bf16(static_cast<std::size_t>(2) * channels * (width - 1), random);
            std::vector<Bf16> fresh(old.size(), Bf16{0x7fc0});
            std::vector<Bf16> y(in.size(), Bf16{0x7fc0});
            for (int b = 0; b < 2; ++b)
                for (int c = 0; c < channels; ++c)
                    conv1d_channel(in.data(), taps.data(), old.data(), fresh.data(), y.data(), tokens, channels, width, b, c);
            for (int b = 0; b < 2; ++b)
                for (int c = 0; c < channels; ++c) {
                    std::vector<double> history;
                    for (int j = 0; j + 1 < width; ++j)
                        history.push_back(to_float(old[(static_cast<std::size_t>(b) * channels + c) * (width - 1) + j]));
                    for (int t = 0; t < tokens; ++t)
                        history.push_back(to_float(in[(static_cast<std::size_t>(b) * tokens + t) * channels + c]));
                    for (int t = 0; t < tokens; ++t) {
                        double s = 0.0;
                        for (int j = 0; j < width; ++j)
                            s += to_float(taps[static_cast<std::size_t>(c) * width + j]) * history[static_cast<std::size_t>(t + j)];
                        const double got = to_float(y[(static_cast<std::size_t>(b) * tokens + t) * channels + c]);
                        expect(std::abs(got - reference::silu(s)) < 2e-2, "convolution output");
                    }
                    for (int j = 0; j + 1 < width; ++j)
                        expect(to_float(fresh[(static_cast<std::size_t>(b) * channels + c) * (width - 1) + j]) ==
                                   history[static_cast<std::size_t>(tokens + j)],
                               "convolution state");
                }
        }

    // compaction: rows 0, 2, 5 of the tail move to 0, 1, 2
    const int slots = 10;
    const int row_vectors = 3;
    std::vector<Vec16> cache(static_cast<std::size_t>(2) * slots * row_vectors);
    for (std::size_t i = 0; i < cache.size(); ++i) cache[i].w[0] = static_cast<std::uint32_t>(i);
    const int path[] = {0, 2, 5, 1, 2, 3};
    for (int b = 0; b < 2; ++b)
        for (int v = 0; v < row_vectors; ++v) gather_kv_vector(cache.data(), path, slots, 4, 3, row_vectors, 2, 0, b, v);
    for (int b = 0; b < 2; ++b)
        for (int j = 0; j < 3; ++j)
            for (int v = 0; v < row_vectors; ++v)
                expect(cache[(static_cast<std::size_t>(b) * slots + 4 + j) * row_vectors + v].w[0] ==
                           static_cast<std::uint32_t>((b * slots + 4 + path[b * 3 + j]) * row_vectors + v),
                       "compacted row");
}

/** The one-shot all-reduce with a host thread per rank: the flag protocol neither hangs nor races over many calls. */
void allreduce_sums_over_ranks() {
    for (const int ranks : {2, 4, 8})
        for (const bool push : {true, false}) {
            const int vectors = 40;  // of 8 bf16
            const int blocks = 3;
            const int rounds = 25;
            struct Rank {
                std::vector<Vec16> in, out, buffer;
                std::vector<std::uint32_t> flags, counters;
            };
            std::vector<Rank> memory(static_cast<std::size_t>(ranks));
            AllReducePeers peers{};
            for (int r = 0; r < ranks; ++r) {
                memory[r].in.resize(vectors);
                memory[r].out.resize(vectors);
                memory[r].buffer.resize(static_cast<std::size_t>(2) * kAllReduceMaxRanks * vectors);
                memory[r].flags.assign(allreduce_flag_words(blocks), 0);
                memory[r].counters.assign(static_cast<std::size_t>(blocks), 0);
                peers.buffer[r] = memory[r].buffer.data();
                peers.flags[r] = memory[r].flags.data();
            }
            std::vector<std::thread> threads;
            std::vector<int> wrong(static_cast<std::size_t>(ranks), 0);
            for (int r = 0; r < ranks; ++r)
                threads.emplace_back([&, r] {
                    for (int round = 0; round < rounds; ++round) {
                        for (int i = 0; i < vectors; ++i)
                            for (auto& w : memory[r].in[i].w)
                                w = pack_bf16(static_cast<float>(r + round % 7), static_cast<float>(i % 16));
                        AllReduceProblem p{};
                        p.in = memory[r].in.data();
                        p.out = memory[r].out.data();
                        p.peers = peers;
                        p.counters = memory[r].counters.data();
                        p.rank = r;
                        p.ranks = ranks;
                        p.vectors = vectors;
                        p.blocks = blocks;
                        p.spin_limit = 2000000000ULL;
                        std::uint32_t error = 0;
                        p.error = &error;
                        for (int b = 0; b < blocks; ++b) {
                            if (push) {
                                allreduce_push(p, b);
                            } else {
                                allreduce_pull(p, b);
                            }
                        }
                        float first = 0.0f;
                        for (int q = 0; q < ranks; ++q) first += static_cast<float>(q + round % 7);
                        for (int i = 0; i < vectors; ++i)
                            for (const auto w : memory[r].out[i].w)
                                if (w != pack_bf16(first, static_cast<float>(ranks * (i % 16))) || error != 0) ++wrong[r];
                    }
                });
            for (auto& t : threads) t.join();
            for (int r = 0; r < ranks; ++r)
                expect(wrong[r] == 0, std::string("all-reduce ") + (push ? "push" : "pull") + " over " +
                                          std::to_string(ranks) + " ranks");
        }
}

void host_loops_agree_with_kernels() {
    // own GEMM against fp64 at ragged sizes
    Random random(53);
    for (const auto& [m, n, k] : {std::tuple<int, int, int>{1, 1, 1}, {3, 5, 17}, {2, 4, 64}, {7, 9, 5000}}) {
        std::vector<float> a(static_cast<std::size_t>(m) * k);
        std::vector<float> w(static_cast<std::size_t>(n) * k);
        std::vector<float> c(static_cast<std::size_t>(m) * n, NAN);
        for (auto& x : a) x = random.symmetric();
        for (auto& x : w) x = random.symmetric();
        gemm_blocked(a.data(), w.data(), c.data(), m, n, k);
        const std::vector<double> wa(a.begin(), a.end());
        const std::vector<double> ww(w.begin(), w.end());
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                expect(std::abs(c[static_cast<std::size_t>(i) * n + j] -
                                reference::dot(&wa[static_cast<std::size_t>(i) * k], &ww[static_cast<std::size_t>(j) * k],
                                               static_cast<std::size_t>(k))) < 1e-3,
                       "blocked GEMM");
    }
    // attention loops against fp64 over a tree
    const int tokens = 9;
    const int kv = 130;
    const int dim = 64;
    const TreeMask tree = random_tree(2, tokens, random, false);
    std::vector<float> q(static_cast<std::size_t>(2) * tokens * 6 * dim);
    std::vector<float> keys(static_cast<std::size_t>(2) * (kv + tokens) * 2 * dim);
    std::vector<float> values(keys.size());
    for (auto* v : {&q, &keys, &values})
        for (auto& x : *v) x = random.symmetric();
    std::vector<float> out(q.size(), NAN);
    std::vector<float> scratch(static_cast<std::size_t>(tokens) * 3 * 66);
    host::attention(q.data(), keys.data(), values.data(), tree.words.data(), out.data(), scratch.data(), 2, tokens, kv, 6, 2,
                    dim, 0.125f);
    const auto doubles = [](const std::vector<float>& v) { return std::vector<double>(v.begin(), v.end()); };
    expect(reference::relative_error(doubles(out), reference::attention({2, tokens, kv, 6, 2, dim}, doubles(q), doubles(keys),
                                                                        doubles(values), tree.sees, 0.125)) < 1e-5,
           "host attention loops");
}

void statistics_match_hand_values() {
    // P(Bin(30, 1/2) <= 9) = 0.0214 and P(<= 10) = 0.0494: ranks 10 and 21 (any table of the sign test)
    expect(median_interval_rank(30) == 10, "rank for n = 30");
    expect(median_interval_rank(6) == 1, "rank for n = 6: 1 - 2/64 = 0.969");
    expect(median_interval_rank(5) == 0, "n = 5 reaches 0.9375 at most");
    expect(median_interval_rank(100) == 40, "rank for n = 100");
    expect(median_interval_rank(5000) > 2400 && median_interval_rank(5000) < 2500, "large n stays finite");
    std::vector<double> v;
    for (int i = 1; i <= 30; ++i) v.push_back(i);
    const Summary s = summarise(v);
    expect(s.median == 15.5 && s.ci95_lo == 10 && s.ci95_hi == 21, "interval of 1..30");
    expect(s.mad == 7.5, "median absolute deviation of 1..30");
    expect(std::abs(s.p05 - 2.45) < 1e-12 && std::abs(s.p95 - 28.55) < 1e-12, "type 7 quantiles of 1..30");
    expect(summarise({4.0}).ci95_lo == 4.0, "one sample is its own interval");
    // coverage of the interval by simulation: 95 % of 2000 exponential samples of size 31, within four standard errors
    Random random(61);
    int covered = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        std::vector<double> x(31);
        for (auto& y : x) y = -std::log(1.0 - random.uniform());
        const Summary t = summarise(x);
        covered += t.ci95_lo <= std::log(2.0) && std::log(2.0) <= t.ci95_hi ? 1 : 0;
    }
    double tail = 0.0;  // exact coverage of the rank used
    double term = std::pow(0.5, 31);
    for (std::size_t j = 0; j < median_interval_rank(31); ++j) {
        tail += term;
        term *= static_cast<double>(31 - j) / static_cast<double>(j + 1);
    }
    const double exact = 1.0 - 2.0 * tail;
    expect(exact >= 0.95, "the interval covers at least 95 %");
    expect(std::abs(covered / 2000.0 - exact) < 4.0 * std::sqrt(exact * (1.0 - exact) / 2000.0), "simulated coverage");
}

void json_round_trips() {
    const std::string text = "{\"a\": [1, 2.5, -3e-7, true, null, \"x\\n\\u00e9\\\"\"], \"b\": {\"c\": {}}}";
    const Json j = Json::parse(text);
    expect(Json::parse(j.dump()).dump() == j.dump(), "dump and parse agree");
    expect(j.at("a").items()[0].as_integer("a") == 1, "integers stay integers");
    expect(j.at("a").items()[5].as_string("a") == "x\n\xc3\xa9\"", "escapes");
    for (const char* bad : {"", "{", "[1,]", "{\"a\":1,\"a\":2}", "nul", "[1] x", "\"\\q\"", "[01x]", "NaN", "[1e999]", "\"ab"})
        expect_throws<JsonError>([&] { Json::parse(bad); }, "line 1", std::string("refuses ") + bad);
    std::string deep;
    for (int i = 0; i < 100; ++i) deep += "[";
    expect_throws<JsonError>([&] { Json::parse(deep); }, "nested", "deep nesting");
    Json o = Json::object();
    o.set("x", NAN);
    expect_throws<JsonError>([&] { o.dump(); }, "finite", "NaN is not written");
    o = Json::object();
    o.set("x", Json());
    expect(o.dump() == "{}\n", "null is left out");
}

void catalogue_is_consistent() {
    Grid grid;
    grid.shapes = builtin_shapes();
    for (const bool gpu : {false, true}) {
        grid.gpu = gpu;
        grid.device_count = gpu ? 8 : 1;
        const auto points = grid_points(grid, {});
        std::map<std::string, int> seen;
        std::map<std::string, int> ops;
        for (const auto& p : points) {
            ++seen[p.id()];
            ++ops[p.op];
            const Work w = operation(p.op).work(p);
            expect(std::isfinite(w.bytes_min) && w.bytes_min >= 0.0 && std::isfinite(w.flops), "work of " + p.id());
        }
        for (const auto& [id, n] : seen) expect(n == 1, "id is unique: " + id);
        for (const char* op : {"dram_read", "gemm", "attn_verify", "gdn_verify", "lm_head_topk", "tree_build", "gather_kv"})
            expect(ops.count(op) == 1, std::string("grid has ") + op);
        expect((ops.count("all_reduce") == 1) == gpu, "collectives on GPUs only");
    }
    expect_throws<std::invalid_argument>([] { operation("gem"); }, "'gemm'", "nearest operation");
    Point p;
    p.op = "gemm";
    p.params = {{"m", 16}, {"n", 16384}, {"k", 5120}};
    p.dtype = {{"a", "bf16"}, {"b", "bf16"}, {"c", "bf16"}};
    const Work w = operation("gemm").work(p);
    expect(w.flops == 2.0 * 16 * 16384 * 5120, "GEMM flops");
    expect(w.bytes_min == 2.0 * (16 * 5120 + 16384.0 * 5120 + 16 * 16384), "GEMM bytes");
}

void options_are_checked() {
    const auto parse = [](std::vector<const char*> words) {
        words.insert(words.begin(), "foretoken-timing");
        return parse_options(static_cast<int>(words.size()), const_cast<char**>(words.data()));
    };
    expect(parse({"--backend", "host", "--ops", "gemm,tree_build", "--target=0.02"}).ops.size() == 2, "lists");
    expect_throws<UsageError>([&] { parse({"--bakend", "host"}); }, "--backend", "unknown option names the nearest");
    expect_throws<UsageError>([&] { parse({"--passes", "0"}); }, "'0'", "range");
    expect_throws<UsageError>([&] { parse({"--passes", "2.5"}); }, "whole", "whole numbers");
    expect_throws<UsageError>([&] { parse({"--ops", "gemmm"}); }, "'gemm'", "unknown operation");
    expect_throws<UsageError>([&] { parse({"--out"}); }, "needs a value", "missing value");
    expect_throws<UsageError>([&] { parse({"--resume"}); }, "--out", "resume needs a file");
    expect_throws<UsageError>([&] { parse({"--target", "nan"}); }, "nan", "NaN is refused");
}

void tree_builder_is_best_first() {
    // two depths, two ranks: p1 = .6/.4, p2 = .9/.1 -> 0 (.6), 00 (.54), 1 (.4), 10 (.36), 01 (.06), 11 (.04)
    const float lp[] = {std::log(0.6f), std::log(0.4f), std::log(0.9f), std::log(0.1f)};
    TreeBuilder builder(2, 2);
    const auto nodes = builder.build(lp, 8);
    expect(nodes.size() == 6, "the tree ends when the paths do");
    const int parents[] = {-1, 0, -1, 2, 0, 2};
    const int ranks[] = {0, 0, 1, 0, 1, 1};
    for (std::size_t i = 0; i < nodes.size() && i < 6; ++i)
        expect(nodes[i].parent == parents[i] && nodes[i].rank == ranks[i], "node " + std::to_string(i));
    const auto mask = TreeBuilder::ancestor_mask(nodes);
    expect(mask[3] == ((1u << 3) | (1u << 2)), "ancestors of node 3");
    expect(builder.build(lp, 0).empty(), "budget 0");
}

}  // namespace
}  // namespace foretoken

int main(int argc, char** argv) {
    using namespace foretoken;
    if (argc > 1 && std::strcmp(argv[1], "--attention-shared-bytes") == 0) {
        // the largest dynamic shared memory that a kernel asks for
        std::printf("%d\n", std::max({AttentionTile<64>::kSharedBytes, AttentionTile<128>::kSharedBytes,
                                      AttentionTile<256>::kSharedBytes}));
        return 0;
    }
    bf16_rounds_to_nearest_even();
    mma_multiplies_matrices();
    attention_agrees_with_fp64();
    attention_reads_the_mask();
    gdn_agrees_with_fp64();
    topk_agrees_with_sorting();
    elementwise_agrees_with_fp64();
    allreduce_sums_over_ranks();
    host_loops_agree_with_kernels();
    statistics_match_hand_values();
    json_round_trips();
    catalogue_is_consistent();
    options_are_checked();
    tree_builder_is_best_first();
    std::printf("%d checks, %d failed\n", checks, failures);
    return failures == 0 ? 0 : 1;
}
