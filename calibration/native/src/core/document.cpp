#include "document.hpp"

#include "build_info.hpp"
#include "system.hpp"

namespace foretoken {

Document::Document(const Options& options, const Shapes& shapes) : root_(Json::object()), backend_(options.backend) {
    root_.set("schema", "foretoken/kernel-timings/1").set("run_id", random_uuid()).set("started_at", now_rfc3339());
    const CudaBuild cuda = cuda_build();
    Json tool = Json::object();
    tool.set("name", "foretoken-timing").set("version", kVersion);
    if (kGitCommit[0] != '\0') tool.set("git_commit", kGitCommit);
    Json archs = Json::array();
    for (const auto& a : cuda.archs) archs.add(a);
    tool.set("build_archs", archs);
    if (!cuda.nvcc_version.empty()) tool.set("nvcc_version", cuda.nvcc_version);
    tool.set("host_compiler", kHostCompiler);
    root_.set("tool", tool).set("backend", backend_).set("model", shapes.model);
    Json argv = Json::array();
    for (std::size_t i = 0; i < options.argv.size(); ++i) {
        // the tool's own path says nothing about the run
        std::string word = options.argv[i];
        if (i == 0) word = word.substr(word.find_last_of('/') + 1);
        argv.add(word);
    }
    root_.set("argv", argv).set("forced", options.force);
    Json schedule = Json::object();
    const ScheduleOptions& s = options.schedule;
    schedule.set("passes", s.passes).set("min_samples", s.min_samples).set("target_half_width", s.target_half_width);
    schedule.set("max_seconds", s.max_seconds).set("seed", static_cast<std::int64_t>(s.seed));
    if (backend_ == "cuda") {
        schedule.set("burst_idle_s", s.burst_idle_s).set("burst_load_s", s.burst_load_s);
        schedule.set("sustained_load_s", s.sustained_load_s);
    } else {
        schedule.set("threads", options.threads);
    }
    root_.set("schedule", schedule).set("host", describe_host()).set("env", describe_environment());
}

void Document::resume_from(const std::string& path, int passes) {
    const Json old = Json::parse(read_file(path));
    const std::string schema = old.at("schema").as_string("schema");
    if (schema != "foretoken/kernel-timings/1") throw JsonError("schema: cannot resume a file of schema " + schema);
    if (const Json* b = old.find("backend"); b != nullptr && b->as_string("backend") != backend_)
        throw JsonError("backend: the file was measured with " + b->as_string("backend"));
    const Json* points = old.find("points");
    if (points == nullptr) return;
    for (const Json& p : points->items()) {
        const std::string status = p.at("status").as_string("status");
        const Json* converged = p.find("converged");
        const Json* done = p.find("passes");
        const bool complete = status == "ok" && converged != nullptr && done != nullptr &&
                              (converged->as_bool("converged") || done->as_integer("passes") >= passes);
        if (complete || status == "unsupported") kept_[p.at("id").as_string("id")] = p;
    }
    root_.set("resumed", true);
}

std::string Document::text(const std::string& status, const std::vector<Measurement>& measured, const Json& sanity,
                           std::size_t keep_samples) const {
    Json doc = root_;
    doc.set("finished_at", now_rfc3339()).set("status", status);
    Json warnings = Json::array();
    for (const auto& w : warnings_) warnings.add(w);
    doc.set("warnings", warnings);
    Json points = Json::array();
    for (const auto& [id, p] : kept_) points.add(p);
    for (const Measurement& m : measured) {
        if (m.status == PointStatus::kOk && m.samples_us.empty()) continue;  // not reached yet
        points.add(m.to_json(keep_samples));
    }
    doc.set("points", points).set("sanity", sanity.is_array() ? sanity : Json::array());
    return doc.dump();
}

}  // namespace foretoken
