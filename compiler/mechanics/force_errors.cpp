#include "compiler/mechanics/force_errors.h"

#include <algorithm>
#include <cmath>

#include "compiler/mechanics/constraint_errors.h"
#include "compiler/mechanics/force_system.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

constexpr const char* kTieAdvice =
    "a prescribed motion follows from time and from signals with a state (put a FirstOrder block "
    "in between); a part that moves with another one is connected to it, if need be by a gear";

}  // namespace

ForceErrors::ForceErrors(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                         const Definitions& definitions, PartErrors& errors)
    : pool_(pool),
      flat_(flat),
      classes_(classes),
      definitions_(definitions),
      errors_(errors),
      identity_(pool, flat) {}

bool ForceErrors::is_unknown(Symbol s) const {
  return s.kind == SymbolKind::kVariable && !definitions_.value[s.index].valid() &&
         !(classes_.position[s.index] && !classes_.flow[s.index]);
}

// Among equal signals the one that is somebody's output.
std::string ForceErrors::name(VariableId v) const {
  for (const VariableId member : classes_.members[v.value]) {
    if (flat_.variables[member].output) return flat_.variables[member].name;
  }
  if (v.value < flat_.variables.size()) return flat_.variables[v].name;
  const VariableId base = classes_.integral[v.value];
  return base.valid() ? "der(" + name(base) + ")" : "a derivative";
}

Diagnostic& ForceErrors::error(Code code, std::size_t i, std::string message) {
  return errors_.error(code, place(i), std::move(message));
}

const SignalLoops& ForceErrors::loops() {
  if (!loops_) {
    loops_ = std::make_unique<SignalLoops>(pool_, *equations_,
                                           [this](Symbol s) { return is_unknown(s); });
  }
  return *loops_;
}

void ForceErrors::report_circle(std::size_t i, const std::string& message) {
  const std::size_t circle = loops().circle_of(i);
  if (!said_.insert(circle).second) return;
  std::vector<std::string> round;
  for (const VariableId v : loops().unknowns(circle)) round.push_back("'" + name(v) + "'");
  Diagnostic& e = error(Code::kAlgebraicLoop, i, message);
  e.with_note("the circle is " + circle_text(round));
  std::vector<EquationPlace> places;
  for (const std::uint32_t r : loops().equations(circle)) {
    places.push_back(place(r));
    errors_.involve(place(r));
  }
  note_equations(e, pool_, flat_, places, "it passes ");
  e.with_note(
      "put a state into the circle, like the blocks FirstOrder and Integrator have; only circles "
      "of linear equations are solved");
}

void ForceErrors::nonlinear(std::size_t i) {
  std::vector<std::string> names;
  bool flows = false;
  for (const Symbol s : symbols_of(pool_, (*equations_)[i].residual)) {
    if (!is_unknown(s)) continue;
    const VariableId v{s.index};
    flows = flows || is_flow(s.index);
    names.push_back(name(v));
    if (s.index < flat_.variables.size()) errors_.involve(v);
  }
  if (flows) {
    error(Code::kUnsupportedEquation, i,
          "this equation of " + part_name(flat_, place(i).part) +
              " is not linear in the forces it holds")
        .with_note("it holds " + quoted_list(names) +
                   ", which do not follow from positions, speeds and time; such forces may only "
                   "enter linearly")
        .with_note("a spring or damper in their place gives forces that may enter in any way");
  } else if (loops().circle_of(i) != SignalLoops::kNone) {
    report_circle(i, "signals depend on each other in a circle that is not linear in " +
                         part_name(flat_, place(i).part));
  } else {
    error(Code::kAlgebraicLoop, i,
          quoted_list(names) + " depends on itself in " + equation_text(pool_, flat_, place(i)) +
              ", which is not linear in it")
        .with_note(
            "solve the equation by hand, or put a state into the circle, like the block "
            "FirstOrder has");
  }
}

bool ForceErrors::too_long(std::size_t i) {
  const std::size_t circle = loops().circle_of(i);
  if (circle == SignalLoops::kNone) return false;
  if (said_.contains(circle)) return true;
  if (loops().equations(circle).size() <= kMostSignals) return false;
  const std::vector<VariableId> unknowns = loops().unknowns(circle);
  const auto signals = static_cast<std::size_t>(std::count_if(
      unknowns.begin(), unknowns.end(), [&](VariableId v) { return !is_flow(v.value); }));
  if (signals <= kMostSignals) return false;
  report_circle(i, std::to_string(signals) +
                       " signals depend on each other in a circle, which is "
                       "more than the " +
                       std::to_string(kMostSignals) + " that are solved");
  return true;
}

