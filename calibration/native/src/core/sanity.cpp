#include "sanity.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace foretoken {
namespace {

bool usable(const Measurement& m) { return m.status == PointStatus::kOk && !m.samples_us.empty(); }

Json verdict(const std::string& rule, const std::string& point, const Json& expected, const Json& got,
             const std::string& outcome) {
    Json v = Json::object();
    v.set("rule", rule).set("point", point).set("expected", expected).set("got", got).set("verdict", outcome);
    return v;
}

void reject(Measurement& m, Json& out, const std::string& rule, double ceiling, double got) {
    out.add(verdict(rule, m.point.id(), Json(kRooflineSlack * ceiling), Json(got), "fail"));
    char text[160];
    std::snprintf(text, sizeof text, "beats the roofline (%s): %.4g per second of at most %.4g", rule.c_str(), got, ceiling);
    m.status = PointStatus::kFailed;
    m.note = text;
}

}  // namespace

Json check_sanity(Backend& backend, std::vector<Measurement>& all) {
    Json out = Json::array();
    const auto dram = backend.dram_ceiling_bytes_per_s(all);
    int checked = 0;
    for (Measurement& m : all) {
        if (!usable(m)) continue;
        const double seconds = 1e-6 * summarise(m.samples_us).median;
        if (dram && m.point.cache == "cold" && m.work.bytes_min > 0.0) {
            ++checked;
            const double got = m.work.bytes_min / seconds;
            m.roofline_frac = std::max(m.roofline_frac.value_or(0.0), got / *dram);
            if (got > kRooflineSlack * *dram) reject(m, out, "roofline_bytes", *dram, got);
        }
        if (!usable(m) || m.work.flops <= 0.0) continue;
        if (const auto compute = backend.compute_ceiling_flops_per_s(m, all)) {
            ++checked;
            const double got = m.work.flops / seconds;
            m.roofline_frac = std::max(m.roofline_frac.value_or(0.0), got / *compute);
            if (got > kRooflineSlack * *compute) reject(m, out, "roofline_flops", *compute, got);
        }
    }
    if (checked > 0 && out.items().empty())
        out.add(verdict("roofline", "all", Json("no point beats its ceiling"), Json(checked), "ok"));

    // cold >= warm: within the intervals, a cold call is never faster than the same call warm
    std::map<std::string, const Measurement*> warm;
    for (const Measurement& m : all)
        if (usable(m) && m.point.cache == "warm") warm[m.point.id()] = &m;
    for (const Measurement& m : all) {
        if (!usable(m) || m.point.cache != "cold") continue;
        Point twin = m.point;
        twin.cache = "warm";
        const auto it = warm.find(twin.id());
        if (it == warm.end()) continue;
        const Summary c = summarise(m.samples_us);
        const Summary w = summarise(it->second->samples_us);
        const bool broken = c.ci95_hi < w.ci95_lo * (1.0 - kRepeatTolerance);
        out.add(verdict("cold_not_faster_than_warm", m.point.id(), Json(w.median), Json(c.median), broken ? "warn" : "ok"));
    }

    // monotone in rows, outside the intervals: a real downward stair or a mistimed point; the fit keeps significant drops
    std::map<std::string, std::vector<const Measurement*>> families;
    for (const Measurement& m : all) {
        if (!usable(m) || m.point.params.count("m") == 0) continue;
        Point family = m.point;
        family.params.erase("m");
        families[family.id()].push_back(&m);
    }
    for (auto& [id, members] : families) {
        std::sort(members.begin(), members.end(), [](const Measurement* a, const Measurement* b) {
            return a->point.param("m") < b->point.param("m");
        });
        for (std::size_t i = 1; i < members.size(); ++i) {
            const Summary below = summarise(members[i - 1]->samples_us);
            const Summary above = summarise(members[i]->samples_us);
            if (above.ci95_hi < below.ci95_lo)
                out.add(verdict("monotone_in_rows", members[i]->point.id(), Json(below.median), Json(above.median), "warn"));
        }
    }
    return out;
}

Json repeat_verdict(const Measurement& first, const Measurement& again) {
    if (!usable(first) || !usable(again)) return Json();
    const double a = summarise(first.samples_us).median;
    const double b = summarise(again.samples_us).median;
    return verdict("repeat_of_first_point", first.point.id(), Json(a), Json(b),
                   std::abs(b / a - 1.0) <= kRepeatTolerance ? "ok" : "warn");
}

}  // namespace foretoken
