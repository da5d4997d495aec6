// Matrix products by cuBLASLt. Row-major rows x k times (n x k)^T is, in the library's column-major words,
// D (n x rows) = op(W)(n x k) X (k x rows) with W stored k x n and transposed: the TN form that fp8 and fp4 require.
#include <algorithm>
#include <cmath>
#include <memory>

#include "../core/backend.hpp"
#include "../kernels/simt.hpp"
#include "../reference/random.hpp"
#include "../reference/reference.hpp"
#include "cublaslt.hpp"
#include "device_ops.hpp"
#include "launch.hpp"
#include "memory.hpp"

namespace foretoken {
namespace {

constexpr std::size_t kWorkspaceBytes = 64ULL << 20;
constexpr int kCandidates = 8;
constexpr int kSampledOutputs = 16;

void check_lt(lt::Status status, const std::string& what) {
    if (status != lt::kSuccess) throw std::runtime_error(what + ": cuBLASLt status " + std::to_string(status));
}

struct OperandType {
    cudaDataType type;
    std::int32_t scale_mode;
    std::size_t scale_block;  // elements along k per scale; 0: one scale per tensor or none
    double bits;
};

OperandType operand_type(const std::string& dtype) {
    if (dtype == "bf16") return {CUDA_R_16BF, -1, 0, 16.0};
    if (dtype == "fp8") return {CUDA_R_8F_E4M3, lt::kScaleScalar32F, 0, 8.0};
    if (dtype == "mxfp8") return {CUDA_R_8F_E4M3, lt::kScaleVec32Ue8m0, 32, 8.0};
    if (dtype == "nvfp4") return {CUDA_R_4F_E2M1, lt::kScaleVec16Ue4m3, 16, 4.0};
    throw Unsupported("no matrix product of dtype " + dtype);
}

double decode_e4m3(std::uint8_t x) {
    const int exponent = (x >> 3) & 15;
    const int mantissa = x & 7;
    const double magnitude =
        exponent == 0 ? mantissa * 0x1.0p-9 : (1.0 + mantissa / 8.0) * std::ldexp(1.0, exponent - 7);
    return (x & 0x80) != 0 ? -magnitude : magnitude;
}

double decode_e2m1(unsigned x) {
    constexpr double kValues[8] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
    return (x & 8u) != 0 ? -kValues[x & 7u] : kValues[x & 7u];
}

double decode(const std::vector<char>& data, std::size_t element, const std::string& dtype) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
    if (dtype == "bf16") return to_float(reinterpret_cast<const Bf16*>(bytes)[element]);
    if (dtype == "nvfp4") return decode_e2m1(bytes[element / 2] >> (4 * (element % 2)) & 15u);
    return decode_e4m3(bytes[element]);
}

/** The descriptors of one product; freed together. */
struct Plan {
    const lt::Library& lib = lt::Library::instance();
    lt::MatmulDesc desc = nullptr;
    lt::MatrixLayout w = nullptr;
    lt::MatrixLayout x = nullptr;
    lt::MatrixLayout d = nullptr;
    lt::HeuristicResult candidates[kCandidates] = {};
    int found = 0;
    int chosen = 0;

    ~Plan() {
        if (desc != nullptr) lib.desc_destroy(desc);
        for (lt::MatrixLayout l : {w, x, d})
            if (l != nullptr) lib.layout_destroy(l);
    }
};

/** Scale factors of a tensor: the library's tiled layout pads rows to 128 and scales along k to 4. */
std::size_t scale_bytes(const OperandType& type, std::int64_t rows, std::int64_t k) {
    if (type.scale_block == 0) return 4;
    const auto blocks = (static_cast<std::size_t>(k) + type.scale_block - 1) / type.scale_block;
    return (static_cast<std::size_t>(rows) + 127) / 128 * 128 * ((blocks + 3) / 4 * 4);
}

void fill_operand(char* data, std::size_t elements, const std::string& dtype, std::uint64_t seed, cudaStream_t s) {
    if (dtype == "bf16") check_cuda(device::fill_bf16(reinterpret_cast<Bf16*>(data), elements, 1.0f, seed, s), "fill");
    if (dtype == "fp8" || dtype == "mxfp8")
        check_cuda(device::fill_fp8(reinterpret_cast<std::uint8_t*>(data), elements, seed, s), "fill");
    if (dtype == "nvfp4")
        check_cuda(device::fill_fp4(reinterpret_cast<std::uint8_t*>(data), (elements + 1) / 2, seed, s), "fill");
}

/** All scales are 1: in fp32, in e8m0 (127) or in e4m3 (0x38). */
void fill_scales(char* data, std::size_t bytes, const OperandType& type, cudaStream_t s) {
    if (type.scale_block == 0) {
        check_cuda(device::fill_float(reinterpret_cast<float*>(data), 1, 1.0f, 1.0f, 1, s), "fill");
    } else {
        check_cuda(cudaMemsetAsync(data, type.scale_block == 32 ? 127 : 0x38, bytes, s), "memset");
    }
}

}  // namespace

