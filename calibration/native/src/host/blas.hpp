// Single-precision GEMM: OpenBLAS where it can be loaded, else own code.
#pragma once
#include <cstdint>
#include <string>

namespace foretoken {

/** c[m][n] = a[m][k] * w[n][k]^T, all row-major. */
class Blas {
public:
    /**
     * Loads the library named by FORETOKEN_OPENBLAS, else libopenblas.so.0. Without one, or with FORETOKEN_OPENBLAS set to
     * "none", the own blocked loop is used.
     */
    explicit Blas(int threads);

    void gemm(const float* a, const float* w, float* c, int m, int n, int k) const;
    /** openblas | own_blocked. */
    std::string implementation() const { return sgemm_ != nullptr ? "openblas" : "own_blocked"; }
    /** The library's own description; empty for the own loop. */
    std::string configuration() const { return configuration_; }
    int threads() const { return threads_; }

private:
    using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

    Sgemm sgemm_ = nullptr;
    int threads_ = 1;
    std::string configuration_;
};

/** The own blocked loop. */
void gemm_blocked(const float* a, const float* w, float* c, int m, int n, int k);

}  // namespace foretoken
