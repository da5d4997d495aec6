// CUDA resources that free themselves, and errors that say what failed.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <utility>

namespace foretoken {

/** Throws std::runtime_error with the call and CUDA's own words. */
void check_cuda(cudaError_t error, const std::string& what);

class DeviceMemory {
public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes);
    ~DeviceMemory();
    DeviceMemory(DeviceMemory&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(std::exchange(o.bytes_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& o) noexcept;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    char* data() const { return data_; }
    std::size_t bytes() const { return bytes_; }
    /** Grows to at least `bytes`; the contents are lost. */
    void reserve(std::size_t bytes);

private:
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
};

class Stream {
public:
    Stream();
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return stream_; }
    void synchronize() const;

private:
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

/** An instantiated graph of what `record` puts into the stream. */
class Graph {
public:
    Graph() = default;
    template <class Record>
    Graph(cudaStream_t stream, Record record) {
        check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin of a graph capture");
        cudaGraph_t graph = nullptr;
        try {
            record();
        } catch (...) {
            cudaStreamEndCapture(stream, &graph);
            if (graph != nullptr) cudaGraphDestroy(graph);
            throw;
        }
        check_cuda(cudaStreamEndCapture(stream, &graph), "end of a graph capture");
        const cudaError_t e = cudaGraphInstantiate(&exec_, graph, 0);
        cudaGraphDestroy(graph);
        check_cuda(e, "instantiation of a graph");
        check_cuda(cudaGraphUpload(exec_, stream), "upload of a graph");
    }
    ~Graph();
    Graph(Graph&& o) noexcept : exec_(std::exchange(o.exec_, nullptr)) {}
    Graph& operator=(Graph&& o) noexcept {
        std::swap(exec_, o.exec_);
        return *this;
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    void launch(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(exec_, stream), "launch of a graph"); }

private:
    cudaGraphExec_t exec_ = nullptr;
};

/** Offsets of parts of one allocation, each on 256 bytes. */
class Layout {
public:
    std::size_t add(std::size_t bytes) {
        const std::size_t at = total_;
        total_ += (bytes + 255) / 256 * 256;
        return at;
    }
    std::size_t total() const { return total_; }

private:
    std::size_t total_ = 0;
};

}  // namespace foretoken
