// Flow laws split into inertia, springs, dampers, dry frictions and loads.
#pragma once

#include "compiler/mechanics/force_system.h"
#include "compiler/mechanics/part_errors.h"

namespace luztar {

/// Motion of potentials in coordinates: replaces kVariable(p), kVelocity(p), kAcceleration(p) of a
/// potential p by S q + e and its derivatives.
class MotionMap {
 public:
  MotionMap(ExprPool& pool, const VariableClasses& classes, const PositionSolution& positions);

  [[nodiscard]] Expr operator()(Expr e) const;
  [[nodiscard]] bool is_position(Symbol s) const;
  [[nodiscard]] const LinearForm& form(std::uint32_t potential) const;
  /// Prescribed motions alone move it.
  [[nodiscard]] bool is_prescribed(std::uint32_t potential) const;

 private:
  ExprPool& pool_;
  const VariableClasses& classes_;
  const PositionSolution& positions_;
};

/// Fills terms, inertia and flow equations of `mechanism` from the laws, and rewrites `definitions`
/// and `deferred` so that friction forces and forces of infinite stiffness appear as kForce
/// symbols.
///   errors: LT3001 a rigid connection that a loop contradicts, LT3007 set-valued law in a wrong
///   place, LT3008 inertia not symmetric, LT3011 negative inertia
void split_laws(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                const Definitions& definitions, const PositionSolution& positions,
                const ForceSystem& forces, Mechanism& mechanism, PartErrors& errors);

}  // namespace luztar
