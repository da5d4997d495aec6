// The host's own operations in fp32, as a careful scalar program would do them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace foretoken::host {

float read_sum(const float* a, std::size_t n);
void copy(const float* a, float* b, std::size_t n);
void triad(const float* a, const float* b, float* c, std::size_t n);

/** Layouts of kernels/attention.hpp in fp32; scratch holds tokens * group * (64 + 2) floats. */
void attention(const float* q, const float* k, const float* v, const std::uint32_t* mask, float* out, float* scratch,
               int batch, int tokens, int kv_len, int query_heads, int kv_heads, int dim, float scale);

enum class GdnForm { kFinalState, kStatePerToken, kReplay };

/** Layouts of kernels/gdn.hpp in fp32; a chain; `saved` is used by kStatePerToken only. */
void gdn(const float* q, const float* k, const float* v, const float* g, const float* beta, const float* state_in,
         float* state_out, float* saved, float* out, int batch, int tokens, int key_heads, int value_heads, int dk, int dv,
         float scale, GdnForm form);

void conv1d(const float* x, const float* weight, const float* state_in, float* state_out, float* out, int batch, int tokens,
            int channels, int width);
void rmsnorm(const float* x, const float* weight, float* out, int tokens, int hidden, float eps);
void silu_mul(const float* in, float* out, int tokens, int width);
/** Log-probabilities and indices of the k <= 32 largest per row, larger first, then the smaller index. */
void topk(const float* logits, float* log_prob, std::int32_t* token, int rows, int vocab, int k);

}  // namespace foretoken::host
