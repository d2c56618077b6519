// Laws of springs that soften, as springs that act in turn.
#include <algorithm>
#include <cmath>

#include "runtime/events/settling.h"
#include "runtime/numbers.h"

namespace luztar {

double SettleNumbers::greatest_force(Eigen::Index i) const {
  if (stiffness[i] == 0) return 0;
  const auto end = limits.find(i);
  if (end == limits.end()) return kInfinity;
  return stiffness[i] * (end->second.deflection - std::max(half_freeplay[i], 0.0));
}

void join_in_turn(SettleNumbers& numbers, const SpringLaw& law) {
  constexpr double kRounding = 1e-12;  // of the terms of a slope
  struct Piece {
    Eigen::Index spring;
    double ratio, stiffness, edge;  // the latter two in x
    bool reversed;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < law.springs.size(); ++i) {
    const Eigen::Index spring = law.springs[i];
    const double r = std::fabs(law.ratios[i]);
    pieces.push_back({spring, r, numbers.stiffness[spring] * r * r,
                      std::max(numbers.half_freeplay[spring], 0.0) / r, law.ratios[i] < 0});
  }
  const auto is_linear = [&](const Piece& p) { return numbers.half_freeplay[p.spring] < 0; };
  std::stable_sort(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
    return is_linear(a) != is_linear(b) ? is_linear(a) : a.edge < b.edge;
  });
  double slope = 0, size = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    slope += piece.stiffness;
    size += std::fabs(piece.stiffness);
    numbers.stiffness[piece.spring] = 0;
    const bool last = i + 1 == pieces.size();
    // Of those that begin together the last one acts.
    const bool taken_over =
        !last && is_linear(piece) == is_linear(pieces[i + 1]) && piece.edge == pieces[i + 1].edge;
    if (taken_over || slope <= kRounding * size) continue;
    numbers.stiffness[piece.spring] = slope / (piece.ratio * piece.ratio);
    if (last) continue;
    std::size_t next = i + 1;
    while (next + 1 < pieces.size() && pieces[next + 1].edge == pieces[next].edge) ++next;
    numbers.limits[piece.spring] = {pieces[next].spring, pieces[next].edge * piece.ratio,
                                    pieces[next].reversed == piece.reversed ? 1 : -1};
  }
}

}  // namespace luztar
