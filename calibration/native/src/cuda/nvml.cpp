#include "nvml.hpp"

#include <dlfcn.h>
#include <nvml.h>
#include <unistd.h>

#include <cstdio>

namespace foretoken {
namespace {

void* g_library = nullptr;

/** The function, or null in an older driver. */
template <class F>
F* find(const char* name) {
    return reinterpret_cast<F*>(::dlsym(g_library, name));
}

// The name with its version suffix as the header spells it: NVML's macros rename functions to their newest version.
#define FT_TEXT(x) #x
#define FT_NAME(x) FT_TEXT(x)
#define FT_NVML(function) find<decltype(function)>(FT_NAME(function))

/** A number out of `unsigned f(device, unsigned*)`, absent where the card or the driver does not tell. */
template <class F>
std::optional<int> number(F* f, nvmlDevice_t device) {
    unsigned v = 0;
    if (f == nullptr || f(device, &v) != NVML_SUCCESS) return std::nullopt;
    return static_cast<int>(v);
}

std::optional<int> clock_mhz(nvmlDevice_t device, nvmlClockType_t type, bool max) {
    auto* f = max ? FT_NVML(nvmlDeviceGetMaxClockInfo) : FT_NVML(nvmlDeviceGetClockInfo);
    unsigned v = 0;
    if (f == nullptr || f(device, type, &v) != NVML_SUCCESS) return std::nullopt;
    return static_cast<int>(v);
}

Json or_absent(const std::optional<int>& v) { return v ? Json(*v) : Json(); }

struct Reason {
    unsigned long long bit;
    const char* name;
    bool throttles;
};

// a power cap is how a card under sustained load works; heat and a power brake are faults
constexpr Reason kReasons[] = {
    {nvmlClocksEventReasonGpuIdle, "gpu_idle", false},
    {nvmlClocksEventReasonApplicationsClocksSetting, "applications_clocks_setting", false},
    {nvmlClocksEventReasonSwPowerCap, "sw_power_cap", false},
    {nvmlClocksEventReasonSyncBoost, "sync_boost", false},
    {nvmlClocksEventReasonSwThermalSlowdown, "sw_thermal_slowdown", true},
    {nvmlClocksEventReasonDisplayClockSetting, "display_clock_setting", false},
    {0x8ULL, "hw_slowdown", true},
    {0x40ULL, "hw_thermal_slowdown", true},
    {0x80ULL, "hw_power_brake_slowdown", true},
};

/** FNV-1a: tells cards apart without publishing their serial identity. */
std::string hash_text(const std::string& s) {
    unsigned long long h = 1469598103934665603ULL;
    for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    char buffer[20];
    std::snprintf(buffer, sizeof buffer, "%016llx", h);
    return buffer;
}

}  // namespace

Nvml& Nvml::instance() {
    static Nvml nvml;
    return nvml;
}

Nvml::Nvml() {
    g_library = library_ = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        missing_ = "libnvidia-ml.so.1 cannot be loaded";
        return;
    }
    auto* init = FT_NVML(nvmlInit);
    const nvmlReturn_t result = init != nullptr ? init() : NVML_ERROR_FUNCTION_NOT_FOUND;
    if (result != NVML_SUCCESS) missing_ = "nvmlInit returned " + std::to_string(result);
}

void* Nvml::device(const std::string& pci_bus_id) {
    nvmlDevice_t d = nullptr;
    auto* f = FT_NVML(nvmlDeviceGetHandleByPciBusId);
    if (!usable() || f == nullptr || f(pci_bus_id.c_str(), &d) != NVML_SUCCESS) return nullptr;
    return d;
}

std::optional<std::string> Nvml::version() const {
    char buffer[96];
    auto* f = usable() ? FT_NVML(nvmlSystemGetNVMLVersion) : nullptr;
    if (f == nullptr || f(buffer, sizeof buffer) != NVML_SUCCESS) return std::nullopt;
    return std::string(buffer);
}

