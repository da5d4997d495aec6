// A JSON value with ordered keys, a reader and a writer: what the timing files, the shapes file and --resume need.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace foretoken {

class Json {
public:
    enum class Kind { kNull, kBool, kInteger, kReal, kString, kArray, kObject };

    Json() = default;
    Json(bool b) : kind_(Kind::kBool), integer_(b) {}
    Json(int i) : kind_(Kind::kInteger), integer_(i) {}
    Json(std::int64_t i) : kind_(Kind::kInteger), integer_(i) {}
    Json(std::size_t i) : kind_(Kind::kInteger), integer_(static_cast<std::int64_t>(i)) {}
    Json(double d) : kind_(Kind::kReal), real_(d) {}
    Json(const char* s) : kind_(Kind::kString), string_(s) {}
    Json(std::string s) : kind_(Kind::kString), string_(std::move(s)) {}

    static Json array();
    static Json object();
    /** Reads a text; throws JsonError with line and column. */
    static Json parse(const std::string& text);

    Kind kind() const { return kind_; }
    bool is_null() const { return kind_ == Kind::kNull; }
    bool is_object() const { return kind_ == Kind::kObject; }
    bool is_array() const { return kind_ == Kind::kArray; }

    bool as_bool(const std::string& what) const;
    std::int64_t as_integer(const std::string& what) const;
    double as_real(const std::string& what) const;
    const std::string& as_string(const std::string& what) const;
    const std::vector<Json>& items() const { return items_; }
    const std::vector<std::pair<std::string, Json>>& members() const { return members_; }

    /** The member, or null where absent. */
    const Json* find(const std::string& key) const;
    /** The member; throws with the key where absent. */
    const Json& at(const std::string& key) const;

    /** Sets a member; a null value is left out, since absent means unknown. */
    Json& set(const std::string& key, Json value);
    Json& add(Json value);

    /** Pretty text with two spaces; objects without nested containers go on one line. Refuses NaN and infinities. */
    std::string dump() const;

private:
    void write(std::string& out, int indent) const;
    bool is_flat() const;

    Kind kind_ = Kind::kNull;
    std::int64_t integer_ = 0;
    double real_ = 0.0;
    std::string string_;
    std::vector<Json> items_;
    std::vector<std::pair<std::string, Json>> members_;
};

struct JsonError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string read_file(const std::string& path);
/** Writes beside the target, syncs and renames, so that a reader sees the old file or the new one. */
void write_file_atomically(const std::string& path, const std::string& text);

}  // namespace foretoken
