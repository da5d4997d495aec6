// Softmax statistics and the k <= 32 largest of a row of logits in two passes. Pass one: a warp walks its slice of the
// vocabulary and keeps the 32 largest as one sorted list across its lanes (WarpSelect: Johnson, Douze and Jegou 2017) with a
// running maximum and sum of exponentials. Pass two: one warp merges the lists of a row and writes log-probabilities.
// Order: larger value first, then the smaller index, so results do not depend on how the row is cut.
#pragma once
#include "simt.hpp"

namespace foretoken {

constexpr int kTopKList = 32;

struct Candidates {
    Lanes<float> value;
    Lanes<int> index;
};

FT_HD bool candidate_before(float va, int ia, float vb, int ib) { return va > vb || (va == vb && ia < ib); }

/** Compare-exchange with the lane at distance `stride`; `descending` per lane keeps the better one in the lower lane. */
FT_HD void exchange(Candidates& c, int stride, int size) {
    const Lanes<float> v = shuffle_xor(c.value, stride);
    const Lanes<int> i = shuffle_xor(c.index, stride);
    FT_LANES(l) {
        const bool descending = (l & size) == 0;
        const bool lower = (l & stride) == 0;
        const bool other_first = candidate_before(v[l], i[l], c.value[l], c.index[l]);
        if (other_first == (lower == descending)) {
            c.value[l] = v[l];
            c.index[l] = i[l];
        }
    }
}

/** Bitonic sort of 32 candidates, best in lane 0. */
FT_HD void sort_candidates(Candidates& c) {
    FT_UNROLL
    for (int size = 2; size <= 32; size <<= 1)
        FT_UNROLL for (int stride = size >> 1; stride > 0; stride >>= 1) exchange(c, stride, size);
}

/** The best 32 of a sorted list and 32 candidates in any order; the result is sorted. */
FT_HD void merge_candidates(Candidates& list, Candidates other) {
    sort_candidates(other);
    const Lanes<float> v = shuffle_xor(other.value, 31);  // reversed: list and other form one bitonic sequence
    const Lanes<int> i = shuffle_xor(other.index, 31);
    FT_LANES(l) {
        if (candidate_before(v[l], i[l], list.value[l], list.index[l])) {
            list.value[l] = v[l];
            list.index[l] = i[l];
        }
    }
    FT_UNROLL
    for (int stride = 16; stride > 0; stride >>= 1) exchange(list, stride, 32);
}

/** (max, sum of exp(x - max)) of a set; joins another such pair. */
FT_HD void join_softmax(float& max, float& sum, float other_max, float other_sum) {
    const float joint = max_float(max, other_max);
    if (joint == -INFINITY) return;
    sum = sum * expf(max - joint) + other_sum * expf(other_max - joint);
    max = joint;
}

struct TopKProblem {
    const Bf16* logits;  // [rows][vocab]
    float* list_value;   // [rows][slices][32]
    int* list_index;
    float* slice_max;  // [rows][slices]
    float* slice_sum;
    float* log_prob;  // [rows][k]
    int* token;       // [rows][k]
    int rows;
    int vocab;
    int slices;
    int k;
};

/** Eight logits from `at`, -inf past `last`; one 16-byte load where the row allows it. */
FT_HD void load_logits(const TopKProblem& p, int row, int at, int last, float (&x)[8]) {
    const Bf16* from = p.logits + static_cast<std::size_t>(row) * p.vocab + at;
    if (p.vocab % 8 == 0 && at + 8 <= last) {
        const Vec16 v = *reinterpret_cast<const Vec16*>(from);
        FT_UNROLL
        for (int e = 0; e < 8; ++e) x[e] = to_float(Bf16{static_cast<std::uint16_t>(v.w[e >> 1] >> (16 * (e & 1)))});
    } else {
        FT_UNROLL
        for (int e = 0; e < 8; ++e) x[e] = at + e < last ? to_float(from[e]) : -INFINITY;
    }
}

/** Pass one: slice `slice` of row `row`, one warp; a lane takes eight neighbouring logits at a time. */
FT_HD void topk_slice(const TopKProblem& p, int row, int slice) {
    constexpr int kStep = 256;
    const int per = ceil_div(ceil_div(p.vocab, p.slices), kStep) * kStep;
    const int first = slice * per;
    const int last = min_int(p.vocab, first + per);
    Candidates list;
    Lanes<float> max;
    Lanes<float> sum;
    FT_LANES(l) {
        list.value[l] = -INFINITY;
        list.index[l] = 0x7fffffff;
        max[l] = -INFINITY;
        sum[l] = 0.0f;
    }
    for (int base = first; base < last; base += kStep) {
        Lanes<float> x[8];
        Lanes<int> better;
        const float worst = broadcast(list.value, 31);
        FT_LANES(l) {
            float v[8];
            load_logits(p, row, base + 8 * l, last, v);
            float largest = v[0];
            FT_UNROLL
            for (int e = 1; e < 8; ++e) largest = max_float(largest, v[e]);
            better[l] = largest > worst;
            const float joint = max_float(max[l], largest);
            if (joint > -INFINITY) {
                float s = sum[l] * expf(max[l] - joint);
                FT_UNROLL
                for (int e = 0; e < 8; ++e) s += expf(v[e] - joint);
                sum[l] = s;
                max[l] = joint;
            }
            FT_UNROLL
            for (int e = 0; e < 8; ++e) x[e][l] = v[e];
        }
        // indices grow with the walk, so a candidate equal to the worst of the list never displaces it
        if (!any(better)) continue;
        FT_UNROLL
        for (int e = 0; e < 8; ++e) {
            Candidates c;
            const float bar = broadcast(list.value, 31);
            const int bar_index = broadcast(list.index, 31);
            FT_LANES(l) {
                const int i = base + 8 * l + e;
                c.value[l] = x[e][l];
                c.index[l] = i < last ? i : 0x7fffffff;
                better[l] = i < last && candidate_before(c.value[l], i, bar, bar_index);
            }
            if (any(better)) merge_candidates(list, c);
        }
    }
    const Lanes<float> warp_max_value = warp_max(max);
    FT_LANES(l) sum[l] = max[l] == -INFINITY ? 0.0f : sum[l] * expf(max[l] - warp_max_value[l]);
    sum = warp_sum(sum);
    const std::size_t at = static_cast<std::size_t>(row) * p.slices + slice;
    FT_LANES(l) {
        p.list_value[at * kTopKList + l] = list.value[l];
        p.list_index[at * kTopKList + l] = list.index[l];
        if (l == 0) {
            p.slice_max[at] = warp_max_value[l];
            p.slice_sum[at] = sum[l];
        }
    }
}

/** Pass two: merges the slices of row `row`, one warp. */
FT_HD void topk_row(const TopKProblem& p, int row) {
    Candidates list;
    float max = -INFINITY;
    float sum = 0.0f;
    for (int slice = 0; slice < p.slices; ++slice) {
        const std::size_t at = static_cast<std::size_t>(row) * p.slices + slice;
        Candidates c;
        FT_LANES(l) {
            c.value[l] = p.list_value[at * kTopKList + l];
            c.index[l] = p.list_index[at * kTopKList + l];
        }
        join_softmax(max, sum, p.slice_max[at], p.slice_sum[at]);
        if (slice == 0) {
            list = c;
        } else {
            merge_candidates(list, c);
        }
    }
    const float log_sum = max + logf(sum);
    FT_LANES(l) {
        if (l < p.k) {
            p.log_prob[static_cast<std::size_t>(row) * p.k + l] = list.value[l] - log_sum;
            p.token[static_cast<std::size_t>(row) * p.k + l] = list.index[l];
        }
    }
}

}  // namespace foretoken
