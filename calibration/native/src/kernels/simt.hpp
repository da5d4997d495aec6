// One source for warp code on the GPU and on the host.
//
// A kernel written with these names compiles to ordinary SIMT code under nvcc and to loops over the 32 lanes of a warp
// under g++, so that the fragment layouts, masks, swizzles and reductions of the timing kernels are tested without a GPU.
//   Lanes<T>        a value per lane: one register on the device, 32 values on the host
//   PerWarp<S, N>   state per warp of a block: one S on the device, N on the host
//   FT_LANES(l)     the statement runs once per lane
//   FT_WARPS(w, n)  the statement runs once per warp of the block
// Between FT_SYNC() calls, warps of a block must not depend on each other (the host runs them one after the other).
// Warp-wide operations (shuffles, mma, ldmatrix) stand outside FT_LANES.
// Fragment layouts: PTX ISA, "Matrix Fragments for mma.m16n8k16" and "ldmatrix".
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define FT_HD __host__ __device__ __forceinline__
#else
#define FT_HD inline
#endif

#if defined(__CUDA_ARCH__)
#define FT_LANES(l) if (const int l = static_cast<int>(threadIdx.x & 31); true)
#define FT_WARPS(w, n) if (const int w = static_cast<int>(threadIdx.x >> 5); w < (n))
#define FT_SYNC() __syncthreads()
#define FT_UNROLL _Pragma("unroll")
#else
#define FT_LANES(l) for (int l = 0; l < 32; ++l)
#define FT_WARPS(w, n) for (int w = 0; w < (n); ++w)
#define FT_SYNC() static_cast<void>(0)
#define FT_UNROLL
#endif

namespace foretoken {

/** bfloat16 as bits; conversion rounds to nearest even. */
struct Bf16 {
    std::uint16_t bits;
};

FT_HD float to_float(Bf16 x) {
    const std::uint32_t u = static_cast<std::uint32_t>(x.bits) << 16;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

FT_HD float to_float(float x) { return x; }

FT_HD Bf16 to_bf16(float f) {
    std::uint32_t u;
    memcpy(&u, &f, sizeof u);
    if ((u & 0x7fffffffu) > 0x7f800000u) return Bf16{static_cast<std::uint16_t>((u >> 16) | 0x40u)};
    u += 0x7fffu + ((u >> 16) & 1u);
    return Bf16{static_cast<std::uint16_t>(u >> 16)};
}

/** Two bfloat16 in one 32-bit register, the first in the low half. */
FT_HD std::uint32_t pack_bf16(float low, float high) {
    return static_cast<std::uint32_t>(to_bf16(low).bits) | (static_cast<std::uint32_t>(to_bf16(high).bits) << 16);
}

FT_HD int ceil_div(int a, int b) { return (a + b - 1) / b; }
FT_HD int min_int(int a, int b) { return a < b ? a : b; }
FT_HD int max_int(int a, int b) { return a > b ? a : b; }
FT_HD float max_float(float a, float b) { return a > b ? a : b; }

/** 16 bytes, the unit of the wide copies. */
struct alignas(16) Vec16 {
    std::uint32_t w[4];
};

template <class T>
struct Lanes {
#if defined(__CUDA_ARCH__)
    T v;
    FT_HD T& operator[](int) { return v; }
    FT_HD const T& operator[](int) const { return v; }
#else
    T v[32];
    T& operator[](int lane) { return v[lane]; }
    const T& operator[](int lane) const { return v[lane]; }
#endif
};

template <class S, int N>
struct PerWarp {
#if defined(__CUDA_ARCH__)
    S s;
    FT_HD S& operator[](int) { return s; }
#else
    S s[N];
    S& operator[](int warp) { return s[warp]; }
#endif
};

template <class T>
FT_HD Lanes<T> shuffle_xor(const Lanes<T>& x, int mask) {
    Lanes<T> r;
#if defined(__CUDA_ARCH__)
    r.v = __shfl_xor_sync(0xffffffffu, x.v, mask);
#else
    for (int l = 0; l < 32; ++l) r.v[l] = x.v[l ^ mask];
#endif
    return r;
}

/** The value of one lane, in every lane. */
template <class T>
FT_HD T broadcast(const Lanes<T>& x, int lane) {
#if defined(__CUDA_ARCH__)
    return __shfl_sync(0xffffffffu, x.v, lane);
#else
    return x.v[lane];
#endif
}

/** True in every lane when the predicate holds in one of them. */
FT_HD bool any(const Lanes<int>& predicate) {
#if defined(__CUDA_ARCH__)
    return __any_sync(0xffffffffu, predicate.v) != 0;
#else
    for (int l = 0; l < 32; ++l)
        if (predicate.v[l]) return true;
    return false;
#endif
}

/** Sum over the 32 lanes, in every lane (butterfly order on both sides, so results agree bit for bit). */
FT_HD Lanes<float> warp_sum(Lanes<float> x) {
    FT_UNROLL
    for (int mask = 16; mask > 0; mask >>= 1) {
        const Lanes<float> y = shuffle_xor(x, mask);
        FT_LANES(l) x[l] += y[l];
    }
    return x;
}

FT_HD Lanes<float> warp_max(Lanes<float> x) {
    FT_UNROLL
    for (int mask = 16; mask > 0; mask >>= 1) {
        const Lanes<float> y = shuffle_xor(x, mask);
        FT_LANES(l) x[l] = max_float(x[l], y[l]);
    }
    return x;
}

/** Copies 16 bytes of global memory into shared memory without passing a register (cp.async); zero-fills when !valid. */
FT_HD void copy16_async(void* shared, const void* global, bool valid) {
#if defined(__CUDA_ARCH__)
    const unsigned dst = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(dst), "l"(global), "r"(bytes) : "memory");
#else
    if (valid) {
        memcpy(shared, global, 16);
    } else {
        memset(shared, 0, 16);
    }
#endif
}

FT_HD void copy_commit() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}

