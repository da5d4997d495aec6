# The CUDA part: kernels for every architecture, the nvfp4 probe for sm_120a alone; cuBLASLt, NCCL and NVML are loaded at
# run time, so only cudart is linked, statically.
add_library(foretoken_kernels OBJECT src/cuda/kernels.cu src/cuda/mma_peak.cu)
add_library(foretoken_kernels_120a OBJECT src/cuda/mma_peak_120a.cu)
set_target_properties(foretoken_kernels_120a PROPERTIES CUDA_ARCHITECTURES "120a-real")
foreach(target foretoken_kernels foretoken_kernels_120a)
  target_include_directories(${target} PRIVATE src)
  target_compile_options(${target} PRIVATE -O3 -Xptxas=-warn-spills)
endforeach()

get_filename_component(FORETOKEN_CUDA_BIN ${CMAKE_CUDA_COMPILER} DIRECTORY)
get_filename_component(FORETOKEN_CUDA_ROOT ${FORETOKEN_CUDA_BIN} DIRECTORY)
target_sources(foretoken_core PRIVATE
  src/cuda/collectives.cpp src/cuda/cublaslt.cpp src/cuda/cuda_backend.cpp src/cuda/device_ops.cpp src/cuda/gemm.cpp
  src/cuda/memory.cpp src/cuda/nccl.cpp src/cuda/nvml.cpp src/cuda/overheads.cpp
  $<TARGET_OBJECTS:foretoken_kernels> $<TARGET_OBJECTS:foretoken_kernels_120a>)
target_include_directories(foretoken_core SYSTEM PRIVATE ${FORETOKEN_CUDA_ROOT}/include)
# by its full name: CMake takes folders of LIBRARY_PATH for implicit ones and leaves them out when it links
find_library(FORETOKEN_CUDART cudart_static PATHS ${FORETOKEN_CUDA_ROOT}/lib ${FORETOKEN_CUDA_ROOT}/lib64
  ${FORETOKEN_CUDA_ROOT}/targets/x86_64-linux/lib NO_DEFAULT_PATH REQUIRED)
target_link_libraries(foretoken_core PUBLIC ${FORETOKEN_CUDART} rt)
