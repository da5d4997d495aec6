// The CPU: own operations, OpenBLAS and tree building, under the same schedule and file as a GPU.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

#include "../core/backend.hpp"
#include "../core/operations.hpp"
#include "../core/reduced.hpp"
#include "../core/system.hpp"
#include "../reference/random.hpp"
#include "../reference/reference.hpp"
#include "../reference/tree.hpp"
#include "blas.hpp"
#include "loops.hpp"

namespace foretoken {
namespace {

constexpr double kSampleFloorUs = 200.0;
constexpr std::int64_t kColdFactor = 4;  // operand sets together are this many times the last-level cache
constexpr float kEps = 1e-6f;
constexpr double kTolerance = 1e-4;  // fp32 against fp64
constexpr double kForeignShare = 0.10;

double thread_cpu_us() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e6 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_nsec);
}

/** An operation on fp32 arrays: sizes, the call, and what fp64 says about it. */
struct HostOp {
    std::size_t inputs = 0;   // floats
    std::size_t outputs = 0;  // floats
    std::size_t compared = 0;  // leading outputs that expected() covers
    std::function<void(const float* in, float* out)> call;
    /** The leading outputs in fp64 from the inputs widened, and the inputs themselves where they hold bits. */
    std::function<std::vector<double>(const std::vector<double>& in, const float* bits)> expected;
    std::function<void(float* in)> shape_inputs;  // after the random fill; empty where any numbers do
};

int as_int(const Point& p, const char* name) { return static_cast<int>(p.param(name)); }

/** A random chain or tree mask over m tokens: the parent of token i is below i. */
void fill_tree_mask(std::uint32_t* mask, int batch, int tokens, Random& random) {
    std::memset(mask, 0, static_cast<std::size_t>(batch) * tokens * 4 * sizeof(std::uint32_t));
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < tokens; ++i) {
            std::uint32_t* row = mask + (static_cast<std::size_t>(b) * tokens + i) * 4;
            if (i > 0) {
                const std::size_t parent = random.below(static_cast<std::uint64_t>(i));
                std::memcpy(row, mask + (static_cast<std::size_t>(b) * tokens + parent) * 4, 16);
            }
            row[i / 32] |= 1u << (i % 32);
        }
}

HostOp make_bandwidth(const Point& p) {
    const auto n = static_cast<std::size_t>(p.param("bytes")) / sizeof(float);
    HostOp op;
    const bool triad = p.op == "dram_triad";
    const bool copy = p.op == "dram_copy";
    op.inputs = triad ? 2 * n : n;
    op.outputs = triad || copy ? n : 1;
    op.compared = op.outputs;
    op.call = [=](const float* in, float* out) {
        if (triad) {
            host::triad(in, in + n, out, n);
        } else if (copy) {
            host::copy(in, out, n);
        } else {
            out[0] = host::read_sum(in, n);
        }
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(triad || copy ? n : 1);
        if (triad) {
            for (std::size_t i = 0; i < n; ++i) want[i] = in[i] + 0.5 * in[n + i];
        } else if (copy) {
            want.assign(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(n));
        } else {
            for (const double x : in) want[0] += x;
        }
        return want;
    };
    // all of one sign, so that the sum is well conditioned
    op.shape_inputs = [=](float* in) {
        for (std::size_t i = 0; i < n; ++i) in[i] = std::abs(in[i]);
    };
    return op;
}

HostOp make_gemm(const Point& p, const Blas& blas) {
    const int m = as_int(p, "m");
    const int n = as_int(p, "n");
    const int k = as_int(p, "k");
    const std::size_t weights = static_cast<std::size_t>(n) * k;
    HostOp op;
    op.inputs = weights + static_cast<std::size_t>(m) * k;
    op.outputs = static_cast<std::size_t>(m) * n;
    op.compared = op.outputs;
    op.call = [=, &blas](const float* in, float* out) { blas.gemm(in + weights, in, out, m, n, k); };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(static_cast<std::size_t>(m) * n);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j)
                want[static_cast<std::size_t>(i) * n + j] =
                    reference::dot(&in[weights + static_cast<std::size_t>(i) * k], &in[static_cast<std::size_t>(j) * k],
                                   static_cast<std::size_t>(k));
        return want;
    };
    return op;
}

