// When and how often each point is sampled.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "backend.hpp"
#include "point.hpp"

namespace foretoken {

struct ScheduleOptions {
    int passes = 3;                  // every point is visited this often, in a new random order each time
    int min_samples = 30;            // over all passes
    double target_half_width = 0.01;  // relative 95 % half width of the median
    double max_seconds = 10.0;       // sampling time per point
    std::uint64_t seed = 1;
    double burst_idle_s = 2.0;       // idle before a burst
    double burst_load_s = 1.0;       // load allowed after it
    double sustained_load_s = 30.0;  // load before a sustained sample
    int isolation_timeout_s = 120;
};

/** Set by the signal handler: the running point ends, everything measured is kept. */
extern std::atomic<bool> stop_requested;

class Scheduler {
public:
    using Saver = std::function<void(const std::vector<Measurement>&)>;
    using Progress = std::function<void(const std::string& line, bool last)>;

    Scheduler(Backend& backend, ScheduleOptions options, Saver save, Progress progress);

    /** Samples the points in place. Measurements with status ok that are already complete stay as they are. */
    void run(std::vector<Measurement>& all);

private:
    struct Track;
    void visit(Measurement& m, Track& track, int pass);
    bool satisfied(const Measurement& m, int pass) const;
    void idle(double seconds);

    Backend& backend_;
    ScheduleOptions options_;
    Saver save_;
    Progress progress_;
    double loaded_s_ = 1e9;  // load since the last idle pause: force one before the first burst
};

}  // namespace foretoken