std::optional<std::string> Nvml::driver_version() const {
    char buffer[96];
    auto* f = usable() ? FT_NVML(nvmlSystemGetDriverVersion) : nullptr;
    if (f == nullptr || f(buffer, sizeof buffer) != NVML_SUCCESS) return std::nullopt;
    return std::string(buffer);
}

void Nvml::describe(const std::string& pci_bus_id, Json& out) {
    auto* d = static_cast<nvmlDevice_t>(device(pci_bus_id));
    if (d == nullptr) return;
    char text[128];
    if (auto* f = FT_NVML(nvmlDeviceGetUUID); f != nullptr && f(d, text, sizeof text) == NVML_SUCCESS)
        out.set("uuid_hash", hash_text(text));
    if (auto* f = FT_NVML(nvmlDeviceGetVbiosVersion); f != nullptr && f(d, text, sizeof text) == NVML_SUCCESS)
        out.set("vbios", std::string(text));
    out.set("sm_clock_max_mhz", or_absent(clock_mhz(d, NVML_CLOCK_SM, true)));
    out.set("mem_clock_max_mhz", or_absent(clock_mhz(d, NVML_CLOCK_MEM, true)));
    nvmlEnableState_t current{};
    nvmlEnableState_t pending{};
    if (auto* f = FT_NVML(nvmlDeviceGetEccMode); f != nullptr && f(d, &current, &pending) == NVML_SUCCESS)
        out.set("ecc", current == NVML_FEATURE_ENABLED);
    unsigned mig = 0;
    unsigned mig_pending = 0;
    if (auto* f = FT_NVML(nvmlDeviceGetMigMode); f != nullptr && f(d, &mig, &mig_pending) == NVML_SUCCESS)
        out.set("mig", mig == NVML_DEVICE_MIG_ENABLE);
    if (const auto mw = number(FT_NVML(nvmlDeviceGetPowerManagementLimit), d)) out.set("power_limit_w", *mw / 1000.0);
    if (const auto mw = number(FT_NVML(nvmlDeviceGetPowerManagementDefaultLimit), d))
        out.set("power_limit_default_w", *mw / 1000.0);
    Json pcie = Json::object();
    pcie.set("gen_cur", or_absent(number(FT_NVML(nvmlDeviceGetCurrPcieLinkGeneration), d)));
    pcie.set("gen_max", or_absent(number(FT_NVML(nvmlDeviceGetMaxPcieLinkGeneration), d)));
    pcie.set("width_cur", or_absent(number(FT_NVML(nvmlDeviceGetCurrPcieLinkWidth), d)));
    pcie.set("width_max", or_absent(number(FT_NVML(nvmlDeviceGetMaxPcieLinkWidth), d)));
    if (!pcie.members().empty()) out.set("pcie", pcie);
    nvmlBAR1Memory_t bar1{};
    if (auto* f = FT_NVML(nvmlDeviceGetBAR1MemoryInfo); f != nullptr && f(d, &bar1) == NVML_SUCCESS)
        out.set("bar1_bytes", static_cast<std::int64_t>(bar1.bar1Total));
    out.set("numa_node", or_absent(number(FT_NVML(nvmlDeviceGetNumaNodeId), d)));
}