HostOp make_attention(const Point& p) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int kv = as_int(p, "kv_len");
    const int hq = as_int(p, "hq");
    const int hkv = as_int(p, "hkv");
    const int d = as_int(p, "head_dim");
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    const std::size_t queries = static_cast<std::size_t>(batch) * m * hq * d;
    const std::size_t keys = static_cast<std::size_t>(batch) * (kv + m) * hkv * d;
    const std::size_t mask_words = static_cast<std::size_t>(batch) * m * 4;
    HostOp op;
    op.inputs = queries + 2 * keys + mask_words;
    op.compared = queries;
    op.outputs = queries + static_cast<std::size_t>(m) * (hq / hkv) * 66;
    op.call = [=](const float* in, float* out) {
        host::attention(in, in + queries, in + queries + keys,
                        reinterpret_cast<const std::uint32_t*>(in + queries + 2 * keys), out, out + queries, batch, m, kv, hq,
                        hkv, d, scale);
    };
    op.shape_inputs = [=](float* in) {
        Random random(17);
        fill_tree_mask(reinterpret_cast<std::uint32_t*>(in + queries + 2 * keys), batch, m, random);
    };
    op.expected = [=](const std::vector<double>& in, const float* bits) {
        const auto* mask = reinterpret_cast<const std::uint32_t*>(bits + queries + 2 * keys);
        std::vector<char> sees(static_cast<std::size_t>(batch) * m * m);
        for (std::size_t row = 0; row < static_cast<std::size_t>(batch) * m; ++row)
            for (int j = 0; j < m; ++j)
                sees[row * m + static_cast<std::size_t>(j)] = static_cast<char>((mask[row * 4 + j / 32] >> (j % 32)) & 1u);
        const auto begin = in.begin();
        const auto at = [&](std::size_t first, std::size_t count) {
            return std::vector<double>(begin + static_cast<std::ptrdiff_t>(first),
                                       begin + static_cast<std::ptrdiff_t>(first + count));
        };
        return reference::attention({batch, m, kv, hq, hkv, d}, at(0, queries), at(queries, keys), at(queries + keys, keys),
                                    sees, scale);
    };
    return op;
}

HostOp make_gdn(const Point& p) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int hk = as_int(p, "hk");
    const int hv = as_int(p, "hv");
    const int dk = as_int(p, "dk");
    const int dv = as_int(p, "dv");
    const float scale = 1.0f / std::sqrt(static_cast<float>(dk));
    const host::GdnForm form = p.variant == "replay"            ? host::GdnForm::kReplay
                               : p.variant == "state_per_token" ? host::GdnForm::kStatePerToken
                                                                : host::GdnForm::kFinalState;
    const std::size_t state = static_cast<std::size_t>(batch) * hv * dk * dv;
    const std::size_t qk = static_cast<std::size_t>(batch) * m * hk * dk;
    const std::size_t vo = static_cast<std::size_t>(batch) * m * hv * dv;
    const std::size_t gates = static_cast<std::size_t>(batch) * m * hv;
    HostOp op;
    op.inputs = state + 2 * qk + vo + 2 * gates;
    op.compared = state;
    op.outputs = state + vo + (form == host::GdnForm::kStatePerToken ? state * m : 0);
    op.call = [=](const float* in, float* out) {
        const float* q = in + state;
        const float* k = q + qk;
        const float* v = k + qk;
        const float* g = v + vo;
        host::gdn(q, k, v, g, g + gates, in, out, out + state + vo, out + state, batch, m, hk, hv, dk, dv, scale, form);
    };
    op.shape_inputs = [=](float* in) {
        float* k = in + state + qk;
        for (std::size_t row = 0; row < qk / dk; ++row) {  // engines normalise the keys; without it the state grows
            double norm = 0.0;
            for (int j = 0; j < dk; ++j) norm += static_cast<double>(k[row * dk + j]) * k[row * dk + j];
            for (int j = 0; j < dk; ++j) k[row * dk + j] /= static_cast<float>(std::sqrt(norm));
        }
        float* g = in + state + 2 * qk + vo;
        for (std::size_t i = 0; i < gates; ++i) {
            g[i] = -0.1f * std::abs(g[i]);
            g[gates + i] = 0.5f * (g[gates + i] + 1.0f);
        }
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(state);
        const double* q = &in[state];
        const double* k = q + qk;
        const double* v = k + qk;
        const double* g = v + vo;
        for (int b = 0; b < batch; ++b)
            for (int h = 0; h < hv; ++h) {
                const std::size_t at = (static_cast<std::size_t>(b) * hv + h) * dk * dv;
                std::vector<double> s(in.begin() + static_cast<std::ptrdiff_t>(at),
                                      in.begin() + static_cast<std::ptrdiff_t>(at + static_cast<std::size_t>(dk) * dv));
                for (int t = 0; t < m; ++t) {
                    const std::size_t bt = static_cast<std::size_t>(b) * m + t;
                    const std::size_t kh = bt * hk + h / (hv / hk);
                    reference::gdn_step(s, q + kh * dk, k + kh * dk, v + (bt * hv + h) * dv, g[bt * hv + h],
                                        g[gates + bt * hv + h], dk, dv, scale);
                }
                std::copy(s.begin(), s.end(), want.begin() + static_cast<std::ptrdiff_t>(at));
            }
        return want;
    };
    return op;
}

