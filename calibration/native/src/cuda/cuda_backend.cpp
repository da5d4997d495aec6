// NVIDIA cards. A sample is one replay of a graph of dependent calls over rotating operand sets, between two events, behind
// a hold that lets everything queue first. Cold: the sets of a replay together exceed four times the L2, or the L2 is
// flushed before it and no set is used twice within it. Warm: one set.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <thread>

#include "build_info.hpp"
#include "../core/backend.hpp"
#include "../core/operations.hpp"
#include "../core/reduced.hpp"
#include "../core/system.hpp"
#include "collectives.hpp"
#include "cublaslt.hpp"
#include "device_ops.hpp"
#include "launch.hpp"
#include "memory.hpp"
#include "nccl.hpp"
#include "nvml.hpp"
#include "overheads.hpp"

namespace foretoken {
namespace {

constexpr double kReplayUs = 1000.0;   // of a sample: event resolution (0.5 us) and graph start stay below 1 %
constexpr int kMostCalls = 1024;
constexpr std::size_t kColdFactor = 4;
constexpr double kMemoryShare = 0.85;  // of the free memory that a point may use
constexpr std::uint64_t kHoldNs = 60000;
constexpr std::uint64_t kClockProbeNs = 200000;
constexpr int kLoadedPstate = 2;       // P0 for data-centre cards, P1 or P2 for compute on others
constexpr int kUtilisationLimit = 2;   // percent

int attribute(cudaDeviceAttr a, int device) {
    int v = 0;
    check_cuda(cudaDeviceGetAttribute(&v, a, device), "device attribute");
    return v;
}

/** Tensor-core operations per clock and SM in bf16 with fp32 accumulation, where the architecture alone fixes it. */
std::optional<double> flops_per_clock_per_sm(int major, int minor) {
    if (major == 8 && minor == 0) return 2048.0;  // A100: 312 TFLOP/s, 108 SMs, 1410 MHz
    if (major == 9 && minor == 0) return 4096.0;  // H100 SXM: 989.4 TFLOP/s, 132 SMs, 1830 MHz
    if (major == 10) return 8192.0;               // B200: 2250 TFLOP/s, 148 SMs, 1850 MHz
    return std::nullopt;                          // sm_120 and others differ by product line: measured by mma_peak
}

struct Shared {
    DeviceFacts facts;
    Stream stream;
    Event begin;
    Event end;
    DeviceMemory arena;
    DeviceMemory workspace;
    DeviceMemory flush;
    DeviceMemory clock;
};

class GraphRunnable : public Runnable {
public:
    GraphRunnable(const Point& p, Shared& shared) : point_(p), shared_(shared), op_(make_device_op(p, shared.facts)) {
        const bool cold = p.cache != "warm";
        shared_.workspace.reserve(std::max<std::size_t>(op_.workspace_bytes, 256));
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "free memory");
        const auto usable = static_cast<std::size_t>(kMemoryShare * static_cast<double>(free_bytes + shared_.arena.bytes()));
        if (op_.set_bytes > usable)
            throw Unsupported("needs " + std::to_string(op_.set_bytes) + " bytes, " + std::to_string(usable) + " are usable");
        // one set first, to learn the time of a call
        shared_.arena.reserve(op_.set_bytes);
        op_.fill(shared_.arena.data(), shared_.stream);
        sets_ = 1;
        record(4);
        replay();
        const double one_us = std::max(0.5, replay() / calls_);
        const int calls = std::clamp(static_cast<int>(kReplayUs / one_us) + 1, 1, kMostCalls);
        if (cold) {
            const std::size_t wanted = (kColdFactor * shared_.facts.l2_bytes + op_.set_bytes - 1) / op_.set_bytes;
            sets_ = std::clamp<std::size_t>(std::min<std::size_t>(wanted, static_cast<std::size_t>(calls)), 1,
                                            std::max<std::size_t>(1, usable / op_.set_bytes));
            flush_ = sets_ * op_.set_bytes < kColdFactor * shared_.facts.l2_bytes;
            if (flush_) shared_.flush.reserve(kColdFactor * shared_.facts.l2_bytes + 256);
        }
        if (sets_ > 1) {
            shared_.arena.reserve(sets_ * op_.set_bytes);
            for (std::size_t s = 0; s < sets_; ++s) op_.fill(shared_.arena.data() + s * op_.set_bytes, shared_.stream);
        }
        // flushed replays use each set once; sets that outgrow the L2 may come round again
        record(flush_ ? std::min(calls, static_cast<int>(sets_)) : calls);
    }

