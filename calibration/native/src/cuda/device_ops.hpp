// The single-card operations: operands of one call in one block of memory, the call, and the comparison with fp64.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../core/point.hpp"

namespace foretoken {

struct DeviceFacts {
    int index = 0;
    int sms = 0;
    int major = 0;
    int minor = 0;
    std::size_t l2_bytes = 0;
    std::size_t shared_optin_bytes = 0;
};

struct DeviceOp {
    std::size_t set_bytes = 0;        // operands of a call; distinct in every call of a cold sample
    std::size_t workspace_bytes = 0;  // shared by all calls, as engines share theirs
    std::function<void(char* set, cudaStream_t)> fill;
    std::function<void(char* set, char* workspace, cudaStream_t)> call;
    std::size_t output_at = 0;  // poisoned before the check
    std::size_t output_bytes = 0;
    /** Relative error of the outputs in a host copy of a set; empty where there is nothing to compare. */
    std::function<double(const std::vector<char>& set)> error;
    /** The same for operands too large to copy: reads what it needs; run on the point itself, not on a reduced one. */
    using Reader = std::function<std::vector<char>(std::size_t offset, std::size_t bytes)>;
    std::function<double(const Reader&)> sampled_error;
    double tolerance = 1e-2;  // bf16 results
    std::map<std::string, std::int64_t> facts;
    std::optional<Work> work;  // where the launch decides it
};

/** Throws Unsupported where this card or this build has no kernel for the point. */
DeviceOp make_device_op(const Point& point, const DeviceFacts& device);
/** A product by cuBLASLt: the heuristic's first algorithm, or with variant best the fastest of its first eight. */
DeviceOp make_gemm_op(const Point& point, const DeviceFacts& device);

}  // namespace foretoken