void ForceErrors::singular(std::size_t i, VariableId unknown) {
  if (loops().circle_of(i) != SignalLoops::kNone && !is_flow(unknown.value)) {
    report_circle(i,
                  "signals depend on each other in a circle of gain one, which determines "
                  "nothing: '" +
                      name(unknown) + "' could have any value");
    return;
  }
  std::vector<EquationPlace> others = guilty(i, true);
  std::erase(others, place(i));
  if (others.empty()) {
    error(Code::kUnderdetermined, i,
          equation_text(pool_, flat_, place(i)) + " does not determine '" + name(unknown) +
              "': its factor is zero")
        .with_note("with these parameters nothing is said about it");
    return;
  }
  Diagnostic& e = error(Code::kAlgebraicLoop, i,
                        "the equations do not determine '" + name(unknown) +
                            "': with these parameters they depend on each other");
  note_equations(e, pool_, flat_, others, "together with ");
}

// Equations whose left sides equation i is a combination of, itself among them.
std::vector<std::size_t> ForceErrors::dependent_on(std::size_t i, bool nominal) {
  std::vector<NumberRow> rows;
  for (std::size_t k = 0; k <= i; ++k) {
    NumberRow& row = rows.emplace_back();
    AffineForm form;
    if (!affine_form(
            pool_, (*equations_)[k].residual, [this](Symbol s) { return is_unknown(s); }, form)) {
      continue;
    }
    for (const auto& [s, c] : form.coefficients) {
      const double value =
          nominal && is_parametric(pool_, c) ? nominal_value(pool_, flat_, c) : identity_.sample(c);
      if (value != 0 && std::isfinite(value)) row.emplace_back(s.index, value);
    }
  }
  std::vector<std::size_t> result;
  for (const std::size_t k : dependent_rows(rows, i)) {
    if (!rows[k].empty() || k == i) result.push_back(k);
    errors_.involve(place(k));
  }
  return result;
}

std::vector<EquationPlace> ForceErrors::places(const std::vector<std::size_t>& equations) const {
  std::vector<EquationPlace> result;
  for (const std::size_t k : equations) result.push_back(place(k));
  return result;
}

// The equation gives a motion that it moves the value of a signal.
bool ForceErrors::prescribes_motion(std::size_t i) const {
  const EquationPlace at = place(i);
  if (!at.equation.valid()) return false;
  const bool moves = depends_on(pool_, (*equations_)[i].residual, [&](Symbol s) {
    return s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration ||
           (s.kind == SymbolKind::kVariable && classes_.position[s.index]);
  });
  const FlatEquation& equation = flat_.equations[at.equation];
  const auto is_input = [&](Symbol s) {
    return s.kind == SymbolKind::kVariable && flat_.variables[VariableId{s.index}].input &&
           flat_.variables[VariableId{s.index}].part == at.part;
  };
  return moves && (depends_on(pool_, equation.left, is_input) ||
                   depends_on(pool_, equation.right, is_input));
}

void ForceErrors::undetermined(const std::vector<FlowLaw>& laws) {
  if (redundant_.empty()) return;
  std::set<VariableId> determined;
  for (const FlowLaw& law : laws) {
    determined.insert(law.flow);
    for (const auto& [g, c] : law.free) determined.insert(g);
  }
  for (const std::size_t i : redundant_) {
    bool found = false;
    for (const VariableId v : flat_.variables.ids()) {
      const FlatVariable& variable = flat_.variables[v];
      if (variable.role != VariableRole::kFlow || variable.part != place(i).part) continue;
      if (determined.contains(classes_.representative[v.value])) continue;
      Diagnostic& e = error(Code::kUnderdetermined, i,
                            "no equation of " + part_name(flat_, place(i).part) + " determines '" +
                                variable.name + "': two of them say the same");
      note_equations(e, pool_, flat_, guilty(i, false), "it follows from ", place(i));
      e.with_note("one of them was to say something about '" + variable.name + "'");
      found = true;
      break;
    }
    if (!found) says_nothing_new(i);
  }
}

// Signals that equation i and those it depends on hold: fewer than that are determined.
std::vector<std::string> ForceErrors::signals_of(const std::vector<std::size_t>& equations) {
  std::set<VariableId> signals;
  for (const std::size_t i : equations) {
    for (const Symbol s : symbols_of(pool_, (*equations_)[i].residual)) {
      if (is_unknown(s) && !is_flow(s.index)) signals.insert(VariableId{s.index});
    }
  }
  std::vector<std::string> names;
  for (const VariableId v : signals) {
    names.push_back(name(v));
    if (v.value < flat_.variables.size()) errors_.involve(v);
  }
  return names;
}

