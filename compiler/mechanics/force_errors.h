// What the solution of force laws and signals cannot solve, in words.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "compiler/mechanics/constraints.h"
#include "compiler/mechanics/dependent_rows.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/signal_loops.h"

namespace luztar {

struct FlowLaw;

/// Errors about equation `i` of those that flows and other unknowns are solved from.
class ForceErrors {
 public:
  ForceErrors(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const Definitions& definitions, PartErrors& errors);

  /// The equations, before the first error about one of them.
  void set_equations(const std::vector<WorkEquation>* equations) { equations_ = equations; }

  /// A flow, or a variable that depends on forces.
  [[nodiscard]] bool is_unknown(Symbol s) const;

  void nonlinear(std::size_t i);
  /// LT3009 when the equation is in a circle of more signals than are solved: symbolic solutions
  /// of linear circles grow with the square of their length.
  [[nodiscard]] bool too_long(std::size_t i);
  static constexpr std::size_t kMostSignals = 1000;
  /// At the present parameters the equation does not determine any of its unknowns.
  void singular(std::size_t i, VariableId unknown);
  void superfluous(std::size_t i);
  /// The equation follows from others.
  void redundant(std::size_t i) { redundant_.push_back(i); }
  /// LT3005 for flows of parts with redundant equations that occur in none of `laws`, and for
  /// signals that redundant equations were to determine.
  void undetermined(const std::vector<FlowLaw>& laws);
  /// A flow that no law gives does work: `law` is one that it stands in, if any.
  void works(VariableId flow, const EquationPlace* law,
             const std::vector<std::pair<VariableId, Expr>>& acting);
  void next_pass() { errors_.next_pass(); }

 private:
  using Flows = std::vector<std::pair<VariableId, Expr>>;
  [[nodiscard]] bool is_flow(std::uint32_t i) const { return classes_.flow[i] != 0; }
  [[nodiscard]] std::string name(VariableId v) const;
  [[nodiscard]] EquationPlace place(std::size_t i) const { return (*equations_)[i].place(); }
  Diagnostic& error(Code code, std::size_t i, std::string message);
  const SignalLoops& loops();
  void report_circle(std::size_t i, const std::string& message);
  [[nodiscard]] std::vector<std::size_t> dependent_on(std::size_t i, bool nominal);
  [[nodiscard]] std::vector<EquationPlace> places(const std::vector<std::size_t>& equations) const;
  [[nodiscard]] std::vector<EquationPlace> guilty(std::size_t i, bool nominal) {
    return places(dependent_on(i, nominal));
  }
  [[nodiscard]] std::vector<std::string> signals_of(const std::vector<std::size_t>& equations);
  void says_nothing_new(std::size_t i);
  [[nodiscard]] bool conserves_power(PartId part, const Flows& acting);
  [[nodiscard]] bool prescribes_motion(std::size_t i) const;
  void report_ties();
  [[nodiscard]] std::vector<EquationPlace> ties_of(PartId part) const;  // its own constraints
  [[nodiscard]] bool acts_twice(VariableId flow) const;
  [[nodiscard]] std::vector<EquationPlace> equations_with(PartId part, VariableId flow) const;
  [[nodiscard]] bool ties_positions(PartId part) const;
  [[nodiscard]] bool follows(PartId part, VariableId potential) const;
  [[nodiscard]] bool is_foreign(const WorkEquation& constraint) const;

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const Definitions& definitions_;
  PartErrors& errors_;
  IdentityTest identity_;
  const std::vector<WorkEquation>* equations_ = nullptr;
  std::unique_ptr<SignalLoops> loops_;  // made when first asked for
  std::set<std::size_t> said_;          // circles
  std::vector<std::size_t> redundant_;
  std::set<PartId> undetermined_;
  bool looked_for_ties_ = false;
};

}  // namespace luztar
