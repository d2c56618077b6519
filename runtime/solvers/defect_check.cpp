#include "runtime/solvers/defect_check.h"

#include <algorithm>
#include <cmath>

#include "runtime/jets/row_sums.h"
#include "runtime/numbers.h"

namespace luztar {
namespace {

/// The last terms of a step, below the tolerance, make a defect that is greater by their order.
constexpr double kLoose = 100;
/// Scale of what has been smaller so far [SI]: in the first moments of a force that begins like
/// (1 - cos t)^9 its rounding is great against all that has moved.
constexpr double kLeastScale = 1e-12;

/// Within (0, 1], spread evenly, the first one at 1, and no simple fractions: a periodic force must
/// not be zero at all of them.
double instant(std::size_t i) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double x = static_cast<double>(i) * kGoldenRatio;
  return i == 0 ? 1 : x - std::floor(x);
}

double rate_of(const Coefficients& J, std::int64_t order, std::size_t row, double elapsed) {
  double result = 0;
  for (std::int64_t k = order; k >= 1; --k) {
    result = result * elapsed + static_cast<double>(k) * J.order(k)[row];
  }
  return result;
}

}  // namespace

DefectCheck::DefectCheck(const System& system)
    : system_(system), there_(system, 2), states_(system.state_count) {}

// Shorter steps help against all but rounding, as that of the sine in sin(time + 1e8): it leaves
// the defect of rates as it was.
double DefectCheck::step(const Polynomials& p, double tolerance, double h, double longest) {
  constexpr double kShortest = 1024 * kEpsilon, kGrowth = 1.5;
  constexpr double kMostRounding = 1e-8, kShare = 1.0 / 8, kSame = 0.1;
  const double shortest = std::max(kShortest, tolerance) * std::max(std::fabs(p.J.time()), longest);
  const std::size_t instants = h < std::min(longest, kGrowth * last_) ? 2 : 16;
  last_ = h;
  double whole = 0, rate = 0;  // excess in h; the last one by the length of its step
  while (last_ > shortest) {
    const double found = excess(p, tolerance, last_, instants);
    if (found == 0) break;
    if (last_ == h) whole = found;
    rate = found / last_;
    last_ /= 2;
  }
  const bool rounds = last_ <= kShare * h && whole < kMostRounding && rate > kSame * whole / h;
  return last_ = rounds ? h : last_;
}

double DefectCheck::excess(const Polynomials& p, double tolerance, double h, std::size_t instants) {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  reach_.clear();
  greatest_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    reach_.push_back(p.J.reach(i, p.order, h));
    greatest_ = std::max({greatest_, p.peaks[i], reach_[i]});
  }
  for (const Margin& m : p.margins) reach_.push_back(p.J.reach(m.row, p.order, h));
  for (std::size_t i = 0; i < instants; ++i) {
    const double found = excess_at(p, tolerance, h, h * instant(i));
    if (found > 0) return found;
  }
  return 0;
}

// Where the system has no values, its series have none beyond: what is to be told ends before.
double DefectCheck::excess_at(const Polynomials& p, double tolerance, double h, double elapsed) {
  const std::size_t n = system_.state_count - system_.slip_state_count;
  evaluate_rows(p.J.order(0), p.J.rows(), p.order, 0, elapsed, states_);
  there_.begin(p.J.time() + elapsed, states_, p.J.constants(), {}, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const double defect = h * std::fabs(there_.order(1)[i] - rate_of(p.J, p.order, i, elapsed));
    const double size = std::max({p.peaks[i], reach_[i], kLeastScale});
    const double most = std::max(kLoose * tolerance * size, kDust * greatest_);
    if (defect > most && defect > most + h * rounding(1, i)) return defect / size;
  }
  for (std::size_t m = 0; m < p.margins.size(); ++m) {
    const std::size_t row = p.margins[m].row;
    double value = 0;
    evaluate_rows(p.J.order(0), p.J.rows(), p.order, row, elapsed, {&value, 1});
    const double defect = std::fabs(there_[row] - value);
    const double scale = scale_of(p.margins[m], p.peaks[row]);
    const double size = std::max({scale, reach_[n + m], kLeastScale});
    const double most = kLoose * tolerance * size;
    if (defect > most && defect > most + rounding(0, row)) return defect / size;
  }
  return 0;
}

// Of the terms that a coefficient at the instant is the sum of, and of the instant.
double DefectCheck::rounding(std::int64_t k, std::size_t row) {
  constexpr double kTerms = 64;
  return kTerms * kEpsilon * there_.size(k, row) + there_.rounding_of_instant(k, row);
}

}  // namespace luztar