/** Waits until at most `Pending` committed groups are still in flight. */
template <int Pending>
FT_HD void copy_wait() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
#endif
}

/** Four 8x8 bf16 matrices; lane l gives the address of row l % 8 of matrix l / 8. */
FT_HD void load_matrix_x4(Lanes<std::uint32_t> (&r)[4], const Lanes<const Bf16*>& row) {
#if defined(__CUDA_ARCH__)
    const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(row.v));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0].v), "=r"(r[1].v), "=r"(r[2].v), "=r"(r[3].v)
                 : "r"(a)
                 : "memory");
#else
    for (int i = 0; i < 4; ++i)
        for (int l = 0; l < 32; ++l) memcpy(&r[i].v[l], row.v[8 * i + l / 4] + 2 * (l % 4), 4);
#endif
}

/** The same, each 8x8 matrix transposed: lane l holds rows 2(l%4), 2(l%4)+1 of column l/4. */
FT_HD void load_matrix_x4_transposed(Lanes<std::uint32_t> (&r)[4], const Lanes<const Bf16*>& row) {
#if defined(__CUDA_ARCH__)
    const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(row.v));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0].v), "=r"(r[1].v), "=r"(r[2].v), "=r"(r[3].v)
                 : "r"(a)
                 : "memory");
#else
    for (int i = 0; i < 4; ++i)
        for (int l = 0; l < 32; ++l) {
            const std::uint32_t low = row.v[8 * i + 2 * (l % 4)][l / 4].bits;
            const std::uint32_t high = row.v[8 * i + 2 * (l % 4) + 1][l / 4].bits;
            r[i].v[l] = low | (high << 16);
        }
#endif
}

/** d += a b for a 16x16 (row), b 16x8 (column), d 16x8 in fp32 (mma.sync.m16n8k16, bf16). */
FT_HD void mma_bf16(Lanes<float> (&d)[4], const Lanes<std::uint32_t> (&a)[4], const Lanes<std::uint32_t>& b0,
                    const Lanes<std::uint32_t>& b1) {
#if defined(__CUDA_ARCH__)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(d[0].v), "+f"(d[1].v), "+f"(d[2].v), "+f"(d[3].v)
        : "r"(a[0].v), "r"(a[1].v), "r"(a[2].v), "r"(a[3].v), "r"(b0.v), "r"(b1.v));
#else
    float am[16][16];
    float bm[16][8];
    for (int l = 0; l < 32; ++l) {
        const int g = l / 4;
        const int t = l % 4;
        for (int half = 0; half < 2; ++half) {
            const int shift = 16 * half;
            am[g][2 * t + half] = to_float(Bf16{static_cast<std::uint16_t>(a[0].v[l] >> shift)});
            am[g + 8][2 * t + half] = to_float(Bf16{static_cast<std::uint16_t>(a[1].v[l] >> shift)});
            am[g][2 * t + 8 + half] = to_float(Bf16{static_cast<std::uint16_t>(a[2].v[l] >> shift)});
            am[g + 8][2 * t + 8 + half] = to_float(Bf16{static_cast<std::uint16_t>(a[3].v[l] >> shift)});
            bm[2 * t + half][g] = to_float(Bf16{static_cast<std::uint16_t>(b0.v[l] >> shift)});
            bm[2 * t + 8 + half][g] = to_float(Bf16{static_cast<std::uint16_t>(b1.v[l] >> shift)});
        }
    }
    for (int l = 0; l < 32; ++l) {
        const int g = l / 4;
        const int t = l % 4;
        for (int i = 0; i < 4; ++i) {
            const int row = g + 8 * (i / 2);
            const int col = 2 * t + i % 2;
            float sum = d[i].v[l];
            for (int k = 0; k < 16; ++k) sum += am[row][k] * bm[k][col];
            d[i].v[l] = sum;
        }
    }
#endif
}

/** Flag access across devices (system scope); on the host an acquire load and a release store. */
FT_HD std::uint32_t load_acquire(const std::uint32_t* flag) {
#if defined(__CUDA_ARCH__)
    std::uint32_t v;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];\n" : "=r"(v) : "l"(flag) : "memory");
    return v;
#else
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
#endif
}

FT_HD void store_release(std::uint32_t* flag, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.global.u32 [%0], %1;\n" ::"l"(flag), "r"(value) : "memory");
#else
    __atomic_store_n(flag, value, __ATOMIC_RELEASE);
#endif
}

}  // namespace foretoken
