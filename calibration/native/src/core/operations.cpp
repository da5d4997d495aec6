#include "operations.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace foretoken {
namespace {

constexpr std::int64_t kKiB = 1024;
constexpr std::int64_t kMiB = 1024 * kKiB;

using Values = std::vector<std::int64_t>;

const char* element(const Grid& g) { return g.gpu ? "bf16" : "fp32"; }

Point base(const Grid& g, const std::string& op) {
    Point p;
    p.op = op;
    p.impl = g.gpu ? "reference" : "cpu";
    if (g.gpu) {
        p.devices = {g.device};
        p.mode = "graph";
        p.thermal = "burst";
    }
    return p;
}

/** The point once cold and once warm. */
void add_cold_and_warm(std::vector<Point>& out, Point p) {
    p.cache = "cold";
    out.push_back(p);
    p.cache = "warm";
    out.push_back(std::move(p));
}

Values row_grid(const Grid& g) {
    if (g.quick) return {1, 4, 8, 9, 16};
    Values v;
    for (std::int64_t m = 1; m <= 16; ++m) v.push_back(m);
    for (const std::int64_t m : {17, 20, 24, 32, 33, 40, 48, 56, 64, 65}) v.push_back(m);
    if (g.gpu)
        for (const std::int64_t m : {80, 96, 112, 128, 160, 192, 256, 384, 512, 768, 1024}) v.push_back(m);
    return v;
}

std::vector<Point> bandwidth_points(const Grid& g, const std::string& op) {
    std::vector<Point> out;
    Values bytes = g.gpu ? Values{16 * kMiB, 64 * kMiB, 256 * kMiB, 1024 * kMiB, 4096 * kMiB}
                         : Values{64 * kMiB, 256 * kMiB};
    if (g.quick) bytes = {64 * kMiB};
    for (const auto b : bytes) {
        Point p = base(g, op);
        p.params = {{"bytes", b}};
        p.cache = "cold";
        out.push_back(p);
    }
    return out;
}

std::vector<Point> l2_points(const Grid& g) {
    std::vector<Point> out;
    Values mib = g.gpu ? Values{1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 80, 96} : Values{1, 4, 16};
    if (g.quick) mib = {1};
    for (const auto m : mib) {
        Point p = base(g, "l2_read");
        p.params = {{"bytes", m * kMiB}};
        p.cache = "warm";
        out.push_back(p);
    }
    return out;
}

struct GemmTypes {
    const char* a;
    const char* b;
    const char* c;
};

std::vector<Point> gemm_points(const Grid& g) {
    std::vector<Point> out;
    const std::vector<GemmTypes> types =
        g.gpu ? std::vector<GemmTypes>{{"bf16", "bf16", "bf16"},
                                       {"fp8", "fp8", "bf16"},
                                       {"mxfp8", "mxfp8", "bf16"},
                                       {"nvfp4", "nvfp4", "bf16"}}
              : std::vector<GemmTypes>{{"fp32", "fp32", "fp32"}};
    for (const auto& model : g.shapes.models) {
        for (const auto& shape : model.gemms) {
            for (const auto& t : types) {
                for (const auto m : row_grid(g)) {
                    Point p = base(g, "gemm");
                    p.impl = g.gpu ? "cublaslt" : "blas";
                    p.params = {{"m", m}, {"n", shape.n}, {"k", shape.k}};
                    p.dtype = {{"a", t.a}, {"b", t.b}, {"c", t.c}, {"acc", "fp32"}};
                    p.cache = "cold";
                    if (!g.gpu) {
                        out.push_back(p);
                        continue;
                    }
                    p.variant = "default";
                    out.push_back(p);
                    p.variant = "best";
                    out.push_back(p);
                    if (m == 1 || m == 16 || m == 64) {
                        p.cache = "warm";
                        out.push_back(p);
                    }
                }
            }
            if (g.quick) break;
        }
    }
    return out;
}

std::vector<Point> mma_points(const Grid& g) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    for (const char* t : {"bf16", "fp8", "nvfp4"}) {
        Point p = base(g, "mma_peak");
        p.params = {{"instructions", 4096}};
        p.dtype = {{"a", t}, {"b", t}, {"acc", "fp32"}};
        out.push_back(p);
    }
    return out;
}

