// What the elimination of constraints cannot solve, in words.
#pragma once

#include <vector>

#include "compiler/mechanics/definitions.h"
#include "compiler/mechanics/dependent_rows.h"
#include "compiler/mechanics/equation_names.h"
#include "compiler/mechanics/part_errors.h"

namespace luztar {

/// Constraints as rows over potentials, at the present parameters.
[[nodiscard]] std::vector<NumberRow> constraint_rows(ExprPool& pool, const FlatModel& flat,
                                                     const VariableClasses& classes,
                                                     const std::vector<WorkEquation>& constraints);

/// The smallest set of rows, `target` among them, that leave what the target holds no motion.
[[nodiscard]] std::vector<std::size_t> rows_that_lock(const std::vector<NumberRow>& rows,
                                                      std::size_t target);

/// The equations that gave the variables of an equation their values, relative positions apart.
[[nodiscard]] std::vector<EquationPlace> sources_of(const ExprPool& pool, const FlatModel& flat,
                                                    const VariableClasses& classes,
                                                    const Definitions& definitions,
                                                    const EquationPlace& place);

/// Each member reports constraint `i` of Definitions::constraints, with the smallest set of others
/// that it does not go together with.
class ConstraintErrors {
 public:
  ConstraintErrors(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                   const Definitions& definitions, PartErrors& errors);

  /// The same position is fixed twice, or is to move although it is fixed.
  void contradiction(std::size_t i);
  /// `others` prescribe the motion already.
  void prescribed_twice(std::size_t i, const std::vector<EquationPlace>& others);
  /// The ratios around a loop leave v no motion.
  void locked(std::size_t i, VariableId v);
  void nonlinear(std::size_t i);
  /// A linkage whose ratio jumps.
  void kinked(std::size_t i);
  void mixed(std::size_t i);
  /// True when the constraint gives a position the value of a signal that follows from motion.
  [[nodiscard]] bool follows_motion(std::size_t i) const;
  /// A position follows itself.
  void follows_itself(std::size_t i, VariableId v);
  /// It holds no position: the values of its variables contradict it, or it binds states.
  void superfluous(std::size_t i);
  void without_ratio(std::size_t i);
  /// The motion of v per motion of `of` (invalid: of a prescribed motion), behind constraint i, is
  /// more or less than can be calculated with.
  void ratio_out_of_bounds(std::size_t i, VariableId v, VariableId of, bool large);
  void set_valued(std::size_t i);

 private:
  [[nodiscard]] std::vector<EquationPlace> guilty(std::size_t i, bool locked);
  [[nodiscard]] PartId part_of(const WorkEquation& equation) const;
  Diagnostic& error(Code code, std::size_t i, std::string message);
  [[nodiscard]] std::vector<std::string> motions_in(const WorkEquation& equation) const;

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const Definitions& definitions_;
  const std::vector<WorkEquation>& constraints_;
  PartErrors& errors_;
  std::vector<char> has_flange_;  // by part
  std::vector<NumberRow> rows_;   // of the constraints over potentials, made when first asked for
};

}  // namespace luztar