HostOp make_conv(const Point& p) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int channels = as_int(p, "channels");
    const int width = as_int(p, "width");
    const std::size_t x = static_cast<std::size_t>(batch) * m * channels;
    const std::size_t weight = static_cast<std::size_t>(channels) * width;
    const std::size_t state = static_cast<std::size_t>(batch) * channels * (width - 1);
    HostOp op;
    op.inputs = x + weight + state;
    op.outputs = x + state;
    op.compared = x;
    op.call = [=](const float* in, float* out) {
        host::conv1d(in, in + x, in + x + weight, out + x, out, batch, m, channels, width);
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(x);
        for (int b = 0; b < batch; ++b)
            for (int t = 0; t < m; ++t)
                for (int c = 0; c < channels; ++c) {
                    double s = 0.0;
                    for (int j = 0; j < width; ++j) {
                        const int from = t - width + 1 + j;
                        const double value =
                            from >= 0
                                ? in[(static_cast<std::size_t>(b) * m + from) * channels + c]
                                : in[x + weight + (static_cast<std::size_t>(b) * channels + c) * (width - 1) +
                                     static_cast<std::size_t>(width - 1 + from)];
                        s += in[x + static_cast<std::size_t>(c) * width + j] * value;
                    }
                    want[(static_cast<std::size_t>(b) * m + t) * channels + c] = reference::silu(s);
                }
        return want;
    };
    return op;
}

HostOp make_rmsnorm(const Point& p) {
    const int tokens = as_int(p, "tokens");
    const int hidden = as_int(p, "hidden");
    HostOp op;
    const std::size_t x = static_cast<std::size_t>(tokens) * hidden;
    op.inputs = x + static_cast<std::size_t>(hidden);
    op.outputs = op.compared = x;
    op.call = [=](const float* in, float* out) { host::rmsnorm(in, in + x, out, tokens, hidden, kEps); };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(x);
        for (int t = 0; t < tokens; ++t) {
            const double* row = &in[static_cast<std::size_t>(t) * hidden];
            const double inverse = 1.0 / std::sqrt(reference::dot(row, row, static_cast<std::size_t>(hidden)) / hidden + kEps);
            for (int i = 0; i < hidden; ++i)
                want[static_cast<std::size_t>(t) * hidden + i] = row[i] * inverse * in[x + static_cast<std::size_t>(i)];
        }
        return want;
    };
    return op;
}

