// Points that may hang or corrupt (transfers between cards) are measured by child processes with a time limit.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "json.hpp"
#include "options.hpp"
#include "point.hpp"

namespace foretoken {

/**
 * Measures `points` in children of this program, one per (operation, implementation, cards), and returns their entries for
 * the `points` list. A child past its limit is killed: what it had saved is kept, the rest gets status timeout; a child that
 * dies leaves status failed.
 */
std::vector<Json> measure_in_children(const Options& options, const std::vector<Point>& points,
                                      const std::function<void(const std::string&)>& progress);

}  // namespace foretoken
