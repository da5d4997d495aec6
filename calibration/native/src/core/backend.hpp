// What a machine must offer to be timed: one interface for GPUs and for the host CPU.
#pragma once
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "json.hpp"
#include "point.hpp"

namespace foretoken {

/** The library or the card does not offer this point; the reason goes into the file. */
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/** No usable device: exit 5, status no_device. */
struct NoDevice : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/** A point made ready: operands in place, outputs poisoned. */
class Runnable {
public:
    virtual ~Runnable() = default;
    /** Compares a result with the fp64 reference; empty where the operation computes nothing (launches, copies of time). */
    virtual std::optional<Check> check() { return std::nullopt; }
    /** One sample: microseconds per call, averaged over enough calls to resolve 1 %. */
    virtual double sample_us() = 0;
    /** Thread CPU time of the last sample, microseconds per call. */
    virtual std::optional<double> last_cpu_us() const { return std::nullopt; }
    /** What the implementation chose (algorithm, tile, splits). */
    virtual std::map<std::string, std::int64_t> facts() const { return {}; }
    /** Work of a call where the launch decides it; empty: as the catalogue says. */
    virtual std::optional<Work> work() const { return std::nullopt; }
};

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    /** Adds `software`, `devices` and `topology` to the document. */
    virtual void describe(Json& document) = 0;
    /** Reasons not to measure now (foreign load, low clocks); empty when quiet. */
    virtual std::vector<std::string> disturbances() = 0;
    /** Makes a point ready; throws Unsupported where it cannot be. */
    virtual std::unique_ptr<Runnable> prepare(const Point& point) = 0;
    /** Clocks, power and event reasons right now; empty where nothing is known. */
    virtual std::optional<DeviceState> state(const Point& point) = 0;
    /** True where bursts and sustained load differ (the scheduler then idles and loads on purpose). */
    virtual bool has_thermal_regimes() const = 0;
    /** Points that must not run in this process (peer transfers can hang): measured by a child with a time limit. */
    virtual bool needs_isolation(const Point& point) const = 0;
    /** What the `impl` of a GEMM point is on this machine. */
    virtual std::string gemm_implementation() const = 0;
    /** Upper bound of bytes per second and operations per second for the roofline rule; absent = no rule. */
    virtual std::optional<double> dram_ceiling_bytes_per_s(const std::vector<Measurement>& all) = 0;
    virtual std::optional<double> compute_ceiling_flops_per_s(const Measurement& m,
                                                              const std::vector<Measurement>& all) = 0;
};

std::unique_ptr<Backend> make_host_backend(int threads);
/** Throws NoDevice where there is no driver or no card, or the tool was built without CUDA. */
std::unique_ptr<Backend> make_cuda_backend(int device);
/** How the CUDA part was built; empty in a host-only build. */
struct CudaBuild {
    std::vector<std::string> archs;
    std::string nvcc_version;
};
CudaBuild cuda_build();

}  // namespace foretoken