DeviceOp make_gemm_op(const Point& p, const DeviceFacts&) {
    const lt::Library& lib = lt::Library::instance();
    if (!lib.usable()) throw Unsupported(lib.missing);
    const std::int64_t m = p.param("m");
    const std::int64_t n = p.param("n");
    const std::int64_t k = p.param("k");
    const std::string dtype = p.dtype.at("b");
    const OperandType type = operand_type(dtype);
    const auto bytes_of = [&](std::int64_t rows) {
        return static_cast<std::size_t>(static_cast<double>(rows * k) * type.bits / 8.0 + 0.5);
    };
    if (k % 32 != 0) throw Unsupported("k must be a multiple of 32");
    Layout layout;
    const std::size_t w = layout.add(bytes_of(n));
    const std::size_t x = layout.add(bytes_of(m));
    const std::size_t w_scale = layout.add(scale_bytes(type, n, k));
    const std::size_t x_scale = layout.add(scale_bytes(type, m, k));
    const std::size_t d = layout.add(2 * static_cast<std::size_t>(m * n));

    auto plan = std::make_shared<Plan>();
    check_lt(lib.desc_create(&plan->desc, lt::kCompute32F, CUDA_R_32F), "description of a product");
    const auto set_desc = [&](int attribute, const void* value, std::size_t size) {
        if (lib.desc_set(plan->desc, attribute, value, size) != lt::kSuccess)
            throw Unsupported("cuBLASLt " + lib.version + " does not know attribute " + std::to_string(attribute));
    };
    set_desc(lt::kDescTransA, &lt::kOpT, sizeof lt::kOpT);
    set_desc(lt::kDescTransB, &lt::kOpN, sizeof lt::kOpN);
    if (type.scale_mode > lt::kScaleScalar32F) {
        set_desc(lt::kDescAScaleMode, &type.scale_mode, sizeof type.scale_mode);
        set_desc(lt::kDescBScaleMode, &type.scale_mode, sizeof type.scale_mode);
    }
    if (lib.layout_create(&plan->w, type.type, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), k) !=
            lt::kSuccess ||
        lib.layout_create(&plan->x, type.type, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(m), k) !=
            lt::kSuccess ||
        lib.layout_create(&plan->d, CUDA_R_16BF, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(m), n) !=
            lt::kSuccess)
        throw Unsupported("cuBLASLt " + lib.version + " has no layout for " + dtype);
    lt::Preference preference = nullptr;
    check_lt(lib.preference_create(&preference), "preference");
    const std::size_t workspace = kWorkspaceBytes;
    lib.preference_set(preference, lt::kPrefMaxWorkspaceBytes, &workspace, sizeof workspace);
    // the heuristic of scaled types looks at the alignment of the scale pointers: any aligned device address will do
    const DeviceMemory probe(1 << 12);
    const void* scale_address = probe.data();
    const auto set_scales = [plan, &lib](const void* ws, const void* xs) {
        check_lt(lib.desc_set(plan->desc, lt::kDescAScalePointer, &ws, sizeof ws), "scale of the weights");
        check_lt(lib.desc_set(plan->desc, lt::kDescBScalePointer, &xs, sizeof xs), "scale of the activations");
    };
    if (type.scale_mode >= 0) set_scales(scale_address, scale_address);
    const lt::Status status = lib.heuristic(lib.handle, plan->desc, plan->w, plan->x, plan->d, plan->d, preference,
                                            kCandidates, plan->candidates, &plan->found);
    lib.preference_destroy(preference);
    if (status != lt::kSuccess || plan->found == 0)
        throw Unsupported("cuBLASLt " + lib.version + " offers no algorithm for " + dtype + " m=" + std::to_string(m) +
                          " n=" + std::to_string(n) + " k=" + std::to_string(k) + " on this card (status " +
                          std::to_string(status) + ")");

    DeviceOp op;
    op.set_bytes = layout.total();
    op.workspace_bytes = kWorkspaceBytes;
    op.output_at = d;
    op.output_bytes = 2 * static_cast<std::size_t>(m * n);
    op.fill = [=](char* set, cudaStream_t s) {
        fill_operand(set + w, static_cast<std::size_t>(n * k), dtype, 1, s);
        fill_operand(set + x, static_cast<std::size_t>(m * k), dtype, 2, s);
        if (type.scale_mode >= 0) {
            fill_scales(set + w_scale, scale_bytes(type, n, k), type, s);
            fill_scales(set + x_scale, scale_bytes(type, m, k), type, s);
        }
    };
    op.call = [=, &lib](char* set, char* space, cudaStream_t s) {
        const float alpha = 1.0f;
        const float beta = 0.0f;
        if (type.scale_mode >= 0) set_scales(set + w_scale, set + x_scale);
        check_lt(lib.matmul(lib.handle, plan->desc, &alpha, set + w, plan->w, set + x, plan->x, &beta, set + d, plan->d,
                            set + d, plan->d, &plan->candidates[plan->chosen].algo, space, kWorkspaceBytes, s),
                 "matrix product");
    };
    op.sampled_error = [=](const DeviceOp::Reader& read) {
        Random random(29);
        std::vector<double> got;
        std::vector<double> want;
        const auto row_bytes = bytes_of(1);
        for (int i = 0; i < kSampledOutputs; ++i) {
            const std::size_t row = random.below(static_cast<std::uint64_t>(m));
            const std::size_t column = random.below(static_cast<std::uint64_t>(n));
            const auto activations = read(x + row * row_bytes, row_bytes);
            const auto weights = read(w + column * row_bytes, row_bytes);
            double sum = 0.0;
            for (std::int64_t j = 0; j < k; ++j)
                sum += decode(activations, static_cast<std::size_t>(j), dtype) *
                       decode(weights, static_cast<std::size_t>(j), dtype);
            const auto output = read(d + 2 * (row * static_cast<std::size_t>(n) + column), 2);
            want.push_back(sum);
            got.push_back(decode(output, 0, "bf16"));
        }
        return reference::relative_error(got, want);
    };
    op.facts["candidates"] = plan->found;
    const auto describe = [plan, &lib](std::map<std::string, std::int64_t>& facts) {
        const auto& algo = plan->candidates[plan->chosen].algo;
        for (const auto& [name, attribute] : {std::pair<const char*, int>{"algo_id", lt::kAlgoId},
                                              {"tile_id", lt::kAlgoTileId},
                                              {"split_k", lt::kAlgoSplitK},
                                              {"stages_id", lt::kAlgoStagesId}}) {
            std::int32_t value = 0;
            std::size_t written = 0;
            if (lib.algo_get(&algo, attribute, &value, sizeof value, &written) == lt::kSuccess) facts[name] = value;
        }
        facts["candidate"] = plan->chosen;
    };
    if (p.variant == "best") {
        // each candidate over enough rotating weights that none is warm
        const std::size_t sets = std::max<std::size_t>(1, std::min<std::size_t>(8, (512ULL << 20) / op.set_bytes));
        const DeviceMemory operands(sets * op.set_bytes);
        const DeviceMemory space(kWorkspaceBytes);
        Stream stream;
        Event begin;
        Event end;
        for (std::size_t s = 0; s < sets; ++s) op.fill(operands.data() + s * op.set_bytes, stream);
        float best = 0.0f;
        int winner = 0;
        for (int c = 0; c < plan->found; ++c) {
            plan->chosen = c;
            constexpr int kRounds = 24;
            try {
                op.call(operands.data(), space.data(), stream);
                check_cuda(cudaEventRecord(begin, stream), "event");
                for (int i = 0; i < kRounds; ++i)
                    op.call(operands.data() + (static_cast<std::size_t>(i) % sets) * op.set_bytes, space.data(), stream);
                check_cuda(cudaEventRecord(end, stream), "event");
                stream.synchronize();
            } catch (const std::runtime_error&) {
                continue;  // a candidate the card refuses is no candidate
            }
            float ms = 0.0f;
            check_cuda(cudaEventElapsedTime(&ms, begin, end), "elapsed time");
            if (best == 0.0f || ms < best) {
                best = ms;
                winner = c;
            }
        }
        plan->chosen = winner;
    }
    describe(op.facts);
    return op;
}

}  // namespace foretoken
