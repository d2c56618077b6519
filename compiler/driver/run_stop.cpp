#include "compiler/driver/run_stop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "compiler/driver/assertion_values.h"
#include "compiler/driver/not_finite.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

/// The equation of a part that holds a dry friction whose size varies; null when its law does not
/// stand in it as written.
const FlatEquation* friction_law(const ExprPool& pool, const FlatModel& flat, PartId part) {
  for (const FlatEquation& equation : flat.equations) {
    if (equation.part != part) continue;
    const std::array sides = {equation.left, equation.right};
    for (const Expr e : topological_order(pool, sides)) {
      if (pool[e].op == Op::kDry && !is_parametric(pool, pool.arg(e, 1))) return &equation;
    }
  }
  return nullptr;
}

void report_negative_friction(Diagnostics& diagnostics, const ExprPool& pool, const FlatModel& flat,
                              const ExplicitAssertion& assertion, double time) {
  const FlatEquation* law = friction_law(pool, flat, assertion.part);
  Diagnostic& error = part_error(diagnostics, flat, Code::kNegativeFriction, assertion.part,
                                 law == nullptr ? assertion.span : law->span,
                                 fmt::format("{} at t = {:.9g} s", assertion.message, time));
  if (law != nullptr) {
    error.with_note("in the law '" + to_text(pool, law->left, flat.names()) + " = " +
                    to_text(pool, law->right, flat.names()) + "'");
  }
  error
      .with_note(
          "it may be zero, but friction does not drive: limit what its size depends on, "
          "as by max(.., 0)")
      .with_note("the last row of the result holds the values at that time");
}

/// Points at the declaration of the variable, or at that of the library part it belongs to.
///   what   is the matter with it: "became infinite"
Diagnostic& not_finite_error(Diagnostics& diagnostics, const FlatModel& flat,
                             const std::string& name, std::string_view what, double time) {
  const auto variable = std::find_if(flat.variables.begin(), flat.variables.end(),
                                     [&](const FlatVariable& v) { return v.name == name; });
  Span span{};
  if (variable != flat.variables.end()) {
    const FlatPart& part = flat.parts[variable->part];
    span = part.name.empty() || !part.span.valid() ? variable->span : part.span;
  }
  return diagnostics.error(Code::kNotFinite, span,
                           fmt::format("'{}' {} at t = {:.9g} s", name, what, time));
}

void report_no_series(Diagnostics& diagnostics, const FlatModel& flat, const ExplicitSystem& system,
                      const RunReport& report) {
  not_finite_error(diagnostics, flat, system.states[report.index].name,
                   "has no Taylor series, and no step leads on,", report.time)
      .with_note(
          "a root, or another broken power, of what is zero there drives it: --solver cvode may go "
          "on, or a small constant under the root lets it have one");
}

void report_not_finite(Diagnostics& diagnostics, const ExprPool& pool, const FlatModel& flat,
                       const ExplicitSystem& system, const RunReport& report, double start,
                       bool euler) {
  if (report.no_series) return report_no_series(diagnostics, flat, system, report);
  const NotFinite found = report.output ? NotFinite{system.outputs[*report.output].name, true}
                                        : not_finite_variable(pool, flat, system, report);
  Diagnostic& error = not_finite_error(diagnostics, flat, found.name,
                                       "became infinite or not a number", report.time);
  if (!report.output && report.time <= start) {
    error.with_note(
        "it has no value at the start already: look for a division by zero, and "
        "check the start values and parameters that it depends on");
  } else if (found.is_made) {
    error.with_note("look for a root or logarithm of a negative number, or a division by zero");
  } else {
    error.with_note(fmt::format("a smaller {} may help if the model itself has a finite solution",
                                euler ? "--step" : "--tolerance"));
  }
}

void note_blocked_motion(Diagnostic& error) {
  error.with_note("a hard stop is rigid, and nothing there can give way")
      .with_note("give the stop a finite stiffness (FreeplaySpring), or drive with a force");
}

void report_assertion(Diagnostics& diagnostics, const ExprPool& pool, const FlatModel& flat,
                      const ExplicitSystem& system, const RunReport& report) {
  const ExplicitAssertion& assertion = system.assertions[report.index];
  if (assertion.code == Code::kNegativeFriction) {
    return report_negative_friction(diagnostics, pool, flat, assertion, report.time);
  }
  if (assertion.code == Code::kBlockedMotion) {
    return note_blocked_motion(
        part_error(diagnostics, flat, assertion.code, assertion.part, assertion.span,
                   fmt::format("{} at t = {:.9g} s", assertion.message, report.time)));
  }
  Diagnostic& error = diagnostics.error(
      Code::kAssertionStopped, assertion.span,
      fmt::format("an assertion fails at t = {:.9g} s: {}", report.time, assertion.message));
  note_operands(error, pool, flat, assertion, report);
  error.with_note("the last row of the result holds the values at that time");
}

