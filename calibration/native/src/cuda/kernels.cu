// The device kernels: thin __global__ wrappers over src/kernels, and the bandwidth, transfer and probe kernels.
#include <cuda_runtime.h>

#include "../kernels/elementwise.hpp"
#include "launch.hpp"

namespace foretoken::device {
namespace {

constexpr int kThreads = 256;
constexpr int kUnroll = 8;

__device__ __forceinline__ std::uint64_t mix(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

__device__ __forceinline__ float uniform(std::uint64_t x) { return static_cast<float>(mix(x) >> 40) * 0x1.0p-24f; }

__device__ __forceinline__ std::uint64_t global_ns() {
    std::uint64_t t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

__global__ void read_kernel(const uint4* __restrict__ a, std::size_t n, uint4* sink) {
    uint4 x = make_uint4(0, 0, 0, 0);
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kThreads;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    for (; i + (kUnroll - 1) * stride < n; i += kUnroll * stride) {
        uint4 v[kUnroll];
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) v[u] = a[i + u * stride];
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
            x.x ^= v[u].x;
            x.y ^= v[u].y;
            x.z ^= v[u].z;
            x.w ^= v[u].w;
        }
    }
    for (; i < n; i += stride) {
        const uint4 v = a[i];
        x.x ^= v.x;
        x.y ^= v.y;
        x.z ^= v.z;
        x.w ^= v.w;
    }
    // the combined parity reaches memory, so no load can be dropped; the host checks it
    const unsigned word = x.x ^ x.y ^ x.z ^ x.w;
    const unsigned combined = __reduce_xor_sync(0xffffffffu, word);
    if ((threadIdx.x & 31) == 0) atomicXor(&sink->x, combined);
}

__global__ void copy_kernel(const uint4* __restrict__ a, uint4* __restrict__ b, std::size_t n) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kThreads;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
    for (; i + 3 * stride < n; i += 4 * stride) {
        uint4 v[4];
#pragma unroll
        for (int u = 0; u < 4; ++u) v[u] = a[i + u * stride];
#pragma unroll
        for (int u = 0; u < 4; ++u) b[i + u * stride] = v[u];
    }
    for (; i < n; i += stride) b[i] = a[i];
}

__global__ void triad_kernel(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c,
                             std::size_t n) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * kThreads;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n; i += stride) {
        const float4 x = a[i];
        const float4 y = b[i];
        c[i] = make_float4(x.x + 0.5f * y.x, x.y + 0.5f * y.y, x.z + 0.5f * y.z, x.w + 0.5f * y.w);
    }
}

__global__ void fill_bf16_kernel(Bf16* out, std::size_t n, float scale, std::uint64_t seed) {
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * kThreads)
        out[i] = to_bf16(scale * (2.0f * uniform(seed ^ (i + 1)) - 1.0f));
}

__global__ void fill_float_kernel(float* out, std::size_t n, float low, float high, std::uint64_t seed) {
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * kThreads)
        out[i] = low + (high - low) * uniform(seed ^ (i + 1));
}

__global__ void fill_fp8_kernel(std::uint8_t* out, std::size_t n, std::uint64_t seed) {
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * kThreads) {
        const std::uint64_t r = mix(seed ^ (i + 1));
        // sign, exponent 4..7 (2^-3 .. 2^0), mantissa
        out[i] = static_cast<std::uint8_t>((r & 0x80u) | (((r >> 8) & 3u) + 4u) << 3 | (r & 7u));
    }
}

__global__ void fill_bytes_kernel(std::uint8_t* out, std::size_t n, std::uint64_t seed) {
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * kThreads)
        out[i] = static_cast<std::uint8_t>(mix(seed ^ (i + 1)));
}

template <int D>
__global__ void __launch_bounds__(32 * kAttentionWarps) attention_kernel(const AttentionProblem p) {
    extern __shared__ Vec16 shared[];
    const int tiles = p.row_tiles();
    attention_block<D>(p, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y) % tiles,
                       static_cast<int>(blockIdx.y) / tiles, static_cast<int>(blockIdx.z), shared);
}

template <int D>
__global__ void __launch_bounds__(128) attention_combine_kernel(const AttentionProblem p) {
    const int row = static_cast<int>(blockIdx.x * 4 + threadIdx.x / 32);
    if (row < p.rows()) attention_combine_row<D>(p, row, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z));
}

