// Verify attention: m query tokens per request over kv_len unmasked prefix keys plus a tail of the m tokens themselves,
// of which token i sees those in its ancestor bitmask. Split-KV flash decoding (Dao et al. 2023) with the query heads of a
// KV head packed beside the tokens into the rows of the M tile, bf16 mma.m16n8k16, fp32 accumulation and online softmax.
//
// Block: 4 warps = 2 (rows) x 2 (keys). A row tile is 32 packed rows r = token * group + head-in-group; a key tile is
// KeyTile<D> keys in two stages of shared memory. Each key warp keeps its own (max, sum, O); they merge at the end.
// Work of block (split, row tile + row tiles * KV head, batch): key tiles [first, last) of its split; it leaves a
// normalised partial O (fp32) and log-sum-exp per row, joined by attention_combine.
// Layouts: q, out [batch][m][hq][D]; k, v [batch][kv_len + m][hkv][D]; mask [batch][m][4] words, bit j = sees tail token j.
#pragma once
#include "simt.hpp"

namespace foretoken {

constexpr int kAttentionWarps = 4;
constexpr int kAttentionRowWarps = 2;
constexpr int kAttentionKeyWarps = 2;
constexpr int kAttentionRows = 16 * kAttentionRowWarps;
constexpr int kAttentionMaskWords = 4;
constexpr int kAttentionMaxTokens = 32 * kAttentionMaskWords;

struct AttentionProblem {
    const Bf16* q;
    const Bf16* k;
    const Bf16* v;
    const std::uint32_t* mask;
    float* partial_out;  // [batch][hkv][splits][rows padded][D]
    float* partial_lse;  // [batch][hkv][splits][rows padded]
    Bf16* out;
    int batch;
    int tokens;  // m
    int kv_len;
    int query_heads;
    int kv_heads;
    int splits;
    float scale;