std::vector<Point> attention_points(const Grid& g) {
    std::vector<Point> out;
    Values tokens{1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    Values contexts{512, 2048, 8192, 32768, 131072};
    Values batches{1, 2, 4, 8, 16, 32, 64};
    if (!g.gpu) {
        tokens = {1, 2, 4, 8, 16, 32};
        contexts = {128, 512, 2048};
        batches = {1, 4};
    }
    if (g.quick) {
        tokens = {1, 8};
        contexts = {g.gpu ? 2048 : 128};
        batches = {1};
    }
    // beyond this many cached tokens a point takes too long, or too much memory, to be worth its place in the grid
    const std::int64_t most = g.gpu ? 64 * 8192 : 8192;
    for (const auto& model : g.shapes.models) {
        if (!model.attention) continue;
        for (const auto batch : batches)
            for (const auto context : contexts)
                for (const auto m : tokens) {
                    if (batch * context > most) continue;
                    Point p = base(g, "attn_verify");
                    p.params = {{"m", m},           {"kv_len", context},         {"batch", batch},
                                {"hq", model.attention->hq}, {"hkv", model.attention->hkv},
                                {"head_dim", model.attention->head_dim}};
                    p.dtype = {{"a", element(g)}, {"kv", element(g)}, {"acc", "fp32"}};
                    if (m == 1 || m == 16) {
                        add_cold_and_warm(out, p);
                    } else {
                        p.cache = "cold";
                        out.push_back(p);
                    }
                }
    }
    return out;
}

std::vector<Point> gdn_points(const Grid& g) {
    std::vector<Point> out;
    Values tokens{1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
    Values batches{1, 2, 4, 8, 16, 32, 64};
    if (!g.gpu) {
        tokens = {1, 2, 4, 8, 16};
        batches = {1, 4};
    }
    if (g.quick) {
        tokens = {1, 4};
        batches = {1};
    }
    for (const auto& model : g.shapes.models) {
        if (!model.gdn) continue;
        for (const char* variant : {"final_state", "state_per_token", "replay"})
            for (const auto batch : batches)
                for (const auto m : tokens) {
                    Point p = base(g, "gdn_verify");
                    p.variant = variant;
                    p.params = {{"m", m},
                                {"batch", batch},
                                {"hk", model.gdn->hk},
                                {"hv", model.gdn->hv},
                                {"dk", model.gdn->dk},
                                {"dv", model.gdn->dv}};
                    p.dtype = {{"a", element(g)}, {"state", "fp32"}};
                    if (m == 1 && p.variant == "final_state") {
                        add_cold_and_warm(out, p);
                    } else {
                        p.cache = "cold";
                        out.push_back(p);
                    }
                }
    }
    return out;
}

std::vector<Point> conv_points(const Grid& g) {
    std::vector<Point> out;
    for (const auto& model : g.shapes.models) {
        if (!model.gdn || model.gdn->conv_channels == 0) continue;
        Values batches{1, 8, 64};
        Values tokens{1, 4, 16, 64};
        if (g.quick || !g.gpu) {
            batches = {1};
            tokens = {1, 8};
        }
        for (const auto batch : batches)
            for (const auto m : tokens) {
                Point p = base(g, "conv1d_update");
                p.params = {{"m", m},
                            {"batch", batch},
                            {"channels", model.gdn->conv_channels},
                            {"width", model.gdn->conv_width},
                            {"hk", model.gdn->hk},
                            {"hv", model.gdn->hv},
                            {"dk", model.gdn->dk}};
                p.dtype = {{"a", element(g)}, {"state", element(g)}};
                p.cache = "cold";
                out.push_back(p);
            }
    }
    return out;
}

std::vector<Point> token_points(const Grid& g, const std::string& op, const std::string& width_name,
                                std::int64_t ModelShapes::*width) {
    std::vector<Point> out;
    Values tokens{1, 4, 16, 64, 256, 1024};
    if (!g.gpu) tokens = {1, 4, 16, 64};
    if (g.quick) tokens = {1, 16};
    for (const auto& model : g.shapes.models)
        for (const auto t : tokens) {
            Point p = base(g, op);
            p.params = {{"tokens", t}, {width_name, model.*width}};
            p.dtype = {{"a", element(g)}};
            p.cache = "cold";
            out.push_back(p);
        }
    return out;
}

std::vector<Point> topk_points(const Grid& g) {
    std::vector<Point> out;
    std::set<std::int64_t> vocabularies;
    for (const auto& model : g.shapes.models) vocabularies.insert(model.vocab);
    if (g.gpu && !g.quick) vocabularies.insert({151936, 248320});
    Values rows = g.gpu ? Values{1, 2, 4, 8, 16, 32, 64, 128, 256, 512} : Values{1, 4, 16};
    Values ks = g.gpu ? Values{1, 4, 8, 16, 32} : Values{1, 8, 32};
    if (g.quick) {
        rows = {1, 8};
        ks = {1, 8};
    }
    for (const auto vocab : vocabularies)
        for (const auto r : rows)
            for (const auto k : ks) {
                Point p = base(g, "lm_head_topk");
                p.variant = k == 1 ? "argmax" : "softmax_topk";
                p.params = {{"rows", r}, {"vocab", vocab}, {"k", k}};
                p.dtype = {{"a", element(g)}};
                p.cache = "cold";
                out.push_back(p);
            }
    return out;
}

std::vector<Point> tree_points(const Grid& g) {
    std::vector<Point> out;
    Values budgets{8, 16, 32, 64, 128, 256, 512, 1024};
    Values batches{1, 8, 64};
    Values ks{4, 8, 32};
    if (g.quick) {
        budgets = {16, 64};
        batches = {1};
        ks = {8};
    }
    for (const auto budget : budgets)
        for (const auto k : ks)
            for (const auto batch : batches) {
                Point p;
                p.op = "tree_build";
                p.impl = "cpu";
                p.params = {{"budget", budget}, {"depth", 15}, {"top_k", k}, {"batch", batch}};
                p.dtype = {{"a", "fp32"}};
                out.push_back(p);
            }
    return out;
}

std::vector<Point> gather_points(const Grid& g) {
    std::vector<Point> out;
    Values batches = g.gpu ? Values{1, 8, 64} : Values{1, 4};
    Values accepted{1, 4, 8, 16};
    if (g.quick) {
        batches = {1};
        accepted = {4};
    }
    for (const auto& model : g.shapes.models) {
        if (!model.attention) continue;
        for (const auto batch : batches)
            for (const auto a : accepted) {
                Point p = base(g, "gather_kv");
                p.params = {{"accepted", a},
                            {"batch", batch},
                            {"layers", model.layers},
                            {"hkv", model.attention->hkv},
                            {"head_dim", model.attention->head_dim}};
                p.dtype = {{"kv", element(g)}};
                p.cache = "cold";
                out.push_back(p);
            }
    }
    return out;
}

std::vector<Point> draft_points(const Grid& g) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    for (const auto& model : g.shapes.models) {
        if (!model.draft) continue;
        const DraftShape& d = *model.draft;
        for (const std::int64_t batch : g.quick ? Values{1} : Values{1, 4, 16, 64})
            for (const std::int64_t context : g.quick ? Values{512} : Values{512, 8192}) {
                Point p = base(g, "draft_block");
                p.impl = "composed";
                p.params = {{"block", d.block},   {"layers", d.layers},     {"hidden", d.hidden},
                            {"intermediate", d.intermediate}, {"hq", d.hq}, {"hkv", d.hkv},
                            {"head_dim", d.head_dim},         {"vocab", d.vocab}, {"batch", batch},
                            {"kv_len", context}};
                p.dtype = {{"a", "bf16"}, {"b", "bf16"}, {"kv", "bf16"}, {"acc", "fp32"}};
                p.cache = "cold";
                out.push_back(p);
            }
    }
    return out;
}

std::vector<Point> launch_points(const Grid& g) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    for (const char* variant : {"async", "sync", "async_pdl"}) {
        Point p = base(g, "launch");
        p.impl = "cuda";
        p.variant = variant;
        p.mode = "eager";
        p.params = {{"launches", 64}};
        out.push_back(p);
    }
    for (const std::int64_t nodes : g.quick ? Values{1, 64} : Values{1, 8, 64, 256, 1024, 4096})
        for (const char* variant : {"empty", "empty_pdl"}) {
            Point p = base(g, "graph_replay");
            p.impl = "cuda";
            p.variant = variant;
            p.params = {{"nodes", nodes}};
            out.push_back(p);
        }
    return out;
}