    std::optional<Check> check() override {
        if (op_.sampled_error) {
            char* set = shared_.arena.data();
            run_poisoned(op_, set, shared_.workspace.data());
            const double error = op_.sampled_error([&](std::size_t offset, std::size_t bytes) {
                std::vector<char> host(bytes);
                check_cuda(cudaMemcpy(host.data(), set + offset, bytes, cudaMemcpyDeviceToHost), "read back");
                return host;
            });
            return Check{error, error <= op_.tolerance};
        }
        if (!op_.error) return std::nullopt;
        const DeviceOp small = make_device_op(reduced_for_check(point_), shared_.facts);
        const DeviceMemory set(small.set_bytes);
        const DeviceMemory workspace(std::max<std::size_t>(small.workspace_bytes, 256));  // the graph keeps the shared one
        run_poisoned(small, set.data(), workspace.data());
        std::vector<char> host(small.set_bytes);
        check_cuda(cudaMemcpy(host.data(), set.data(), host.size(), cudaMemcpyDeviceToHost), "read back");
        const double error = small.error(host);
        return Check{error, error <= small.tolerance};
    }

    double sample_us() override { return replay() / calls_; }

    std::map<std::string, std::int64_t> facts() const override {
        auto f = op_.facts;
        f["calls_per_sample"] = calls_;
        f["operand_sets"] = static_cast<std::int64_t>(sets_);
        f["flushed"] = flush_ ? 1 : 0;
        return f;
    }

    std::optional<Work> work() const override { return op_.work; }

private:
    /** One call on fresh operands; the outputs hold NaN before it, so a call that does nothing is seen. */
    void run_poisoned(const DeviceOp& op, char* set, char* workspace) {
        op.fill(set, shared_.stream);
        if (op.output_bytes > 0)
            check_cuda(cudaMemsetAsync(set + op.output_at, 0xff, op.output_bytes, shared_.stream), "poison");
        op.call(set, workspace, shared_.stream);
        shared_.stream.synchronize();
    }

    void record(int calls) {
        calls_ = calls;
        graph_ = Graph(shared_.stream, [&] {
            for (int i = 0; i < calls; ++i)
                op_.call(shared_.arena.data() + (static_cast<std::size_t>(i) % sets_) * op_.set_bytes,
                         shared_.workspace.data(), shared_.stream);
        });
    }

    /** Microseconds of one replay. */
    double replay() {
        if (flush_) {
            const std::size_t bytes = kColdFactor * shared_.facts.l2_bytes;
            check_cuda(device::read(shared_.flush.data(), bytes, shared_.flush.data() + bytes, shared_.facts.sms, shared_.stream),
                       "flush");
        }
        check_cuda(device::delay(kHoldNs, shared_.stream), "hold");
        check_cuda(cudaEventRecord(shared_.begin, shared_.stream), "event");
        graph_.launch(shared_.stream);
        check_cuda(cudaEventRecord(shared_.end, shared_.stream), "event");
        shared_.stream.synchronize();
        float ms = 0.0f;
        check_cuda(cudaEventElapsedTime(&ms, shared_.begin, shared_.end), "elapsed time");
        return 1e3 * ms;
    }

