#include "system.hpp"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

extern char** environ;

namespace foretoken {
namespace {

std::string first_line(const std::string& path) {
    std::ifstream in(path);
    std::string line;
    std::getline(in, line);
    return line;
}

std::int64_t entries(const std::string& path, const std::string& prefix) {
    DIR* dir = ::opendir(path.c_str());
    if (dir == nullptr) return -1;
    std::int64_t n = 0;
    while (const dirent* e = ::readdir(dir))
        if (e->d_name[0] != '.' && std::strncmp(e->d_name, prefix.c_str(), prefix.size()) == 0) ++n;
    ::closedir(dir);
    return n;
}

struct CpuTimes {
    double busy = 0.0;
    double total = 0.0;
};

CpuTimes cpu_times() {
    std::istringstream in(first_line("/proc/stat"));
    std::string cpu;
    in >> cpu;
    CpuTimes t;
    double v = 0.0;
    for (int i = 0; in >> v && i < 8; ++i) {
        t.total += v;
        if (i != 3 && i != 4) t.busy += v;  // all but idle and iowait
    }
    return t;
}

double own_cpu_s() {
    rusage u{};
    ::getrusage(RUSAGE_SELF, &u);
    return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

}  // namespace

Json describe_host() {
    Json h = Json::object();
    std::ifstream release("/etc/os-release");
    for (std::string line; std::getline(release, line);)
        if (line.rfind("PRETTY_NAME=", 0) == 0) {
            std::string name = line.substr(12);
            if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
            h.set("os", name);
        }
    utsname u{};
    if (::uname(&u) == 0) h.set("kernel", std::string(u.release)).set("machine", std::string(u.machine));
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::set<std::string> cores;
    std::string physical;
    for (std::string line; std::getline(cpuinfo, line);) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const std::string value = line.substr(colon + 2);
        if (line.rfind("model name", 0) == 0 && h.find("cpu_model") == nullptr) h.set("cpu_model", value);
        if (line.rfind("physical id", 0) == 0) physical = value;
        if (line.rfind("core id", 0) == 0) cores.insert(physical + "/" + value);
    }
    if (!cores.empty()) h.set("cores_physical", cores.size());
    h.set("cores_logical", logical_cores());
    const std::int64_t nodes = entries("/sys/devices/system/node", "node");
    if (nodes > 0) h.set("numa_nodes", nodes);
    h.set("mem_total_bytes",
          static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(::sysconf(_SC_PAGE_SIZE)));
    h.set("llc_bytes", last_level_cache_bytes());
    h.set("loadavg_start", load_average());
    const std::int64_t groups = entries("/sys/kernel/iommu_groups", "");
    if (groups >= 0) h.set("iommu_groups_present", groups > 0);
    std::istringstream command(first_line("/proc/cmdline"));
    std::string flags;
    for (std::string word; command >> word;)
        if (word.find("iommu") != std::string::npos || word.find("acs") != std::string::npos)
            flags += (flags.empty() ? "" : " ") + word;
    if (!flags.empty()) h.set("kernel_cmdline_p2p", flags);
    const std::string governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    if (!governor.empty()) h.set("governor", governor);
    return h;
}

Json describe_environment() {
    Json e = Json::object();
    for (char** v = environ; *v != nullptr; ++v) {
        const std::string entry = *v;
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos) continue;
        if (entry.rfind("NCCL_", 0) == 0 || entry.rfind("CUDA_", 0) == 0)
            e.set(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return e;
}

double load_average() {
    double load[1] = {0.0};
    return ::getloadavg(load, 1) == 1 ? load[0] : 0.0;
}

int logical_cores() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

std::int64_t last_level_cache_bytes() {
    std::int64_t largest = 0;
    for (int i = 0; i < 8; ++i) {
        const std::string size =
            first_line("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size");
        if (size.empty()) continue;
        const std::int64_t n = std::strtoll(size.c_str(), nullptr, 10) * (size.back() == 'M' ? 1 << 20 : 1 << 10);
        largest = std::max(largest, n);
    }
    return largest > 0 ? largest : (32LL << 20);
}

double foreign_cpu_share(int milliseconds) {
    const CpuTimes a = cpu_times();
    const double own_a = own_cpu_s();
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    const CpuTimes b = cpu_times();
    const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const double busy = b.busy - a.busy - (own_cpu_s() - own_a) * ticks;
    const double total = b.total - a.total;
    return total > 0.0 ? std::max(0.0, busy / total) : 0.0;
}

std::string now_rfc3339() {
    const std::time_t t = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&t, &utc);
    char buffer[32];
    std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buffer;
}

std::string random_uuid() {
    std::random_device device;
    unsigned w[4];
    for (unsigned& x : w) x = device();
    w[1] = (w[1] & 0xffff0fffu) | 0x00004000u;
    w[2] = (w[2] & 0x3fffffffu) | 0x80000000u;
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%08x-%04x-%04x-%04x-%04x%08x", w[0], w[1] >> 16, w[1] & 0xffffu, w[2] >> 16,
                  w[2] & 0xffffu, w[3]);
    return buffer;
}

double monotonic_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace foretoken