std::vector<Point> transfer_points(const Grid& g) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    Values bytes{4, 64, kKiB, 16 * kKiB, 256 * kKiB, 4 * kMiB, 64 * kMiB};
    if (g.quick) bytes = {4, 4 * kMiB};
    for (const char* direction : {"h2d", "d2h"})
        for (const auto b : bytes)
            for (const char* variant : {"pinned_sync", "pinned_event_spin", "pageable_sync", "mapped_flag"}) {
                if (std::string(variant) == "mapped_flag" && b > 16 * kKiB) continue;
                Point p = base(g, direction);
                p.impl = "cuda";
                p.variant = variant;
                p.mode = "eager";
                p.params = {{"bytes", b}};
                out.push_back(p);
            }
    return out;
}

std::vector<std::int64_t> rank_counts(const Grid& g) {
    Values ranks;
    for (const std::int64_t r : {2, 4, 8})
        if (r <= g.device_count) ranks.push_back(r);
    return ranks;
}

std::vector<Point> collective_points(const Grid& g, const std::string& op) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    for (const auto ranks : rank_counts(g)) {
        for (std::int64_t bytes = kKiB; bytes <= 256 * kMiB; bytes *= g.quick ? 64 : 2) {
            Point p = base(g, op);
            p.devices.clear();
            for (std::int64_t r = 0; r < ranks; ++r) p.devices.push_back(static_cast<int>(r));
            p.params = {{"bytes", bytes}, {"ranks", ranks}};
            p.dtype = {{"a", "bf16"}};
            p.impl = "nccl";
            for (const char* mode : {"graph", "eager"}) {
                p.mode = mode;
                out.push_back(p);
            }
            p.mode = "graph";
            if (op == "all_reduce" && bytes <= 8 * kMiB) {
                p.impl = "own_oneshot";
                for (const char* variant : {"push", "pull"}) {
                    p.variant = variant;
                    out.push_back(p);
                }
            }
        }
    }
    return out;
}

