#include "runtime/jets/coefficients.h"

#include <algorithm>

namespace luztar {

Coefficients::Coefficients(const System& system, std::int64_t highest)
    : system_(&system),
      highest_(highest),
      rows_(system.row_count),
      J_((static_cast<std::size_t>(highest) + 2) * system.row_count) {}

void Coefficients::begin(double t, std::span<const double> x, const double* c,
                         std::span<const KnownZeros> zeros) {
  t_ = t;
  c_ = c;
  zeros_ = zeros;
  greatest_zeros_ = 0;
  for (const KnownZeros& known : zeros) {
    greatest_zeros_ = std::max<std::int64_t>(greatest_zeros_, known.count);
  }
  known_ = -1;
  std::copy(x.begin(), x.end(), J_.begin());
  clear_zeros(0);
  extend(std::min<std::int64_t>(1, highest_));
}

void Coefficients::extend(std::int64_t order) {
  // One by one as long as zeros of one order are in what the next is computed from.
  while (known_ < order && known_ + 2 < greatest_zeros_) {
    ++known_;
    system_->jets(t_, c_, known_, known_, J_.data());
    clear_zeros(known_ + 1);
  }
  if (order <= known_) return;
  system_->jets(t_, c_, known_ + 1, order, J_.data());
  known_ = order;
}

void Coefficients::clear_zeros(std::int64_t k) {
  for (const KnownZeros& known : zeros_) {
    if (k < known.count) order(k)[known.state] = 0;
  }
}

// Who asks for one order more asks for the next one soon: twice as many each time.
void Coefficients::extend_to_see(std::int64_t order) {
  extend(std::min(highest_, std::max(order, 2 * known_ + 1)));
}

}  // namespace luztar
