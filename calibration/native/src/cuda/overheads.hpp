// Launch, graph and host-transfer costs: host-side times, each its own small program.
#pragma once
#include <memory>

#include "../core/backend.hpp"

namespace foretoken {

/** launch, graph_replay, h2d and d2h; null for other operations. */
std::unique_ptr<Runnable> make_overhead(const Point& point);

}  // namespace foretoken
