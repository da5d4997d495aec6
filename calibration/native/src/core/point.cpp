#include "point.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace foretoken {
namespace {

std::optional<double> median_of(const std::vector<DeviceState>& states, std::optional<double> DeviceState::*field) {
    std::vector<double> v;
    for (const auto& s : states)
        if (s.*field) v.push_back(*(s.*field));
    if (v.empty()) return std::nullopt;
    std::sort(v.begin(), v.end());
    return quantile_sorted(v, 0.5);
}

Json or_absent(const std::optional<double>& v) { return v ? Json(*v) : Json(); }
Json or_absent(const std::string& s) { return s.empty() ? Json() : Json(s); }

}  // namespace

std::int64_t Point::param(const std::string& name) const {
    const auto it = params.find(name);
    if (it == params.end()) throw std::logic_error("operation " + op + " has no parameter " + name);
    return it->second;
}

std::string Point::id() const {
    std::string s = op + "/" + impl;
    if (!variant.empty()) s += "/" + variant;
    for (const auto& [k, v] : dtype) s += "/" + k + "=" + v;
    for (const auto& [k, v] : params) s += "/" + k + "=" + std::to_string(v);
    for (const auto* part : {&mode, &cache, &thermal})
        if (!part->empty()) s += "/" + *part;
    return s;
}

std::string to_string(PointStatus status) {
    switch (status) {
        case PointStatus::kOk: return "ok";
        case PointStatus::kUnsupported: return "unsupported";
        case PointStatus::kFailed: return "failed";
        case PointStatus::kTimeout: return "timeout";
    }
    throw std::logic_error("unknown status");
}

Json Measurement::to_json(std::size_t max_samples) const {
    Json j = Json::object();
    j.set("id", point.id()).set("op", point.op).set("impl", point.impl).set("variant", or_absent(point.variant));
    if (!point.devices.empty()) {
        Json d = Json::array();
        for (const int i : point.devices) d.add(i);
        j.set("devices", d);
    }
    Json params = Json::object();
    for (const auto& [k, v] : point.params) params.set(k, v);
    j.set("params", params);
    if (!point.dtype.empty()) {
        Json types = Json::object();
        for (const auto& [k, v] : point.dtype) types.set(k, v);
        j.set("dtype", types);
    }
    j.set("mode", or_absent(point.mode)).set("cache", or_absent(point.cache)).set("thermal", or_absent(point.thermal));
    j.set("unit", "us");
    if (!samples_us.empty()) {
        const Summary s = summarise(samples_us);
        j.set("n", s.n).set("passes", passes).set("median", s.median).set("mad", s.mad).set("p05", s.p05);
        j.set("p95", s.p95).set("min", s.min).set("ci95_lo", s.ci95_lo).set("ci95_hi", s.ci95_hi);
        if (pass_medians_us.size() > 1) {
            const auto [lo, hi] = std::minmax_element(pass_medians_us.begin(), pass_medians_us.end());
            j.set("pass_rel_spread", (*hi - *lo) / s.median);
        }
        j.set("converged", converged);
        if (work.bytes_min > 0.0) {
            j.set("bytes_min", static_cast<std::int64_t>(work.bytes_min));
            j.set("achieved_bytes_per_s", work.bytes_min / (s.median * 1e-6));
        }
        if (work.flops > 0.0) {
            j.set("flops", static_cast<std::int64_t>(work.flops));
            j.set("achieved_flops_per_s", work.flops / (s.median * 1e-6));
        }
        j.set("roofline_frac", or_absent(roofline_frac));
        if (!samples_cpu_us.empty()) j.set("cpu_median_us", summarise(samples_cpu_us).median);
        j.set("sm_clock_mhz_median", or_absent(median_of(states, &DeviceState::sm_clock_mhz)));
        j.set("mem_clock_mhz", or_absent(median_of(states, &DeviceState::mem_clock_mhz)));
        if (const auto power = median_of(states, &DeviceState::power_w)) {
            double sum = 0.0;
            int n = 0;
            for (const auto& state : states)
                if (state.power_w) {
                    sum += *state.power_w;
                    ++n;
                }
            j.set("power_w_mean", sum / n);
        }
        double hottest = -1.0;
        std::set<std::string> reasons;
        bool throttled = false;
        for (const auto& state : states) {
            if (state.temp_c) hottest = std::max(hottest, *state.temp_c);
            reasons.insert(state.event_reasons.begin(), state.event_reasons.end());
            throttled = throttled || state.throttled;
        }
        if (hottest >= 0.0) j.set("temp_c_max", hottest);
        if (!states.empty()) {
            Json list = Json::array();
            for (const auto& r : reasons) list.add(r);
            j.set("event_reasons", list).set("throttled", throttled);
        }
    }
    if (check) {
        Json c = Json::object();
        if (std::isfinite(check->rel_err)) c.set("rel_err", check->rel_err);
        c.set("ok", check->ok);
        j.set("check", c);
    }
    if (!facts.empty()) {
        Json f = Json::object();
        for (const auto& [k, v] : facts) f.set(k, v);
        j.set("facts", f);
    }
    j.set("status", to_string(status)).set("note", or_absent(note));
    if (max_samples > 0 && !samples_us.empty()) {
        Json list = Json::array();
        for (std::size_t i = 0; i < samples_us.size() && i < max_samples; ++i) list.add(samples_us[i]);
        j.set("samples_us", list);
    }
    return j;
}

}  // namespace foretoken