HostOp make_silu(const Point& p) {
    const int tokens = as_int(p, "tokens");
    const int width = as_int(p, "intermediate");
    HostOp op;
    op.inputs = 2 * static_cast<std::size_t>(tokens) * width;
    op.outputs = op.compared = static_cast<std::size_t>(tokens) * width;
    op.call = [=](const float* in, float* out) { host::silu_mul(in, out, tokens, width); };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want(static_cast<std::size_t>(tokens) * width);
        for (int t = 0; t < tokens; ++t)
            for (int i = 0; i < width; ++i)
                want[static_cast<std::size_t>(t) * width + i] =
                    reference::silu(in[static_cast<std::size_t>(t) * 2 * width + i]) *
                    in[static_cast<std::size_t>(t) * 2 * width + width + i];
        return want;
    };
    return op;
}

HostOp make_topk(const Point& p) {
    const int rows = as_int(p, "rows");
    const int vocab = as_int(p, "vocab");
    const int k = as_int(p, "k");
    if (k > 32) throw Unsupported("top-k is limited to 32");
    HostOp op;
    op.inputs = static_cast<std::size_t>(rows) * vocab;
    op.outputs = 2 * static_cast<std::size_t>(rows) * k;
    op.compared = static_cast<std::size_t>(rows) * k;
    op.call = [=](const float* in, float* out) {
        host::topk(in, out, reinterpret_cast<std::int32_t*>(out + static_cast<std::size_t>(rows) * k), rows, vocab, k);
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want;
        for (int r = 0; r < rows; ++r) {
            const std::vector<double> row(in.begin() + static_cast<std::ptrdiff_t>(r) * vocab,
                                          in.begin() + static_cast<std::ptrdiff_t>(r + 1) * vocab);
            const double log_sum = reference::log_sum_exp(row);
            for (const int i : reference::top_k(row, k)) want.push_back(row[static_cast<std::size_t>(i)] - log_sum);
        }
        return want;
    };
    return op;
}

HostOp make_gather(const Point& p) {
    const int accepted = as_int(p, "accepted");
    const int batch = as_int(p, "batch");
    const int layers = as_int(p, "layers");
    const std::size_t row = 2 * static_cast<std::size_t>(p.param("hkv") * p.param("head_dim"));  // key and value
    const int tail = 2 * accepted;  // every second tail slot is accepted
    const std::size_t cache = static_cast<std::size_t>(layers) * batch * tail * row;
    HostOp op;
    op.inputs = cache;
    op.outputs = op.compared = static_cast<std::size_t>(layers) * batch * accepted * row;
    op.call = [=](const float* in, float* out) {
        for (std::size_t lb = 0; lb < static_cast<std::size_t>(layers) * batch; ++lb)
            for (int j = 0; j < accepted; ++j)
                std::memcpy(out + (lb * accepted + static_cast<std::size_t>(j)) * row,
                            in + (lb * static_cast<std::size_t>(tail) + 2 * static_cast<std::size_t>(j)) * row,
                            row * sizeof(float));
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        std::vector<double> want;
        for (std::size_t lb = 0; lb < static_cast<std::size_t>(layers) * batch; ++lb)
            for (int j = 0; j < accepted; ++j)
                for (std::size_t i = 0; i < row; ++i)
                    want.push_back(in[(lb * static_cast<std::size_t>(tail) + 2 * static_cast<std::size_t>(j)) * row + i]);
        return want;
    };
    return op;
}

