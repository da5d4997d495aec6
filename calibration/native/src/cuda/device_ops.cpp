#include "device_ops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "../core/backend.hpp"
#include "../kernels/elementwise.hpp"
#include "../reference/random.hpp"
#include "../reference/reference.hpp"
#include "launch.hpp"
#include "memory.hpp"

namespace foretoken {
namespace {

constexpr float kEps = 1e-6f;

int as_int(const Point& p, const char* name) { return static_cast<int>(p.param(name)); }

std::size_t count(std::initializer_list<std::int64_t> factors) {
    std::size_t n = 1;
    for (const auto f : factors) n *= static_cast<std::size_t>(f);
    return n;
}

template <class T>
const T* at(const std::vector<char>& set, std::size_t offset) {
    return reinterpret_cast<const T*>(set.data() + offset);
}

std::vector<double> widen_bf16(const std::vector<char>& set, std::size_t offset, std::size_t n) {
    std::vector<double> out(n);
    for (std::size_t i = 0; i < n; ++i) out[i] = to_float(at<Bf16>(set, offset)[i]);
    return out;
}

std::vector<double> widen_float(const std::vector<char>& set, std::size_t offset, std::size_t n) {
    const float* f = at<float>(set, offset);
    return std::vector<double>(f, f + n);
}

void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream), "upload of operands");
    check_cuda(cudaStreamSynchronize(stream), "upload of operands");
}

DeviceOp make_bandwidth(const Point& p, const DeviceFacts& device) {
    const auto bytes = static_cast<std::size_t>(p.param("bytes")) / 16 * 16;
    const std::size_t n = bytes / 4;
    const int sms = device.sms;
    Layout layout;
    const std::size_t a = layout.add(bytes);
    DeviceOp op;
    if (p.op == "dram_triad") {
        const std::size_t b = layout.add(bytes);
        const std::size_t c = layout.add(bytes);
        op.fill = [=](char* set, cudaStream_t s) {
            check_cuda(device::fill_float(reinterpret_cast<float*>(set + a), n, -1.0f, 1.0f, 1, s), "fill");
            check_cuda(device::fill_float(reinterpret_cast<float*>(set + b), n, -1.0f, 1.0f, 2, s), "fill");
        };
        op.call = [=](char* set, char*, cudaStream_t s) {
            check_cuda(device::triad(reinterpret_cast<float*>(set + a), reinterpret_cast<float*>(set + b),
                                     reinterpret_cast<float*>(set + c), n, sms, s),
                       "triad");
        };
        op.output_at = c;
        op.output_bytes = bytes;
        op.error = [=](const std::vector<char>& set) {
            const auto x = widen_float(set, a, n);
            const auto y = widen_float(set, b, n);
            std::vector<double> want(n);
            for (std::size_t i = 0; i < n; ++i) want[i] = x[i] + 0.5 * y[i];
            return reference::relative_error(widen_float(set, c, n), want);
        };
    } else if (p.op == "dram_copy") {
        const std::size_t b = layout.add(bytes);
        op.fill = [=](char* set, cudaStream_t s) {
            check_cuda(device::fill_float(reinterpret_cast<float*>(set + a), n, -1.0f, 1.0f, 1, s), "fill");
        };
        op.call = [=](char* set, char*, cudaStream_t s) { check_cuda(device::copy(set + a, set + b, bytes, sms, s), "copy"); };
        op.output_at = b;
        op.output_bytes = bytes;
        op.error = [=](const std::vector<char>& set) {
            return std::memcmp(set.data() + a, set.data() + b, bytes) == 0 ? 0.0 : 1.0;
        };
    } else {
        const std::size_t sink = layout.add(16);
        op.fill = [=](char* set, cudaStream_t s) {
            check_cuda(device::fill_float(reinterpret_cast<float*>(set + a), n, -1.0f, 1.0f, 1, s), "fill");
            check_cuda(cudaMemsetAsync(set + sink, 0, 16, s), "memset");
        };
        op.call = [=](char* set, char*, cudaStream_t s) { check_cuda(device::read(set + a, bytes, set + sink, sms, s), "read"); };
        // the kernel folds the parity of everything it read into the sink: one call leaves exactly that
        op.error = [=](const std::vector<char>& set) {
            std::uint32_t parity = 0;
            for (std::size_t i = 0; i < n; ++i) parity ^= at<std::uint32_t>(set, a)[i];
            return *at<std::uint32_t>(set, sink) == parity ? 0.0 : 1.0;
        };
    }
    op.set_bytes = layout.total();
    return op;
}