constexpr int kGdnWarps = 4;

template <int DK, GdnMode Mode>
__global__ void __launch_bounds__(32 * kGdnWarps) gdn_kernel(const GdnProblem p) {
    const int row = static_cast<int>(blockIdx.x * kGdnWarps + threadIdx.x / 32) * kGdnRows;
    if (row < p.dv) gdn_warp<DK, Mode>(p, static_cast<int>(blockIdx.z), static_cast<int>(blockIdx.y), row);
}

__global__ void __launch_bounds__(128) topk_slice_kernel(const TopKProblem p) {
    const int slice = static_cast<int>(blockIdx.x * 4 + threadIdx.x / 32);
    if (slice < p.slices) topk_slice(p, static_cast<int>(blockIdx.y), slice);
}

__global__ void __launch_bounds__(32) topk_row_kernel(const TopKProblem p) { topk_row(p, static_cast<int>(blockIdx.x)); }

__global__ void __launch_bounds__(32 * kNormWarps)
    rmsnorm_kernel(const Vec16* x, const Vec16* weight, Vec16* out, int vectors, float eps) {
    __shared__ float shared[kNormWarps];
    const std::size_t at = static_cast<std::size_t>(blockIdx.x) * vectors;
    rmsnorm_block(x + at, weight, out + at, vectors, eps, shared);
}

__global__ void silu_kernel(const Vec16* in, Vec16* out, int vectors) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < vectors) silu_mul_vector(in, out, vectors, blockIdx.y, i);
}

__global__ void conv1d_kernel(const Bf16* x, const Bf16* weight, const Bf16* state_in, Bf16* state_out, Bf16* out, int tokens,
                              int channels, int width) {
    const int channel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (channel < channels)
        conv1d_channel(x, weight, state_in, state_out, out, tokens, channels, width, static_cast<int>(blockIdx.y), channel);
}

__global__ void gather_kernel(Vec16* cache, const int* path, int slots, int prefix, int accepted, int row_vectors,
                              int batches) {
    const int vector = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (vector < row_vectors)
        gather_kv_vector(cache, path, slots, prefix, accepted, row_vectors, batches, static_cast<int>(blockIdx.z),
                         static_cast<int>(blockIdx.y), vector);
}

template <bool Push>
__global__ void __launch_bounds__(32 * kAllReduceWarps) allreduce_kernel(const AllReduceProblem p) {
    if (Push) {
        allreduce_push(p, static_cast<int>(blockIdx.x));
    } else {
        allreduce_pull(p, static_cast<int>(blockIdx.x));
    }
}

__global__ void empty_kernel() {}

__global__ void delay_kernel(std::uint64_t ns) {
    const std::uint64_t start = global_ns();
    while (global_ns() - start < ns) {
    }
}

__global__ void clock_probe_kernel(std::uint64_t ns, std::uint64_t* out) {
    const std::uint64_t start = global_ns();
    const long long clocks = clock64();
    std::uint64_t now = start;
    while (now - start < ns) now = global_ns();
    out[0] = static_cast<std::uint64_t>(clock64() - clocks);
    out[1] = now - start;
}

__global__ void ping_pong_kernel(std::uint32_t* own, std::uint32_t* peer, std::uint32_t turns, bool first, std::uint32_t base,
                                 unsigned long long spin_limit, std::uint32_t* error) {
    for (std::uint32_t turn = 1; turn <= turns; ++turn) {
        if (first) store_release(peer, base + turn);
        unsigned long long polls = 0;
        while (static_cast<std::int32_t>(load_acquire(own) - (base + turn)) < 0) {
            if (++polls > spin_limit) {
                *error = 1;
                return;
            }
        }
        if (!first) store_release(peer, base + turn);
    }
}

__global__ void copy_and_flag_kernel(const std::uint32_t* from, std::uint32_t* to, std::size_t words, std::uint32_t* flag,
                                     std::uint32_t value) {
    for (std::size_t i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0) store_release(flag, value);
}