    FT_HD int group() const { return query_heads / kv_heads; }
    FT_HD int rows() const { return tokens * group(); }
    FT_HD int row_tiles() const { return ceil_div(rows(), kAttentionRows); }
    FT_HD int padded_rows() const { return row_tiles() * kAttentionRows; }
    FT_HD int keys() const { return kv_len + tokens; }
};

template <int D>
struct AttentionTile {
    static constexpr int kKeys = D <= 128 ? 64 : 32;
    static constexpr int kStride = D + 8;  // bf16 per row: 16 bytes of padding keep ldmatrix free of bank conflicts
    static constexpr int kWarpKeys = kKeys / kAttentionKeyWarps;
    static constexpr int kQueryBytes = kAttentionRows * kStride * 2;
    static constexpr int kStageBytes = 2 * kKeys * kStride * 2;
    static constexpr int kSharedBytes = kQueryBytes + 2 * kStageBytes;
    static constexpr int kScoreTiles = kWarpKeys / 8;
    static constexpr int kOutTiles = D / 8;
    static_assert(kAttentionRows * (D + 2) * 4 <= 2 * kStageBytes, "the merge buffer reuses the key and value stages");
    static_assert(kSharedBytes <= 96 * 1024, "sm_120 has 99 KB of shared memory for a block");
};

template <int D>
struct AttentionWarpState {
    Lanes<float> out[AttentionTile<D>::kOutTiles][4];
    Lanes<float> row_max[2];
    Lanes<float> row_sum[2];
};

/** Loads one tile of keys and values; keys at or past `end` are zero-filled. */
template <int D>
FT_HD void attention_load_tile(const AttentionProblem& p, int batch, int kv_head, int tile, int end, Bf16* stage) {
    using T = AttentionTile<D>;
    constexpr int kChunks = D / 8;
    constexpr int kCopies = T::kKeys * kChunks;
    Bf16* ks = stage;
    Bf16* vs = stage + T::kKeys * T::kStride;
    FT_WARPS(w, kAttentionWarps) {
        for (int base = 0; base < kCopies; base += 32 * kAttentionWarps) {
            FT_LANES(l) {
                const int c = base + 32 * w + l;
                const int key = c / kChunks;
                const int d = 8 * (c % kChunks);
                const int token = tile * T::kKeys + key;
                const bool valid = token < end;
                const std::size_t at =
                    ((static_cast<std::size_t>(batch) * p.keys() + (valid ? token : 0)) * p.kv_heads + kv_head) * D + d;
                copy16_async(ks + key * T::kStride + d, p.k + at, valid);
                copy16_async(vs + key * T::kStride + d, p.v + at, valid);
            }
        }
    }
}

/** True when packed row `row` may read key `key`. */
FT_HD bool attention_visible(const AttentionProblem& p, int batch, int row, int key) {
    if (key < p.kv_len) return true;
    const int j = key - p.kv_len;
    if (j >= p.tokens || row >= p.rows()) return false;
    const int token = row / p.group();
    const std::uint32_t word =
        p.mask[(static_cast<std::size_t>(batch) * p.tokens + token) * kAttentionMaskWords + (j >> 5)];
    return ((word >> (j & 31)) & 1u) != 0;
}

/** One block of the split-KV kernel. `shared` has AttentionTile<D>::kSharedBytes bytes, 16-byte aligned. */
template <int D>
FT_HD void attention_block(const AttentionProblem& p, int split, int row_tile, int kv_head, int batch, void* shared) {
    using T = AttentionTile<D>;
    Bf16* qs = static_cast<Bf16*>(shared);
    Bf16* stages = qs + kAttentionRows * T::kStride;
    constexpr int kStageElements = T::kStageBytes / 2;
    const int group = p.group();
    const int tiles = ceil_div(p.keys(), T::kKeys);
    const int per_split = ceil_div(tiles, p.splits);
    const int first = split * per_split;
    const int last = min_int(tiles, first + per_split);
    const int end = p.keys();

    PerWarp<AttentionWarpState<D>, kAttentionWarps> state;
    FT_WARPS(w, kAttentionWarps) {
        AttentionWarpState<D>& s = state[w];
        FT_UNROLL
        for (int n = 0; n < T::kOutTiles; ++n)
            FT_UNROLL for (int i = 0; i < 4; ++i) FT_LANES(l) s.out[n][i][l] = 0.0f;
        FT_UNROLL
        for (int i = 0; i < 2; ++i) {
            FT_LANES(l) {
                s.row_max[i][l] = -INFINITY;
                s.row_sum[i][l] = 0.0f;
            }
        }
        constexpr int kChunks = D / 8;
        for (int base = 0; base < kAttentionRows * kChunks; base += 32 * kAttentionWarps) {
            FT_LANES(l) {
                const int c = base + 32 * w + l;
                const int row = row_tile * kAttentionRows + c / kChunks;
                const int d = 8 * (c % kChunks);
                const bool valid = row < p.rows();
                const int token = valid ? row / group : 0;
                const int head = kv_head * group + (valid ? row % group : 0);
                const std::size_t at =
                    ((static_cast<std::size_t>(batch) * p.tokens + token) * p.query_heads + head) * D + d;
                copy16_async(qs + (c / kChunks) * T::kStride + d, p.q + at, valid);
            }
        }
    }
    if (first < last) attention_load_tile<D>(p, batch, kv_head, first, end, stages);
    copy_commit();

    for (int tile = first; tile < last; ++tile) {
        Bf16* stage = stages + ((tile - first) & 1) * kStageElements;
        if (tile + 1 < last) {
            attention_load_tile<D>(p, batch, kv_head, tile + 1, end,
                                   stages + ((tile + 1 - first) & 1) * kStageElements);
        }
        copy_commit();
        copy_wait<1>();
        FT_SYNC();
        FT_WARPS(w, kAttentionWarps) {
            AttentionWarpState<D>& s = state[w];
            const int row_warp = w / kAttentionKeyWarps;
            const int key_warp = w % kAttentionKeyWarps;
            const Bf16* ks = stage + key_warp * T::kWarpKeys * T::kStride;
            const Bf16* vs = stage + (T::kKeys + key_warp * T::kWarpKeys) * T::kStride;
            const Bf16* qw = qs + 16 * row_warp * T::kStride;
            const int key0 = tile * T::kKeys + key_warp * T::kWarpKeys;

            Lanes<float> score[T::kScoreTiles][4];
            FT_UNROLL
            for (int n = 0; n < T::kScoreTiles; ++n)
                FT_UNROLL for (int i = 0; i < 4; ++i) FT_LANES(l) score[n][i][l] = 0.0f;
            FT_UNROLL
            for (int d = 0; d < D; d += 16) {
                Lanes<std::uint32_t> a[4];
                Lanes<const Bf16*> address;
                FT_LANES(l) address[l] = qw + (l % 16) * T::kStride + d + 8 * (l / 16);
                load_matrix_x4(a, address);
                FT_UNROLL
                for (int n = 0; n < T::kScoreTiles; n += 2) {
                    // matrices: keys n*8..+7 at d, d+8; keys (n+1)*8..+7 at d, d+8
                    Lanes<std::uint32_t> b[4];
                    FT_LANES(l) address[l] = ks + (8 * (n + l / 16) + l % 8) * T::kStride + d + 8 * ((l / 8) % 2);
                    load_matrix_x4(b, address);
                    mma_bf16(score[n], a, b[0], b[1]);
                    mma_bf16(score[n + 1], a, b[2], b[3]);
                }
            }
            const bool tail = key0 + T::kWarpKeys > p.kv_len;
            Lanes<float> tile_max[2];
            FT_LANES(l) { tile_max[0][l] = tile_max[1][l] = -INFINITY; }
            FT_UNROLL
            for (int n = 0; n < T::kScoreTiles; ++n) {
                FT_UNROLL
                for (int i = 0; i < 4; ++i) {
                    FT_LANES(l) {
                        float x = score[n][i][l] * p.scale;
                        if (tail) {
                            const int row = row_tile * kAttentionRows + 16 * row_warp + l / 4 + 8 * (i / 2);
                            const int key = key0 + 8 * n + 2 * (l % 4) + i % 2;
                            if (!attention_visible(p, batch, row, key)) x = -INFINITY;
                        }
                        score[n][i][l] = x;
                        tile_max[i / 2][l] = max_float(tile_max[i / 2][l], x);
                    }
                }
            }
            FT_UNROLL
            for (int h = 0; h < 2; ++h) {
                FT_UNROLL
                for (int mask = 1; mask <= 2; mask <<= 1) {
                    const Lanes<float> other = shuffle_xor(tile_max[h], mask);
                    FT_LANES(l) tile_max[h][l] = max_float(tile_max[h][l], other[l]);
                }
            }
            Lanes<float> correction[2];
            Lanes<float> base[2];
            FT_UNROLL
            for (int h = 0; h < 2; ++h) {
                FT_LANES(l) {
                    const float new_max = max_float(s.row_max[h][l], tile_max[h][l]);
                    base[h][l] = new_max == -INFINITY ? 0.0f : new_max;  // nothing visible yet: exp(-inf - 0) = 0
                    correction[h][l] = expf(s.row_max[h][l] - base[h][l]);
                    s.row_max[h][l] = new_max;
                    s.row_sum[h][l] *= correction[h][l];
                }
            }
            FT_UNROLL
            for (int n = 0; n < T::kScoreTiles; ++n)
                FT_UNROLL for (int i = 0; i < 4; ++i) FT_LANES(l) {
                    score[n][i][l] = expf(score[n][i][l] - base[i / 2][l]);
                    s.row_sum[i / 2][l] += score[n][i][l];
                }
            FT_UNROLL
            for (int n = 0; n < T::kOutTiles; ++n)
                FT_UNROLL for (int i = 0; i < 4; ++i) FT_LANES(l) s.out[n][i][l] *= correction[i / 2][l];
            FT_UNROLL
            for (int kk = 0; kk < T::kWarpKeys; kk += 16) {
                Lanes<std::uint32_t> a[4];  // accumulator layout of two score tiles = A layout of one 16x16 operand
                FT_LANES(l) {
                    a[0][l] = pack_bf16(score[kk / 8][0][l], score[kk / 8][1][l]);
                    a[1][l] = pack_bf16(score[kk / 8][2][l], score[kk / 8][3][l]);
                    a[2][l] = pack_bf16(score[kk / 8 + 1][0][l], score[kk / 8 + 1][1][l]);
                    a[3][l] = pack_bf16(score[kk / 8 + 1][2][l], score[kk / 8 + 1][3][l]);
                }
                FT_UNROLL
                for (int n = 0; n < T::kOutTiles; n += 2) {
                    Lanes<std::uint32_t> b[4];
                    Lanes<const Bf16*> address;
                    FT_LANES(l) address[l] = vs + (kk + l % 16) * T::kStride + 8 * (n + l / 16);
                    load_matrix_x4_transposed(b, address);
                    mma_bf16(s.out[n], a, b[0], b[1]);
                    mma_bf16(s.out[n + 1], a, b[2], b[3]);
                }
            }
        }
        FT_SYNC();
    }

    copy_wait<0>();
    FT_SYNC();
    // The stages are free now: key warp 1 hands its partial result to key warp 0 through them.
    float* merge = reinterpret_cast<float*>(stages);
    FT_WARPS(w, kAttentionWarps) {
        AttentionWarpState<D>& s = state[w];
        FT_UNROLL
        for (int h = 0; h < 2; ++h) {
            FT_UNROLL
            for (int mask = 1; mask <= 2; mask <<= 1) {
                const Lanes<float> other = shuffle_xor(s.row_sum[h], mask);
                FT_LANES(l) s.row_sum[h][l] += other[l];
            }
        }
        if (w % kAttentionKeyWarps == 1) {
            FT_LANES(l) {
                FT_UNROLL
                for (int h = 0; h < 2; ++h) {
                    const int row = 16 * (w / kAttentionKeyWarps) + l / 4 + 8 * h;
                    merge[row * (D + 2) + D] = s.row_max[h][l];
                    merge[row * (D + 2) + D + 1] = s.row_sum[h][l];
                    FT_UNROLL
                    for (int n = 0; n < T::kOutTiles; ++n)
                        FT_UNROLL for (int i = 0; i < 2; ++i)
                            merge[row * (D + 2) + 8 * n + 2 * (l % 4) + i] = s.out[n][2 * h + i][l];
                }
            }
        }
    }
    FT_SYNC();
    FT_WARPS(w, kAttentionWarps) {
        AttentionWarpState<D>& s = state[w];
        if (w % kAttentionKeyWarps == 0) {
            FT_LANES(l) {
                FT_UNROLL
                for (int h = 0; h < 2; ++h) {
                    const int row_in_tile = 16 * (w / kAttentionKeyWarps) + l / 4 + 8 * h;
                    const float other_max = merge[row_in_tile * (D + 2) + D];
                    const float other_sum = merge[row_in_tile * (D + 2) + D + 1];
                    const float joint = max_float(s.row_max[h][l], other_max);
                    const float safe = joint == -INFINITY ? 0.0f : joint;
                    const float own = expf(s.row_max[h][l] - safe);
                    const float other = expf(other_max - safe);
                    const float sum = own * s.row_sum[h][l] + other * other_sum;
                    const float inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
                    const std::size_t row =
                        ((static_cast<std::size_t>(batch) * p.kv_heads + kv_head) * p.splits + split) *
                            p.padded_rows() +
                        row_tile * kAttentionRows + row_in_tile;
                    if (l % 4 == 0) p.partial_lse[row] = sum > 0.0f ? safe + logf(sum) : -INFINITY;
                    FT_UNROLL
                    for (int n = 0; n < T::kOutTiles; ++n)
                        FT_UNROLL for (int i = 0; i < 2; ++i) {
                            const int d = 8 * n + 2 * (l % 4) + i;
                            p.partial_out[row * D + d] =
                                inverse * (own * s.out[n][2 * h + i][l] + other * merge[row_in_tile * (D + 2) + d]);
                        }
                }
            }
        }
    }
}

/** Joins the splits of one packed row (one warp): O = sum_s exp(lse_s - lse) O_s, written as bf16. */
template <int D>
FT_HD void attention_combine_row(const AttentionProblem& p, int row, int kv_head, int batch) {
    const std::size_t base = (static_cast<std::size_t>(batch) * p.kv_heads + kv_head) * p.splits;
    float joint = -INFINITY;
    for (int s = 0; s < p.splits; ++s) joint = max_float(joint, p.partial_lse[(base + s) * p.padded_rows() + row]);
    float sum = 0.0f;
    for (int s = 0; s < p.splits; ++s) sum += expf(p.partial_lse[(base + s) * p.padded_rows() + row] - joint);
    const int token = row / p.group();
    const int head = kv_head * p.group() + row % p.group();
    FT_LANES(l) {
        for (int d = l; d < D; d += 32) {
            float x = 0.0f;
            for (int s = 0; s < p.splits; ++s) {
                const std::size_t at = (base + s) * p.padded_rows() + row;
                x += expf(p.partial_lse[at] - joint) * p.partial_out[at * D + d];
            }
            p.out[((static_cast<std::size_t>(batch) * p.tokens + token) * p.query_heads + head) * D + d] =
                to_bf16(x / sum);
        }
    }
}

}  // namespace foretoken
