#include "json.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace foretoken {
namespace {

class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}

    Json document() {
        Json v = value(0);
        space();
        if (at_ != text_.size()) fail("unexpected text after the value");
        return v;
    }

private:
    [[noreturn]] void fail(const std::string& why) const {
        std::size_t line = 1;
        std::size_t column = 1;
        for (std::size_t i = 0; i < at_ && i < text_.size(); ++i) {
            if (text_[i] == '\n') {
                ++line;
                column = 1;
            } else {
                ++column;
            }
        }
        throw JsonError("line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + why);
    }

    void space() {
        while (at_ < text_.size() && std::strchr(" \t\r\n", text_[at_]) != nullptr) ++at_;
    }

    char peek() {
        space();
        if (at_ >= text_.size()) fail("the text ends too early");
        return text_[at_];
    }

    void expect(char c) {
        if (peek() != c) fail(std::string("expected '") + c + "'");
        ++at_;
    }

    Json value(int depth) {
        if (depth > 64) fail("nested deeper than 64 levels");
        const char c = peek();
        if (c == '{') return object(depth);
        if (c == '[') return array(depth);
        if (c == '"') return Json(string());
        for (const auto& [word, v] : {std::pair<const char*, Json>{"true", Json(true)},
                                      {"false", Json(false)},
                                      {"null", Json()}}) {
            if (text_.compare(at_, std::strlen(word), word) == 0) {
                at_ += std::strlen(word);
                return v;
            }
        }
        return number();
    }

    Json object(int depth) {
        expect('{');
        Json o = Json::object();
        if (peek() == '}') {
            ++at_;
            return o;
        }
        while (true) {
            if (peek() != '"') fail("expected a key in quotes");
            const std::string key = string();
            if (o.find(key) != nullptr) fail("key '" + key + "' stands twice");
            expect(':');
            o.set(key, value(depth + 1));
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect('}');
            return o;
        }
    }

    Json array(int depth) {
        expect('[');
        Json a = Json::array();
        if (peek() == ']') {
            ++at_;
            return a;
        }
        while (true) {
            a.add(value(depth + 1));
            if (peek() == ',') {
                ++at_;
                continue;
            }
            expect(']');
            return a;
        }
    }

    std::string string() {
        expect('"');
        std::string s;
        while (true) {
            if (at_ >= text_.size()) fail("a string does not end");
            const char c = text_[at_++];
            if (c == '"') return s;
            if (c != '\\') {
                s += c;
                continue;
            }
            if (at_ >= text_.size()) fail("a string does not end");
            const char e = text_[at_++];
            switch (e) {
                case 'n': s += '\n'; break;
                case 't': s += '\t'; break;
                case 'r': s += '\r'; break;
                case 'b': s += '\b'; break;
                case 'f': s += '\f'; break;
                case 'u': s += unicode(); break;
                case '"':
                case '\\':
                case '/': s += e; break;
                default: fail(std::string("unknown escape \\") + e);
            }
        }
    }

    std::string unicode() {
        if (at_ + 4 > text_.size()) fail("a \\u escape is cut short");
        unsigned code = 0;
        for (int i = 0; i < 4; ++i) {
            const char c = text_[at_++];
            if (std::isxdigit(static_cast<unsigned char>(c)) == 0) fail("a \\u escape needs four hex digits");
            code = 16 * code + static_cast<unsigned>(std::strtol(std::string(1, c).c_str(), nullptr, 16));
        }
        std::string s;
        if (code < 0x80) {
            s += static_cast<char>(code);
        } else if (code < 0x800) {
            s += static_cast<char>(0xc0 | (code >> 6));
            s += static_cast<char>(0x80 | (code & 0x3f));
        } else {
            s += static_cast<char>(0xe0 | (code >> 12));
            s += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
            s += static_cast<char>(0x80 | (code & 0x3f));
        }
        return s;
    }

    Json number() {
        const char* start = text_.c_str() + at_;
        char* end = nullptr;
        const double d = std::strtod(start, &end);
        if (end == start || !std::isfinite(d) || (*start != '-' && std::isdigit(static_cast<unsigned char>(*start)) == 0))
            fail("expected a value");
        const std::string word(start, static_cast<std::size_t>(end - start));
        at_ += word.size();
        if (word.find_first_of(".eEnNxX") == std::string::npos) {
            errno = 0;
            const long long i = std::strtoll(word.c_str(), nullptr, 10);
            if (errno == 0) return Json(static_cast<std::int64_t>(i));
        }
        return Json(d);
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

void write_string(std::string& out, const std::string& s) {
    out += '"';
    for (const char c : s) {
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\t': out += "\\t"; break;
            case '\r': out += "\\r"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20) {
                    char buffer[8];
                    std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
                    out += buffer;
                } else {
                    out += c;
                }
        }
    }
    out += '"';
}

}  // namespace

