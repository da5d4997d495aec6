// Reproducible operands: SplitMix64 (Steele, Lea and Flood 2014), never zeros, since power and clocks depend on the data.
#pragma once
#include <cmath>
#include <cstdint>

namespace foretoken {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31);
    }

    /** Uniform in [0, 1). */
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    /** Uniform in [-1, 1). */
    float symmetric() { return static_cast<float>(2.0 * uniform() - 1.0); }
    /** Uniform in 0 .. bound - 1. */
    std::uint64_t below(std::uint64_t bound) { return next() % bound; }

private:
    std::uint64_t state_;
};

}  // namespace foretoken
