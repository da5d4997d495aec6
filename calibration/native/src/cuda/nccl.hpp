// NCCL, loaded at run time; values follow nccl.h 2.28.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace foretoken::nccl {

using Comm = void*;
struct UniqueId {
    char internal[128];
};
constexpr int kSum = 0;
constexpr int kBfloat16 = 9;

class Library {
public:
    static const Library& instance();

    bool usable() const { return missing.empty(); }
    std::string missing;
    std::string version;

    int (*get_unique_id)(UniqueId*) = nullptr;
    int (*comm_init_rank)(Comm*, int, UniqueId, int) = nullptr;
    int (*comm_destroy)(Comm) = nullptr;
    int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, cudaStream_t) = nullptr;
    int (*all_gather)(const void*, void*, std::size_t, int, Comm, cudaStream_t) = nullptr;
    const char* (*error_string)(int) = nullptr;

    /** Throws with NCCL's own words. */
    void check(int result, const std::string& what) const;

private:
    Library();
};

}  // namespace foretoken::nccl
