#include "collectives.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "launch.hpp"
#include "memory.hpp"
#include "nccl.hpp"

namespace foretoken {
namespace {

constexpr unsigned long long kSpinLimit = 200000000ULL;  // some seconds of polling: a lost flag ends the kernel
constexpr double kReplayUs = 1000.0;
constexpr int kMostCalls = 1024;
constexpr std::uint64_t kHoldNs = 100000;

/** A thread per rank, each on its own card, that runs one task at a time together. */
class Team {
public:
    explicit Team(std::vector<int> devices) : devices_(std::move(devices)), errors_(devices_.size()) {
        for (std::size_t r = 0; r < devices_.size(); ++r) threads_.emplace_back([this, r] { work(static_cast<int>(r)); });
    }

    ~Team() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            quit_ = true;
        }
        wake_.notify_all();
        for (auto& t : threads_) t.join();
    }

    int size() const { return static_cast<int>(devices_.size()); }
    int device(int rank) const { return devices_[static_cast<std::size_t>(rank)]; }

    /** Runs the task on every rank and waits; the first error of any rank is thrown. */
    void run(const std::function<void(int)>& task) {
        std::unique_lock<std::mutex> lock(mutex_);
        task_ = &task;
        running_ = size();
        waiting_ = 0;
        ++round_;
        wake_.notify_all();
        done_.wait(lock, [&] { return running_ == 0; });
        for (auto& e : errors_)
            if (!e.empty()) {
                const std::string text = e;
                for (auto& x : errors_) x.clear();
                throw std::runtime_error(text);
            }
    }

    /** Within a task: returns when all ranks have come here. Spins, so that ranks leave together. */
    void meet() {
        const int arrived = ++waiting_;
        const int needed = (arrived + size() - 1) / size() * size();
        while (waiting_.load() < needed) {
        }
    }

private:
    void work(int rank) {
        std::uint64_t seen = 0;
        cudaSetDevice(device(rank));
        while (true) {
            const std::function<void(int)>* task = nullptr;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [&] { return quit_ || round_ != seen; });
                if (quit_) return;
                seen = round_;
                task = task_;
            }
            try {
                (*task)(rank);
            } catch (const std::exception& e) {
                errors_[static_cast<std::size_t>(rank)] = e.what();
            }
            const std::lock_guard<std::mutex> lock(mutex_);
            if (--running_ == 0) done_.notify_all();
        }
    }

    std::vector<int> devices_;
    std::vector<std::string> errors_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    const std::function<void(int)>* task_ = nullptr;
    int running_ = 0;
    std::atomic<int> waiting_{0};
    std::uint64_t round_ = 0;
    bool quit_ = false;
};

int sm_count(int device) {
    int sms = 0;
    check_cuda(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "SM count");
    return sms;
}

/** What one rank owns. */
struct Rank {
    std::unique_ptr<Stream> stream;
    std::unique_ptr<Event> begin;
    std::unique_ptr<Event> end;
    DeviceMemory data;
    DeviceMemory out;
    DeviceMemory buffer;
    DeviceMemory flags;
    DeviceMemory counters;
    DeviceMemory error;
    nccl::Comm comm = nullptr;
    Graph graph;
    float ms = 0.0f;
};

/**
 * Lets each card of the list reach the memory of the others and proves it: a store by an SM and a copy by the driver must
 * both arrive. Some systems answer yes to the capability query and drop the writes.
 */