Json Json::array() {
    Json j;
    j.kind_ = Kind::kArray;
    return j;
}

Json Json::object() {
    Json j;
    j.kind_ = Kind::kObject;
    return j;
}

Json Json::parse(const std::string& text) { return Reader(text).document(); }

bool Json::as_bool(const std::string& what) const {
    if (kind_ != Kind::kBool) throw JsonError(what + ": expected true or false");
    return integer_ != 0;
}

std::int64_t Json::as_integer(const std::string& what) const {
    if (kind_ != Kind::kInteger) throw JsonError(what + ": expected a whole number");
    return integer_;
}

double Json::as_real(const std::string& what) const {
    if (kind_ == Kind::kInteger) return static_cast<double>(integer_);
    if (kind_ != Kind::kReal) throw JsonError(what + ": expected a number");
    return real_;
}

const std::string& Json::as_string(const std::string& what) const {
    if (kind_ != Kind::kString) throw JsonError(what + ": expected a text");
    return string_;
}

const Json* Json::find(const std::string& key) const {
    for (const auto& [k, v] : members_)
        if (k == key) return &v;
    return nullptr;
}

const Json& Json::at(const std::string& key) const {
    const Json* v = find(key);
    if (v == nullptr) throw JsonError("key '" + key + "' is missing");
    return *v;
}

Json& Json::set(const std::string& key, Json value) {
    if (value.is_null()) return *this;
    for (auto& [k, v] : members_) {
        if (k == key) {
            v = std::move(value);
            return *this;
        }
    }
    members_.emplace_back(key, std::move(value));
    return *this;
}

Json& Json::add(Json value) {
    items_.push_back(std::move(value));
    return *this;
}

bool Json::is_flat() const {
    for (const auto& v : items_)
        if (v.is_array() || v.is_object()) return false;
    for (const auto& [k, v] : members_)
        if (v.is_array() || v.is_object()) return false;
    return true;
}

std::string Json::dump() const {
    std::string out;
    write(out, 0);
    out += '\n';
    return out;
}

void Json::write(std::string& out, int indent) const {
    switch (kind_) {
        case Kind::kNull: out += "null"; return;
        case Kind::kBool: out += integer_ != 0 ? "true" : "false"; return;
        case Kind::kInteger: out += std::to_string(integer_); return;
        case Kind::kString: write_string(out, string_); return;
        case Kind::kReal: {
            if (!std::isfinite(real_)) throw JsonError("a number that is not finite cannot be written");
            char buffer[32];
            std::snprintf(buffer, sizeof buffer, "%.9g", real_);
            out += buffer;
            return;
        }
        case Kind::kArray:
        case Kind::kObject: break;
    }
    const bool is_array_kind = kind_ == Kind::kArray;
    const std::size_t count = is_array_kind ? items_.size() : members_.size();
    out += is_array_kind ? '[' : '{';
    const bool flat = is_flat();
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += flat ? ", " : ",";
        if (!flat) {
            out += '\n';
            out.append(static_cast<std::size_t>(2 * (indent + 1)), ' ');
        }
        if (!is_array_kind) {
            write_string(out, members_[i].first);
            out += ": ";
        }
        (is_array_kind ? items_[i] : members_[i].second).write(out, indent + 1);
    }
    if (!flat && count > 0) {
        out += '\n';
        out.append(static_cast<std::size_t>(2 * indent), ' ');
    }
    out += is_array_kind ? ']' : '}';
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(path + ": " + std::strerror(errno));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

void write_file_atomically(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".tmp." + std::to_string(getpid());
    const int fd = ::open(temporary.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (fd < 0) throw std::runtime_error(temporary + ": " + std::strerror(errno));
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const std::string why = std::strerror(errno);
            ::close(fd);
            ::unlink(temporary.c_str());
            throw std::runtime_error(temporary + ": " + why);
        }
        done += static_cast<std::size_t>(n);
    }
    ::fsync(fd);
    ::close(fd);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        ::unlink(temporary.c_str());
        throw std::runtime_error(path + ": " + why);
    }
}

}  // namespace foretoken
