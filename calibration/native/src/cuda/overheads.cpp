#include "overheads.hpp"

#include <cstring>

#include "../core/system.hpp"
#include "launch.hpp"
#include "memory.hpp"

namespace foretoken {
namespace {

constexpr double kSampleFloorUs = 1000.0;
constexpr double kGiveUpS = 2.0;

/** Host time per launch of an empty kernel: queued one after the other, or each waited for. */
class LaunchCost : public Runnable {
public:
    explicit LaunchCost(const Point& p)
        : launches_(static_cast<int>(p.param("launches"))), wait_(p.variant == "sync"), pdl_(p.variant == "async_pdl") {}

    double sample_us() override {
        stream_.synchronize();
        const double start = monotonic_s();
        for (int i = 0; i < launches_; ++i) {
            check_cuda(device::empty(pdl_, stream_), "launch");
            if (wait_) stream_.synchronize();
        }
        const double us = 1e6 * (monotonic_s() - start) / launches_;
        stream_.synchronize();
        return us;
    }

private:
    Stream stream_;
    int launches_;
    bool wait_;
    bool pdl_;
};

/** Host time from the launch of a graph of empty nodes to its end. */
class GraphCost : public Runnable {
public:
    explicit GraphCost(const Point& p) {
        const auto nodes = p.param("nodes");
        const bool pdl = p.variant == "empty_pdl";
        graph_ = Graph(stream_, [&] {
            for (std::int64_t i = 0; i < nodes; ++i) check_cuda(device::empty(pdl, stream_), "launch");
        });
    }

    double sample_us() override {
        constexpr int kReplays = 16;
        stream_.synchronize();
        const double start = monotonic_s();
        for (int i = 0; i < kReplays; ++i) {
            graph_.launch(stream_);
            stream_.synchronize();
        }
        return 1e6 * (monotonic_s() - start) / kReplays;
    }

private:
    Stream stream_;
    Graph graph_;
};

/** Host time of a transfer until the host knows that it is there. */
class TransferCost : public Runnable {
public:
    explicit TransferCost(const Point& p)
        : bytes_(static_cast<std::size_t>(p.param("bytes"))),
          padded_((bytes_ + 63) / 64 * 64),
          to_device_(p.op == "h2d"),
          variant_(p.variant),
          device_(bytes_) {
        if (variant_ == "pageable_sync") {
            pageable_.assign(bytes_, 1);
            host_ = pageable_.data();
        } else {
            check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&pinned_), padded_ + 64, cudaHostAllocMapped), "pinned memory");
            std::memset(pinned_, 1, padded_ + 64);
            host_ = pinned_;
            flag_ = reinterpret_cast<std::uint32_t*>(pinned_ + padded_);  // a cache line of its own
            *flag_ = 0;
        }
        check_cuda(cudaMemset(device_.data(), 2, bytes_), "memset");
        // enough transfers that the clock resolves 1 %
        once();
        const double start = monotonic_s();
        once();
        const double one_us = 1e6 * (monotonic_s() - start);
        repeats_ = one_us > kSampleFloorUs ? 1 : static_cast<int>(kSampleFloorUs / one_us) + 1;
    }

    ~TransferCost() override {
        if (pinned_ != nullptr) cudaFreeHost(pinned_);
    }

    std::optional<Check> check() override {
        const char mark = 7;
        if (to_device_) {
            std::memset(host_, mark, bytes_);
        } else {
            check_cuda(cudaMemset(device_.data(), mark, bytes_), "memset");
            check_cuda(cudaDeviceSynchronize(), "memset");
        }
        once();
        std::vector<char> got(bytes_);
        if (to_device_) {
            check_cuda(cudaMemcpy(got.data(), device_.data(), bytes_, cudaMemcpyDeviceToHost), "copy back");
        } else {
            std::memcpy(got.data(), host_, bytes_);
        }
        const bool ok = got == std::vector<char>(bytes_, mark);
        return Check{ok ? 0.0 : 1.0, ok};
    }

    double sample_us() override {
        const double start = monotonic_s();
        for (int i = 0; i < repeats_; ++i) once();
        return 1e6 * (monotonic_s() - start) / repeats_;
    }

private:
    void once() {
        if (variant_ == "mapped_flag") {
            const std::uint32_t value = ++calls_;
            check_cuda(to_device_ ? device::copy_and_flag(host_, device_.data(), bytes_, flag_, value, stream_)
                                  : device::copy_and_flag(device_.data(), host_, bytes_, flag_, value, stream_),
                       "copy with a flag");
            const double start = monotonic_s();
            while (__atomic_load_n(flag_, __ATOMIC_ACQUIRE) != value)
                if (monotonic_s() - start > kGiveUpS) throw std::runtime_error("the flag in host memory was never raised");
            return;
        }
        check_cuda(cudaMemcpyAsync(to_device_ ? device_.data() : host_, to_device_ ? host_ : device_.data(), bytes_,
                                   to_device_ ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream_),
                   "transfer");
        if (variant_ == "pinned_event_spin") {
            check_cuda(cudaEventRecord(done_, stream_), "event");
            cudaError_t e = cudaErrorNotReady;
            while ((e = cudaEventQuery(done_)) == cudaErrorNotReady) {
            }
            check_cuda(e, "event");
        } else {
            stream_.synchronize();
        }
    }

    Stream stream_;
    Event done_;
    std::size_t bytes_;
    std::size_t padded_;
    bool to_device_;
    std::string variant_;
    DeviceMemory device_;
    std::vector<char> pageable_;
    char* pinned_ = nullptr;
    char* host_ = nullptr;
    std::uint32_t* flag_ = nullptr;
    std::uint32_t calls_ = 0;
    int repeats_ = 1;
};

}  // namespace

std::unique_ptr<Runnable> make_overhead(const Point& p) {
    if (p.op == "launch") return std::make_unique<LaunchCost>(p);
    if (p.op == "graph_replay") return std::make_unique<GraphCost>(p);
    if (p.op == "h2d" || p.op == "d2h") return std::make_unique<TransferCost>(p);
    return nullptr;
}

}  // namespace foretoken
