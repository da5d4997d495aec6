// The command line.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "scheduler.hpp"

namespace foretoken {

struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Options {
    std::string backend = "host";
    std::string out;  // empty: standard output
    std::string shapes_file;
    std::vector<std::string> ops;
    ScheduleOptions schedule;
    int device = 0;
    int threads = 1;
    std::size_t keep_samples = 0;
    std::string thermal = "both";  // burst | sustained | both
    bool force = false;
    bool resume = false;
    bool quick = false;
    bool quiet = false;
    bool list = false;
    bool help = false;
    bool version = false;
    bool in_process = false;  // a child that measures isolated points itself
    bool isolate = false;     // every point in a child, not only those that need it
    std::string points_file;  // ids to measure, one a line; empty: the whole grid
    std::vector<std::string> argv;
};

/** Throws UsageError naming the option, its value and, for unknown options, the nearest one. */
Options parse_options(int argc, char** argv);
std::string usage_text();

}  // namespace foretoken
