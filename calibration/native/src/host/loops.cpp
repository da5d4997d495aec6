#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "clones.hpp"

namespace foretoken::host {
namespace {

constexpr int kKeyBlock = 64;

__attribute__((always_inline)) inline float dot(const float* a, const float* b, int n) {
    float s = 0.0f;
#pragma omp simd reduction(+ : s)
    for (int i = 0; i < n; ++i) s += a[i] * b[i];
    return s;
}

__attribute__((always_inline)) inline void add_scaled(float* y, const float* x, float a, int n) {
#pragma omp simd
    for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

FT_CLONES float read_sum(const float* a, std::size_t n) {
    float s = 0.0f;
#pragma omp simd reduction(+ : s)
    for (std::size_t i = 0; i < n; ++i) s += a[i];
    return s;
}

void copy(const float* a, float* b, std::size_t n) { std::memcpy(b, a, n * sizeof(float)); }

FT_CLONES void triad(const float* a, const float* b, float* c, std::size_t n) {
#pragma omp simd
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i] + 0.5f * b[i];
}

FT_CLONES void attention(const float* q, const float* k, const float* v, const std::uint32_t* mask, float* out,
                         float* scratch, int batch, int tokens, int kv_len, int query_heads, int kv_heads, int dim,
                         float scale) {
    const int group = query_heads / kv_heads;
    const int keys = kv_len + tokens;
    const int rows = tokens * group;
    float* score = scratch;
    float* row_max = scratch + static_cast<std::size_t>(rows) * kKeyBlock;
    float* row_sum = row_max + rows;
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < kv_heads; ++h) {
            const auto out_row = [&](int r) {
                return out + ((static_cast<std::size_t>(b) * tokens + r / group) * query_heads + h * group + r % group) * dim;
            };
            for (int r = 0; r < rows; ++r) {
                row_max[r] = -std::numeric_limits<float>::infinity();
                row_sum[r] = 0.0f;
                std::fill_n(out_row(r), dim, 0.0f);
            }
            for (int first = 0; first < keys; first += kKeyBlock) {
                const int count = std::min(kKeyBlock, keys - first);
                for (int t = 0; t < count; ++t) {
                    const float* key = k + ((static_cast<std::size_t>(b) * keys + first + t) * kv_heads + h) * dim;
                    for (int r = 0; r < rows; ++r) {
                        const float* query =
                            q + ((static_cast<std::size_t>(b) * tokens + r / group) * query_heads + h * group + r % group) * dim;
                        const int j = first + t - kv_len;
                        const bool visible =
                            j < 0 ||
                            ((mask[(static_cast<std::size_t>(b) * tokens + r / group) * 4 + j / 32] >> (j % 32)) & 1u) != 0;
                        score[r * kKeyBlock + t] =
                            visible ? scale * dot(query, key, dim) : -std::numeric_limits<float>::infinity();
                    }
                }
                for (int r = 0; r < rows; ++r) {
                    float* s = score + r * kKeyBlock;
                    const float joint = std::max(row_max[r], *std::max_element(s, s + count));
                    if (joint == -std::numeric_limits<float>::infinity()) continue;
                    const float correction = std::exp(row_max[r] - joint);
                    row_max[r] = joint;
                    row_sum[r] *= correction;
                    float* o = out_row(r);
                    for (int d = 0; d < dim; ++d) o[d] *= correction;
                    for (int t = 0; t < count; ++t) {
                        const float p = std::exp(s[t] - joint);
                        row_sum[r] += p;
                        add_scaled(o, v + ((static_cast<std::size_t>(b) * keys + first + t) * kv_heads + h) * dim, p, dim);
                    }
                }
            }
            for (int r = 0; r < rows; ++r) {
                float* o = out_row(r);
                for (int d = 0; d < dim; ++d) o[d] /= row_sum[r];
            }
        }
}

FT_CLONES void gdn(const float* q, const float* k, const float* v, const float* g, const float* beta, const float* state_in,
                   float* state_out, float* saved, float* out, int batch, int tokens, int key_heads, int value_heads, int dk,
                   int dv, float scale, GdnForm form) {
    const std::size_t head_state = static_cast<std::size_t>(dk) * dv;
    for (int b = 0; b < batch; ++b)
        for (int h = 0; h < value_heads; ++h) {
            const int kh = h / (value_heads / key_heads);
            float* s = state_out + (static_cast<std::size_t>(b) * value_heads + h) * head_state;
            std::memcpy(s, state_in + (static_cast<std::size_t>(b) * value_heads + h) * head_state, head_state * sizeof(float));
            for (int t = 0; t < tokens; ++t) {
                const std::size_t bt = static_cast<std::size_t>(b) * tokens + t;
                const float* kp = k + (bt * key_heads + kh) * dk;
                const float* qp = q + (bt * key_heads + kh) * dk;
                const float decay = std::exp(g[bt * value_heads + h]);
                const float rate = beta[bt * value_heads + h];
                for (int i = 0; i < dv; ++i) {
                    float* row = s + static_cast<std::size_t>(i) * dk;
                    const std::size_t at = (bt * value_heads + h) * dv + i;
                    const float delta = rate * (v[at] - decay * dot(row, kp, dk));
#pragma omp simd
                    for (int j = 0; j < dk; ++j) row[j] = decay * row[j] + delta * kp[j];
                    if (form != GdnForm::kReplay) out[at] = scale * dot(row, qp, dk);
                }
                if (form == GdnForm::kStatePerToken)
                    std::memcpy(saved + (bt * value_heads + h) * head_state, s, head_state * sizeof(float));
            }
        }
}

FT_CLONES void conv1d(const float* x, const float* weight, const float* state_in, float* state_out, float* out, int batch,
                      int tokens, int channels, int width) {
    for (int b = 0; b < batch; ++b)
        for (int c = 0; c < channels; ++c) {
            const float* old = state_in + (static_cast<std::size_t>(b) * channels + c) * (width - 1);
            float* fresh = state_out + (static_cast<std::size_t>(b) * channels + c) * (width - 1);
            // the input `back` tokens before token t: new ones first, the state for older ones
            const auto input = [&](int t) {
                return t >= 0 ? x[(static_cast<std::size_t>(b) * tokens + t) * channels + c] : old[width - 1 + t];
            };
            for (int t = 0; t < tokens; ++t) {
                float s = 0.0f;
                for (int j = 0; j < width; ++j) s += weight[c * width + j] * input(t - width + 1 + j);
                out[(static_cast<std::size_t>(b) * tokens + t) * channels + c] = s / (1.0f + std::exp(-s));
            }
            for (int j = 0; j + 1 < width; ++j) fresh[j] = input(tokens - width + 1 + j);
        }
}

FT_CLONES void rmsnorm(const float* x, const float* weight, float* out, int tokens, int hidden, float eps) {
    for (int t = 0; t < tokens; ++t) {
        const float* row = x + static_cast<std::size_t>(t) * hidden;
        const float inverse = 1.0f / std::sqrt(dot(row, row, hidden) / static_cast<float>(hidden) + eps);
        float* o = out + static_cast<std::size_t>(t) * hidden;
#pragma omp simd
        for (int i = 0; i < hidden; ++i) o[i] = row[i] * inverse * weight[i];
    }
}

FT_CLONES void silu_mul(const float* in, float* out, int tokens, int width) {
    for (int t = 0; t < tokens; ++t) {
        const float* gate = in + static_cast<std::size_t>(t) * 2 * width;
        for (int i = 0; i < width; ++i)
            out[static_cast<std::size_t>(t) * width + i] = gate[i] / (1.0f + std::exp(-gate[i])) * gate[width + i];
    }
}

FT_CLONES void topk(const float* logits, float* log_prob, std::int32_t* token, int rows, int vocab, int k) {
    for (int r = 0; r < rows; ++r) {
        const float* row = logits + static_cast<std::size_t>(r) * vocab;
        float* value = log_prob + static_cast<std::size_t>(r) * k;
        std::int32_t* index = token + static_cast<std::size_t>(r) * k;
        int held = 0;
        for (int i = 0; i < vocab; ++i) {
            if (held == k && !(row[i] > value[k - 1])) continue;
            int at = held < k ? held++ : k - 1;
            for (; at > 0 && row[i] > value[at - 1]; --at) {
                value[at] = value[at - 1];
                index[at] = index[at - 1];
            }
            value[at] = row[i];
            index[at] = i;
        }
        float sum = 0.0f;
        for (int i = 0; i < vocab; ++i) sum += std::exp(row[i] - value[0]);
        const float log_sum = value[0] + std::log(sum);
        for (int i = 0; i < k; ++i) value[i] -= log_sum;
    }
}

}  // namespace foretoken::host