HostOp make_tree(const Point& p) {
    const int budget = as_int(p, "budget");
    const int depth = as_int(p, "depth");
    const int k = as_int(p, "top_k");
    const int batch = as_int(p, "batch");
    HostOp op;
    op.inputs = static_cast<std::size_t>(batch) * depth * k;
    op.outputs = 2 * static_cast<std::size_t>(batch);  // expected accepted nodes; words of the mask
    op.compared = static_cast<std::size_t>(batch);
    auto builder = std::make_shared<TreeBuilder>(depth, k);
    op.call = [=](const float* in, float* out) {
        for (int b = 0; b < batch; ++b) {
            const auto& nodes = builder->build(in + static_cast<std::size_t>(b) * depth * k, budget);
            const auto mask = TreeBuilder::ancestor_mask(nodes);
            double expected_length = 0.0;
            for (const auto& node : nodes) expected_length += std::exp(node.log_prob);
            out[b] = static_cast<float>(expected_length);
            out[batch + b] = static_cast<float>(mask.size());
        }
    };
    // per-depth log-probabilities, descending: rank r of a geometric law with a random first probability
    op.shape_inputs = [=](float* in) {
        for (int row = 0; row < batch * depth; ++row) {
            const double first = 0.35 + 0.3 * (1.0 + in[static_cast<std::size_t>(row) * k]);
            for (int r = 0; r < k; ++r)
                in[static_cast<std::size_t>(row) * k + r] =
                    static_cast<float>(std::log(first) + r * std::log(1.0 - first + 1e-3));
        }
    };
    op.expected = [=](const std::vector<double>& in, const float*) {
        // closed form: the budget largest path sums, found by expanding every path that can matter
        std::vector<double> want;
        for (int b = 0; b < batch; ++b) {
            std::vector<double> open{0.0};
            std::vector<double> all;
            for (int d = 0; d < depth; ++d) {
                std::vector<double> next;
                for (const double w : open)
                    for (int r = 0; r < k; ++r)
                        next.push_back(w + in[(static_cast<std::size_t>(b) * depth + d) * k + r]);
                // a path outside the `budget` best of its depth cannot be in the tree, nor can its children
                std::sort(next.rbegin(), next.rend());
                if (next.size() > static_cast<std::size_t>(budget)) next.resize(static_cast<std::size_t>(budget));
                all.insert(all.end(), next.begin(), next.end());
                open = std::move(next);
            }
            std::sort(all.rbegin(), all.rend());
            double sum = 0.0;
            for (std::size_t i = 0; i < all.size() && i < static_cast<std::size_t>(budget); ++i) sum += std::exp(all[i]);
            want.push_back(sum);
        }
        return want;
    };
    return op;
}

HostOp make_op(const Point& p, const Blas& blas) {
    if (p.op == "dram_read" || p.op == "dram_copy" || p.op == "dram_triad" || p.op == "l2_read") return make_bandwidth(p);
    if (p.op == "gemm") return make_gemm(p, blas);
    if (p.op == "attn_verify") return make_attention(p);
    if (p.op == "gdn_verify") return make_gdn(p);
    if (p.op == "conv1d_update") return make_conv(p);
    if (p.op == "rmsnorm") return make_rmsnorm(p);
    if (p.op == "silu_mul") return make_silu(p);
    if (p.op == "lm_head_topk") return make_topk(p);
    if (p.op == "gather_kv") return make_gather(p);
    if (p.op == "tree_build") return make_tree(p);
    throw Unsupported("the host backend has no " + p.op);
}

void fill(const HostOp& op, float* in, std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < op.inputs; ++i) in[i] = random.symmetric();
    if (op.shape_inputs) op.shape_inputs(in);
}

class HostRunnable : public Runnable {
public:
    HostRunnable(const Point& point, const Blas& blas, std::vector<float>& arena)
        : point_(point), blas_(blas), arena_(arena), op_(make_op(point, blas)) {
        // sets start on a cache line
        const std::size_t floats = (op_.inputs + op_.outputs + 15) / 16 * 16;
        const std::int64_t bytes = static_cast<std::int64_t>(floats) * static_cast<std::int64_t>(sizeof(float));
        const std::int64_t wanted = kColdFactor * last_level_cache_bytes();
        sets_ = point.cache == "cold" ? static_cast<std::size_t>(std::max<std::int64_t>(1, (wanted + bytes - 1) / bytes)) : 1;
        stride_ = floats;
        if (arena_.size() < sets_ * stride_) arena_.resize(sets_ * stride_);
        fill(op_, arena_.data(), 1);
        for (std::size_t s = 1; s < sets_; ++s)
            std::memcpy(arena_.data() + s * stride_, arena_.data(), op_.inputs * sizeof(float));
        // enough calls per sample that the clock resolves 1 %
        call();
        const double start = monotonic_s();
        call();
        const double one_us = std::max(0.01, 1e6 * (monotonic_s() - start));
        repeats_ = static_cast<int>(std::clamp(std::ceil(kSampleFloorUs / one_us), 1.0, 100000.0));
    }