void ForceErrors::says_nothing_new(std::size_t i) {
  const std::vector<std::size_t> rows = dependent_on(i, false);
  const std::vector<std::string> names = signals_of(rows);
  if (names.size() < 2) return;
  const std::string these = quoted_list(names);
  Diagnostic& e = error(Code::kUnderdetermined, i,
                        "nothing determines " + these + ": " +
                            equation_text(pool_, flat_, place(i)) + " says nothing new");
  note_equations(e, pool_, flat_, places(rows), "it follows from ", place(i));
  e.with_note("let one of these equations say something else about " + these);
}

void ForceErrors::superfluous(std::size_t i) {
  if (prescribes_motion(i)) {
    Diagnostic& e =
        error(Code::kPrescribedMotion, i,
              part_name(flat_, place(i).part) + " prescribes a motion by what follows from forces");
    note_equations(e, pool_, flat_, guilty(i, false), "it depends on ", place(i));
    e.with_note(
        "forces follow from the motion: put a state in between, like a FirstOrder block, or apply "
        "a "
        "force instead of a motion");
    return;
  }
  Diagnostic& e = error(Code::kOverdetermined, i,
                        equation_text(pool_, flat_, place(i)) + " is one equation too many");
  const std::vector<std::size_t> rows = dependent_on(i, false);
  std::vector<EquationPlace> others = places(rows);
  std::erase(others, place(i));
  if (const std::vector<std::string> names = signals_of(rows); names.size() > 1) {
    note_equations(e, pool_, flat_, others, "it contradicts ");
    e.with_note("together they leave " + quoted_list(names) +
                " undetermined: let one of them say something else");
    return;
  }
  for (const EquationPlace& source : sources_of(pool_, flat_, classes_, definitions_, place(i)))
    others.push_back(source);
  if (others.size() == 1) {
    e.with_note("the same is determined by " + equation_text(pool_, flat_, others[0]),
                others[0].span);
  } else {
    note_equations(e, pool_, flat_, others, "the same is determined together by ");
  }
  e.with_note("take one of these equations away");
}

// The forces of the part do no work in any motion that its own constraints allow.
bool ForceErrors::conserves_power(PartId part, const Flows& acting) {
  std::vector<NumberRow> rows;
  const auto add = [&](const std::map<std::uint32_t, double>& sum) {
    NumberRow& row = rows.emplace_back();
    for (const auto& [p, c] : sum) {
      if (c != 0) row.emplace_back(p, c);
    }
  };
  for (const WorkEquation& constraint : definitions_.constraints) {
    AffineForm form;
    const auto moves = [&](Symbol s) {
      return s.kind == SymbolKind::kVariable && classes_.position[s.index];
    };
    if (constraint.part != part || !affine_form(pool_, constraint.residual, moves, form)) continue;
    std::map<std::uint32_t, double> sum;
    for (const auto& [s, c] : form.coefficients) sum[s.index] += identity_.sample(c);
    add(sum);
  }
  std::map<std::uint32_t, double> power;
  for (const auto& [flow, c] : acting) {
    for (const VariableId member : classes_.members[flow.value]) {
      const FlatVariable& variable = flat_.variables[member];
      if (variable.part != part || !variable.conjugate.valid()) continue;
      if (variable.role != VariableRole::kFlow) continue;
      const VariableId p = classes_.representative[variable.conjugate.value];
      power[p.value] += identity_.sample(c);
    }
  }
  add(power);
  return rows.back().empty() || !dependent_rows(rows, rows.size() - 1).empty();
}

// Positions of other parts only, or besides: nothing gives them a force that belongs to it.
bool ForceErrors::is_foreign(const WorkEquation& constraint) const {
  return depends_on(pool_, constraint.residual, [&](Symbol s) {
    const bool moves = s.kind == SymbolKind::kVariable || s.kind == SymbolKind::kVelocity ||
                       s.kind == SymbolKind::kAcceleration;
    if (!moves || !classes_.position[s.index]) return false;
    const std::vector<VariableId>& members = classes_.members[s.index];
    return std::none_of(members.begin(), members.end(),
                        [&](VariableId v) { return flat_.variables[v].part == constraint.part; });
  });
}

// Equations that tie motions without a force.
void ForceErrors::report_ties() {
  for (const WorkEquation& constraint : definitions_.constraints) {
    if (!is_foreign(constraint)) continue;
    Diagnostic& e = errors_.error(Code::kPrescribedMotion, constraint.place(),
                                  equation_text(pool_, flat_, constraint.place()) +
                                      " ties motions without a force that acts back");
    note_equations(e, pool_, flat_,
                   sources_of(pool_, flat_, classes_, definitions_, constraint.place()), "with ",
                   constraint.place());
    e.with_note(kTieAdvice);
  }
}