void open_and_probe_peers(const std::vector<int>& devices) {
    constexpr std::size_t kBytes = 1 << 16;
    for (const int a : devices)
        for (const int b : devices) {
            if (a == b) continue;
            int can = 0;
            check_cuda(cudaDeviceCanAccessPeer(&can, a, b), "peer query");
            if (can == 0)
                throw Unsupported("card " + std::to_string(a) + " cannot reach the memory of card " + std::to_string(b));
            check_cuda(cudaSetDevice(a), "choice of a card");
            const cudaError_t e = cudaDeviceEnablePeerAccess(b, 0);
            if (e == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();
            } else {
                check_cuda(e, "peer access");
            }
        }
    for (const int a : devices)
        for (const int b : devices) {
            if (a == b) continue;
            for (const bool by_sm : {true, false}) {
                check_cuda(cudaSetDevice(b), "choice of a card");
                const DeviceMemory target(kBytes);
                check_cuda(cudaMemset(target.data(), 0, kBytes), "memset");
                check_cuda(cudaDeviceSynchronize(), "memset");
                check_cuda(cudaSetDevice(a), "choice of a card");
                const DeviceMemory source(kBytes);
                Stream stream;
                check_cuda(device::fill_float(reinterpret_cast<float*>(source.data()), kBytes / 4, 0.5f, 1.0f, 3, stream),
                           "fill");
                if (by_sm) {
                    check_cuda(device::sm_copy(source.data(), target.data(), kBytes, sm_count(a), stream), "peer store");
                } else {
                    check_cuda(cudaMemcpyPeerAsync(target.data(), b, source.data(), a, kBytes, stream), "peer copy");
                }
                stream.synchronize();
                std::vector<char> sent(kBytes);
                std::vector<char> arrived(kBytes);
                check_cuda(cudaMemcpy(sent.data(), source.data(), kBytes, cudaMemcpyDeviceToHost), "read back");
                check_cuda(cudaSetDevice(b), "choice of a card");
                check_cuda(cudaMemcpy(arrived.data(), target.data(), kBytes, cudaMemcpyDeviceToHost), "read back");
                if (sent != arrived)
                    throw std::runtime_error(std::string(by_sm ? "stores by the SMs" : "copies by the driver") + " of card " +
                                             std::to_string(a) + " do not arrive at card " + std::to_string(b) +
                                             ": peer transfers are broken on this machine (IOMMU or ACS redirect?)");
            }
        }
}

class TeamRunnable : public Runnable {
public:
    explicit TeamRunnable(const Point& p) : point_(p), team_(p.devices), ranks_(p.devices.size()) {
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            rank.stream = std::make_unique<Stream>();
            rank.begin = std::make_unique<Event>();
            rank.end = std::make_unique<Event>();
        });
    }

    double sample_us() override {
        if (calls_ == 0) plan();
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            rank.stream->synchronize();
            team_.meet();
            // the hold lets every rank queue its work before any of it starts
            check_cuda(device::delay(kHoldNs, *rank.stream), "hold");
            check_cuda(cudaEventRecord(*rank.begin, *rank.stream), "event");
            if (point_.mode == "graph") {
                rank.graph.launch(*rank.stream);
            } else {
                for (int i = 0; i < calls_; ++i) call(r);
            }
            check_cuda(cudaEventRecord(*rank.end, *rank.stream), "event");
            rank.stream->synchronize();
            check_cuda(cudaEventElapsedTime(&rank.ms, *rank.begin, *rank.end), "elapsed time");
        });
        verify_no_error();
        float slowest = 0.0f;
        for (const Rank& rank : ranks_) slowest = std::max(slowest, rank.ms);
        return 1e3 * slowest / calls_;
    }

    std::map<std::string, std::int64_t> facts() const override { return {{"calls_per_sample", calls_}}; }

protected:
    /** Queues one call of rank r; the result of a call is the input of the next, so calls cannot overlap. */
    virtual void call(int r) = 0;
    virtual void verify_no_error() {}

    std::size_t bytes() const { return static_cast<std::size_t>(point_.param("bytes")); }

    Point point_;
    Team team_;
    std::vector<Rank> ranks_;

private:
    void plan() {
        calls_ = 4;
        std::string mode = point_.mode;
        point_.mode = "eager";
        sample_us();
        const double one = sample_us();
        calls_ = std::clamp(static_cast<int>(kReplayUs / std::max(0.5, one)), 1, kMostCalls);
        point_.mode = mode;
        if (mode == "graph")
            team_.run([&](int r) {
                Rank& rank = ranks_[static_cast<std::size_t>(r)];
                rank.graph = Graph(*rank.stream, [&] {
                    for (int i = 0; i < calls_; ++i) call(r);
                });
            });
    }

    int calls_ = 0;
};