std::vector<Point> peer_points(const Grid& g) {
    std::vector<Point> out;
    if (!g.gpu) return out;
    for (int a = 0; a < g.device_count; ++a)
        for (int b = 0; b < g.device_count; ++b) {
            if (a == b) continue;
            Point p = base(g, "p2p");
            p.impl = "cuda";
            p.devices = {a, b};
            for (const char* variant : {"sm_write", "sm_read", "memcpy"})
                for (const std::int64_t bytes : g.quick ? Values{kMiB} : Values{64 * kKiB, kMiB, 64 * kMiB}) {
                    p.variant = variant;
                    p.params = {{"bytes", bytes}, {"from", a}, {"to", b}};
                    out.push_back(p);
                }
            if (a < b) {
                p.variant = "flag_ping_pong";
                p.params = {{"bytes", 4}, {"from", a}, {"to", b}};
                out.push_back(p);
            }
        }
    for (const auto ranks : rank_counts(g)) {
        Point p = base(g, "p2p");
        p.impl = "cuda";
        p.variant = "all_to_all";
        p.devices.clear();
        for (std::int64_t r = 0; r < ranks; ++r) p.devices.push_back(static_cast<int>(r));
        p.params = {{"bytes", 16 * kMiB}, {"ranks", ranks}};
        out.push_back(p);
    }
    return out;
}

