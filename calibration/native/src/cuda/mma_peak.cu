// Tensor-core issue rate from registers: chains of mma per warp, no memory. On sm_90 and sm_100 the legacy mma.sync does not
// reach the peak of the card (wgmma and tcgen05 do); there the roofline uses the rate of the architecture instead.
#include <cuda_runtime.h>

#include "launch.hpp"

namespace foretoken::device {

cudaError_t mma_peak_nvfp4(int instructions, int blocks, int warps, float* sink, cudaStream_t stream);

namespace {

__global__ void bf16_kernel(int instructions, float* sink) {
    float d[kMmaChains][4] = {};
    const unsigned a = 0x3c003c00u + threadIdx.x;
    const unsigned b = 0x3b803b80u + threadIdx.x;
    for (int i = 0; i < instructions / kMmaChains; ++i) {
#pragma unroll
        for (int c = 0; c < kMmaChains; ++c)
            asm volatile(
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};\n"
                : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
                : "r"(a), "r"(b));
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < kMmaChains; ++c) sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void fp8_kernel(int instructions, float* sink) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
    float d[kMmaChains][4] = {};
    const unsigned a = 0x30303030u + (threadIdx.x & 7u);
    const unsigned b = 0x28282828u + (threadIdx.x & 7u);
    for (int i = 0; i < instructions / kMmaChains; ++i) {
#pragma unroll
        for (int c = 0; c < kMmaChains; ++c)
            asm volatile(
                "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};\n"
                : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
                : "r"(a), "r"(b));
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < kMmaChains; ++c) sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
#endif
}

}  // namespace

cudaError_t mma_peak(MmaType type, int instructions, int blocks, int warps, float* sink, cudaStream_t stream) {
    switch (type) {
        case MmaType::kBf16: bf16_kernel<<<blocks, 32 * warps, 0, stream>>>(instructions, sink); break;
        case MmaType::kFp8: fp8_kernel<<<blocks, 32 * warps, 0, stream>>>(instructions, sink); break;
        case MmaType::kNvfp4: return mma_peak_nvfp4(instructions, blocks, warps, sink, stream);
    }
    return cudaGetLastError();
}

}  // namespace foretoken::device
