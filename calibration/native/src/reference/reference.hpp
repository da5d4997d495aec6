// Plain fp64 definitions of the operations, written for clarity and independently of the kernels: what every result is
// compared with, in the tests and before a point is timed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace foretoken::reference {

/** sum_k a[i][k] w[j][k]: one element of rows times transposed weights. */
inline double dot(const double* a, const double* w, std::size_t k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < k; ++i) sum += a[i] * w[i];
    return sum;
}

struct AttentionShapes {
    int batch, tokens, kv_len, query_heads, kv_heads, dim;
};

/**
 * Softmax attention with an explicit visibility matrix. q [batch][m][hq][d]; k, v [batch][kv_len + m][hkv][d];
 * sees[batch][m][m]: token i may read tail token j.
 */
inline std::vector<double> attention(const AttentionShapes& s, const std::vector<double>& q, const std::vector<double>& k,
                                     const std::vector<double>& v, const std::vector<char>& sees, double scale) {
    std::vector<double> out(q.size());
    const int keys = s.kv_len + s.tokens;
    std::vector<double> weight(static_cast<std::size_t>(keys));
    for (int b = 0; b < s.batch; ++b)
        for (int i = 0; i < s.tokens; ++i)
            for (int h = 0; h < s.query_heads; ++h) {
                const int kh = h / (s.query_heads / s.kv_heads);
                const std::size_t qa = ((static_cast<std::size_t>(b) * s.tokens + i) * s.query_heads + h) * s.dim;
                double largest = -std::numeric_limits<double>::infinity();
                for (int t = 0; t < keys; ++t) {
                    const std::size_t ka = ((static_cast<std::size_t>(b) * keys + t) * s.kv_heads + kh) * s.dim;
                    const bool visible =
                        t < s.kv_len ||
                        sees[(static_cast<std::size_t>(b) * s.tokens + i) * s.tokens + (t - s.kv_len)] != 0;
                    weight[t] = visible ? scale * dot(&q[qa], &k[ka], s.dim) : -std::numeric_limits<double>::infinity();
                    largest = std::max(largest, weight[t]);
                }
                double sum = 0.0;
                for (double& w : weight) {
                    w = std::exp(w - largest);
                    sum += w;
                }
                for (int d = 0; d < s.dim; ++d) {
                    double x = 0.0;
                    for (int t = 0; t < keys; ++t)
                        x += weight[t] *
                             v[((static_cast<std::size_t>(b) * keys + t) * s.kv_heads + kh) * s.dim + d];
                    out[qa + d] = x / sum;
                }
            }
    return out;
}

struct GdnShapes {
    int batch, tokens, key_heads, value_heads, dk, dv;
};

/**
 * State and output of the gated delta rule after one token, as matrices: S' = e^g S (I - beta k k^T) + beta v k^T,
 * o = scale S' q. `state` is [dv][dk] and is replaced.
 */
inline std::vector<double> gdn_step(std::vector<double>& state, const double* q, const double* k, const double* v, double g,
                                    double beta, int dk, int dv, double scale) {
    const double decay = std::exp(g);
    std::vector<double> next(state.size());
    for (int i = 0; i < dv; ++i)
        for (int j = 0; j < dk; ++j) {
            double projected = 0.0;  // (S k) k_j
            for (int c = 0; c < dk; ++c) projected += state[static_cast<std::size_t>(i) * dk + c] * k[c];
            next[static_cast<std::size_t>(i) * dk + j] =
                decay * (state[static_cast<std::size_t>(i) * dk + j] - beta * projected * k[j]) + beta * v[i] * k[j];
        }
    state = next;
    std::vector<double> out(static_cast<std::size_t>(dv));
    for (int i = 0; i < dv; ++i) out[i] = scale * dot(&state[static_cast<std::size_t>(i) * dk], q, dk);
    return out;
}

inline double silu(double x) { return x / (1.0 + std::exp(-x)); }

/** Indices of the k largest, larger first, then smaller index. */
inline std::vector<int> top_k(const std::vector<double>& row, int k) {
    std::vector<int> order(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](int a, int b) { return row[a] > row[b] || (row[a] == row[b] && a < b); });
    order.resize(static_cast<std::size_t>(k));
    return order;
}

inline double log_sum_exp(const std::vector<double>& row) {
    const double largest = *std::max_element(row.begin(), row.end());
    double sum = 0.0;
    for (const double x : row) sum += std::exp(x - largest);
    return largest + std::log(sum);
}

/** max |got - want| over max |want|, NaN in `got` counts as infinite. */
inline double relative_error(const std::vector<double>& got, const std::vector<double>& want) {
    double error = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const double e = std::abs(got[i] - want[i]);
        if (!(e <= error)) error = std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
        size = std::max(size, std::abs(want[i]));
    }
    return size > 0.0 ? error / size : error;
}

}  // namespace foretoken::reference