Work bytes_only(double bytes) { return Work{bytes, 0.0}; }

Work gemm_work(const Point& p) {
    const double m = static_cast<double>(p.param("m"));
    const double n = static_cast<double>(p.param("n"));
    const double k = static_cast<double>(p.param("k"));
    return Work{m * k * element_bytes(p.dtype.at("a")) + n * k * element_bytes(p.dtype.at("b")) +
                    m * n * element_bytes(p.dtype.at("c")),
                2.0 * m * n * k};
}

Work attention_work(const Point& p) {
    const double m = static_cast<double>(p.param("m"));
    const double keys = static_cast<double>(p.param("kv_len")) + m;
    const double batch = static_cast<double>(p.param("batch"));
    const double d = static_cast<double>(p.param("head_dim"));
    const double hq = static_cast<double>(p.param("hq"));
    const double hkv = static_cast<double>(p.param("hkv"));
    const double element = element_bytes(p.dtype.at("kv"));
    return Work{batch * d * element * (2.0 * keys * hkv + 2.0 * m * hq), 4.0 * batch * hq * d * m * keys};
}

Work gdn_work(const Point& p) {
    const double m = static_cast<double>(p.param("m"));
    const double batch = static_cast<double>(p.param("batch"));
    const double hk = static_cast<double>(p.param("hk"));
    const double hv = static_cast<double>(p.param("hv"));
    const double dk = static_cast<double>(p.param("dk"));
    const double dv = static_cast<double>(p.param("dv"));
    const double state = batch * hv * dk * dv * 4.0;
    const double moves = p.variant == "state_per_token" ? 1.0 + m : 2.0;
    const double io = batch * m * element_bytes(p.dtype.at("a")) * (2.0 * hk * dk + 2.0 * hv * dv);
    return Work{state * moves + io, batch * hv * m * dk * dv * (p.variant == "replay" ? 5.0 : 7.0)};
}

Work conv_work(const Point& p) {
    const double m = static_cast<double>(p.param("m"));
    const double elements = static_cast<double>(p.param("batch") * p.param("channels"));
    const double width = static_cast<double>(p.param("width"));
    return Work{element_bytes(p.dtype.at("a")) * elements * (2.0 * m + 2.0 * (width - 1.0)), elements * m * 2.0 * width};
}

Work draft_work(const Point& p) {
    const double layers = static_cast<double>(p.param("layers"));
    const double h = static_cast<double>(p.param("hidden"));
    const double i = static_cast<double>(p.param("intermediate"));
    const double d = static_cast<double>(p.param("head_dim"));
    const double hq = static_cast<double>(p.param("hq"));
    const double hkv = static_cast<double>(p.param("hkv"));
    const double rows = static_cast<double>(p.param("batch") * p.param("block"));
    const double weights =
        layers * (h * d * (2.0 * hq + 2.0 * hkv) + 3.0 * h * i) + h * static_cast<double>(p.param("vocab"));
    const double kv = layers * 2.0 * hkv * d * static_cast<double>(p.param("batch") * p.param("kv_len"));
    return Work{2.0 * (weights + kv), 2.0 * rows * weights};
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t up = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = up;
        }
    }
    return row[b.size()];
}

}  // namespace

double element_bytes(const std::string& dtype) {
    if (dtype == "fp32") return 4.0;
    if (dtype == "bf16") return 2.0;
    if (dtype == "fp8") return 1.0;
    if (dtype == "mxfp8") return 1.0 + 1.0 / 32.0;
    if (dtype == "nvfp4") return 0.5 + 1.0 / 16.0;
    throw std::logic_error("unknown dtype " + dtype);
}

