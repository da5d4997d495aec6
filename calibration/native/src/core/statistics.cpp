#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace foretoken {

std::size_t median_interval_rank(std::size_t n) {
    // P(Bin(n, 1/2) <= j) summed from j = 0 in logarithms, so that large n does not underflow
    const double log_half_n = -static_cast<double>(n) * std::log(2.0);
    const double log_n_factorial = std::lgamma(static_cast<double>(n) + 1.0);
    double cumulative = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
        cumulative += std::exp(log_n_factorial - std::lgamma(static_cast<double>(j) + 1.0) -
                               std::lgamma(static_cast<double>(n - j) + 1.0) + log_half_n);
        if (cumulative > 0.025) return j;
    }
    return 0;
}

double quantile_sorted(const std::vector<double>& sorted, double q) {
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (position - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

Summary summarise(std::vector<double> samples) {
    if (samples.empty()) throw std::invalid_argument("a summary needs at least one sample");
    std::sort(samples.begin(), samples.end());
    Summary s;
    s.n = samples.size();
    s.median = quantile_sorted(samples, 0.5);
    s.p05 = quantile_sorted(samples, 0.05);
    s.p95 = quantile_sorted(samples, 0.95);
    s.min = samples.front();
    const std::size_t rank = std::max<std::size_t>(1, median_interval_rank(s.n));
    s.ci95_lo = samples[rank - 1];
    s.ci95_hi = samples[s.n - rank];
    std::vector<double> deviation(samples.size());
    std::transform(samples.begin(), samples.end(), deviation.begin(), [&](double x) { return std::abs(x - s.median); });
    std::sort(deviation.begin(), deviation.end());
    s.mad = quantile_sorted(deviation, 0.5);
    return s;
}

}  // namespace foretoken