class NcclRunnable : public TeamRunnable {
public:
    explicit NcclRunnable(const Point& p) : TeamRunnable(p), lib_(nccl::Library::instance()) {
        if (!lib_.usable()) throw Unsupported(lib_.missing);
        nccl::UniqueId id{};
        lib_.check(lib_.get_unique_id(&id), "ncclGetUniqueId");
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            lib_.check(lib_.comm_init_rank(&rank.comm, team_.size(), id, r), "ncclCommInitRank");
            rank.data = DeviceMemory(total_bytes());
            fill(r);
        });
    }

    ~NcclRunnable() override {
        try {
            team_.run([&](int r) {
                Rank& rank = ranks_[static_cast<std::size_t>(r)];
                rank.graph = Graph();
                if (rank.comm != nullptr) lib_.comm_destroy(rank.comm);
            });
        } catch (const std::exception&) {
            // the child ends anyway; a failed clean-up must not hide the result
        }
    }

    std::optional<Check> check() override {
        team_.run([&](int r) { fill(r); });
        team_.run([&](int r) {
            call(r);
            ranks_[static_cast<std::size_t>(r)].stream->synchronize();
        });
        double error = 0.0;
        for (int r = 0; r < team_.size(); ++r) {
            check_cuda(cudaSetDevice(team_.device(r)), "choice of a card");
            std::vector<Bf16> got(std::min<std::size_t>(total_bytes() / 2, 4096));
            check_cuda(cudaMemcpy(got.data(), ranks_[static_cast<std::size_t>(r)].data.data(), got.size() * 2,
                                  cudaMemcpyDeviceToHost),
                       "read back");
            for (std::size_t i = 0; i < got.size(); ++i) {
                const double want = gather() ? 1.0 + static_cast<double>(2 * i / slice_bytes())
                                             : team_.size() * (team_.size() + 1) / 2.0;
                error = std::max(error, std::abs(to_float(got[i]) - want) / want);
            }
        }
        team_.run([&](int r) { fill(r); });
        return Check{error, error <= 1e-2};
    }

protected:
    void call(int r) override {
        Rank& rank = ranks_[static_cast<std::size_t>(r)];
        if (gather()) {
            lib_.check(lib_.all_gather(rank.data.data() + static_cast<std::size_t>(r) * slice_bytes(), rank.data.data(),
                                       slice_bytes() / 2, nccl::kBfloat16, rank.comm, *rank.stream),
                       "ncclAllGather");
        } else {
            lib_.check(lib_.all_reduce(rank.data.data(), rank.data.data(), total_bytes() / 2, nccl::kBfloat16, nccl::kSum,
                                       rank.comm, *rank.stream),
                       "ncclAllReduce");
        }
    }

private:
    bool gather() const { return point_.op == "all_gather"; }
    /** The bytes of a gather are those of its result, shared evenly. */
    std::size_t slice_bytes() const { return std::max<std::size_t>(2, bytes() / point_.devices.size() / 2 * 2); }
    std::size_t total_bytes() const { return gather() ? slice_bytes() * point_.devices.size() : bytes(); }

    /** Rank r holds r + 1 everywhere (of a gather: in its slice). */
    void fill(int r) {
        Rank& rank = ranks_[static_cast<std::size_t>(r)];
        const std::vector<Bf16> values(total_bytes() / 2, to_bf16(static_cast<float>(r + 1)));
        check_cuda(cudaMemcpy(rank.data.data(), values.data(), values.size() * 2, cudaMemcpyHostToDevice), "upload");
    }

    const nccl::Library& lib_;
};

