#include "scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "../reference/random.hpp"
#include "system.hpp"

namespace foretoken {

std::atomic<bool> stop_requested{false};

namespace {

constexpr double kSaveEveryS = 15.0;
constexpr int kThrottleRetries = 2;

std::string duration_text(double seconds) {
    char buffer[32];
    const int s = static_cast<int>(seconds + 0.5);
    std::snprintf(buffer, sizeof buffer, "%d:%02d", s / 60, s % 60);
    return buffer;
}

void shuffle(std::vector<std::size_t>& order, Random& random) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
}

}  // namespace

struct Scheduler::Track {
    double sampled_s = 0.0;
    bool done = false;
};

Scheduler::Scheduler(Backend& backend, ScheduleOptions options, Saver save, Progress progress)
    : backend_(backend), options_(options), save_(std::move(save)), progress_(std::move(progress)) {}

void Scheduler::idle(double seconds) {
    const double until = monotonic_s() + seconds;
    while (!stop_requested && monotonic_s() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    loaded_s_ = 0.0;
}

bool Scheduler::satisfied(const Measurement& m, int pass) const {
    return pass + 1 >= options_.passes && static_cast<int>(m.samples_us.size()) >= options_.min_samples &&
           summarise(m.samples_us).relative_half_width() <= options_.target_half_width;
}

void Scheduler::visit(Measurement& m, Track& track, int pass) {
    if (backend_.has_thermal_regimes() && m.point.thermal == "burst" && loaded_s_ > options_.burst_load_s)
        idle(options_.burst_idle_s);
    const std::unique_ptr<Runnable> runnable = backend_.prepare(m.point);
    if (m.samples_us.empty()) {
        m.check = runnable->check();
        m.facts = runnable->facts();
        if (const auto work = runnable->work()) m.work = *work;
        if (m.check && !m.check->ok) {
            m.status = PointStatus::kFailed;
            m.note = "the result differs from the reference";
            track.done = true;
            return;
        }
    }
    runnable->sample_us();  // warm-up: loads code, fills caches, ramps clocks
    if (m.point.thermal == "sustained") {
        const double until = monotonic_s() + options_.sustained_load_s;
        while (!stop_requested && monotonic_s() < until) runnable->sample_us();
    }
    // passes share the minimum; later passes double what is there
    const int quota = pass < options_.passes
                          ? (options_.min_samples + options_.passes - 1) / options_.passes
                          : std::max<int>(options_.min_samples, static_cast<int>(m.samples_us.size()));
    const double limit = pass < options_.passes
                             ? options_.max_seconds / options_.passes
                             : std::max(0.0, options_.max_seconds - track.sampled_s);
    std::vector<double> samples;
    std::vector<double> cpu;
    std::optional<DeviceState> state;
    double pause = 1.0;
    for (int attempt = 0; attempt <= kThrottleRetries; ++attempt) {
        samples.clear();
        cpu.clear();
        const double start = monotonic_s();
        while (static_cast<int>(samples.size()) < quota) {
            samples.push_back(runnable->sample_us());
            if (const auto c = runnable->last_cpu_us()) cpu.push_back(*c);
            if (stop_requested || (samples.size() >= 3 && monotonic_s() - start > limit)) break;
        }
        state = backend_.state(m.point);
        const double spent = monotonic_s() - start;
        loaded_s_ += spent;
        track.sampled_s += spent;
        if (!state || !state->throttled || stop_requested) break;
        if (attempt < kThrottleRetries) {  // let the card recover and take the group again
            idle(pause);
            pause *= 1.5;
        }
    }
    m.samples_us.insert(m.samples_us.end(), samples.begin(), samples.end());
    m.samples_cpu_us.insert(m.samples_cpu_us.end(), cpu.begin(), cpu.end());
    m.pass_medians_us.push_back(summarise(samples).median);
    m.passes = static_cast<int>(m.pass_medians_us.size());
    if (state) m.states.push_back(*state);
    m.converged = satisfied(m, pass);
    track.done = m.converged || (pass + 1 >= options_.passes && track.sampled_s >= 0.999 * options_.max_seconds);
}

void Scheduler::run(std::vector<Measurement>& all) {
    Random random(options_.seed);
    std::vector<Track> tracks(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        tracks[i].done = all[i].status != PointStatus::kOk || !all[i].samples_us.empty();
    const double start = monotonic_s();
    double saved = start;
    double progressed = start - 1.0;
    std::size_t visits = 0;
    for (int pass = 0; !stop_requested; ++pass) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!tracks[i].done) order.push_back(i);
        if (order.empty()) break;
        shuffle(order, random);
        for (std::size_t k = 0; k < order.size() && !stop_requested; ++k) {
            Measurement& m = all[order[k]];
            Track& track = tracks[order[k]];
            try {
                visit(m, track, pass);
            } catch (const Unsupported& e) {
                m.status = PointStatus::kUnsupported;
                m.note = e.what();
                track.done = true;
            } catch (const std::exception& e) {
                m.status = PointStatus::kFailed;
                m.note = e.what();
                track.done = true;
            }
            ++visits;
            const double now = monotonic_s();
            if (now - progressed >= 0.5) {
                // passes still due for points that are open; later passes for unconverged points are not foreseen
                const double visit_s = (now - start) / static_cast<double>(visits);
                const std::size_t later =
                    pass + 1 < options_.passes ? order.size() * static_cast<std::size_t>(options_.passes - pass - 1) : 0;
                char line[256];
                std::snprintf(line, sizeof line, "pass %d: %zu of %zu points, about %s left   %s", pass + 1, k + 1,
                              order.size(),
                              duration_text(visit_s * static_cast<double>(order.size() - k - 1 + later)).c_str(),
                              m.point.op.c_str());
                progress_(line, false);
                progressed = now;
            }
            if (now - saved >= kSaveEveryS) {
                save_(all);
                saved = now;
            }
        }
    }
    progress_(stop_requested ? "stopped: what was measured is kept" : "done", true);
}

}  // namespace foretoken
