#include "runtime/pwl/outline.h"

#include "runtime/wide/wide.h"

namespace luztar {

Outline outline(std::span<const double> c, double h) {
  if (c.empty() || c.size() > kMostTerms || !(c[0] > 0)) return {};
  return kWide.outline(c.data(), c.size(), h);
}

}  // namespace luztar