const std::vector<Operation>& operations() {
    const auto bytes_of = [](double factor) {
        return [factor](const Point& p) { return bytes_only(factor * static_cast<double>(p.param("bytes"))); };
    };
    const auto none = [](const Point&) { return Work{}; };
    static const std::vector<Operation> all{
        {"dram_read", "stream read of one array", [](const Grid& g) { return bandwidth_points(g, "dram_read"); },
         bytes_of(1.0)},
        {"dram_copy", "b = a", [](const Grid& g) { return bandwidth_points(g, "dram_copy"); }, bytes_of(2.0)},
        {"dram_triad", "c = a + s b", [](const Grid& g) { return bandwidth_points(g, "dram_triad"); }, bytes_of(3.0)},
        {"l2_read", "repeated read of a set that may fit the last-level cache", l2_points, bytes_of(1.0)},
        {"mma_peak", "tensor-core issue rate from registers", mma_points,
         [](const Point& p) {
             // every warp of the launch issues this many instructions; the backend scales flops by its launch
             const double k = p.dtype.at("a") == "bf16" ? 16.0 : p.dtype.at("a") == "fp8" ? 32.0 : 64.0;
             return Work{0.0, static_cast<double>(p.param("instructions")) * 2.0 * 16.0 * 8.0 * k};
         }},
        {"gemm", "rows x k times k x n, weights n x k", gemm_points, gemm_work},
        {"attn_verify", "attention of m query tokens over prefix and token tree", attention_points, attention_work},
        {"gdn_verify", "gated delta-net over m tokens", gdn_points, gdn_work},
        {"conv1d_update", "causal convolution of a gated delta-net", conv_points, conv_work},
        {"rmsnorm", "RMS norm",
         [](const Grid& g) { return token_points(g, "rmsnorm", "hidden", &ModelShapes::hidden); },
         [](const Point& p) {
             return bytes_only(2.0 * element_bytes(p.dtype.at("a")) *
                               static_cast<double>(p.param("tokens") * p.param("hidden")));
         }},
        {"silu_mul", "gated SiLU",
         [](const Grid& g) { return token_points(g, "silu_mul", "intermediate", &ModelShapes::intermediate); },
         [](const Point& p) {
             return bytes_only(3.0 * element_bytes(p.dtype.at("a")) *
                               static_cast<double>(p.param("tokens") * p.param("intermediate")));
         }},
        {"lm_head_topk", "softmax statistics and top-k or argmax over the vocabulary", topk_points,
         [](const Point& p) {
             return bytes_only(element_bytes(p.dtype.at("a")) * static_cast<double>(p.param("rows") * p.param("vocab")));
         }},
        {"tree_build", "best-first draft tree on the host", tree_points, none},
        {"gather_kv", "compaction of the accepted path", gather_points,
         [](const Point& p) {
             return bytes_only(4.0 * element_bytes(p.dtype.at("kv")) *
                               static_cast<double>(p.param("accepted") * p.param("batch") * p.param("layers") *
                                                   p.param("hkv") * p.param("head_dim")));
         }},
        {"draft_block", "one pass of a block drafter with lm_head and top-k", draft_points, draft_work},
        {"launch", "cost of a kernel launch", launch_points, none},
        {"graph_replay", "cost of replaying a graph of empty nodes", launch_points, none},
        {"h2d", "host to device", transfer_points, bytes_of(1.0)},
        {"d2h", "device to host", transfer_points, bytes_of(1.0)},
        {"all_reduce", "sum over ranks", [](const Grid& g) { return collective_points(g, "all_reduce"); },
         bytes_of(1.0)},
        {"all_gather", "concatenation over ranks", [](const Grid& g) { return collective_points(g, "all_gather"); },
         bytes_of(1.0)},
        {"p2p", "transfers between two cards", peer_points, bytes_of(1.0)},
    };
    return all;
}

const Operation& operation(const std::string& id) {
    const Operation* nearest = nullptr;
    std::size_t distance = 0;
    for (const auto& o : operations()) {
        if (o.id == id) return o;
        const std::size_t d = edit_distance(id, o.id);
        if (nearest == nullptr || d < distance) {
            nearest = &o;
            distance = d;
        }
    }
    throw std::invalid_argument("unknown operation '" + id + "'; the nearest is '" + nearest->id + "'");
}