class OneShotRunnable : public TeamRunnable {
public:
    explicit OneShotRunnable(const Point& p) : TeamRunnable(p), push_(p.variant == "push") {
        if (team_.size() > kAllReduceMaxRanks) throw Unsupported("the one-shot kernel is for at most 8 ranks");
        vectors_ = static_cast<int>(bytes() / sizeof(Vec16));
        blocks_ = std::clamp(ceil_div(vectors_, 32 * kAllReduceWarps), 1, 32);
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            rank.data = DeviceMemory(bytes());
            rank.out = DeviceMemory(bytes());
            rank.buffer = DeviceMemory(2 * kAllReduceMaxRanks * bytes());
            rank.flags = DeviceMemory(4 * allreduce_flag_words(blocks_));
            rank.counters = DeviceMemory(4 * static_cast<std::size_t>(blocks_));
            rank.error = DeviceMemory(4);
            for (const DeviceMemory* m : {&rank.buffer, &rank.flags, &rank.counters, &rank.error})
                check_cuda(cudaMemset(m->data(), 0, m->bytes()), "memset");
            check_cuda(cudaDeviceSynchronize(), "memset");
        });
        for (int r = 0; r < team_.size(); ++r) {
            peers_.buffer[r] = reinterpret_cast<Vec16*>(ranks_[static_cast<std::size_t>(r)].buffer.data());
            peers_.flags[r] = reinterpret_cast<std::uint32_t*>(ranks_[static_cast<std::size_t>(r)].flags.data());
        }
    }

    std::optional<Check> check() override {
        const std::size_t n = bytes() / 2;
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            const std::vector<Bf16> values(n, to_bf16(static_cast<float>(r + 1)));
            check_cuda(cudaMemcpy(rank.data.data(), values.data(), bytes(), cudaMemcpyHostToDevice), "upload");
            check_cuda(cudaMemset(rank.out.data(), 0xff, bytes()), "memset");
        });
        team_.run([&](int r) {
            call(r);
            ranks_[static_cast<std::size_t>(r)].stream->synchronize();
        });
        verify_no_error();
        double error = 0.0;
        const double want = team_.size() * (team_.size() + 1) / 2.0;
        for (int r = 0; r < team_.size(); ++r) {
            check_cuda(cudaSetDevice(team_.device(r)), "choice of a card");
            std::vector<Bf16> got(n);
            // one call reads `data` and writes `out`
            check_cuda(cudaMemcpy(got.data(), ranks_[static_cast<std::size_t>(r)].out.data(), bytes(), cudaMemcpyDeviceToHost),
                       "read back");
            for (const Bf16 x : got) {
                const double e = std::abs(to_float(x) - want) / want;
                if (!(e <= error)) error = std::isnan(e) ? 1.0 : e;
            }
        }
        return Check{error, error <= 1e-2};
    }

protected:
    void call(int r) override {
        Rank& rank = ranks_[static_cast<std::size_t>(r)];
        AllReduceProblem p{};
        p.in = reinterpret_cast<Vec16*>(rank.data.data());
        p.out = reinterpret_cast<Vec16*>(rank.out.data());
        p.peers = peers_;
        p.counters = reinterpret_cast<std::uint32_t*>(rank.counters.data());
        p.error = reinterpret_cast<std::uint32_t*>(rank.error.data());
        p.rank = r;
        p.ranks = team_.size();
        p.vectors = vectors_;
        p.blocks = blocks_;
        p.spin_limit = kSpinLimit;
        check_cuda(device::allreduce(p, push_, *rank.stream), "one-shot all-reduce");
    }

    void verify_no_error() override {
        for (int r = 0; r < team_.size(); ++r) {
            check_cuda(cudaSetDevice(team_.device(r)), "choice of a card");
            std::uint32_t error = 0;
            check_cuda(cudaMemcpy(&error, ranks_[static_cast<std::size_t>(r)].error.data(), 4, cudaMemcpyDeviceToHost),
                       "read back");
            if (error != 0) throw std::runtime_error("a flag of a peer never arrived: the one-shot all-reduce gave up");
        }
    }

private:
    bool push_;
    int vectors_ = 0;
    int blocks_ = 0;
    AllReducePeers peers_{};
};

/** Copies of `bytes` from card to card: stores or loads of one card's SMs, the driver's copy, or all cards to all. */
class PeerCopy : public TeamRunnable {
public:
    explicit PeerCopy(const Point& p) : TeamRunnable(p) {
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            rank.data = DeviceMemory(bytes());
            rank.out = DeviceMemory(bytes() * static_cast<std::size_t>(team_.size()));
            check_cuda(device::fill_float(reinterpret_cast<float*>(rank.data.data()), bytes() / 4, 0.5f, 1.0f,
                                          static_cast<std::uint64_t>(r + 1), *rank.stream),
                       "fill");
            rank.stream->synchronize();
        });
    }

    std::optional<Check> check() override {
        team_.run([&](int r) {
            call(r);
            ranks_[static_cast<std::size_t>(r)].stream->synchronize();
        });
        const bool all = point_.variant == "all_to_all";
        bool ok = true;
        for (int from = 0; from < team_.size(); ++from)
            for (int to = 0; to < team_.size(); ++to) {
                if (from == to || (!all && from != 0)) continue;
                std::vector<char> sent(bytes());
                std::vector<char> arrived(bytes());
                check_cuda(cudaMemcpy(sent.data(), ranks_[static_cast<std::size_t>(from)].data.data(), bytes(),
                                      cudaMemcpyDeviceToHost),
                           "read back");
                check_cuda(cudaMemcpy(arrived.data(), target(from, to), bytes(), cudaMemcpyDeviceToHost), "read back");
                ok = ok && sent == arrived;
            }
        return Check{ok ? 0.0 : 1.0, ok};
    }

