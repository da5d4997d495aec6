#include "isolation.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "scheduler.hpp"
#include "system.hpp"

namespace foretoken {
namespace {

std::string group_of(const Point& p) {
    std::string s = p.op + "/" + p.impl + "/" + p.variant;
    for (const int d : p.devices) s += "/" + std::to_string(d);
    return s;
}

/** Runs this program; returns the wait status, or -1 where it was killed at the limit. */
int run_child(const std::vector<std::string>& arguments, int limit_s) {
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (child == 0) {
        const int null = ::open("/dev/null", O_WRONLY);
        ::dup2(null, STDOUT_FILENO);
        std::vector<char*> argv;
        for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
        argv.push_back(nullptr);
        ::execv("/proc/self/exe", argv.data());
        ::_exit(127);
    }
    const double until = monotonic_s() + limit_s;
    int status = 0;
    bool asked = false;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (stop_requested && !asked) {
            ::kill(child, SIGINT);
            asked = true;
        }
        if (monotonic_s() > until) {
            ::kill(child, SIGKILL);
            ::waitpid(child, &status, 0);
            return -1;
        }
        ::usleep(20000);
    }
    return status;
}

}  // namespace

std::vector<Json> measure_in_children(const Options& options, const std::vector<Point>& points,
                                      const std::function<void(const std::string&)>& progress) {
    std::map<std::string, std::vector<const Point*>> groups;
    for (const Point& p : points) groups[group_of(p)].push_back(&p);
    std::vector<Json> out;
    std::size_t done = 0;
    for (const auto& [name, members] : groups) {
        if (stop_requested) break;
        progress("child " + std::to_string(++done) + " of " + std::to_string(groups.size()) + ": " + name);
        std::string directory = (std::filesystem::temp_directory_path() / "foretoken-timing-XXXXXX").string();
        if (::mkdtemp(directory.data()) == nullptr) throw std::runtime_error(std::string("mkdtemp: ") + std::strerror(errno));
        const std::string file = directory + "/timings.json";
        const std::string list = directory + "/points.txt";
        std::string ids;
        for (const Point* p : members) ids += p->id() + "\n";
        write_file_atomically(list, ids);
        std::vector<std::string> arguments{"foretoken-timing", "--backend", options.backend, "--in-process", "--force",
                                           "--quiet", "--out", file, "--points", list, "--ops", members[0]->op, "--passes",
                                           std::to_string(options.schedule.passes), "--min-samples",
                                           std::to_string(options.schedule.min_samples), "--max-seconds",
                                           std::to_string(options.schedule.max_seconds), "--target",
                                           std::to_string(options.schedule.target_half_width), "--seed",
                                           std::to_string(options.schedule.seed), "--device",
                                           std::to_string(options.device), "--threads",
                                           std::to_string(options.threads), "--thermal", options.thermal, "--keep-samples",
                                           std::to_string(options.keep_samples)};
        if (options.quick) arguments.emplace_back("--quick");
        if (!options.shapes_file.empty()) {
            arguments.emplace_back("--shapes");
            arguments.push_back(options.shapes_file);
        }
        const int status = run_child(arguments, options.schedule.isolation_timeout_s);
        std::set<std::string> reported;
        if (::access(file.c_str(), R_OK) == 0) {
            const Json child = Json::parse(read_file(file));
            if (const Json* list_of = child.find("points"))
                for (const Json& p : list_of->items()) {
                    reported.insert(p.at("id").as_string("id"));
                    out.push_back(p);
                }
        }
        for (const Point* p : members) {
            if (reported.count(p->id()) != 0) continue;
            Measurement m;
            m.point = *p;
            m.status = status == -1 ? PointStatus::kTimeout : PointStatus::kFailed;
            m.note = status == -1 ? "the child did not end within " +
                                        std::to_string(options.schedule.isolation_timeout_s) + " s and was killed"
                                  : "the child ended before it reached this point";
            out.push_back(m.to_json(0));
        }
        ::unlink(file.c_str());
        ::unlink(list.c_str());
        ::rmdir(directory.c_str());
    }
    return out;
}

}  // namespace foretoken
