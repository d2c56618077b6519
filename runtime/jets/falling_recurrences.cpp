// Recurrences of balances of forces that fall exponentially.
#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/jets/recurrences.h"
#include "runtime/jets/series.h"
#include "runtime/pwl/falling_balance.h"

namespace luztar {
namespace {

using jets::as_real;
using jets::convolve;
using jets::convolve_rate;
using jets::Row;
using jets::Rows;
using Index = std::int64_t;

/// A force of a falling balance, E = exp(-z), z = exponent + rate x: E' = -z' E.
struct Decay {
  Row weight, exponent, rate;  // the latter does not vary in a mode
  Row left, z;                 // E, where its weight counts
};

class Decays {
 public:
  Decays(const Rows& r, const Index* operands, Index count, Index companions) {
    for (Index i = 0; i + 2 < count; i += 3, companions += 2) {
      decays_.push_back({r[operands[i]], r[operands[i + 1]], r[operands[i + 2]], r[companions],
                         r[companions + 1]});
    }
  }

  [[nodiscard]] std::vector<DecayingForce> at_order_0() const {
    std::vector<DecayingForce> forces;
    for (const Decay& d : decays_) forces.push_back({d.weight[0], d.exponent[0], d.rate[0]});
    return forces;
  }
  /// Coefficient k of the sum of weight E, for each by its rate to a power, but for what x_k adds.
  [[nodiscard]] double known(Index k, int power) const {
    double sum = 0;
    for (const Decay& d : decays_) {
      const double own = convolve(d.weight, d.left, k, 1, k) + d.weight[0] * known_left(d, k);
      sum += power == 0 ? own : d.rate[0] * own;
    }
    return sum;
  }
  /// What x_k takes from the sum of rate weight E.
  [[nodiscard]] double curvature() const {
    double sum = 0;
    for (const Decay& d : decays_) sum += d.rate[0] * d.rate[0] * d.weight[0] * d.left[0];
    return sum;
  }
  void set(Index k, double x) {
    constexpr double kMost = 300;  // of a slip that is far on its other side
    for (const Decay& d : decays_) {
      d.z[k] = d.exponent[k] + d.rate[0] * x;
      d.left[k] = k == 0 ? std::exp(std::min(-d.z[0], kMost))
                         : known_left(d, k) - d.left[0] * d.rate[0] * x;
    }
  }

 private:
  static double known_left(const Decay& d, Index k) {
    return -convolve_rate(d.z, d.left, k, 1, k - 1) / as_real(k) - d.left[0] * d.exponent[k];
  }

  std::vector<Decay> decays_;
};

}  // namespace

void jet_falling_balance(double* J, Index rows, Index k, Index result, const Index* operands,
                         Index count) {
  const Rows r{J, rows};
  const Row x = r[result], y = r[operands[0]], slope = r[result + 1];
  Decays decays(r, operands + 1, count - 1, result + 2);
  if (k == 0) {
    const FallingBalance balance = falling_balance(y[0], decays.at_order_0());
    x[0] = balance.x;
    slope[0] = balance.slope;
  } else {
    x[k] = slope[0] > 0 ? (y[k] - decays.known(k, 0)) / slope[0] : 0.0;
    slope[k] = 0;
  }
  decays.set(k, x[k]);
}

void jet_falling_end(double* J, Index rows, Index k, Index result, const Index* operands,
                     Index count) {
  const Rows r{J, rows};
  const Row x = r[result], is_fold = r[result + 1];
  Decays decays(r, operands, count, result + 2);
  if (k == 0) {
    const std::vector<DecayingForce> forces = decays.at_order_0();
    const FallingEnd end = falling_end(forces.front(), forces);
    x[0] = end.x;
    is_fold[0] = end.is_fold ? 1 : 0;
  } else {
    const double curvature = decays.curvature(), rate = r[operands[2]][0];
    if (is_fold[0] != 0) {  // there the sum of rate weight E is 1
      x[k] = curvature != 0 ? decays.known(k, 1) / curvature : 0.0;
    } else {
      x[k] = rate != 0 ? -r[operands[1]][k] / rate : 0.0;
    }
    is_fold[k] = 0;
  }
  decays.set(k, x[k]);
}

}  // namespace luztar