protected:
    void call(int r) override {
        cudaStream_t stream = *ranks_[static_cast<std::size_t>(r)].stream;
        if (point_.variant == "all_to_all") {
            for (int step = 1; step < team_.size(); ++step) {
                const int to = (r + step) % team_.size();
                check_cuda(device::sm_copy(ranks_[static_cast<std::size_t>(r)].data.data(), target(r, to), bytes(),
                                           sm_count(team_.device(r)), stream),
                           "peer store");
            }
            return;
        }
        // rank 0 is the source; a write is driven by the source's SMs, a read by the target's
        const bool read = point_.variant == "sm_read";
        if (r != (read ? 1 : 0)) return;
        if (point_.variant == "memcpy") {
            check_cuda(cudaMemcpyPeerAsync(target(0, 1), team_.device(1), ranks_[0].data.data(), team_.device(0), bytes(), stream),
                       "peer copy");
        } else {
            check_cuda(device::sm_copy(ranks_[0].data.data(), target(0, 1), bytes(), sm_count(team_.device(r)), stream),
                       "peer copy");
        }
    }

private:
    char* target(int from, int to) {
        return ranks_[static_cast<std::size_t>(to)].out.data() + static_cast<std::size_t>(from) * bytes();
    }
};

/** One-way latency of a flag: half of a turn of a ping-pong between kernels on two cards. */
class PingPong : public Runnable {
public:
    explicit PingPong(const Point& p) : team_(p.devices), ranks_(2) {
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            rank.stream = std::make_unique<Stream>();
            rank.begin = std::make_unique<Event>();
            rank.end = std::make_unique<Event>();
            rank.flags = DeviceMemory(4);
            rank.error = DeviceMemory(4);
            check_cuda(cudaMemset(rank.flags.data(), 0, 4), "memset");
            check_cuda(cudaMemset(rank.error.data(), 0, 4), "memset");
            check_cuda(cudaDeviceSynchronize(), "memset");
        });
    }

    double sample_us() override {
        constexpr std::uint32_t kTurns = 2000;
        team_.run([&](int r) {
            Rank& rank = ranks_[static_cast<std::size_t>(r)];
            team_.meet();
            check_cuda(device::delay(kHoldNs, *rank.stream), "hold");
            check_cuda(cudaEventRecord(*rank.begin, *rank.stream), "event");
            check_cuda(device::ping_pong(reinterpret_cast<std::uint32_t*>(rank.flags.data()),
                                         reinterpret_cast<std::uint32_t*>(ranks_[static_cast<std::size_t>(1 - r)].flags.data()),
                                         kTurns, r == 0, base_, kSpinLimit, reinterpret_cast<std::uint32_t*>(rank.error.data()),
                                         *rank.stream),
                       "ping-pong");
            check_cuda(cudaEventRecord(*rank.end, *rank.stream), "event");
            rank.stream->synchronize();
            check_cuda(cudaEventElapsedTime(&rank.ms, *rank.begin, *rank.end), "elapsed time");
            std::uint32_t error = 0;
            check_cuda(cudaMemcpy(&error, rank.error.data(), 4, cudaMemcpyDeviceToHost), "read back");
            if (error != 0) throw std::runtime_error("a flag of the peer never arrived: the ping-pong gave up");
        });
        base_ += kTurns;
        // the first side waits for the whole exchange; the hold may start apart, so take the shorter of the two
        return 1e3 * std::min(ranks_[0].ms, ranks_[1].ms) / kTurns / 2.0;
    }

private:
    Team team_;
    std::vector<Rank> ranks_;
    std::uint32_t base_ = 0;
};

}  // namespace

std::unique_ptr<Runnable> make_collective(const Point& p) {
    if (p.op != "all_reduce" && p.op != "all_gather" && p.op != "p2p") return nullptr;
    if (p.impl == "nccl") return std::make_unique<NcclRunnable>(p);
    open_and_probe_peers(p.devices);
    if (p.impl == "own_oneshot") return std::make_unique<OneShotRunnable>(p);
    if (p.variant == "flag_ping_pong") return std::make_unique<PingPong>(p);
    return std::make_unique<PeerCopy>(p);
}

}  // namespace foretoken
