// The tool built without CUDA.
#include "../core/backend.hpp"

namespace foretoken {

std::unique_ptr<Backend> make_cuda_backend(int) { throw NoDevice("this build of the tool has no CUDA part"); }
CudaBuild cuda_build() { return {}; }

}  // namespace foretoken
