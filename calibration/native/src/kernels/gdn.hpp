// Verification by a gated delta-net layer (Yang, Kautz and Hatamizadeh 2024, "Gated Delta Networks"), recurrent form:
//   S <- exp(g_t) S;  S <- S + beta_t (v_t - S k_t) k_t^T;  o_t = scale * S q_t
// with one state S [dv][dk] in fp32 per request and value head, and value head h reading key head h / (hv / hk).
// A warp owns kGdnRows rows of S in registers (each lane dk / 32 columns) and walks the tokens; no warp needs another.
// Modes: kFinalState walks a chain and writes the last state; kStatePerToken walks a tree in topological order and saves the
// state after every node, so that rollback is an index; kReplay walks the accepted path only, writes the state, no output.
// Layouts: q, k [batch][m][hk][dk]; v, out [batch][m][hv][dv]; g, beta [batch][m][hv]; state [batch][hv][dv][dk];
// saved [batch][m][hv][dv][dk]; parent [batch][m] (-1 = the committed state); path [batch][m], accepted [batch].
#pragma once
#include "simt.hpp"

namespace foretoken {

enum class GdnMode { kFinalState, kStatePerToken, kReplay };

constexpr int kGdnRows = 8;

struct GdnProblem {
    const Bf16* q;
    const Bf16* k;
    const Bf16* v;
    const float* g;
    const float* beta;
    const float* state_in;
    float* state_out;
    float* saved;
    Bf16* out;
    const int* parent;
    const int* path;
    const int* accepted;
    int batch;
    int tokens;
    int key_heads;
    int value_heads;
    int dv;
    float scale;
};

/** Rows [row, row + kGdnRows) of the state of one value head of one request: one warp. */
template <int DK, GdnMode Mode>
FT_HD void gdn_warp(const GdnProblem& p, int batch, int head, int row) {
    constexpr int kColumns = DK / 32;
    static_assert(DK % 32 == 0, "a lane owns dk / 32 columns");
    const int key_head = head / (p.value_heads / p.key_heads);
    const std::size_t state_at = ((static_cast<std::size_t>(batch) * p.value_heads + head) * p.dv + row) * DK;
    Lanes<float> s[kGdnRows][kColumns];
    FT_UNROLL
    for (int r = 0; r < kGdnRows; ++r)
        FT_UNROLL for (int c = 0; c < kColumns; ++c) FT_LANES(l)
            s[r][c][l] = p.state_in[state_at + static_cast<std::size_t>(r) * DK + l * kColumns + c];

    const int steps = Mode == GdnMode::kReplay ? p.accepted[batch] : p.tokens;
    for (int step = 0; step < steps; ++step) {
        const int token = Mode == GdnMode::kReplay ? p.path[static_cast<std::size_t>(batch) * p.tokens + step] : step;
        const std::size_t bt = static_cast<std::size_t>(batch) * p.tokens + token;
        if (Mode == GdnMode::kStatePerToken) {
            const int parent = p.parent[bt];
            if (parent != token - 1) {
                const float* from =
                    parent < 0 ? p.state_in + state_at
                               : p.saved + (((static_cast<std::size_t>(batch) * p.tokens + parent) * p.value_heads +
                                             head) *
                                                p.dv +
                                            row) *
                                               DK;
                FT_UNROLL
                for (int r = 0; r < kGdnRows; ++r)
                    FT_UNROLL for (int c = 0; c < kColumns; ++c) FT_LANES(l)
                        s[r][c][l] = from[static_cast<std::size_t>(r) * DK + l * kColumns + c];
            }
        }
        const float decay = expf(p.g[bt * p.value_heads + head]);
        const float beta = p.beta[bt * p.value_heads + head];
        const Bf16* kp = p.k + (bt * p.key_heads + key_head) * DK;
        const Bf16* qp = p.q + (bt * p.key_heads + key_head) * DK;
        Lanes<float> k[kColumns];
        FT_UNROLL
        for (int c = 0; c < kColumns; ++c) FT_LANES(l) k[c][l] = to_float(kp[l * kColumns + c]);
        FT_UNROLL
        for (int r = 0; r < kGdnRows; ++r) {
            Lanes<float> dot;
            FT_LANES(l) {
                dot[l] = 0.0f;
                FT_UNROLL
                for (int c = 0; c < kColumns; ++c) {
                    s[r][c][l] *= decay;
                    dot[l] += s[r][c][l] * k[c][l];
                }
            }
            dot = warp_sum(dot);
            const float v = to_float(p.v[(bt * p.value_heads + head) * p.dv + row + r]);
            FT_LANES(l) {
                const float delta = beta * (v - dot[l]);
                FT_UNROLL
                for (int c = 0; c < kColumns; ++c) s[r][c][l] += delta * k[c][l];
            }
        }
        if (Mode != GdnMode::kReplay) {
            FT_UNROLL
            for (int c = 0; c < kColumns; ++c) FT_LANES(l) k[c][l] = to_float(qp[l * kColumns + c]);
            FT_UNROLL
            for (int r = 0; r < kGdnRows; ++r) {
                Lanes<float> dot;
                FT_LANES(l) {
                    dot[l] = 0.0f;
                    FT_UNROLL
                    for (int c = 0; c < kColumns; ++c) dot[l] += s[r][c][l] * k[c][l];
                }
                dot = warp_sum(dot);
                FT_LANES(l) {
                    if (l == 0) p.out[(bt * p.value_heads + head) * p.dv + row + r] = to_bf16(p.scale * dot[l]);
                }
            }
        }
        if (Mode == GdnMode::kStatePerToken) {
            float* to = p.saved + ((bt * p.value_heads + head) * p.dv + row) * DK;
            FT_UNROLL
            for (int r = 0; r < kGdnRows; ++r)
                FT_UNROLL for (int c = 0; c < kColumns; ++c) FT_LANES(l)
                    to[static_cast<std::size_t>(r) * DK + l * kColumns + c] = s[r][c][l];
        }
    }
    if (Mode != GdnMode::kStatePerToken) {
        FT_UNROLL
        for (int r = 0; r < kGdnRows; ++r)
            FT_UNROLL for (int c = 0; c < kColumns; ++c) FT_LANES(l)
                p.state_out[state_at + static_cast<std::size_t>(r) * DK + l * kColumns + c] = s[r][c][l];
    }
}

}  // namespace foretoken