    Point point_;
    Shared& shared_;
    DeviceOp op_;
    Graph graph_;
    int calls_ = 1;
    std::size_t sets_ = 1;
    bool flush_ = false;
};

class CudaBackend : public Backend {
public:
    explicit CudaBackend(int device) : device_(device) {
        int count = 0;
        const cudaError_t e = cudaGetDeviceCount(&count);
        if (e != cudaSuccess) throw NoDevice(cudaGetErrorString(e));
        if (count == 0) throw NoDevice("the driver sees no card");
        if (device >= count)
            throw NoDevice("there is no card " + std::to_string(device) + "; the driver sees " + std::to_string(count));
        count_ = count;
        check_cuda(cudaSetDevice(device), "choice of a card");
        shared_ = std::make_unique<Shared>();
        DeviceFacts& f = shared_->facts;
        f.index = device;
        f.sms = attribute(cudaDevAttrMultiProcessorCount, device);
        f.major = attribute(cudaDevAttrComputeCapabilityMajor, device);
        f.minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
        f.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device));
        f.shared_optin_bytes = static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
        shared_->clock = DeviceMemory(16);
        for (int i = 0; i < count; ++i) {
            char id[32];
            check_cuda(cudaDeviceGetPCIBusId(id, sizeof id, i), "PCI bus id");
            bus_ids_.emplace_back(id);
        }
    }

    std::string name() const override { return "cuda"; }

    void describe(Json& document) override {
        Nvml& nvml = Nvml::instance();
        Json software = Json::object();
        int driver = 0;
        int runtime = 0;
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        software.set("cuda_driver_api", driver).set("cudart", runtime);
        if (const auto v = nvml.driver_version()) software.set("driver_version", *v);
        if (const auto v = nvml.version()) software.set("nvml", *v);
        const auto& lt_library = lt::Library::instance();
        if (!lt_library.version.empty()) software.set("cublaslt", lt_library.version);
        const auto& nccl_library = nccl::Library::instance();
        if (!nccl_library.version.empty()) software.set("nccl", nccl_library.version);
        Json absent = Json::array();
        for (const std::string& reason : {lt_library.missing, nccl_library.missing, nvml.missing()})
            if (!reason.empty()) absent.add(reason);
        software.set("absent", absent);
        document.set("software", software);

        Json devices = Json::array();
        for (int i = 0; i < count_; ++i) {
            cudaDeviceProp properties{};
            check_cuda(cudaGetDeviceProperties(&properties, i), "device properties");
            Json d = Json::object();
            d.set("index", i).set("name", std::string(properties.name));
            d.set("sm", std::to_string(properties.major) + "." + std::to_string(properties.minor));
            d.set("sm_count", properties.multiProcessorCount);
            d.set("bus_width_bits", attribute(cudaDevAttrGlobalMemoryBusWidth, i));
            d.set("l2_bytes", attribute(cudaDevAttrL2CacheSize, i));
            d.set("smem_optin_bytes", attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, i));
            d.set("total_mem_bytes", properties.totalGlobalMem);
            nvml.describe(bus_ids_[static_cast<std::size_t>(i)], d);
            if (i == device_) {
                load_for(0.5);
                if (const auto mhz = memory_clock_mhz()) d.set("dram_peak_bytes_per_s", peak_bytes_per_s(*mhz));
            }
            devices.add(d);
        }
        document.set("devices", devices);

        Json pairs = Json::array();
        for (int a = 0; a < count_; ++a)
            for (int b = a + 1; b < count_; ++b) {
                int can = 0;
                Json pair = Json::object();
                pair.set("a", a).set("b", b);
                if (const auto path = nvml.path(bus_ids_[static_cast<std::size_t>(a)], bus_ids_[static_cast<std::size_t>(b)]))
                    pair.set("path", *path);
                if (cudaDeviceCanAccessPeer(&can, a, b) == cudaSuccess) pair.set("can_access_peer", can != 0);
                pairs.add(pair);
            }
        Json topology = Json::object();
        topology.set("pairs", pairs);
        document.set("topology", topology);
    }

    std::vector<std::string> disturbances() override {
        std::vector<std::string> found;
        char text[160];
        if (load_average() > logical_cores()) {
            std::snprintf(text, sizeof text, "load average %.2f on %d cores", load_average(), logical_cores());
            found.emplace_back(text);
        }
        Nvml& nvml = Nvml::instance();
        const std::string& id = bus_ids_[static_cast<std::size_t>(device_)];
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the utilisation counter looks back over this process's start
        const Nvml::Load idle = nvml.load(id);
        if (idle.foreign_processes && *idle.foreign_processes > 0)
            found.push_back(std::to_string(*idle.foreign_processes) + " other compute processes on the card");
        if (idle.utilisation_percent && *idle.utilisation_percent > kUtilisationLimit)
            found.push_back("the card is " + std::to_string(*idle.utilisation_percent) + " % busy");
        load_for(0.5);  // links and clocks rest at their lowest until there is work
        const Nvml::Load loaded = nvml.load(id);
        if (loaded.performance_state && *loaded.performance_state > kLoadedPstate)
            found.push_back("performance state P" + std::to_string(*loaded.performance_state) + " under load");
        if (loaded.pcie_gen && loaded.pcie_gen_max && *loaded.pcie_gen < *loaded.pcie_gen_max)
            found.push_back("PCIe generation " + std::to_string(*loaded.pcie_gen) + " of " +
                            std::to_string(*loaded.pcie_gen_max) + " under load");
        if (loaded.pcie_width && loaded.pcie_width_max && *loaded.pcie_width < *loaded.pcie_width_max)
            found.push_back("PCIe width x" + std::to_string(*loaded.pcie_width) + " of x" +
                            std::to_string(*loaded.pcie_width_max) + " under load");
        return found;
    }

    std::unique_ptr<Runnable> prepare(const Point& p) override {
        check_cuda(cudaSetDevice(device_), "choice of a card");
        if (p.op == "tree_build") return host().prepare(p);
        if (auto collective = make_collective(p)) return collective;
        if (auto overhead = make_overhead(p)) return overhead;
        return std::make_unique<GraphRunnable>(p, *shared_);
    }

    std::optional<DeviceState> state(const Point& p) override {
        if (p.op == "tree_build") return std::nullopt;
        const int device = p.devices.empty() ? device_ : p.devices.front();
        DeviceState s = Nvml::instance().state(bus_ids_[static_cast<std::size_t>(device)]);
        // the SM clock by the card's own counters, right behind the samples
        if (device == device_) {
            check_cuda(cudaSetDevice(device_), "choice of a card");
            if (const auto mhz = sm_clock_mhz()) s.sm_clock_mhz = mhz;
        }
        return s;
    }

    bool has_thermal_regimes() const override { return true; }

    bool needs_isolation(const Point& p) const override {
        return p.op == "all_reduce" || p.op == "all_gather" || p.op == "p2p";
    }

    std::optional<double> dram_ceiling_bytes_per_s(const std::vector<Measurement>& all) override {
        double fastest = 0.0;
        for (const Measurement& m : all)
            for (const DeviceState& s : m.states)
                if (s.mem_clock_mhz) fastest = std::max(fastest, *s.mem_clock_mhz);
        if (fastest <= 0.0) return std::nullopt;
        return peak_bytes_per_s(fastest);
    }

    std::optional<double> compute_ceiling_flops_per_s(const Measurement& m, const std::vector<Measurement>& all) override {
        if (m.point.op != "gemm" || m.states.empty()) return std::nullopt;
        double clock = 0.0;
        for (const DeviceState& s : m.states)
            if (s.sm_clock_mhz) clock = std::max(clock, *s.sm_clock_mhz);
        if (clock <= 0.0) return std::nullopt;
        const std::string& type = m.point.dtype.at("b");
        const double factor = type == "bf16" ? 1.0 : type == "nvfp4" ? 4.0 : 2.0;
        const DeviceFacts& f = shared_->facts;
        if (const auto rate = flops_per_clock_per_sm(f.major, f.minor)) {
            if (f.major == 8 && type != "bf16") return std::nullopt;
            return *rate * factor * f.sms * clock * 1e6;
        }
        // the probe of the same type, scaled to this point's clock
        const std::string probe = type == "mxfp8" ? "fp8" : type;
        for (const Measurement& other : all) {
            if (other.point.op != "mma_peak" || other.point.dtype.at("a") != probe || other.samples_us.empty()) continue;
            for (const DeviceState& s : other.states)
                if (s.sm_clock_mhz)
                    return other.work.flops / (1e-6 * summarise(other.samples_us).min) * clock / *s.sm_clock_mhz;
        }
        return std::nullopt;
    }

    std::string gemm_implementation() const override { return "cublaslt"; }

