#include "compiler/mechanics/constraint_errors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

bool is_motion(Symbol s) {
  return s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kVelocity ||
         s.kind == SymbolKind::kAcceleration;
}

}  // namespace

ConstraintErrors::ConstraintErrors(ExprPool& pool, const FlatModel& flat,
                                   const VariableClasses& classes, const Definitions& definitions,
                                   PartErrors& errors)
    : pool_(pool),
      flat_(flat),
      classes_(classes),
      definitions_(definitions),
      constraints_(definitions.constraints),
      errors_(errors),
      has_flange_(flat.parts.size(), 0) {
  for (const FlatConnector& connector : flat.connectors) {
    if (!connector.flows.empty()) has_flange_[connector.part.value] = 1;
  }
}

// A signal that a motion follows is the law of the part that moves, not of the block it comes from.
PartId ConstraintErrors::part_of(const WorkEquation& equation) const {
  if (has_flange_[equation.part.value] || equation.part == PartId{0}) return equation.part;
  for (const Symbol s : symbols_of(pool_, equation.residual)) {
    if (!is_motion(s)) continue;
    for (VariableId v{s.index}; v.valid(); v = classes_.derivative[v.value]) {
      for (const VariableId member : classes_.members[v.value]) {
        const FlatVariable& variable = flat_.variables[member];
        if (variable.input && has_flange_[variable.part.value]) return variable.part;
      }
    }
  }
  return equation.part;
}

Diagnostic& ConstraintErrors::error(Code code, std::size_t i, std::string message) {
  const WorkEquation& constraint = constraints_[i];
  const PartId part = part_of(constraint);
  if (part == constraint.part) return errors_.error(code, constraint.place(), std::move(message));
  return errors_.error(code, part, constraint.span, std::move(message));
}

std::vector<NumberRow> constraint_rows(ExprPool& pool, const FlatModel& flat,
                                       const VariableClasses& classes,
                                       const std::vector<WorkEquation>& constraints) {
  std::vector<NumberRow> rows;
  for (const WorkEquation& equation : constraints) {
    NumberRow& row = rows.emplace_back();
    AffineForm form;
    const auto moves = [&](Symbol s) {
      return is_motion(s) && classes.position[s.index] && !classes.flow[s.index];
    };
    if (!affine_form(pool, equation.residual, moves, form)) continue;
    std::map<std::uint32_t, double> sum;
    for (const auto& [s, c] : form.coefficients) {
      if (is_parametric(pool, c)) sum[s.index] += nominal_value(pool, flat, c);
    }
    for (const auto& [p, c] : sum) {
      if (c != 0 && std::isfinite(c)) row.emplace_back(p, c);
    }
  }
  return rows;
}

std::vector<std::size_t> rows_that_lock(const std::vector<NumberRow>& rows, std::size_t target) {
  for (const auto& [fixed, factor] : rows[target]) {
    std::vector<NumberRow> others = rows;
    for (NumberRow& row : others) {
      std::erase_if(row, [&, column = fixed](const auto& entry) { return entry.first == column; });
    }
    std::vector<std::size_t> loop = dependent_rows(others, target);
    std::erase_if(loop, [&](std::size_t i) { return others[i].empty(); });
    if (loop.size() > 1) return loop;
  }
  return {};
}

