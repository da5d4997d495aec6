// cuBLASLt, loaded at run time. Only what is used is declared here; names and values follow cublasLt.h 13.1 (the test
// vendor_headers compares them with the real header where it is installed).
#pragma once
#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstdint>
#include <string>

namespace foretoken::lt {

using Status = int;
constexpr Status kSuccess = 0;
using Handle = void*;
using MatmulDesc = void*;
using MatrixLayout = void*;
using Preference = void*;

struct Algo {
    std::uint64_t data[8];
};

struct HeuristicResult {
    Algo algo;
    std::size_t workspace_size;
    Status state;
    float waves_count;
    int reserved[4];
};

constexpr int kCompute32F = 68;
constexpr std::int32_t kOpN = 0;
constexpr std::int32_t kOpT = 1;

enum DescAttribute {
    kDescTransA = 3,
    kDescTransB = 4,
    kDescAScalePointer = 17,
    kDescBScalePointer = 18,
    kDescFastAccum = 25,
    kDescAScaleMode = 31,
    kDescBScaleMode = 32,
};
enum PreferenceAttribute { kPrefMaxWorkspaceBytes = 1 };
enum AlgoConfig { kAlgoId = 0, kAlgoTileId = 1, kAlgoSplitK = 2, kAlgoStagesId = 6, kAlgoClusterShapeId = 8 };
enum ScaleMode : std::int32_t { kScaleScalar32F = 0, kScaleVec16Ue4m3 = 1, kScaleVec32Ue8m0 = 2 };

/** The functions; `handle` is null and `missing` says why where the library cannot be used. */
class Library {
public:
    static const Library& instance();

    bool usable() const { return handle != nullptr; }

    Handle handle = nullptr;
    std::string missing;
    std::string version;

    Status (*desc_create)(MatmulDesc*, int, cudaDataType) = nullptr;
    Status (*desc_destroy)(MatmulDesc) = nullptr;
    Status (*desc_set)(MatmulDesc, int, const void*, std::size_t) = nullptr;
    Status (*layout_create)(MatrixLayout*, cudaDataType, std::uint64_t, std::uint64_t, std::int64_t) = nullptr;
    Status (*layout_destroy)(MatrixLayout) = nullptr;
    Status (*preference_create)(Preference*) = nullptr;
    Status (*preference_destroy)(Preference) = nullptr;
    Status (*preference_set)(Preference, int, const void*, std::size_t) = nullptr;
    Status (*heuristic)(Handle, MatmulDesc, MatrixLayout, MatrixLayout, MatrixLayout, MatrixLayout, Preference, int,
                        HeuristicResult*, int*) = nullptr;
    Status (*algo_get)(const Algo*, int, void*, std::size_t, std::size_t*) = nullptr;
    Status (*matmul)(Handle, MatmulDesc, const void*, const void*, MatrixLayout, const void*, MatrixLayout, const void*,
                     const void*, MatrixLayout, void*, MatrixLayout, const Algo*, void*, std::size_t,
                     cudaStream_t) = nullptr;

private:
    Library();
};

}  // namespace foretoken::lt