DeviceOp make_mma(const Point& p, const DeviceFacts& device) {
    constexpr int kWarps = 8;
    const int blocks = 2 * device.sms;
    const int instructions = as_int(p, "instructions");
    const std::string type = p.dtype.at("a");
    const int sm = 10 * device.major + device.minor;
    if (type == "fp8" && sm < 89) throw Unsupported("fp8 tensor-core instructions need sm_89");
    if (type == "nvfp4" && sm != 120) throw Unsupported("the fp4 probe is an sm_120a instruction");
    const device::MmaType mma = type == "bf16"  ? device::MmaType::kBf16
                                : type == "fp8" ? device::MmaType::kFp8
                                                : device::MmaType::kNvfp4;
    Layout layout;
    const std::size_t sink = layout.add(count({blocks, 32 * kWarps, 4}));
    DeviceOp op;
    op.set_bytes = layout.total();
    op.fill = [](char*, cudaStream_t) {};
    op.call = [=](char* set, char*, cudaStream_t s) {
        check_cuda(device::mma_peak(mma, instructions, blocks, kWarps, reinterpret_cast<float*>(set + sink), s), "mma");
    };
    const double k = type == "bf16" ? 16.0 : type == "fp8" ? 32.0 : 64.0;
    op.work = Work{0.0, 2.0 * 16.0 * 8.0 * k * instructions * blocks * kWarps};
    op.facts = {{"blocks", blocks}, {"warps_per_block", kWarps}};
    return op;
}

DeviceOp make_attention(const Point& p, const DeviceFacts& device) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int kv = as_int(p, "kv_len");
    const int hq = as_int(p, "hq");
    const int hkv = as_int(p, "hkv");
    const int dim = as_int(p, "head_dim");
    const std::size_t shared = device::attention_shared_bytes(dim);
    if (shared == 0) throw Unsupported("no kernel for head_dim " + std::to_string(dim));
    if (shared > device.shared_optin_bytes) throw Unsupported("the card has too little shared memory for a block");
    if (m > kAttentionMaxTokens) throw Unsupported("the mask holds at most 128 tokens");
    AttentionProblem problem{};
    problem.batch = batch;
    problem.tokens = m;
    problem.kv_len = kv;
    problem.query_heads = hq;
    problem.kv_heads = hkv;
    problem.scale = 1.0f / std::sqrt(static_cast<float>(dim));
    // enough blocks for two waves, at most one split per key tile
    const int tile = dim <= 128 ? 64 : 32;
    const int tiles = ceil_div(problem.keys(), tile);
    const int blocks = batch * hkv * problem.row_tiles();
    problem.splits = std::clamp(ceil_div(2 * device.sms, blocks), 1, tiles);
    const std::size_t queries = count({batch, m, hq, dim});
    const std::size_t keys = count({batch, problem.keys(), hkv, dim});
    const std::size_t rows = count({batch, hkv, problem.splits, problem.padded_rows()});
    Layout layout;
    const std::size_t q = layout.add(2 * queries);
    const std::size_t k = layout.add(2 * keys);
    const std::size_t v = layout.add(2 * keys);
    const std::size_t mask = layout.add(count({batch, m, kAttentionMaskWords, 4}));
    const std::size_t out = layout.add(2 * queries);
    Layout work;
    const std::size_t partial = work.add(4 * rows * static_cast<std::size_t>(dim));
    const std::size_t lse = work.add(4 * rows);
    // a random tree per request, the same in every set
    std::vector<std::uint32_t> words(count({batch, m, kAttentionMaskWords}), 0);
    std::vector<char> sees(count({batch, m, m}), 0);
    Random random(17);
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < m; ++i) {
            const std::size_t row = static_cast<std::size_t>(b) * m + i;
            if (i > 0) {
                const std::size_t parent = static_cast<std::size_t>(b) * m + random.below(static_cast<std::uint64_t>(i));
                std::copy_n(&words[parent * kAttentionMaskWords], kAttentionMaskWords, &words[row * kAttentionMaskWords]);
            }
            words[row * kAttentionMaskWords + i / 32] |= 1u << (i % 32);
            for (int j = 0; j < m; ++j)
                sees[row * m + j] = static_cast<char>((words[row * kAttentionMaskWords + j / 32] >> (j % 32)) & 1u);
        }
    DeviceOp op;
    op.set_bytes = layout.total();
    op.workspace_bytes = work.total();
    op.output_at = out;
    op.output_bytes = 2 * queries;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + q), queries, 1.0f, 1, s), "fill");
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + k), keys, 1.0f, 2, s), "fill");
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + v), keys, 1.0f, 3, s), "fill");
        upload(set + mask, words.data(), words.size() * 4, s);
    };
    op.call = [=](char* set, char* workspace, cudaStream_t s) {
        AttentionProblem call = problem;
        call.q = reinterpret_cast<Bf16*>(set + q);
        call.k = reinterpret_cast<Bf16*>(set + k);
        call.v = reinterpret_cast<Bf16*>(set + v);
        call.mask = reinterpret_cast<std::uint32_t*>(set + mask);
        call.out = reinterpret_cast<Bf16*>(set + out);
        call.partial_out = reinterpret_cast<float*>(workspace + partial);
        call.partial_lse = reinterpret_cast<float*>(workspace + lse);
        check_cuda(device::attention(call, dim, s), "attention");
    };
    op.error = [=](const std::vector<char>& set) {
        return reference::relative_error(
            widen_bf16(set, out, queries),
            reference::attention({batch, m, kv, hq, hkv, dim}, widen_bf16(set, q, queries), widen_bf16(set, k, keys),
                                 widen_bf16(set, v, keys), sees, problem.scale));
    };
    op.facts = {{"splits", problem.splits}, {"row_tiles", problem.row_tiles()}, {"key_tile", tile}};
    return op;
}

