// Facts about the machine, from /proc and /sys.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "json.hpp"

namespace foretoken {

/** The `host` object of the timing file; what cannot be read is absent. */
Json describe_host();
/** NCCL_* and CUDA_* variables only. */
Json describe_environment();
/** One-minute load average. */
double load_average();
int logical_cores();
/** Bytes of the last-level cache of core 0; 32 MiB where /sys does not tell. */
std::int64_t last_level_cache_bytes();
/** Share of all cores that other processes keep busy, observed over `milliseconds`. */
double foreign_cpu_share(int milliseconds);
/** RFC 3339 in UTC. */
std::string now_rfc3339();
/** Version-4 UUID. */
std::string random_uuid();
/** Monotonic seconds. */
double monotonic_s();

}  // namespace foretoken