int grid_for(std::size_t n, int sms) {
    const std::size_t blocks = (n + kThreads - 1) / kThreads;
    const std::size_t most = static_cast<std::size_t>(sms) * 8;
    return static_cast<int>(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

template <int D>
cudaError_t attention_launch(const AttentionProblem& p, cudaStream_t stream) {
    constexpr int kShared = AttentionTile<D>::kSharedBytes;
    const cudaError_t e =
        cudaFuncSetAttribute(attention_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
    if (e != cudaSuccess) return e;
    attention_kernel<D><<<dim3(p.splits, p.row_tiles() * p.kv_heads, p.batch), 32 * kAttentionWarps, kShared, stream>>>(p);
    attention_combine_kernel<D><<<dim3(ceil_div(p.rows(), 4), p.kv_heads, p.batch), 128, 0, stream>>>(p);
    return cudaGetLastError();
}

template <int DK>
cudaError_t gdn_launch(const GdnProblem& p, GdnMode mode, cudaStream_t stream) {
    const dim3 grid(ceil_div(p.dv, kGdnWarps * kGdnRows), p.value_heads, p.batch);
    switch (mode) {
        case GdnMode::kFinalState:
            gdn_kernel<DK, GdnMode::kFinalState><<<grid, 32 * kGdnWarps, 0, stream>>>(p);
            break;
        case GdnMode::kStatePerToken:
            gdn_kernel<DK, GdnMode::kStatePerToken><<<grid, 32 * kGdnWarps, 0, stream>>>(p);
            break;
        case GdnMode::kReplay:
            gdn_kernel<DK, GdnMode::kReplay><<<grid, 32 * kGdnWarps, 0, stream>>>(p);
            break;
    }
    return cudaGetLastError();
}

}  // namespace

cudaError_t read(const void* a, std::size_t bytes, void* sink, int sms, cudaStream_t stream) {
    const std::size_t n = bytes / sizeof(uint4);
    read_kernel<<<grid_for(n, sms), kThreads, 0, stream>>>(static_cast<const uint4*>(a), n, static_cast<uint4*>(sink));
    return cudaGetLastError();
}

cudaError_t copy(const void* a, void* b, std::size_t bytes, int sms, cudaStream_t stream) {
    const std::size_t n = bytes / sizeof(uint4);
    copy_kernel<<<grid_for(n, sms), kThreads, 0, stream>>>(static_cast<const uint4*>(a), static_cast<uint4*>(b), n);
    return cudaGetLastError();
}

cudaError_t triad(const float* a, const float* b, float* c, std::size_t n, int sms, cudaStream_t stream) {
    triad_kernel<<<grid_for(n / 4, sms), kThreads, 0, stream>>>(reinterpret_cast<const float4*>(a),
                                                                 reinterpret_cast<const float4*>(b),
                                                                 reinterpret_cast<float4*>(c), n / 4);
    return cudaGetLastError();
}

cudaError_t fill_bf16(Bf16* out, std::size_t n, float scale, std::uint64_t seed, cudaStream_t stream) {
    fill_bf16_kernel<<<grid_for(n, 128), kThreads, 0, stream>>>(out, n, scale, seed);
    return cudaGetLastError();
}

cudaError_t fill_float(float* out, std::size_t n, float low, float high, std::uint64_t seed, cudaStream_t stream) {
    fill_float_kernel<<<grid_for(n, 128), kThreads, 0, stream>>>(out, n, low, high, seed);
    return cudaGetLastError();
}

cudaError_t fill_fp8(std::uint8_t* out, std::size_t n, std::uint64_t seed, cudaStream_t stream) {
    fill_fp8_kernel<<<grid_for(n, 128), kThreads, 0, stream>>>(out, n, seed);
    return cudaGetLastError();
}

cudaError_t fill_fp4(std::uint8_t* out, std::size_t n, std::uint64_t seed, cudaStream_t stream) {
    fill_bytes_kernel<<<grid_for(n, 128), kThreads, 0, stream>>>(out, n, seed);
    return cudaGetLastError();
}

cudaError_t attention(const AttentionProblem& p, int dim, cudaStream_t stream) {
    switch (dim) {
        case 64: return attention_launch<64>(p, stream);
        case 128: return attention_launch<128>(p, stream);
        case 256: return attention_launch<256>(p, stream);
        default: return cudaErrorInvalidValue;
    }
}

std::size_t attention_shared_bytes(int dim) {
    switch (dim) {
        case 64: return AttentionTile<64>::kSharedBytes;
        case 128: return AttentionTile<128>::kSharedBytes;
        case 256: return AttentionTile<256>::kSharedBytes;
        default: return 0;
    }
}

cudaError_t gdn(const GdnProblem& p, int dk, GdnMode mode, cudaStream_t stream) {
    switch (dk) {
        case 64: return gdn_launch<64>(p, mode, stream);
        case 128: return gdn_launch<128>(p, mode, stream);
        case 256: return gdn_launch<256>(p, mode, stream);
        default: return cudaErrorInvalidValue;
    }
}

cudaError_t topk(const TopKProblem& p, cudaStream_t stream) {
    topk_slice_kernel<<<dim3(ceil_div(p.slices, 4), p.rows), 128, 0, stream>>>(p);
    topk_row_kernel<<<p.rows, 32, 0, stream>>>(p);
    return cudaGetLastError();
}

cudaError_t rmsnorm(const void* x, const void* weight, void* out, int tokens, int hidden, float eps, cudaStream_t stream) {
    rmsnorm_kernel<<<tokens, 32 * kNormWarps, 0, stream>>>(static_cast<const Vec16*>(x), static_cast<const Vec16*>(weight),
                                                            static_cast<Vec16*>(out), hidden / 8, eps);
    return cudaGetLastError();
}

cudaError_t silu_mul(const void* in, void* out, int tokens, int width, cudaStream_t stream) {
    const int vectors = width / 8;
    silu_kernel<<<dim3(ceil_div(vectors, 128), tokens), 128, 0, stream>>>(static_cast<const Vec16*>(in),
                                                                            static_cast<Vec16*>(out), vectors);
    return cudaGetLastError();
}

cudaError_t conv1d(const Bf16* x, const Bf16* weight, const Bf16* state_in, Bf16* state_out, Bf16* out, int batch, int tokens,
                   int channels, int width, cudaStream_t stream) {
    conv1d_kernel<<<dim3(ceil_div(channels, 128), batch), 128, 0, stream>>>(x, weight, state_in, state_out, out, tokens,
                                                                             channels, width);
    return cudaGetLastError();
}

cudaError_t gather_kv(void* cache, const int* path, int slots, int prefix, int accepted, int row_vectors, int batches,
                      int layers, cudaStream_t stream) {
    gather_kernel<<<dim3(ceil_div(row_vectors, 128), batches, layers), 128, 0, stream>>>(
        static_cast<Vec16*>(cache), path, slots, prefix, accepted, row_vectors, batches);
    return cudaGetLastError();
}

cudaError_t allreduce(const AllReduceProblem& p, bool push, cudaStream_t stream) {
    if (push) {
        allreduce_kernel<true><<<p.blocks, 32 * kAllReduceWarps, 0, stream>>>(p);
    } else {
        allreduce_kernel<false><<<p.blocks, 32 * kAllReduceWarps, 0, stream>>>(p);
    }
    return cudaGetLastError();
}

cudaError_t empty(bool programmatic, cudaStream_t stream) {
    if (!programmatic) {
        empty_kernel<<<1, 1, 0, stream>>>();
        return cudaGetLastError();
    }
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = stream;
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, empty_kernel);
}

cudaError_t delay(std::uint64_t ns, cudaStream_t stream) {
    delay_kernel<<<1, 1, 0, stream>>>(ns);
    return cudaGetLastError();
}

cudaError_t clock_probe(std::uint64_t ns, std::uint64_t* out, cudaStream_t stream) {
    clock_probe_kernel<<<1, 1, 0, stream>>>(ns, out);
    return cudaGetLastError();
}

cudaError_t sm_copy(const void* from, void* to, std::size_t bytes, int sms, cudaStream_t stream) {
    return copy(from, to, bytes, sms, stream);
}

cudaError_t ping_pong(std::uint32_t* own, std::uint32_t* peer, std::uint32_t turns, bool first, std::uint32_t base,
                      unsigned long long spin_limit, std::uint32_t* error, cudaStream_t stream) {
    ping_pong_kernel<<<1, 1, 0, stream>>>(own, peer, turns, first, base, spin_limit, error);
    return cudaGetLastError();
}

cudaError_t copy_and_flag(const void* from, void* to, std::size_t bytes, std::uint32_t* flag, std::uint32_t value,
                          cudaStream_t stream) {
    copy_and_flag_kernel<<<1, kThreads, 0, stream>>>(static_cast<const std::uint32_t*>(from), static_cast<std::uint32_t*>(to),
                                                      bytes / 4, flag, value);
    return cudaGetLastError();
}

}  // namespace foretoken::device