DeviceOp make_gdn(const Point& p) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int hk = as_int(p, "hk");
    const int hv = as_int(p, "hv");
    const int dk = as_int(p, "dk");
    const int dv = as_int(p, "dv");
    if (dk != 64 && dk != 128 && dk != 256) throw Unsupported("no kernel for dk " + std::to_string(dk));
    if (dv % kGdnRows != 0) throw Unsupported("dv must be a multiple of 8");
    const GdnMode mode = p.variant == "replay"            ? GdnMode::kReplay
                         : p.variant == "state_per_token" ? GdnMode::kStatePerToken
                                                          : GdnMode::kFinalState;
    const std::size_t qk = count({batch, m, hk, dk});
    const std::size_t vo = count({batch, m, hv, dv});
    const std::size_t gates = count({batch, m, hv});
    const std::size_t state = count({batch, hv, dv, dk});
    Layout layout;
    const std::size_t q = layout.add(2 * qk);
    const std::size_t k = layout.add(2 * qk);
    const std::size_t v = layout.add(2 * vo);
    const std::size_t g = layout.add(4 * gates);
    const std::size_t beta = layout.add(4 * gates);
    const std::size_t in = layout.add(4 * state);
    const std::size_t parent = layout.add(count({batch, m, 4}));
    const std::size_t accepted = layout.add(count({batch, 4}));
    const std::size_t out = layout.add(2 * vo);
    const std::size_t saved_states = mode == GdnMode::kStatePerToken ? static_cast<std::size_t>(m) : 1;
    const std::size_t result = layout.add(4 * state * saved_states);
    // a chain: parents and the accepted path are the tokens in order
    std::vector<int> parents;
    for (int b = 0; b < batch; ++b)
        for (int t = 0; t < m; ++t) parents.push_back(mode == GdnMode::kReplay ? t : t - 1);
    const std::vector<int> lengths(static_cast<std::size_t>(batch), m);
    GdnProblem problem{};
    problem.batch = batch;
    problem.tokens = m;
    problem.key_heads = hk;
    problem.value_heads = hv;
    problem.dv = dv;
    problem.scale = 1.0f / std::sqrt(static_cast<float>(dk));
    DeviceOp op;
    op.set_bytes = layout.total();
    op.output_at = out;
    op.output_bytes = layout.total() - out;
    op.tolerance = 1e-3;  // the state is fp32, its inputs are exact in both
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + q), qk, 1.0f, 1, s), "fill");
        // keys of norm about one, as engines normalise them: uniform on [-a, a) has variance a^2 / 3
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + k), qk, std::sqrt(3.0f / static_cast<float>(dk)), 2, s),
                   "fill");
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + v), vo, 1.0f, 3, s), "fill");
        check_cuda(device::fill_float(reinterpret_cast<float*>(set + g), gates, -0.1f, 0.0f, 4, s), "fill");
        check_cuda(device::fill_float(reinterpret_cast<float*>(set + beta), gates, 0.0f, 1.0f, 5, s), "fill");
        check_cuda(device::fill_float(reinterpret_cast<float*>(set + in), state, -1.0f, 1.0f, 6, s), "fill");
        upload(set + parent, parents.data(), parents.size() * 4, s);
        upload(set + accepted, lengths.data(), lengths.size() * 4, s);
    };
    op.call = [=](char* set, char*, cudaStream_t s) {
        GdnProblem call = problem;
        call.q = reinterpret_cast<Bf16*>(set + q);
        call.k = reinterpret_cast<Bf16*>(set + k);
        call.v = reinterpret_cast<Bf16*>(set + v);
        call.g = reinterpret_cast<float*>(set + g);
        call.beta = reinterpret_cast<float*>(set + beta);
        call.state_in = reinterpret_cast<float*>(set + in);
        call.state_out = reinterpret_cast<float*>(set + result);
        call.saved = reinterpret_cast<float*>(set + result);
        call.out = reinterpret_cast<Bf16*>(set + out);
        call.parent = reinterpret_cast<int*>(set + parent);
        call.path = reinterpret_cast<int*>(set + parent);
        call.accepted = reinterpret_cast<int*>(set + accepted);
        check_cuda(device::gdn(call, dk, mode, s), "gated delta-net");
    };
    op.error = [=](const std::vector<char>& set) {
        const auto wq = widen_bf16(set, q, qk);
        const auto wk = widen_bf16(set, k, qk);
        const auto wv = widen_bf16(set, v, vo);
        double worst = 0.0;
        for (int b = 0; b < batch; ++b)
            for (int h = 0; h < hv; ++h) {
                const std::size_t head = static_cast<std::size_t>(dv) * dk;
                const std::size_t from = (static_cast<std::size_t>(b) * hv + h) * head;
                auto s = widen_float(set, in + 4 * from, head);
                for (int t = 0; t < m; ++t) {
                    const std::size_t bt = static_cast<std::size_t>(b) * m + t;
                    const std::size_t kh = (bt * hk + h / (hv / hk)) * dk;
                    reference::gdn_step(s, &wq[kh], &wk[kh], &wv[(bt * hv + h) * dv], at<float>(set, g)[bt * hv + h],
                                        at<float>(set, beta)[bt * hv + h], dk, dv, problem.scale);
                    if (mode == GdnMode::kStatePerToken)
                        worst = std::max(worst, reference::relative_error(
                                                    widen_float(set, result + 4 * (bt * hv + h) * head, head), s));
                }
                if (mode != GdnMode::kStatePerToken)
                    worst = std::max(worst, reference::relative_error(widen_float(set, result + 4 * from, head), s));
            }
        return worst;
    };
    return op;
}

