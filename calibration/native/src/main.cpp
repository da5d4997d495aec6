// foretoken-timing: times the operations of speculative decoding on this machine's GPU or CPU.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>
#include <sstream>

#include "build_info.hpp"
#include "core/backend.hpp"
#include "core/document.hpp"
#include "core/isolation.hpp"
#include "core/operations.hpp"
#include "core/options.hpp"
#include "core/sanity.hpp"
#include "core/scheduler.hpp"

namespace foretoken {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;
constexpr int kExitCannotRun = 5;
constexpr int kExitStopped = 130;

extern "C" void on_signal(int) {
    if (stop_requested) ::_exit(kExitStopped);  // the second one ends at once
    stop_requested = true;
}

void write_document(const Options& options, const std::string& text) {
    if (options.out.empty()) {
        std::cout << text << std::flush;
    } else {
        write_file_atomically(options.out, text);
    }
}

/** The heaviest point of each operation and type: where bursts and sustained load part. */
std::vector<Point> sustained_twins(const std::vector<Point>& points) {
    std::map<std::string, std::pair<double, Point>> heaviest;
    for (const Point& p : points) {
        if (p.thermal != "burst" || p.cache == "warm") continue;
        if (p.op != "dram_read" && p.op != "gemm" && p.op != "attn_verify" && p.op != "mma_peak") continue;
        std::string key = p.op + "/" + p.variant;
        for (const auto& [k, v] : p.dtype) key += "/" + k + "=" + v;
        const Work w = operation(p.op).work(p);
        const double load = std::max(w.bytes_min, w.flops);
        auto& entry = heaviest[key];
        if (load > entry.first) entry = {load, p};
    }
    std::vector<Point> out;
    for (auto& [key, entry] : heaviest) {
        entry.second.thermal = "sustained";
        out.push_back(entry.second);
    }
    return out;
}

std::vector<Point> choose_points(const Options& options, const Grid& grid) {
    std::vector<Point> points = grid_points(grid, options.ops);
    if (options.thermal == "sustained") {
        for (Point& p : points)
            if (!p.thermal.empty()) p.thermal = "sustained";
    } else if (options.thermal == "both" && !options.quick) {
        for (Point& p : sustained_twins(points)) points.push_back(std::move(p));
    }
    if (!options.points_file.empty()) {
        std::set<std::string> wanted;
        std::istringstream list(read_file(options.points_file));
        for (std::string line; std::getline(list, line);)
            if (!line.empty()) wanted.insert(line);
        points.erase(std::remove_if(points.begin(), points.end(),
                                    [&](const Point& p) { return wanted.count(p.id()) == 0; }),
                     points.end());
    }
    return points;
}

int refuse(const Options& options, const Document& document, const std::string& status, const std::string& sentence) {
    write_document(options, document.text(status, {}, Json(), 0));
    std::cerr << "foretoken-timing: " << sentence << "\n";
    return kExitCannotRun;
}

int run(const Options& options) {
    const Shapes shapes = options.shapes_file.empty() ? builtin_shapes() : read_shapes(options.shapes_file);
    Document document(options, shapes);
    std::unique_ptr<Backend> backend;
    try {
        backend = options.backend == "cuda" ? make_cuda_backend(options.device) : make_host_backend(options.threads);
    } catch (const NoDevice& e) {
        document.warn(e.what());
        return refuse(options, document, "no_device", std::string("no GPU to time: ") + e.what());
    }
    backend->describe(document.root());

    const auto disturbances = backend->disturbances();
    for (const auto& d : disturbances) document.warn("not quiet: " + d);
    if (!disturbances.empty() && !options.force) {
        std::string list;
        for (const auto& d : disturbances) list += (list.empty() ? "" : "; ") + d;
        return refuse(options, document, "refused",
                      "the machine is not quiet (" + list + "); timings would be noise. --force measures all the same");
    }

    Grid grid;
    grid.shapes = shapes;
    grid.gpu = options.backend == "cuda";
    grid.quick = options.quick;
    grid.device = options.device;
    if (const Json* devices = document.root().find("devices"); grid.gpu && devices != nullptr)
        grid.device_count = static_cast<int>(devices->items().size());
    std::vector<Point> points = choose_points(options, grid);
    for (Point& p : points)
        if (p.op == "gemm") p.impl = backend->gemm_implementation();
    if (points.empty()) throw UsageError("no point to measure with these options");
    if (options.resume && ::access(options.out.c_str(), R_OK) == 0) {
        try {
            document.resume_from(options.out, options.schedule.passes);
        } catch (const JsonError& e) {
            throw UsageError("--resume " + options.out + ": " + e.what());
        }
    }

    std::vector<Measurement> measured;
    std::vector<Point> isolated;
    for (Point& p : points) {
        if (document.kept().count(p.id()) != 0) continue;
        if (!options.in_process && (options.isolate || backend->needs_isolation(p))) {
            isolated.push_back(std::move(p));
            continue;
        }
        Measurement m;
        m.work = operation(p.op).work(p);
        m.point = std::move(p);
        measured.push_back(std::move(m));
    }

    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    std::size_t shown = 0;
    const auto progress = [&](const std::string& line, bool last) {
        if (options.quiet) return;
        if (terminal) {
            std::string text = line;
            text.resize(std::max(shown, text.size()), ' ');
            shown = line.size();
            std::cerr << '\r' << text << (last ? "\n" : "") << std::flush;
        } else if (last || stop_requested) {
            std::cerr << line << "\n";
        }
    };
    const auto save = [&](const std::vector<Measurement>& all) {
        if (!options.out.empty()) write_document(options, document.text("partial", all, Json(), options.keep_samples));
    };
    Scheduler scheduler(*backend, options.schedule, save, progress);
    scheduler.run(measured);

    Json repeat;
    if (!stop_requested && !measured.empty() && !options.quick && !options.in_process) {
        std::vector<Measurement> again(1);
        again[0].point = measured[0].point;
        again[0].work = measured[0].work;
        ScheduleOptions once = options.schedule;
        once.passes = 1;
        Scheduler(*backend, once, [](const auto&) {}, [](const auto&, bool) {}).run(again);
        repeat = repeat_verdict(measured[0], again[0]);
    }
    int incomplete = 0;
    for (Json& p : measure_in_children(options, isolated, [&](const std::string& line) { progress(line, false); })) {
        const std::string status = p.at("status").as_string("status");
        if (status == to_string(PointStatus::kFailed) || status == to_string(PointStatus::kTimeout)) ++incomplete;
        document.kept()[p.at("id").as_string("id")] = std::move(p);
    }

    Json sanity = check_sanity(*backend, measured);
    if (!repeat.is_null()) sanity.add(repeat);
    for (const Measurement& m : measured) {
        if (m.status == PointStatus::kFailed || m.status == PointStatus::kTimeout) ++incomplete;
        if (m.status == PointStatus::kOk && m.samples_us.empty()) ++incomplete;
    }
    const bool partial = stop_requested || incomplete > 0;
    write_document(options, document.text(partial ? "partial" : "ok", measured, sanity, options.keep_samples));
    if (!options.quiet) {
        std::map<std::string, int> count;
        for (const Measurement& m : measured)
            ++count[m.status == PointStatus::kOk && m.samples_us.empty() ? "not reached"
                    : m.status == PointStatus::kOk && !m.converged       ? "ok, wider than the target"
                                                                         : to_string(m.status)];
        if (!document.kept().empty()) count["kept or from children"] = static_cast<int>(document.kept().size());
        for (const auto& [what, n] : count) std::cerr << what << ": " << n << "\n";
        for (const Measurement& m : measured)
            if (m.status == PointStatus::kFailed) std::cerr << "failed: " << m.point.id() << ": " << m.note << "\n";
    }
    return stop_requested ? kExitStopped : kExitOk;
}

}  // namespace
}  // namespace foretoken

int main(int argc, char** argv) {
    using namespace foretoken;
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            std::cout << usage_text();
            return kExitOk;
        }
        if (options.version) {
            std::cout << "foretoken-timing " << kVersion << "\n";
            return kExitOk;
        }
        if (options.list) {
            for (const auto& o : operations()) std::printf("%-14s %s\n", o.id.c_str(), o.what.c_str());
            return kExitOk;
        }
        return run(options);
    } catch (const UsageError& e) {
        std::cerr << "foretoken-timing: " << e.what() << "\n";
        return kExitUsage;
    } catch (const JsonError& e) {
        std::cerr << "foretoken-timing: " << e.what() << "\n";
        return kExitUsage;
    } catch (const std::exception& e) {
        std::cerr << "foretoken-timing: " << e.what() << "\n";
        return kExitFailure;
    }
}
