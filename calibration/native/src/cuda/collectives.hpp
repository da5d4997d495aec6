// Transfers between cards: NCCL and the own one-shot all-reduce, peer copies, flag latency. Run in a child process.
#pragma once
#include <memory>

#include "../core/backend.hpp"

namespace foretoken {

/** all_reduce, all_gather and p2p; null for other operations. Probes the peers first: a store that is lost throws. */
std::unique_ptr<Runnable> make_collective(const Point& point);

}  // namespace foretoken