// Constraints that constraint i does not go together with.
std::vector<EquationPlace> ConstraintErrors::guilty(std::size_t i, bool locked) {
  if (rows_.empty()) rows_ = constraint_rows(pool_, flat_, classes_, constraints_);
  // Later ones have not been looked at.
  const std::vector<NumberRow> rows(rows_.begin(),
                                    rows_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  std::vector<EquationPlace> result;
  for (const std::size_t other : locked ? rows_that_lock(rows, i) : dependent_rows(rows, i)) {
    if (other != i && !rows[other].empty()) result.push_back(constraints_[other].place());
    errors_.involve(constraints_[other].place());
  }
  return result;
}

void ConstraintErrors::contradiction(std::size_t i) {
  const bool moves = depends_on(pool_, constraints_[i].residual,
                                [](Symbol s) { return s.kind == SymbolKind::kTime; });
  const std::string part = part_name(flat_, part_of(constraints_[i]));
  Diagnostic& e =
      error(Code::kContradictoryConstraints, i,
            moves ? part + " prescribes a motion for what rigid connections hold fixed"
                  : "rigid connections fix the same position twice, with different values");
  e.with_label("this contradicts what holds it");
  if (moves) e.with_note("it prescribes " + equation_text(pool_, flat_, constraints_[i].place()));
  note_equations(e, pool_, flat_, guilty(i, false), "it is held by ");
  e.with_note("take one of them away, or put a spring in between");
}

void ConstraintErrors::prescribed_twice(std::size_t i, const std::vector<EquationPlace>& others) {
  const std::string part = part_name(flat_, part_of(constraints_[i]));
  const bool fixed = !depends_on(pool_, constraints_[i].residual, [&](Symbol s) {
    return s.kind == SymbolKind::kTime ||
           (is_motion(s) && !(s.kind == SymbolKind::kVariable && classes_.position[s.index]));
  });
  Diagnostic& e =
      error(Code::kContradictoryConstraints, i,
            fixed ? part + " holds fixed what another part moves"
                  : "the motion of " + part + " is prescribed twice, in different ways");
  for (const EquationPlace& other : others) {
    const PartId mover = part_of({{}, other.part, other.span, other.equation});
    e.with_note("it is rigidly connected to what " + part_name(flat_, mover) + " moves",
                mover == part_of(constraints_[i]) ? other.span : flat_.parts[mover].span);
  }
  std::vector<EquationPlace> between = guilty(i, false);
  std::erase_if(between, [&](const EquationPlace& place) {
    return std::find(others.begin(), others.end(), place) != others.end();
  });
  note_equations(e, pool_, flat_, between, "the connection passes ", constraints_[i].place());
  e.with_note("prescribe one of the motions only, or put a spring in between");
}

void ConstraintErrors::locked(std::size_t i, VariableId v) {
  Diagnostic& e = error(Code::kContradictoryConstraints, i,
                        "the ratios around a loop of rigid connections contradict each other: '" +
                            flat_.variables[v].name + "' could not move");
  e.with_label("the loop closes here, in " + part_name(flat_, part_of(constraints_[i])));
  note_equations(e, pool_, flat_, guilty(i, true), "the loop passes ");
  e.with_note(
      "the product of the ratios around a loop must be 1; make one connection elastic otherwise");
}

std::vector<std::string> ConstraintErrors::motions_in(const WorkEquation& equation) const {
  std::set<std::string> names;
  for (const Symbol s : symbols_of(pool_, equation.residual)) {
    if (is_motion(s) && s.index < flat_.variables.size()) {
      names.insert(flat_.variables[VariableId{s.index}].name);
    }
  }
  return {names.begin(), names.end()};
}

void ConstraintErrors::nonlinear(std::size_t i) {
  error(Code::kNonlinearConstraint, i,
        "this equation of " + part_name(flat_, part_of(constraints_[i])) +
            " constrains the motion in a way that cannot be eliminated")
      .with_note("it holds " + quoted_list(motions_in(constraints_[i])))
      .with_note(
          "a constraint must be linear in positions with constant coefficients, or give one of "
          "them as a smooth function of the others, like phi_a = n(phi_b), which nothing else "
          "prescribes");
}

void ConstraintErrors::kinked(std::size_t i) {
  error(Code::kNonlinearConstraint, i,
        "the ratio of " + part_name(flat_, part_of(constraints_[i])) + " jumps")
      .with_note("velocities would jump with it, and that takes an impulse; it ties " +
                 quoted_list(motions_in(constraints_[i])))
      .with_note("let the position be a smooth function: spline(x, {..}, {..}) instead of table");
}

bool ConstraintErrors::follows_motion(std::size_t i) const {
  const WorkEquation& constraint = constraints_[i];
  if (!constraint.source.valid()) return false;
  const FlatEquation& equation = flat_.equations[constraint.source];
  const auto moves = [&](Symbol s) { return is_motion(s) && classes_.position[s.index]; };
  for (const Expr side : {equation.left, equation.right}) {
    for (const Symbol s : symbols_of(pool_, side)) {
      if (s.kind != SymbolKind::kVariable) continue;
      if (!is_received(flat_, constraint.part, VariableId{s.index})) continue;
      const Expr value = definitions_.value[classes_.representative[s.index].value];
      if (value.valid() && depends_on(pool_, value, moves)) return true;
    }
  }
  return false;
}

void ConstraintErrors::follows_itself(std::size_t i, VariableId v) {
  const EquationPlace place = constraints_[i].place();
  Diagnostic& e =
      error(Code::kPrescribedMotion, i,
            part_name(flat_, part_of(constraints_[i])) + " prescribes a motion by itself: '" +
                flat_.variables[v].name + "' could only be constant");
  note_equations(e, pool_, flat_, sources_of(pool_, flat_, classes_, definitions_, place),
                 "it follows ", place);
  e.with_note(
      "a prescribed motion follows from time and from signals with a state: put a block like "
      "FirstOrder in between, or let a torque or force depend on the motion");
}

void ConstraintErrors::mixed(std::size_t i) {
  error(Code::kPrescribedMotion, i,
        "this equation of " + part_name(flat_, part_of(constraints_[i])) +
            " prescribes a motion by other motion")
      .with_note("it ties the rates of positions to positions or to lower rates of " +
                 quoted_list(motions_in(constraints_[i])))
      .with_note(
          "a prescribed motion follows from time and from signals with a state: put a block "
          "like FirstOrder in between, or use a spring or a damper");
}

std::vector<EquationPlace> sources_of(const ExprPool& pool, const FlatModel& flat,
                                      const VariableClasses& classes,
                                      const Definitions& definitions, const EquationPlace& place) {
  std::vector<EquationPlace> result;
  if (!place.equation.valid()) return result;
  const FlatEquation& equation = flat.equations[place.equation];
  for (const Expr side : {equation.left, equation.right}) {
    for (const Symbol s : symbols_of(pool, side)) {
      if (s.kind != SymbolKind::kVariable) continue;
      const VariableId r = classes.representative[s.index];
      if (classes.derivative[r.value].valid()) continue;  // a relative position
      const std::size_t source = definitions.source[r.value];
      if (source != Definitions::kNoSource) result.push_back(classes.equations[source].place());
    }
  }
  return result;
}

void ConstraintErrors::superfluous(std::size_t i) {
  const WorkEquation& equation = constraints_[i];
  const std::string text = equation_text(pool_, flat_, equation.place());
  std::vector<std::string> states = motions_in(equation);
  if (!states.empty()) {
    Diagnostic& e = error(
        Code::kBoundMotion, i,
        text + " binds " + quoted_list(states) +
            (states.size() == 1 ? ", which its rate determines" : ", which their rates determine"));
    e.with_note(
        "a state goes on from its start value by its rate, so that no other equation can hold for "
        "it: what was to follow from this one has none (an index problem)");
    e.with_note(
        "differentiate the equation by hand until it holds the unknown that it is for; bodies that "
        "are tied to each other are parts with flanges");
    return;
  }
  Diagnostic& e = error(Code::kOverdetermined, i,
                        text + " is one equation too many: it determines nothing new");
  note_equations(e, pool_, flat_,
                 sources_of(pool_, flat_, classes_, definitions_, equation.place()),
                 "its variables are determined by ", equation.place());
  e.with_note(
      "all its variables are determined by other equations, with values that contradict it");
}

void ConstraintErrors::without_ratio(std::size_t i) {
  error(Code::kUnsupportedEquation, i, "the ratio in this constraint is zero or infinite")
      .with_note("a gear or rod needs a finite ratio different from zero");
}

void ConstraintErrors::ratio_out_of_bounds(std::size_t i, VariableId v, VariableId of, bool large) {
  const std::string driver =
      of.valid() ? "'" + flat_.variables[of].name + "'" : "a prescribed motion";
  error(Code::kUnsupportedEquation, i,
        "the ratio of '" + flat_.variables[v].name + "' to " + driver + " is " +
            (large ? "above 1e150" : "below 1e-150"))
      .with_note("the ratios of the gears between them multiply to it")
      .with_note("no calculation holds so many digits: is a ratio written the wrong way round?");
}

void ConstraintErrors::set_valued(std::size_t i) {
  error(Code::kSetValuedPlace, i, "dry friction cannot prescribe a motion");
}

}  // namespace luztar