DeviceOp make_conv(const Point& p) {
    const int m = as_int(p, "m");
    const int batch = as_int(p, "batch");
    const int channels = as_int(p, "channels");
    const int width = as_int(p, "width");
    if (width > kConvMaxWidth) throw Unsupported("the convolution kernel is at most 8 wide");
    const std::size_t x_count = count({batch, m, channels});
    const std::size_t state = count({batch, channels, width - 1});
    Layout layout;
    const std::size_t x = layout.add(2 * x_count);
    const std::size_t weight = layout.add(count({channels, width, 2}));
    const std::size_t old = layout.add(2 * state);
    const std::size_t out = layout.add(2 * x_count);
    const std::size_t fresh = layout.add(2 * state);
    DeviceOp op;
    op.set_bytes = layout.total();
    op.output_at = out;
    op.output_bytes = layout.total() - out;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set), (out - x) / 2, 1.0f, 1, s), "fill");
    };
    op.call = [=](char* set, char*, cudaStream_t s) {
        check_cuda(device::conv1d(reinterpret_cast<Bf16*>(set + x), reinterpret_cast<Bf16*>(set + weight),
                                  reinterpret_cast<Bf16*>(set + old), reinterpret_cast<Bf16*>(set + fresh),
                                  reinterpret_cast<Bf16*>(set + out), batch, m, channels, width, s),
                   "convolution");
    };
    op.error = [=](const std::vector<char>& set) {
        const auto in = widen_bf16(set, x, x_count);
        const auto w = widen_bf16(set, weight, count({channels, width}));
        const auto before = widen_bf16(set, old, state);
        std::vector<double> want(x_count);
        for (int b = 0; b < batch; ++b)
            for (int t = 0; t < m; ++t)
                for (int c = 0; c < channels; ++c) {
                    double sum = 0.0;
                    for (int j = 0; j < width; ++j) {
                        const int from = t - width + 1 + j;
                        const double value =
                            from >= 0 ? in[(static_cast<std::size_t>(b) * m + from) * channels + c]
                                      : before[(static_cast<std::size_t>(b) * channels + c) * (width - 1) +
                                               static_cast<std::size_t>(width - 1 + from)];
                        sum += w[static_cast<std::size_t>(c) * width + j] * value;
                    }
                    want[(static_cast<std::size_t>(b) * m + t) * channels + c] = reference::silu(sum);
                }
        return reference::relative_error(widen_bf16(set, out, x_count), want);
    };
    return op;
}

