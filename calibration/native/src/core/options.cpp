#include "options.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "operations.hpp"

namespace foretoken {
namespace {

struct Flag {
    const char* name;
    const char* value;  // null: takes none
    const char* help;
};

constexpr Flag kFlags[] = {
    {"--backend", "host|cuda", "what to time (host)"},
    {"--out", "FILE", "write the timings there, atomically (standard output)"},
    {"--ops", "A,B", "operations to time (all); --list names them"},
    {"--shapes", "FILE", "shapes of a model, foretoken/shapes/1 (SmolLM2-135M)"},
    {"--quick", nullptr, "few points of each operation and few samples: a smoke run"},
    {"--device", "N", "the GPU to time (0)"},
    {"--threads", "N", "threads of the host GEMM (1)"},
    {"--passes", "N", "visits of every point in random order (3)"},
    {"--min-samples", "N", "samples per point (30)"},
    {"--target", "X", "relative half width of the median's 95 % interval to stop at (0.01)"},
    {"--max-seconds", "X", "sampling time per point at most (10)"},
    {"--thermal", "burst|sustained|both", "regimes of the heavy points (both)"},
    {"--sustained-seconds", "X", "load before a sustained sample (30)"},
    {"--isolation-timeout", "N", "seconds a child that runs transfers between cards may take (120)"},
    {"--seed", "N", "order of the points and operands (1)"},
    {"--keep-samples", "N", "write up to N samples of each point, at most 256 (0)"},
    {"--force", nullptr, "measure on a busy machine; the file records it"},
    {"--resume", nullptr, "keep the complete points of --out and measure the rest"},
    {"--quiet", nullptr, "no progress on standard error"},
    {"--points", "FILE", "measure only the points whose ids stand in the file, one a line"},
    {"--isolate", nullptr, "measure every point in a child process with a time limit, not only transfers between cards"},
    {"--in-process", nullptr, "run transfers between cards in this process (used by the tool itself)"},
    {"--list", nullptr, "print the operations and exit"},
    {"--version", nullptr, "print the version and exit"},
    {"--help", nullptr, "print this and exit"},
};

std::string nearest_flag(const std::string& word) {
    // the flag that shares the longest prefix
    std::string best = kFlags[0].name;
    std::size_t shared = 0;
    for (const Flag& f : kFlags) {
        const std::string name = f.name;
        const auto end = std::mismatch(word.begin(), word.end(), name.begin(), name.end()).first;
        const auto n = static_cast<std::size_t>(end - word.begin());
        if (n > shared) {
            shared = n;
            best = name;
        }
    }
    return best;
}

double number(const std::string& flag, const std::string& text, double low, double high) {
    char* end = nullptr;
    const double v = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(v >= low && v <= high)) {
        std::ostringstream why;
        why << flag << ": expected a number from " << low << " to " << high << ", found '" << text << "'";
        throw UsageError(why.str());
    }
    return v;
}

int whole(const std::string& flag, const std::string& text, int low, int high) {
    const double v = number(flag, text, low, high);
    if (v != static_cast<int>(v)) throw UsageError(flag + ": expected a whole number, found '" + text + "'");
    return static_cast<int>(v);
}

std::string one_of(const std::string& flag, const std::string& text, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
    std::string list;
    for (const auto& a : allowed) list += (list.empty() ? "" : ", ") + a;
    throw UsageError(flag + ": expected one of " + list + ", found '" + text + "'");
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options o;
    bool passes_given = false;
    bool samples_given = false;
    bool seconds_given = false;
    for (int i = 0; i < argc; ++i) o.argv.emplace_back(argv[i]);
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        std::string inline_value;
        bool has_inline = false;
        const std::size_t equals = word.find('=');
        if (word.rfind("--", 0) == 0 && equals != std::string::npos) {
            inline_value = word.substr(equals + 1);
            word = word.substr(0, equals);
            has_inline = true;
        }
        const auto* flag = std::find_if(std::begin(kFlags), std::end(kFlags), [&](const Flag& f) { return word == f.name; });
        if (flag == std::end(kFlags))
            throw UsageError("unknown option '" + word + "'; the nearest is " + nearest_flag(word));
        if (flag->value == nullptr) {
            if (has_inline) throw UsageError(word + " takes no value");
            if (word == "--force") o.force = true;
            if (word == "--resume") o.resume = true;
            if (word == "--quick") o.quick = true;
            if (word == "--quiet") o.quiet = true;
            if (word == "--list") o.list = true;
            if (word == "--help") o.help = true;
            if (word == "--version") o.version = true;
            if (word == "--in-process") o.in_process = true;
            if (word == "--isolate") o.isolate = true;
            continue;
        }
        if (!has_inline && i + 1 >= argc) throw UsageError(word + " needs a value: " + flag->value);
        const std::string value = has_inline ? inline_value : argv[++i];
        if (word == "--backend") o.backend = one_of(word, value, {"host", "cuda"});
        if (word == "--out") {
            if (value.empty()) throw UsageError("--out: the file name is empty");
            o.out = value;
        }
        if (word == "--shapes") o.shapes_file = value;
        if (word == "--points") o.points_file = value;
        if (word == "--ops") {
            std::istringstream list(value);
            for (std::string id; std::getline(list, id, ',');) {
                try {
                    o.ops.push_back(operation(id).id);
                } catch (const std::invalid_argument& e) {
                    throw UsageError(std::string("--ops: ") + e.what());
                }
            }
            if (o.ops.empty()) throw UsageError("--ops: the list is empty");
        }
        if (word == "--device") o.device = whole(word, value, 0, 1023);
        if (word == "--threads") o.threads = whole(word, value, 1, 4096);
        if (word == "--passes") {
            o.schedule.passes = whole(word, value, 1, 1000);
            passes_given = true;
        }
        if (word == "--min-samples") {
            o.schedule.min_samples = whole(word, value, 1, 1000000);
            samples_given = true;
        }
        if (word == "--target") o.schedule.target_half_width = number(word, value, 1e-6, 1.0);
        if (word == "--max-seconds") {
            o.schedule.max_seconds = number(word, value, 0.001, 3600.0);
            seconds_given = true;
        }
        if (word == "--sustained-seconds") o.schedule.sustained_load_s = number(word, value, 0.0, 3600.0);
        if (word == "--isolation-timeout") o.schedule.isolation_timeout_s = whole(word, value, 1, 86400);
        if (word == "--thermal") o.thermal = one_of(word, value, {"burst", "sustained", "both"});
        if (word == "--seed") o.schedule.seed = static_cast<std::uint64_t>(whole(word, value, 0, 2147483647));
        if (word == "--keep-samples") o.keep_samples = static_cast<std::size_t>(whole(word, value, 0, 256));
    }
    if (o.resume && o.out.empty()) throw UsageError("--resume needs --out FILE");
    if (o.quick) {
        if (!passes_given) o.schedule.passes = 2;
        if (!samples_given) o.schedule.min_samples = 6;
        if (!seconds_given) o.schedule.max_seconds = 0.2;
    }
    return o;
}

std::string usage_text() {
    std::ostringstream text;
    text << "usage: foretoken-timing [options]\n"
            "Times the operations of speculative decoding on this machine and writes foretoken/kernel-timings/1.\n";
    for (const Flag& f : kFlags) {
        std::string left = std::string("  ") + f.name + (f.value != nullptr ? std::string(" ") + f.value : "");
        left.resize(std::max<std::size_t>(left.size() + 2, 36), ' ');
        text << left << f.help << "\n";
    }
    text << "exit: 0 measured, 1 failure, 2 bad usage or input, 5 no GPU or the machine is busy, 130 stopped by the user\n";
    return text.str();
}

}  // namespace foretoken
