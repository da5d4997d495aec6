// The catalogue of operations: id, grid of points, and the work of a call. A new operation is one entry here and one
// factory in each backend that can run it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "point.hpp"

namespace foretoken {

struct GemmShape {
    std::string role;  // qkv, o, gate_up, down, lm_head ...
    std::int64_t n = 0;
    std::int64_t k = 0;
};

struct AttentionShape {
    std::int64_t hq = 0;
    std::int64_t hkv = 0;
    std::int64_t head_dim = 0;
};

struct GdnShape {
    std::int64_t hk = 0;
    std::int64_t hv = 0;
    std::int64_t dk = 0;
    std::int64_t dv = 0;
    std::int64_t conv_channels = 0;
    std::int64_t conv_width = 0;
};

/** One block drafter: decoder layers over `block` positions of one pass, and the target's lm_head. */
struct DraftShape {
    std::int64_t layers = 0;
    std::int64_t block = 0;
    std::int64_t hidden = 0;
    std::int64_t intermediate = 0;
    std::int64_t hq = 0;
    std::int64_t hkv = 0;
    std::int64_t head_dim = 0;
    std::int64_t vocab = 0;
};

/** Shapes of one card's share of a model at one tensor-parallel degree. */
struct ModelShapes {
    std::int64_t tp = 1;
    std::int64_t hidden = 0;
    std::int64_t intermediate = 0;
    std::int64_t vocab = 0;
    std::int64_t layers = 0;
    std::vector<GemmShape> gemms;
    std::optional<AttentionShape> attention;
    std::optional<GdnShape> gdn;
    std::optional<DraftShape> draft;
};

struct Shapes {
    std::string model;
    std::vector<ModelShapes> models;
};

/** Reads `foretoken/shapes/1`; errors name the file and the key. */
Shapes read_shapes(const std::string& path);
/** SmolLM2-135M, the model of the CPU loop: small enough for any machine. */
Shapes builtin_shapes();

struct Grid {
    Shapes shapes;
    bool gpu = false;
    bool quick = false;    // few points of each operation: a smoke run
    int device = 0;
    int device_count = 1;  // visible GPUs
};

struct Operation {
    std::string id;
    std::string what;
    std::function<std::vector<Point>(const Grid&)> points;
    std::function<Work(const Point&)> work;
};

const std::vector<Operation>& operations();
/** The operation; throws std::invalid_argument naming the nearest id. */
const Operation& operation(const std::string& id);
/** All points of the named operations (all when empty), without doubles, in catalogue order. */
std::vector<Point> grid_points(const Grid& grid, const std::vector<std::string>& ids);

/** Bytes per element, block scales included: fp32 4, bf16 2, fp8 1, mxfp8 1 + 1/32, nvfp4 1/2 + 1/16. */
double element_bytes(const std::string& dtype);

}  // namespace foretoken