DeviceOp make_rmsnorm(const Point& p) {
    const int tokens = as_int(p, "tokens");
    const int hidden = as_int(p, "hidden");
    if (hidden % 8 != 0) throw Unsupported("hidden must be a multiple of 8");
    const std::size_t n = count({tokens, hidden});
    Layout layout;
    const std::size_t x = layout.add(2 * n);
    const std::size_t weight = layout.add(count({hidden, 2}));
    const std::size_t out = layout.add(2 * n);
    DeviceOp op;
    op.set_bytes = layout.total();
    op.output_at = out;
    op.output_bytes = 2 * n;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set), (out - x) / 2, 1.0f, 1, s), "fill");
    };
    op.call = [=](char* set, char*, cudaStream_t s) {
        check_cuda(device::rmsnorm(set + x, set + weight, set + out, tokens, hidden, kEps, s), "rms norm");
    };
    op.error = [=](const std::vector<char>& set) {
        const auto in = widen_bf16(set, x, n);
        const auto w = widen_bf16(set, weight, static_cast<std::size_t>(hidden));
        std::vector<double> want(n);
        for (int t = 0; t < tokens; ++t) {
            const double* row = &in[static_cast<std::size_t>(t) * hidden];
            const double inverse = 1.0 / std::sqrt(reference::dot(row, row, static_cast<std::size_t>(hidden)) / hidden + kEps);
            for (int i = 0; i < hidden; ++i) want[static_cast<std::size_t>(t) * hidden + i] = row[i] * inverse * w[i];
        }
        return reference::relative_error(widen_bf16(set, out, n), want);
    };
    return op;
}

DeviceOp make_silu(const Point& p) {
    const int tokens = as_int(p, "tokens");
    const int width = as_int(p, "intermediate");
    if (width % 8 != 0) throw Unsupported("intermediate must be a multiple of 8");
    const std::size_t n = count({tokens, width});
    Layout layout;
    const std::size_t in = layout.add(4 * n);
    const std::size_t out = layout.add(2 * n);
    DeviceOp op;
    op.set_bytes = layout.total();
    op.output_at = out;
    op.output_bytes = 2 * n;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + in), 2 * n, 1.0f, 1, s), "fill");
    };
    op.call = [=](char* set, char*, cudaStream_t s) {
        check_cuda(device::silu_mul(set + in, set + out, tokens, width, s), "gated SiLU");
    };
    op.error = [=](const std::vector<char>& set) {
        const auto x = widen_bf16(set, in, 2 * n);
        std::vector<double> want(n);
        for (int t = 0; t < tokens; ++t)
            for (int i = 0; i < width; ++i)
                want[static_cast<std::size_t>(t) * width + i] =
                    reference::silu(x[static_cast<std::size_t>(t) * 2 * width + i]) *
                    x[static_cast<std::size_t>(t) * 2 * width + width + i];
        return reference::relative_error(widen_bf16(set, out, n), want);
    };
    return op;
}