std::vector<Point> grid_points(const Grid& grid, const std::vector<std::string>& ids) {
    for (const auto& id : ids) operation(id);
    std::vector<Point> out;
    std::set<std::string> seen;
    for (const auto& o : operations()) {
        if (!ids.empty() && std::find(ids.begin(), ids.end(), o.id) == ids.end()) continue;
        for (auto& p : o.points(grid))
            if (p.op == o.id && seen.insert(p.id()).second) out.push_back(std::move(p));
    }
    return out;
}

namespace {

std::int64_t positive(const Json& o, const std::string& key, const std::string& where) {
    const std::int64_t v = o.at(key).as_integer(where + "." + key);
    if (v < 1) throw JsonError(where + "." + key + ": must be at least 1, is " + std::to_string(v));
    return v;
}

ModelShapes model_shapes(const Json& o, const std::string& where) {
    ModelShapes m;
    m.tp = positive(o, "tp", where);
    m.hidden = positive(o, "hidden", where);
    m.intermediate = positive(o, "intermediate", where);
    m.vocab = positive(o, "vocab", where);
    m.layers = positive(o, "layers", where);
    int i = 0;
    for (const auto& g : o.at("gemm").items()) {
        const std::string at = where + ".gemm[" + std::to_string(i++) + "]";
        m.gemms.push_back({g.at("role").as_string(at + ".role"), positive(g, "n", at), positive(g, "k", at)});
    }
    if (const Json* a = o.find("attention")) {
        const std::string at = where + ".attention";
        m.attention = AttentionShape{positive(*a, "hq", at), positive(*a, "hkv", at), positive(*a, "head_dim", at)};
        if (m.attention->hq % m.attention->hkv != 0)
            throw JsonError(at + ": hq " + std::to_string(m.attention->hq) + " is no multiple of hkv " +
                            std::to_string(m.attention->hkv));
    }
    if (const Json* d = o.find("gdn")) {
        const std::string at = where + ".gdn";
        m.gdn = GdnShape{positive(*d, "hk", at), positive(*d, "hv", at), positive(*d, "dk", at), positive(*d, "dv", at),
                         positive(*d, "conv_channels", at), positive(*d, "conv_width", at)};
        if (m.gdn->hv % m.gdn->hk != 0) throw JsonError(at + ": hv is no multiple of hk");
    }
    if (const Json* d = o.find("draft")) {
        const std::string at = where + ".draft";
        m.draft = DraftShape{positive(*d, "layers", at),       positive(*d, "block", at), positive(*d, "hidden", at),
                             positive(*d, "intermediate", at), positive(*d, "hq", at),    positive(*d, "hkv", at),
                             positive(*d, "head_dim", at),     positive(*d, "vocab", at)};
    }
    return m;
}

}  // namespace

Shapes read_shapes(const std::string& path) {
    try {
        const Json root = Json::parse(read_file(path));
        const std::string schema = root.at("schema").as_string("schema");
        if (schema != "foretoken/shapes/1")
            throw JsonError("schema: expected foretoken/shapes/1, found " + schema);
        Shapes shapes;
        shapes.model = root.at("model").as_string("model");
        int i = 0;
        for (const auto& s : root.at("shapes").items())
            shapes.models.push_back(model_shapes(s, "shapes[" + std::to_string(i++) + "]"));
        if (shapes.models.empty()) throw JsonError("shapes: the list is empty");
        return shapes;
    } catch (const JsonError& e) {
        throw JsonError(path + ": " + e.what());
    }
}

Shapes builtin_shapes() {
    ModelShapes m;
    m.hidden = 576;
    m.intermediate = 1536;
    m.vocab = 49152;
    m.layers = 30;
    m.gemms = {{"qkv", 960, 576}, {"o", 576, 576}, {"gate_up", 3072, 576}, {"down", 576, 1536}, {"lm_head", 49152, 576}};
    m.attention = AttentionShape{9, 3, 64};
    m.gdn = GdnShape{2, 4, 128, 128, 1024, 4};
    return Shapes{"smollm2-135m", {m}};
}

}  // namespace foretoken
