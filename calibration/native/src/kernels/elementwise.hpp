// The small kernels of a decoder layer: RMS norm, gated SiLU, the causal convolution before a
// gated delta-net, and the compaction of the accepted path in the KV cache.
#pragma once
#include "simt.hpp"

namespace foretoken {

FT_HD float silu(float x) { return x / (1.0f + expf(-x)); }

constexpr int kNormWarps = 8;

FT_HD float element(const Vec16& v, int i) {
    return to_float(Bf16{static_cast<std::uint16_t>(v.w[i >> 1] >> (16 * (i & 1)))});
}

/** out = x / sqrt(mean(x^2) + eps) * weight for one token; one block; vectors of 8; `shared` holds kNormWarps floats. */
FT_HD void rmsnorm_block(const Vec16* x, const Vec16* weight, Vec16* out, int vectors, float eps, float* shared) {
    FT_WARPS(w, kNormWarps) {
        Lanes<float> sum;
        FT_LANES(l) {
            sum[l] = 0.0f;
            for (int i = 32 * w + l; i < vectors; i += 32 * kNormWarps) {
                const Vec16 v = x[i];
                FT_UNROLL
                for (int e = 0; e < 8; ++e) sum[l] += element(v, e) * element(v, e);
            }
        }
        sum = warp_sum(sum);
        FT_LANES(l) {
            if (l == 0) shared[w] = sum[l];
        }
    }
    FT_SYNC();
    FT_WARPS(w, kNormWarps) {
        FT_LANES(l) {
            float total = 0.0f;
            FT_UNROLL
            for (int i = 0; i < kNormWarps; ++i) total += shared[i];
            const float inverse = 1.0f / sqrtf(total / (8.0f * static_cast<float>(vectors)) + eps);
            for (int i = 32 * w + l; i < vectors; i += 32 * kNormWarps) {
                const Vec16 v = x[i];
                const Vec16 g = weight[i];
                Vec16 y;
                FT_UNROLL
                for (int e = 0; e < 4; ++e)
                    y.w[e] = pack_bf16(element(v, 2 * e) * inverse * element(g, 2 * e),
                                       element(v, 2 * e + 1) * inverse * element(g, 2 * e + 1));
                out[i] = y;
            }
        }
    }
}

/** out[t] = silu(in[t][0 .. vectors)) * in[t][vectors .. 2 vectors), one vector of 8. */
FT_HD void silu_mul_vector(const Vec16* in, Vec16* out, int vectors, std::size_t token, int i) {
    const Vec16 gate = in[token * 2 * vectors + i];
    const Vec16 up = in[token * 2 * vectors + vectors + i];
    Vec16 y;
    FT_UNROLL
    for (int e = 0; e < 4; ++e)
        y.w[e] = pack_bf16(silu(element(gate, 2 * e)) * element(up, 2 * e),
                           silu(element(gate, 2 * e + 1)) * element(up, 2 * e + 1));
    out[token * vectors + i] = y;
}

constexpr int kConvMaxWidth = 8;

/**
 * Causal depthwise convolution with SiLU over m new tokens of one channel of one request, and the new state (the last
 * width - 1 inputs). x, out [batch][m][channels]; state [batch][channels][width - 1]; weight [channels][width].
 */
FT_HD void conv1d_channel(const Bf16* x, const Bf16* weight, const Bf16* state_in, Bf16* state_out, Bf16* out, int tokens,
                          int channels, int width, int batch, int channel) {
    float window[kConvMaxWidth];
    float w[kConvMaxWidth];
    FT_UNROLL
    for (int j = 0; j < kConvMaxWidth; ++j) {
        // right-aligned: the last slot of the window is the current token
        const int tap = j - (kConvMaxWidth - width);
        w[j] = tap >= 0 ? to_float(weight[channel * width + tap]) : 0.0f;
        const int slot = tap - 1;
        window[j] = slot >= 0 && slot < width - 1
                        ? to_float(state_in[(static_cast<std::size_t>(batch) * channels + channel) * (width - 1) + slot])
                        : 0.0f;
    }
    for (int t = 0; t < tokens; ++t) {
        const std::size_t at = (static_cast<std::size_t>(batch) * tokens + t) * channels + channel;
        FT_UNROLL
        for (int j = 0; j + 1 < kConvMaxWidth; ++j) window[j] = window[j + 1];
        window[kConvMaxWidth - 1] = to_float(x[at]);
        float sum = 0.0f;
        FT_UNROLL
        for (int j = 0; j < kConvMaxWidth; ++j) sum += w[j] * window[j];
        out[at] = to_bf16(silu(sum));
    }
    FT_UNROLL
    for (int j = 0; j < kConvMaxWidth; ++j) {
        const int slot = j - (kConvMaxWidth - width) - 1;
        if (slot >= 0)
            state_out[(static_cast<std::size_t>(batch) * channels + channel) * (width - 1) + slot] = to_bf16(window[j]);
    }
}

/**
 * Moves the KV rows of the accepted path to the end of the committed prefix, 16 bytes per call: slot j of the tail takes
 * slot path[j], path[j] >= j, so ascending j never overwrites a row still needed by a later j of the same thread.
 * cache [layers][batch][slots][row_vectors]; path [batch][accepted].
 */
FT_HD void gather_kv_vector(Vec16* cache, const int* path, int slots, int prefix, int accepted, int row_vectors, int batches,
                            int layer, int batch, int vector) {
    Vec16* rows = cache + (static_cast<std::size_t>(layer) * batches + batch) * slots * row_vectors;
    for (int j = 0; j < accepted; ++j) {
        const int from = path[static_cast<std::size_t>(batch) * accepted + j];
        if (from != j)
            rows[static_cast<std::size_t>(prefix + j) * row_vectors + vector] =
                rows[static_cast<std::size_t>(prefix + from) * row_vectors + vector];
    }
}

}  // namespace foretoken
