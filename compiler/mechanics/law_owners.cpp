#include "compiler/mechanics/law_owners.h"

#include <algorithm>

#include "compiler/symbolic/operations.h"

namespace luztar {

LawOwners::LawOwners(ExprPool& pool, const FlatModel& flat, const MotionMap& motion,
                     const std::vector<FlowLaw>& laws)
    : states_own_(flat.parts.size(), 0) {
  for (const FlatEquation& equation : flat.equations) {
    if (is_set_valued(pool, equation.left) || is_set_valued(pool, equation.right)) {
      states_own_[equation.part.value] = 1;
    }
  }
  const bool lent = std::any_of(laws.begin(), laws.end(), [&](const FlowLaw& law) {
    return states_own_[law.part.value] == 0 && is_set_valued(pool, law.known);
  });
  if (!lent) return;
  for (const FlowLaw& law : laws) {
    if (states_own_[law.part.value] == 0) continue;
    for (const Atom& atom : split_law(pool, motion, law.known).atoms) {
      if (is_set_valued(atom.kind)) owners_.emplace(atom.node, law.part);
    }
  }
}

PartId LawOwners::operator()(PartId part, const Atom& atom) const {
  if (states_own_[part.value] != 0 || !is_set_valued(atom.kind)) return part;
  const auto owner = owners_.find(atom.node);
  return owner == owners_.end() ? part : owner->second;
}

}  // namespace luztar
