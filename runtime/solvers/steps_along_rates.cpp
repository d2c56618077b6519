#include "runtime/solvers/steps_along_rates.h"

#include <algorithm>
#include <cmath>

namespace luztar {

double StepsAlongRates::next(Expansion& expansion, double shortest, double rest) {
  if (++count_ > kMost || !expansion.keep_rates()) return NAN;
  const bool grows = count_ > 1 && expansion.keeps_rates(rates_, 2 * length_);
  length_ = grows ? 2 * length_ : shortest;
  rates_.assign(expansion.rates().begin(), expansion.rates().end());
  return std::min(length_, rest);
}

}  // namespace luztar
