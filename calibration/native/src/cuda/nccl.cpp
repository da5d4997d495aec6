#include "nccl.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace foretoken::nccl {

const Library& Library::instance() {
    static const Library library;
    return library;
}

Library::Library() {
    void* dl = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (dl == nullptr) {
        missing = "libnccl.so.2 cannot be loaded";
        return;
    }
    bool complete = true;
    const auto load = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(dl, name));
        complete = complete && function != nullptr;
    };
    int (*get_version)(int*) = nullptr;
    load(get_version, "ncclGetVersion");
    load(get_unique_id, "ncclGetUniqueId");
    load(comm_init_rank, "ncclCommInitRank");
    load(comm_destroy, "ncclCommDestroy");
    load(all_reduce, "ncclAllReduce");
    load(all_gather, "ncclAllGather");
    load(error_string, "ncclGetErrorString");
    if (!complete) {
        missing = "libnccl.so.2 lacks a function";
        return;
    }
    int v = 0;
    get_version(&v);
    version = std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

void Library::check(int result, const std::string& what) const {
    if (result != 0) throw std::runtime_error(what + ": " + error_string(result));
}

}  // namespace foretoken::nccl