DeviceOp make_topk(const Point& p, const DeviceFacts& device) {
    const int rows = as_int(p, "rows");
    const int vocab = as_int(p, "vocab");
    const int k = as_int(p, "k");
    if (k > kTopKList) throw Unsupported("top-k is limited to 32");
    const std::size_t n = count({rows, vocab});
    // a few thousand warps fill the card; a slice is at least 1024 logits
    const int slices = std::clamp(device.sms * 16 / rows, 1, std::max(1, vocab / 1024));
    const std::size_t lists = count({rows, slices});
    Layout layout;
    const std::size_t logits = layout.add(2 * n);
    const std::size_t log_prob = layout.add(count({rows, k, 4}));
    const std::size_t token = layout.add(count({rows, k, 4}));
    Layout work;
    const std::size_t value = work.add(lists * kTopKList * 4);
    const std::size_t index = work.add(lists * kTopKList * 4);
    const std::size_t max = work.add(lists * 4);
    const std::size_t sum = work.add(lists * 4);
    DeviceOp op;
    op.set_bytes = layout.total();
    op.workspace_bytes = work.total();
    op.output_at = log_prob;
    op.output_bytes = layout.total() - log_prob;
    op.tolerance = 1e-4;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + logits), n, 8.0f, 1, s), "fill");
    };
    op.call = [=](char* set, char* workspace, cudaStream_t s) {
        TopKProblem call{};
        call.logits = reinterpret_cast<Bf16*>(set + logits);
        call.list_value = reinterpret_cast<float*>(workspace + value);
        call.list_index = reinterpret_cast<int*>(workspace + index);
        call.slice_max = reinterpret_cast<float*>(workspace + max);
        call.slice_sum = reinterpret_cast<float*>(workspace + sum);
        call.log_prob = reinterpret_cast<float*>(set + log_prob);
        call.token = reinterpret_cast<int*>(set + token);
        call.rows = rows;
        call.vocab = vocab;
        call.slices = slices;
        call.k = k;
        check_cuda(device::topk(call, s), "top-k");
    };
    op.error = [=](const std::vector<char>& set) {
        std::vector<double> want;
        bool same_tokens = true;
        for (int r = 0; r < rows; ++r) {
            const auto row = widen_bf16(set, logits + count({2, r, vocab}), static_cast<std::size_t>(vocab));
            const double log_sum = reference::log_sum_exp(row);
            int i = 0;
            for (const int best : reference::top_k(row, k)) {
                want.push_back(row[static_cast<std::size_t>(best)] - log_sum);
                same_tokens = same_tokens && at<int>(set, token)[r * k + i++] == best;
            }
        }
        return same_tokens ? reference::relative_error(widen_float(set, log_prob, count({rows, k})), want) : 1.0;
    };
    op.facts = {{"slices", slices}};
    return op;
}

DeviceOp make_gather(const Point& p) {
    const int accepted = as_int(p, "accepted");
    const int batch = as_int(p, "batch");
    const int layers = as_int(p, "layers");
    const int row_bytes = 2 * 2 * as_int(p, "hkv") * as_int(p, "head_dim");  // key and value in bf16
    if (row_bytes % 16 != 0) throw Unsupported("a KV row must be a multiple of 16 bytes");
    const int vectors = row_bytes / 16;
    const int slots = 2 * accepted + 1;  // every second tail slot is accepted: path 1, 3, 5 ...
    const std::size_t bytes = count({layers, batch, slots, row_bytes});
    Layout layout;
    const std::size_t cache = layout.add(bytes);
    const std::size_t path = layout.add(count({batch, accepted, 4}));
    const std::size_t before = layout.add(bytes);  // what the cache held, for the check only
    std::vector<int> slot;
    for (int b = 0; b < batch; ++b)
        for (int j = 0; j < accepted; ++j) slot.push_back(2 * j + 1);
    DeviceOp op;
    op.set_bytes = layout.total();
    op.tolerance = 0.0;
    op.fill = [=](char* set, cudaStream_t s) {
        check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(set + cache), bytes / 2, 1.0f, 1, s), "fill");
        check_cuda(cudaMemcpyAsync(set + before, set + cache, bytes, cudaMemcpyDeviceToDevice, s), "copy of the cache");
        upload(set + path, slot.data(), slot.size() * 4, s);
    };
    op.call = [=](char* set, char*, cudaStream_t s) {
        check_cuda(device::gather_kv(set + cache, reinterpret_cast<int*>(set + path), slots, 0, accepted, vectors, batch,
                                     layers, s),
                   "compaction");
    };
    op.error = [=](const std::vector<char>& set) {
        const auto row = [&](std::size_t base, std::size_t lb, int s) {
            return set.data() + base + (lb * static_cast<std::size_t>(slots) + static_cast<std::size_t>(s)) * row_bytes;
        };
        for (std::size_t lb = 0; lb < count({layers, batch}); ++lb)
            for (int j = 0; j < accepted; ++j)
                if (std::memcmp(row(cache, lb, j), row(before, lb, 2 * j + 1), static_cast<std::size_t>(row_bytes)) != 0)
                    return 1.0;
        return 0.0;
    };
    return op;
}

