#include "runtime/jets/coefficients.h"

#include <algorithm>

namespace luztar {

Coefficients::Coefficients(const System& system, std::int64_t highest)
    : system_(&system),
      highest_(highest),
      rows_(system.row_count),
      J_((static_cast<std::size_t>(highest) + 2) * system.row_count) {}

void Coefficients::begin(double t, std::span<const double> x, const double* c) {
  t_ = t;
  c_ = c;
  known_ = -1;
  std::copy(x.begin(), x.end(), J_.begin());
  extend(std::min<std::int64_t>(1, highest_));
}

void Coefficients::extend(std::int64_t order) {
  if (order <= known_) return;
  system_->jets(t_, c_, known_ + 1, order, J_.data());
  known_ = order;
}

// Who asks for one order more asks for the next one soon: twice as many each time.
void Coefficients::extend_to_see(std::int64_t order) {
  extend(std::min(highest_, std::max(order, 2 * known_ + 1)));
}

}  // namespace luztar
