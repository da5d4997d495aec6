// Rules a run must satisfy as a whole; points that break a physical bound are rejected.
#pragma once
#include <vector>

#include "backend.hpp"
#include "json.hpp"
#include "point.hpp"

namespace foretoken {

/** Tolerance of the roofline rule: clocks are read, not known. */
constexpr double kRooflineSlack = 1.02;
/** The first point measured again at the end may differ by this share. */
constexpr double kRepeatTolerance = 0.03;

/**
 * Applies the rules, marks points that beat the roofline as failed, and returns the `sanity` list:
 * roofline (bytes and flops), cold_not_faster_than_warm, monotone_in_rows (a warning only).
 */
Json check_sanity(Backend& backend, std::vector<Measurement>& all);

/** The repeat rule for one point measured at both ends of a run. */
Json repeat_verdict(const Measurement& first, const Measurement& again);

}  // namespace foretoken
