// Which part a friction or stop belongs to.
#pragma once

#include <unordered_map>
#include <vector>

#include "compiler/mechanics/force_system.h"
#include "compiler/mechanics/law_atoms.h"

namespace luztar {

[[nodiscard]] constexpr bool is_set_valued(AtomKind kind) {
  return kind == AtomKind::kFriction || kind == AtomKind::kStop;
}

/// A friction or stop whose force the laws of another part take up, too, as a load that is fed back
/// from a bearing's torque, is one: that of the part whose equations state it.
class LawOwners {
 public:
  LawOwners(ExprPool& pool, const FlatModel& flat, const MotionMap& motion,
            const std::vector<FlowLaw>& laws);

  /// Of an atom in a law of `part`.
  [[nodiscard]] PartId operator()(PartId part, const Atom& atom) const;

 private:
  std::vector<char> states_own_;             // by part: its equations hold such a law
  std::unordered_map<Expr, PartId> owners_;  // of laws, where others take any up
};

}  // namespace luztar
