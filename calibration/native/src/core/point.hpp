// An operating point (what is timed) and its measurement (what came out).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "json.hpp"
#include "statistics.hpp"

namespace foretoken {

struct Point {
    std::string op;
    std::string impl;     // cublaslt | reference | nccl | own_oneshot | openblas | own_blocked | cuda | cpu
    std::string variant;  // empty where the operation has one form
    std::vector<int> devices;
    std::map<std::string, std::int64_t> params;
    std::map<std::string, std::string> dtype;
    std::string mode;     // graph | eager; empty on the host
    std::string cache;    // cold | warm; empty where it has no meaning
    std::string thermal;  // burst | sustained; empty where it is not controlled

    /** The parameter; throws with its name where the point lacks it. */
    std::int64_t param(const std::string& name) const;
    /** Canonical name, the same in every run: what --resume and the readers key on. */
    std::string id() const;
};

enum class PointStatus { kOk, kUnsupported, kFailed, kTimeout };
std::string to_string(PointStatus status);

/** What a backend knows about the device while a point was sampled; absent = unknown. */
struct DeviceState {
    std::optional<double> sm_clock_mhz;
    std::optional<double> mem_clock_mhz;
    std::optional<double> power_w;
    std::optional<double> temp_c;
    std::vector<std::string> event_reasons;
    bool throttled = false;
};

struct Check {
    double rel_err = 0.0;
    bool ok = false;
};

/** Work of one call: the bytes that must move and the arithmetic; 0 where the operation has none. */
struct Work {
    double bytes_min = 0.0;
    double flops = 0.0;
};

struct Measurement {
    Point point;
    Work work;
    std::vector<double> samples_us;
    std::vector<double> samples_cpu_us;  // host only: thread CPU time of the same samples
    std::vector<double> pass_medians_us;
    int passes = 0;
    bool converged = false;
    std::vector<DeviceState> states;
    std::optional<Check> check;
    std::optional<double> roofline_frac;  // of the nearer ceiling, where one is known
    PointStatus status = PointStatus::kOk;
    std::string note;
    std::map<std::string, std::int64_t> facts;  // algo_id, tile_id, splits...: what the implementation chose

    Json to_json(std::size_t max_samples) const;
};

}  // namespace foretoken