std::vector<EquationPlace> ForceErrors::ties_of(PartId part) const {
  std::vector<EquationPlace> result;
  for (const WorkEquation& constraint : definitions_.constraints) {
    if (constraint.part == part) result.push_back(constraint.place());
  }
  return result;
}

// Two flows of one part that are equal.
bool ForceErrors::acts_twice(VariableId flow) const {
  const PartId part = flat_.variables[flow].part;
  const std::vector<VariableId>& members = classes_.members[flow.value];
  return std::count_if(members.begin(), members.end(), [&](VariableId v) {
           return flat_.variables[v].part == part && flat_.variables[v].role == VariableRole::kFlow;
         }) > 1;
}

std::vector<EquationPlace> ForceErrors::equations_with(PartId part, VariableId flow) const {
  std::vector<EquationPlace> result;
  for (const FlatEquationId id : flat_.equations.ids()) {
    const FlatEquation& equation = flat_.equations[id];
    if (equation.part != part) continue;
    const auto is_flow_itself = [&](Symbol s) {
      return s.kind == SymbolKind::kVariable && classes_.representative[s.index] == flow;
    };
    if (depends_on(pool_, equation.left, is_flow_itself) ||
        depends_on(pool_, equation.right, is_flow_itself)) {
      result.push_back({part, equation.span, id});
    }
  }
  return result;
}

bool ForceErrors::ties_positions(PartId part) const {
  if (!ties_of(part).empty()) return true;
  std::set<VariableId> seen;  // equal positions are no constraint any more
  for (const VariableId v : flat_.variables.ids()) {
    const FlatVariable& variable = flat_.variables[v];
    if (variable.part != part || variable.role != VariableRole::kPotential) continue;
    if (!seen.insert(classes_.representative[v.value]).second) return true;
  }
  return false;
}

// The part takes the motion of its potential from elsewhere.
bool ForceErrors::follows(PartId part, VariableId potential) const {
  VariableId v = potential.valid() ? classes_.representative[potential.value] : VariableId{};
  for (; v.valid(); v = classes_.derivative[v.value]) {
    for (const VariableId member : classes_.members[v.value]) {
      if (flat_.variables[member].input && flat_.variables[member].part == part) return true;
    }
  }
  return false;
}

// Of a flange that the inside of its own part is joined to. Its force is that from outside:
// Modelica 3.6, 9.2.
void ForceErrors::works(VariableId flow, const EquationPlace* law, const Flows& acting) {
  const bool named = flow.value < flat_.variables.size();
  const PartId part = named ? flat_.variables[flow].part : PartId{0};
  const PartId constrained = law != nullptr ? law->part : part;
  if (is_flow(flow.value) && (law != nullptr || acts_twice(flow)) && ties_positions(constrained) &&
      !conserves_power(constrained, acting)) {
    Diagnostic& e =
        errors_.error(Code::kNotPowerConserving, constrained, law != nullptr ? law->span : Span{},
                      "the constraint of " + part_name(flat_, constrained) +
                          " does work: it does not conserve power");
    note_equations(e, pool_, flat_, equations_with(constrained, flow), "its forces follow ");
    e.with_note(
        "the torques of an ideal gear are related by the same ratio as its angles: for "
        "flange_a.phi = ratio*flange_b.phi write 0 = ratio*flange_a.tau + flange_b.tau");
    return;
  }
  if (errors_.is_silent(part)) return;
  if (!looked_for_ties_) report_ties();
  looked_for_ties_ = true;
  if (errors_.is_said(part) || !undetermined_.insert(part).second) return;
  const Span span = named && part == PartId{0} ? flat_.variables[flow].span : Span{};
  if (named && follows(part, flat_.variables[flow].conjugate)) {
    const std::string potential = flat_.variables[flat_.variables[flow].conjugate].name;
    errors_
        .error(Code::kPrescribedMotion, part, span,
               "'" + potential + "' follows other motion, without a force that acts back")
        .with_note(kTieAdvice);
    return;
  }
  Diagnostic& e = errors_.error(Code::kUnderdetermined, part, span,
                                "no equation determines '" + name(flow) + "'");
  note_equations(e, pool_, flat_, ties_of(part), "positions are tied by ");
  note_equations(e, pool_, flat_, equations_with(part, flow), "it stands in ");
  if (classes_.derivative[flow.value].valid()) {
    e.with_note(
        "a force with a rate of its own is a state: give it a variable, der(F) = .., and "
        "let the force follow it, " +
        name(flow) + " = F");
    return;
  }
  e.with_note("the equations of " + part_name(flat_, part) +
              " say something twice, or tie its positions without a law of the forces");
}

}  // namespace luztar
