// The own declarations of cuBLASLt and NCCL against the vendors' headers, where those are installed.
#include <cublasLt.h>
#include <nccl.h>

#include "cuda/cublaslt.hpp"
#include "cuda/nccl.hpp"

namespace lt = foretoken::lt;

static_assert(sizeof(lt::Algo) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::HeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::HeuristicResult, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(lt::kSuccess == CUBLAS_STATUS_SUCCESS);
static_assert(lt::kCompute32F == CUBLAS_COMPUTE_32F);
static_assert(lt::kOpN == CUBLAS_OP_N && lt::kOpT == CUBLAS_OP_T);
static_assert(int(lt::kDescTransA) == CUBLASLT_MATMUL_DESC_TRANSA && int(lt::kDescTransB) == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(int(lt::kDescAScalePointer) == CUBLASLT_MATMUL_DESC_A_SCALE_POINTER);
static_assert(int(lt::kDescBScalePointer) == CUBLASLT_MATMUL_DESC_B_SCALE_POINTER);
static_assert(int(lt::kDescAScaleMode) == CUBLASLT_MATMUL_DESC_A_SCALE_MODE);
static_assert(int(lt::kDescBScaleMode) == CUBLASLT_MATMUL_DESC_B_SCALE_MODE);
static_assert(int(lt::kPrefMaxWorkspaceBytes) == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(int(lt::kAlgoId) == CUBLASLT_ALGO_CONFIG_ID && int(lt::kAlgoTileId) == CUBLASLT_ALGO_CONFIG_TILE_ID);
static_assert(int(lt::kAlgoSplitK) == CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
static_assert(int(lt::kAlgoStagesId) == CUBLASLT_ALGO_CONFIG_STAGES_ID);
static_assert(int(lt::kScaleScalar32F) == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
static_assert(int(lt::kScaleVec16Ue4m3) == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3);
static_assert(int(lt::kScaleVec32Ue8m0) == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0);
static_assert(sizeof(foretoken::nccl::UniqueId) == sizeof(ncclUniqueId));
static_assert(foretoken::nccl::kSum == ncclSum && foretoken::nccl::kBfloat16 == ncclBfloat16);
static_assert(std::is_same_v<decltype(&cublasLtMatmulAlgoConfigGetAttribute),
                             cublasStatus_t (*)(const cublasLtMatmulAlgo_t*, cublasLtMatmulAlgoConfigAttributes_t, void*,
                                                size_t, size_t*)>);

int main() { return 0; }