    std::optional<Check> check() override {
        const Point small = reduced_for_check(point_);
        const HostOp op = make_op(small, blas_);
        std::vector<float> in(op.inputs);
        std::vector<float> out(op.outputs, std::numeric_limits<float>::quiet_NaN());  // a call that writes nothing fails
        fill(op, in.data(), 7);
        op.call(in.data(), out.data());
        const std::vector<double> wide(in.begin(), in.end());
        const std::vector<double> got(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(op.compared));
        const double error = reference::relative_error(got, op.expected(wide, in.data()));
        return Check{error, error <= kTolerance};
    }

    double sample_us() override {
        const double cpu = thread_cpu_us();
        const double start = monotonic_s();
        for (int i = 0; i < repeats_; ++i) call();
        const double wall = 1e6 * (monotonic_s() - start);
        last_cpu_us_ = (thread_cpu_us() - cpu) / repeats_;
        return wall / repeats_;
    }

    std::optional<double> last_cpu_us() const override {
        // a BLAS with more threads works outside this one: its CPU time is unknown here
        return point_.op == "gemm" && blas_.threads() > 1 ? std::nullopt : std::optional<double>(last_cpu_us_);
    }

    std::map<std::string, std::int64_t> facts() const override {
        return {{"calls_per_sample", repeats_}, {"operand_sets", static_cast<std::int64_t>(sets_)}};
    }

private:
    void call() {
        float* set = arena_.data() + next_ * stride_;
        op_.call(set, set + op_.inputs);
        next_ = (next_ + 1) % sets_;
    }

    Point point_;
    const Blas& blas_;
    std::vector<float>& arena_;
    HostOp op_;
    std::size_t sets_ = 1;
    std::size_t stride_ = 0;
    std::size_t next_ = 0;
    int repeats_ = 1;
    double last_cpu_us_ = 0.0;
};

class HostBackend : public Backend {
public:
    explicit HostBackend(int threads) : blas_(threads) {}

    std::string name() const override { return "host"; }

    void describe(Json& document) override {
        Json software = Json::object();
        software.set("blas", blas_.implementation()).set("blas_threads", blas_.threads());
        if (!blas_.configuration().empty()) software.set("blas_config", blas_.configuration());
        document.set("software", software).set("devices", Json::array());
    }

    std::vector<std::string> disturbances() override {
        std::vector<std::string> found;
        char text[160];
        if (load_average() > logical_cores()) {
            std::snprintf(text, sizeof text, "load average %.2f on %d cores", load_average(), logical_cores());
            found.emplace_back(text);
        }
        const double share = foreign_cpu_share(1000);
        if (share > kForeignShare) {
            std::snprintf(text, sizeof text, "other processes use %.0f %% of the cores (limit %.0f %%)", 100.0 * share,
                          100.0 * kForeignShare);
            found.emplace_back(text);
        }
        return found;
    }

    std::unique_ptr<Runnable> prepare(const Point& point) override {
        return std::make_unique<HostRunnable>(point, blas_, arena_);
    }

    std::optional<DeviceState> state(const Point&) override { return std::nullopt; }
    bool has_thermal_regimes() const override { return false; }
    bool needs_isolation(const Point&) const override { return false; }
    std::optional<double> dram_ceiling_bytes_per_s(const std::vector<Measurement>&) override { return std::nullopt; }
    std::optional<double> compute_ceiling_flops_per_s(const Measurement&, const std::vector<Measurement>&) override {
        return std::nullopt;
    }
    std::string gemm_implementation() const override { return blas_.implementation(); }

private:
    Blas blas_;
    std::vector<float> arena_;
};

}  // namespace

std::unique_ptr<Backend> make_host_backend(int threads) { return std::make_unique<HostBackend>(threads); }

}  // namespace foretoken
