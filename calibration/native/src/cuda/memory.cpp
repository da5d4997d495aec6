#include "memory.hpp"

#include <stdexcept>

namespace foretoken {

void check_cuda(cudaError_t error, const std::string& what) {
    if (error != cudaSuccess) throw std::runtime_error(what + ": " + cudaGetErrorString(error));
}

DeviceMemory::DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&data_), bytes), "allocation of " + std::to_string(bytes) + " bytes");
}

DeviceMemory::~DeviceMemory() {
    if (data_ != nullptr) cudaFree(data_);
}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(bytes_, o.bytes_);
    return *this;
}

void DeviceMemory::reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    *this = DeviceMemory();
    *this = DeviceMemory(bytes);
}

Stream::Stream() { check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creation of a stream"); }
Stream::~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
}
void Stream::synchronize() const { check_cuda(cudaStreamSynchronize(stream_), "work on the card"); }

Event::Event() { check_cuda(cudaEventCreate(&event_), "creation of an event"); }
Event::~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
}

Graph::~Graph() {
    if (exec_ != nullptr) cudaGraphExecDestroy(exec_);
}

}  // namespace foretoken
