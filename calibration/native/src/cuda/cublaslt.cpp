#include "cublaslt.hpp"

#include <dlfcn.h>

namespace foretoken::lt {

const Library& Library::instance() {
    static const Library library;
    return library;
}

Library::Library() {
    void* dl = nullptr;
    for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"}) {
        dl = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (dl != nullptr) break;
    }
    if (dl == nullptr) {
        missing = "libcublasLt.so.13 cannot be loaded";
        return;
    }
    bool complete = true;
    const auto load = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(dl, name));
        complete = complete && function != nullptr;
    };
    Status (*create)(Handle*) = nullptr;
    std::size_t (*get_version)() = nullptr;
    load(create, "cublasLtCreate");
    load(get_version, "cublasLtGetVersion");
    load(desc_create, "cublasLtMatmulDescCreate");
    load(desc_destroy, "cublasLtMatmulDescDestroy");
    load(desc_set, "cublasLtMatmulDescSetAttribute");
    load(layout_create, "cublasLtMatrixLayoutCreate");
    load(layout_destroy, "cublasLtMatrixLayoutDestroy");
    load(preference_create, "cublasLtMatmulPreferenceCreate");
    load(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    load(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    load(heuristic, "cublasLtMatmulAlgoGetHeuristic");
    load(algo_get, "cublasLtMatmulAlgoConfigGetAttribute");
    load(matmul, "cublasLtMatmul");
    if (!complete) {
        missing = "libcublasLt lacks a function of cuBLASLt 12 or newer";
        return;
    }
    version = std::to_string(get_version());
    Handle created = nullptr;
    const Status status = create(&created);
    if (status != kSuccess) {
        missing = "cublasLtCreate returned status " + std::to_string(status);
        return;
    }
    handle = created;
}

}  // namespace foretoken::lt
