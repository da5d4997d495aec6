// The block-scaled fp4 probe: an instruction of sm_120a alone, in its own file and object.
#include <cuda_runtime.h>

#include "launch.hpp"

namespace foretoken::device {

cudaError_t mma_peak_nvfp4(int instructions, int blocks, int warps, float* sink, cudaStream_t stream);

namespace {

__global__ void nvfp4_kernel(int instructions, float* sink) {
    float d[kMmaChains][4] = {};
    const unsigned a = 0x22222222u ^ threadIdx.x;
    const unsigned b = 0x11111111u ^ threadIdx.x;
    const unsigned scale = 0x38383838u;  // 1.0 in e4m3, four times
    const unsigned short zero = 0;
    for (int i = 0; i < instructions / kMmaChains; ++i) {
#pragma unroll
        for (int c = 0; c < kMmaChains; ++c)
            asm volatile(
                "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3 "
                "{%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3}, {%6}, {%7,%7}, {%6}, {%7,%7};\n"
                : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3])
                : "r"(a), "r"(b), "r"(scale), "h"(zero));
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < kMmaChains; ++c) sum += d[c][0] + d[c][1] + d[c][2] + d[c][3];
    sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

}  // namespace

cudaError_t mma_peak_nvfp4(int instructions, int blocks, int warps, float* sink, cudaStream_t stream) {
    nvfp4_kernel<<<blocks, 32 * warps, 0, stream>>>(instructions, sink);
    return cudaGetLastError();
}

}  // namespace foretoken::device
