// Launchers of the device kernels; all return the launch error.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "../kernels/allreduce.hpp"
#include "../kernels/attention.hpp"
#include "../kernels/gdn.hpp"
#include "../kernels/topk.hpp"

namespace foretoken::device {

cudaError_t read(const void* a, std::size_t bytes, void* sink, int sms, cudaStream_t stream);
cudaError_t copy(const void* a, void* b, std::size_t bytes, int sms, cudaStream_t stream);
cudaError_t triad(const float* a, const float* b, float* c, std::size_t n, int sms, cudaStream_t stream);

/** bf16 uniform in [-scale, scale). */
cudaError_t fill_bf16(Bf16* out, std::size_t n, float scale, std::uint64_t seed, cudaStream_t stream);
/** fp32 uniform in [low, high). */
cudaError_t fill_float(float* out, std::size_t n, float low, float high, std::uint64_t seed, cudaStream_t stream);
/** Random bytes that are finite fp8 e4m3 numbers of moderate size; any byte is valid as two fp4 e2m1. */
cudaError_t fill_fp8(std::uint8_t* out, std::size_t n, std::uint64_t seed, cudaStream_t stream);
cudaError_t fill_fp4(std::uint8_t* out, std::size_t n, std::uint64_t seed, cudaStream_t stream);

cudaError_t attention(const AttentionProblem& p, int dim, cudaStream_t stream);
/** Shared memory the split kernel asks for; 0 where the head size has no kernel. */
std::size_t attention_shared_bytes(int dim);
cudaError_t gdn(const GdnProblem& p, int dk, GdnMode mode, cudaStream_t stream);
cudaError_t topk(const TopKProblem& p, cudaStream_t stream);
cudaError_t rmsnorm(const void* x, const void* weight, void* out, int tokens, int hidden, float eps, cudaStream_t stream);
cudaError_t silu_mul(const void* in, void* out, int tokens, int width, cudaStream_t stream);
cudaError_t conv1d(const Bf16* x, const Bf16* weight, const Bf16* state_in, Bf16* state_out, Bf16* out, int batch, int tokens,
                   int channels, int width, cudaStream_t stream);
cudaError_t gather_kv(void* cache, const int* path, int slots, int prefix, int accepted, int row_vectors, int batches,
                      int layers, cudaStream_t stream);
cudaError_t allreduce(const AllReduceProblem& p, bool push, cudaStream_t stream);

cudaError_t empty(bool programmatic, cudaStream_t stream);
/** Occupies the stream for about `ns` nanoseconds, so that what follows is queued before it starts. */
cudaError_t delay(std::uint64_t ns, cudaStream_t stream);
/** Writes {clocks, nanoseconds} that passed on one SM over about `ns`. */
cudaError_t clock_probe(std::uint64_t ns, std::uint64_t* out, cudaStream_t stream);

/** Copies `bytes` by stores of this card's SMs; either side may lie on a peer. */
cudaError_t sm_copy(const void* from, void* to, std::size_t bytes, int sms, cudaStream_t stream);
/** One side of a flag ping-pong of `turns`; `first` starts. Gives up after `spin_limit` polls per turn. */
cudaError_t ping_pong(std::uint32_t* own, std::uint32_t* peer, std::uint32_t turns, bool first, std::uint32_t base,
                      unsigned long long spin_limit, std::uint32_t* error, cudaStream_t stream);
/** Copies and then raises `flag` in host memory to `value`. */
cudaError_t copy_and_flag(const void* from, void* to, std::size_t bytes, std::uint32_t* flag, std::uint32_t value,
                          cudaStream_t stream);

/** `instructions` mma per warp from registers; bf16, fp8 (sm_89 and newer) or nvfp4 (sm_120a). */
enum class MmaType { kBf16, kFp8, kNvfp4 };
cudaError_t mma_peak(MmaType type, int instructions, int blocks, int warps, float* sink, cudaStream_t stream);
/** Chains one instruction may keep in flight in a warp of the probe. */
constexpr int kMmaChains = 8;

}  // namespace foretoken::device