private:
    /** The CPU's own operations, for the trees that engines build on the host. */
    Backend& host() {
        if (!host_) host_ = make_host_backend(1);
        return *host_;
    }

    /** Keeps the card and its link busy, so that clocks and links show their working state. */
    void load_for(double seconds) {
        constexpr std::size_t kBytes = 64ULL << 20;
        shared_->arena.reserve(2 * kBytes);
        std::vector<char> host(kBytes, 1);
        const double until = monotonic_s() + seconds;
        while (monotonic_s() < until) {
            check_cuda(cudaMemcpyAsync(shared_->arena.data(), host.data(), kBytes, cudaMemcpyHostToDevice, shared_->stream),
                       "transfer");
            for (int i = 0; i < 16; ++i)
                check_cuda(device::copy(shared_->arena.data(), shared_->arena.data() + kBytes, kBytes, shared_->facts.sms,
                                        shared_->stream),
                           "copy");
            shared_->stream.synchronize();
        }
    }

    std::optional<double> memory_clock_mhz() {
        const DeviceState s = Nvml::instance().state(bus_ids_[static_cast<std::size_t>(device_)]);
        return s.mem_clock_mhz;
    }

    /** Bus width times two transfers per reported clock. */
    double peak_bytes_per_s(double mem_clock_mhz) const {
        return attribute(cudaDevAttrGlobalMemoryBusWidth, device_) / 8.0 * 2.0 * mem_clock_mhz * 1e6;
    }

    std::optional<double> sm_clock_mhz() {
        auto* out = reinterpret_cast<std::uint64_t*>(shared_->clock.data());
        check_cuda(device::clock_probe(kClockProbeNs, out, shared_->stream), "clock probe");
        shared_->stream.synchronize();
        std::uint64_t v[2] = {0, 0};
        check_cuda(cudaMemcpy(v, out, sizeof v, cudaMemcpyDeviceToHost), "read back");
        if (v[1] == 0) return std::nullopt;
        return 1e3 * static_cast<double>(v[0]) / static_cast<double>(v[1]);
    }

    int device_;
    int count_ = 0;
    std::vector<std::string> bus_ids_;
    std::unique_ptr<Shared> shared_;
    std::unique_ptr<Backend> host_;
};

}  // namespace

std::unique_ptr<Backend> make_cuda_backend(int device) { return std::make_unique<CudaBackend>(device); }

CudaBuild cuda_build() {
    CudaBuild build;
    std::istringstream archs(kCudaArchs);
    for (std::string a; archs >> a;) build.archs.push_back("sm_" + a);
    build.nvcc_version = kNvccVersion;
    return build;
}

}  // namespace foretoken