/** The parts of a decoder layer in order, each with its own operands: the time of the sequence, not its numbers. */
DeviceOp make_draft_block(const Point& p, const DeviceFacts& device) {
    const std::int64_t block = p.param("block");
    const std::int64_t rows = block * p.param("batch");
    const std::int64_t h = p.param("hidden");
    const std::int64_t d = p.param("head_dim");
    const std::int64_t hq = p.param("hq");
    const std::int64_t hkv = p.param("hkv");
    const auto part = [&](const std::string& op, std::map<std::string, std::int64_t> params) {
        Point q = p;
        q.op = op;
        q.variant = op == "gemm" ? "default" : op == "lm_head_topk" ? "softmax_topk" : "";
        q.params = std::move(params);
        q.dtype = {{"a", "bf16"}, {"b", "bf16"}, {"c", "bf16"}, {"kv", "bf16"}, {"acc", "fp32"}};
        return op == "gemm" ? make_gemm_op(q, device) : make_device_op(q, device);
    };
    std::vector<DeviceOp> parts;
    for (std::int64_t layer = 0; layer < p.param("layers"); ++layer) {
        parts.push_back(part("rmsnorm", {{"tokens", rows}, {"hidden", h}}));
        parts.push_back(part("gemm", {{"m", rows}, {"n", (hq + 2 * hkv) * d}, {"k", h}}));
        parts.push_back(part("attn_verify", {{"m", block},
                                             {"kv_len", p.param("kv_len")},
                                             {"batch", p.param("batch")},
                                             {"hq", hq},
                                             {"hkv", hkv},
                                             {"head_dim", d}}));
        parts.push_back(part("gemm", {{"m", rows}, {"n", h}, {"k", hq * d}}));
        parts.push_back(part("rmsnorm", {{"tokens", rows}, {"hidden", h}}));
        parts.push_back(part("gemm", {{"m", rows}, {"n", 2 * p.param("intermediate")}, {"k", h}}));
        parts.push_back(part("silu_mul", {{"tokens", rows}, {"intermediate", p.param("intermediate")}}));
        parts.push_back(part("gemm", {{"m", rows}, {"n", h}, {"k", p.param("intermediate")}}));
    }
    parts.push_back(part("gemm", {{"m", rows}, {"n", p.param("vocab")}, {"k", h}}));
    parts.push_back(part("lm_head_topk", {{"rows", rows}, {"vocab", p.param("vocab")}, {"k", 8}}));
    DeviceOp op;
    auto shared = std::make_shared<std::vector<DeviceOp>>(std::move(parts));
    for (const DeviceOp& q : *shared) {
        op.set_bytes += q.set_bytes;
        op.workspace_bytes = std::max(op.workspace_bytes, q.workspace_bytes);
    }
    op.fill = [shared](char* set, cudaStream_t s) {
        for (const DeviceOp& q : *shared) {
            q.fill(set, s);
            set += q.set_bytes;
        }
    };
    op.call = [shared](char* set, char* workspace, cudaStream_t s) {
        for (const DeviceOp& q : *shared) {
            q.call(set, workspace, s);
            set += q.set_bytes;
        }
    };
    op.facts = {{"calls", static_cast<std::int64_t>(shared->size())}};
    return op;
}

}  // namespace

DeviceOp make_device_op(const Point& p, const DeviceFacts& device) {
    if (p.op == "dram_read" || p.op == "dram_copy" || p.op == "dram_triad" || p.op == "l2_read")
        return make_bandwidth(p, device);
    if (p.op == "mma_peak") return make_mma(p, device);
    if (p.op == "gemm") return make_gemm_op(p, device);
    if (p.op == "attn_verify") return make_attention(p, device);
    if (p.op == "gdn_verify") return make_gdn(p);
    if (p.op == "conv1d_update") return make_conv(p);
    if (p.op == "rmsnorm") return make_rmsnorm(p);
    if (p.op == "silu_mul") return make_silu(p);
    if (p.op == "lm_head_topk") return make_topk(p, device);
    if (p.op == "gather_kv") return make_gather(p);
    if (p.op == "draft_block") return make_draft_block(p, device);
    throw Unsupported("the cuda backend has no " + p.op);
}

}  // namespace foretoken
