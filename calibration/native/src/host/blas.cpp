#include "blas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "clones.hpp"

namespace foretoken {
namespace {

using Vector = float __attribute__((vector_size(64), aligned(4)));
constexpr int kLanes = 16;
constexpr int kRowBlock = 2;
constexpr int kColumnBlock = 4;
constexpr int kDepthBlock = 4096;  // a block of activations and four weight rows stay in L1 and L2

inline float sum(const Vector& v) {
    float s = 0.0f;
    for (int i = 0; i < kLanes; ++i) s += v[i];
    return s;
}

}  // namespace

FT_CLONES void gemm_blocked(const float* a, const float* w, float* c, int m, int n, int k) {
    std::memset(c, 0, static_cast<std::size_t>(m) * n * sizeof(float));
    for (int depth = 0; depth < k; depth += kDepthBlock) {
        const int end = depth + kDepthBlock < k ? depth + kDepthBlock : k;
        const int vector_end = depth + (end - depth) / kLanes * kLanes;
        for (int j = 0; j < n; j += kColumnBlock) {
            const int columns = j + kColumnBlock <= n ? kColumnBlock : n - j;
            for (int i = 0; i < m; i += kRowBlock) {
                const int rows = i + kRowBlock <= m ? kRowBlock : m - i;
                Vector acc[kRowBlock][kColumnBlock] = {};
                float tail[kRowBlock][kColumnBlock] = {};
                if (rows == kRowBlock && columns == kColumnBlock) {
                    const float* a0 = a + static_cast<std::size_t>(i) * k;
                    const float* w0 = w + static_cast<std::size_t>(j) * k;
                    for (int d = depth; d < vector_end; d += kLanes) {
                        Vector x[kRowBlock];
                        for (int r = 0; r < kRowBlock; ++r)
                            x[r] = *reinterpret_cast<const Vector*>(a0 + static_cast<std::size_t>(r) * k + d);
                        for (int q = 0; q < kColumnBlock; ++q) {
                            const Vector y = *reinterpret_cast<const Vector*>(w0 + static_cast<std::size_t>(q) * k + d);
                            for (int r = 0; r < kRowBlock; ++r) acc[r][q] += x[r] * y;
                        }
                    }
                } else {
                    for (int r = 0; r < rows; ++r)
                        for (int q = 0; q < columns; ++q)
                            for (int d = depth; d < vector_end; d += kLanes)
                                acc[r][q] += *reinterpret_cast<const Vector*>(a + static_cast<std::size_t>(i + r) * k + d) *
                                             *reinterpret_cast<const Vector*>(w + static_cast<std::size_t>(j + q) * k + d);
                }
                for (int r = 0; r < rows; ++r)
                    for (int q = 0; q < columns; ++q) {
                        for (int d = vector_end; d < end; ++d)
                            tail[r][q] += a[static_cast<std::size_t>(i + r) * k + d] * w[static_cast<std::size_t>(j + q) * k + d];
                        c[static_cast<std::size_t>(i + r) * n + j + q] += sum(acc[r][q]) + tail[r][q];
                    }
            }
        }
    }
}

Blas::Blas(int threads) : threads_(1) {
    const char* wanted = std::getenv("FORETOKEN_OPENBLAS");
    if (wanted != nullptr && std::strcmp(wanted, "none") == 0) return;
    void* library = ::dlopen(wanted != nullptr && wanted[0] != '\0' ? wanted : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    // SciPy's wheels carry the same library with a prefix on every symbol
    for (const std::string prefix : {"", "scipy_"}) {
        auto* sgemm = reinterpret_cast<Sgemm>(::dlsym(library, (prefix + "cblas_sgemm").c_str()));
        if (sgemm == nullptr) continue;
        sgemm_ = sgemm;
        threads_ = threads;
        if (auto* set = reinterpret_cast<void (*)(int)>(::dlsym(library, (prefix + "openblas_set_num_threads").c_str())))
            set(threads);
        if (auto* config = reinterpret_cast<char* (*)()>(::dlsym(library, (prefix + "openblas_get_config").c_str())))
            configuration_ = config();
        return;
    }
}

void Blas::gemm(const float* a, const float* w, float* c, int m, int n, int k) const {
    if (sgemm_ == nullptr) {
        gemm_blocked(a, w, c, m, n, k);
        return;
    }
    constexpr int kRowMajor = 101;
    constexpr int kNoTranspose = 111;
    constexpr int kTranspose = 112;
    sgemm_(kRowMajor, kNoTranspose, kTranspose, m, n, k, 1.0f, a, k, w, k, 0.0f, c, n);
}

}  // namespace foretoken