DeviceState Nvml::state(const std::string& pci_bus_id) {
    DeviceState s;
    auto* d = static_cast<nvmlDevice_t>(device(pci_bus_id));
    if (d == nullptr) return s;
    if (const auto mhz = clock_mhz(d, NVML_CLOCK_SM, false)) s.sm_clock_mhz = *mhz;
    if (const auto mhz = clock_mhz(d, NVML_CLOCK_MEM, false)) s.mem_clock_mhz = *mhz;
    if (const auto mw = number(FT_NVML(nvmlDeviceGetPowerUsage), d)) s.power_w = *mw / 1000.0;
    nvmlTemperature_t temperature{};
    temperature.version = nvmlTemperature_v1;
    temperature.sensorType = NVML_TEMPERATURE_GPU;
    if (auto* f = FT_NVML(nvmlDeviceGetTemperatureV); f != nullptr && f(d, &temperature) == NVML_SUCCESS)
        s.temp_c = temperature.temperature;
    unsigned long long reasons = 0;
    if (auto* f = FT_NVML(nvmlDeviceGetCurrentClocksEventReasons); f != nullptr && f(d, &reasons) == NVML_SUCCESS)
        for (const Reason& r : kReasons)
            if ((reasons & r.bit) != 0) {
                s.event_reasons.emplace_back(r.name);
                s.throttled = s.throttled || r.throttles;
            }
    return s;
}

Nvml::Load Nvml::load(const std::string& pci_bus_id) {
    Load load;
    auto* d = static_cast<nvmlDevice_t>(device(pci_bus_id));
    if (d == nullptr) return load;
    unsigned count = 64;
    nvmlProcessInfo_t processes[64];
    if (auto* f = FT_NVML(nvmlDeviceGetComputeRunningProcesses); f != nullptr && f(d, &count, processes) == NVML_SUCCESS) {
        int foreign = 0;
        for (unsigned i = 0; i < count; ++i)
            if (processes[i].pid != static_cast<unsigned>(::getpid())) ++foreign;
        load.foreign_processes = foreign;
    }
    nvmlUtilization_t utilisation{};
    if (auto* f = FT_NVML(nvmlDeviceGetUtilizationRates); f != nullptr && f(d, &utilisation) == NVML_SUCCESS)
        load.utilisation_percent = static_cast<int>(utilisation.gpu);
    nvmlPstates_t state{};
    if (auto* f = FT_NVML(nvmlDeviceGetPerformanceState);
        f != nullptr && f(d, &state) == NVML_SUCCESS && state != NVML_PSTATE_UNKNOWN)
        load.performance_state = static_cast<int>(state);
    load.pcie_gen = number(FT_NVML(nvmlDeviceGetCurrPcieLinkGeneration), d);
    load.pcie_gen_max = number(FT_NVML(nvmlDeviceGetMaxPcieLinkGeneration), d);
    load.pcie_width = number(FT_NVML(nvmlDeviceGetCurrPcieLinkWidth), d);
    load.pcie_width_max = number(FT_NVML(nvmlDeviceGetMaxPcieLinkWidth), d);
    return load;
}

std::optional<std::string> Nvml::path(const std::string& a, const std::string& b) {
    auto* da = static_cast<nvmlDevice_t>(device(a));
    auto* db = static_cast<nvmlDevice_t>(device(b));
    if (da == nullptr || db == nullptr) return std::nullopt;
    int links = 0;
    if (auto* f = FT_NVML(nvmlDeviceGetNvLinkState))
        for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link) {
            nvmlEnableState_t active{};
            if (f(da, link, &active) == NVML_SUCCESS && active == NVML_FEATURE_ENABLED) ++links;
        }
    if (links > 0) return "NV" + std::to_string(links);
    nvmlGpuTopologyLevel_t level{};
    auto* f = FT_NVML(nvmlDeviceGetTopologyCommonAncestor);
    if (f == nullptr || f(da, db, &level) != NVML_SUCCESS) return std::nullopt;
    switch (level) {
        case NVML_TOPOLOGY_INTERNAL:
        case NVML_TOPOLOGY_SINGLE: return "PIX";
        case NVML_TOPOLOGY_MULTIPLE: return "PXB";
        case NVML_TOPOLOGY_HOSTBRIDGE: return "PHB";
        case NVML_TOPOLOGY_NODE: return "NODE";
        case NVML_TOPOLOGY_SYSTEM: return "SYS";
    }
    return std::nullopt;
}

}  // namespace foretoken
