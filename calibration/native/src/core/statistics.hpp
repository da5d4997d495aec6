// Robust summaries of timing samples.
#pragma once
#include <cstddef>
#include <vector>

namespace foretoken {

/**
 * Rank l (1-based) such that [x_(l), x_(n+1-l)] covers the median of any continuous distribution with probability
 * 1 - 2 P(Bin(n, 1/2) <= l - 1) >= 0.95, the largest such l; 0 where n < 6 allows none.
 */
std::size_t median_interval_rank(std::size_t n);

struct Summary {
    std::size_t n = 0;
    double median = 0.0;
    double mad = 0.0;  // median absolute deviation, not scaled
    double p05 = 0.0;
    double p95 = 0.0;
    double min = 0.0;
    double ci95_lo = 0.0;  // order-statistic interval of the median; the extremes where n < 6
    double ci95_hi = 0.0;

    /** Half width of the interval over the median. */
    double relative_half_width() const { return median > 0.0 ? 0.5 * (ci95_hi - ci95_lo) / median : 1.0; }
};

/** Linear interpolation between order statistics (type 7) of sorted values; q in [0, 1]. */
double quantile_sorted(const std::vector<double>& sorted, double q);

/** Summary of at least one sample. */
Summary summarise(std::vector<double> samples);

}  // namespace foretoken