void report_no_equilibrium(Diagnostics& diagnostics, const RunReport& report) {
  diagnostics
      .error(Code::kNoEquilibrium, {},
             fmt::format("a body without inertia at '{}' has no equilibrium at t = {:.9g} s",
                         report.storm.front(), report.time))
      .with_note(
          "its load exceeds what dry friction and saturated springs hold, and no other takes the "
          "rest; or rigid contacts that move as prescribed close in on it")
      .with_note("give the body an inertia or a damping");
}

void report_weak_at_rest(Diagnostics& diagnostics, const RunReport& report) {
  diagnostics
      .error(Code::kWeakAtRest, {},
             fmt::format("the static friction of '{}' is below the kinetic one at t = {:.9g} s",
                         report.storm.front(), report.time))
      .with_note("no body can break away: what moves it is stopped at once")
      .with_note("limit the static size, as by max(static, kinetic)");
}

void report_blocked(Diagnostics& diagnostics, const RunReport& report) {
  note_blocked_motion(diagnostics.error(
      Code::kBlockedMotion, {},
      fmt::format("prescribed motions close in on the hard stops '{}' at t = {:.9g} s",
                  fmt::join(report.storm, "', '"), report.time)));
}

bool is_friction(const ExplicitSystem& system, const std::string& name) {
  return std::any_of(system.frictions.begin(), system.frictions.end(),
                     [&](const ExplicitFriction& f) { return f.name == name; });
}

void note_visited(Diagnostic& error, const std::vector<VisitedModes>& visited) {
  constexpr std::size_t kMost = 6;
  for (std::size_t i = 0; i < std::min(visited.size(), kMost); ++i) {
    error.with_note(fmt::format("'{}' is, in the modes visited last: {}", visited[i].name,
                                fmt::join(visited[i].modes, ", ")));
  }
  if (visited.size() > kMost) {
    error.with_note(fmt::format("and so on for {} more", visited.size() - kMost));
  }
}

void report_storm(Diagnostics& diagnostics, const ExplicitSystem& system, const RunReport& report) {
  Diagnostic& error = diagnostics.error(
      Code::kEventStorm, {},
      fmt::format("events without end in one instant at t = {:.9g} s", report.time));
  std::vector<std::string> names = report.storm;
  for (const VisitedModes& one : report.visited) names.push_back(one.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) {
    error.with_note("no mode of the switches and frictions is consistent there");
    return;
  }
  error.with_note(fmt::format("they come from '{}'", fmt::join(names, "', '")));
  note_visited(error, report.visited);
  const auto frictions = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return is_friction(system, name);
  });
  const bool all = frictions == static_cast<std::ptrdiff_t>(names.size());
  if (frictions > 0 && !all) {
    error.with_note(
        "where the size of a friction jumps with the direction of its own slip, a load between the "
        "two finds no size at rest: give it the greater one at rest, dryfriction(velocity, "
        "kinetic, static)");
  }
  if (all) {
    error.with_note(
        "where rounding decides whether they hold or slip, another --tolerance may do, or a small "
        "inertia or damping of what they act on");
    return;
  }
  error.with_note(
      "a force that follows the sign of a velocity is dry friction, which holds at rest: write "
      "dryfriction(velocity, kinetic, static); another relay needs a hysteresis or a lag");
}

}  // namespace

void report_run_stop(Diagnostics& diagnostics, const ExprPool& pool, const FlatModel& flat,
                     const RunReport& report, double start, const ExplicitSystem& system,
                     bool euler) {
  switch (report.reason) {
    case StopReason::kDone:
      return;
    case StopReason::kNotFinite:
      return report_not_finite(diagnostics, pool, flat, system, report, start, euler);
    case StopReason::kAssertion:
      return report_assertion(diagnostics, pool, flat, system, report);
    case StopReason::kNoEquilibrium:
      return report_no_equilibrium(diagnostics, report);
    case StopReason::kWeakAtRest:
      return report_weak_at_rest(diagnostics, report);
    case StopReason::kBlocked:
      return report_blocked(diagnostics, report);
    case StopReason::kEventStorm:
      return report_storm(diagnostics, system, report);
  }
}

void report_energy(Diagnostics& diagnostics, const RunReport& report, double tolerance) {
  constexpr double kOfStep = 10, kLeastSteps = 100, kLeast = 1e-6;
  constexpr double kOfHeat = 1e-24;  // [J] far below that: rounding of bodies at rest
  if (!report.energy) return;
  const double residual = std::fabs(report.energy->residual());
  const double all = report.energy->turnover + std::fabs(report.energy->total_dissipated());
  const double steps = std::max(static_cast<double>(report.steps), kLeastSteps);
  if (!(residual > std::max(kLeast, kOfStep * tolerance * steps) * all + kOfHeat)) return;
  diagnostics
      .warning(Code::kEnergyOpen, {},
               fmt::format("the energy of the run does not balance: {:.2g} J are left of {:.2g} J",
                           residual, all))
      .with_note(
          "that is more than errors of steps: do not trust this result before a smaller "
          "--tolerance, or --solver cvode, has confirmed it")
      .with_note(
          "numbers of very different sizes leave it no digits: small deflections far from zero, a "
          "damping or inertia that is nothing against others");
}

}  // namespace luztar
