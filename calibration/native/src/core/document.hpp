// The timing file, foretoken/kernel-timings/1.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "backend.hpp"
#include "operations.hpp"
#include "options.hpp"
#include "point.hpp"

namespace foretoken {

/** Everything of the file but its points. */
class Document {
public:
    Document(const Options& options, const Shapes& shapes);

    Json& root() { return root_; }
    void warn(const std::string& text) { warnings_.push_back(text); }
    /** Points of an earlier run that are kept, by id. */
    std::map<std::string, Json>& kept() { return kept_; }
    /** Loads the complete points of an earlier file of the same backend. */
    void resume_from(const std::string& path, int passes);

    std::string text(const std::string& status, const std::vector<Measurement>& measured, const Json& sanity,
                     std::size_t keep_samples) const;

private:
    Json root_;
    std::vector<std::string> warnings_;
    std::map<std::string, Json> kept_;
    std::string backend_;
};

}  // namespace foretoken
