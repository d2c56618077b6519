#include "compiler/lowering/start_checks.h"

#include <algorithm>
#include <cmath>

#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

void check_starts(Lowering& l) {
  PointEvaluator parametric(l.pool, l.flat.parameter_values());
  PointEvaluator at_start(l.pool, [&, parameters = l.flat.parameter_values()](Symbol s) {
    if (s.kind == SymbolKind::kState) return parametric(l.system.states[s.index].start);
    if (s.kind == SymbolKind::kTime) return l.flat.experiment.start;
    if (s.kind == SymbolKind::kMode) return 0.0;
    return parameters(s);
  });
  for (const ExplicitStop& stop : l.system.stops) {
    const double below = at_start(stop.gap_below);
    const double above = at_start(stop.gap_above);
    if (std::min(below, above) >= -1e-12 * std::max(std::abs(below), std::abs(above))) continue;
    const ForceTerm& term = l.mechanism.terms[l.frictions[stop.friction].term];
    part_error(l.diagnostics, l.flat, Code::kInconsistentStart, term.part, term.span,
               "the start values lie beyond the hard stop '" + term.name + "'")
        .with_note("it is passed by " + std::to_string(-std::min(below, above)));
  }
  for (const StartCheck& check : l.mechanism.start_checks) {
    const bool solved = depends_on(l.pool, check.value, [&](Symbol s) {
      if (s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kVelocity) return false;
      const Coordinate& c = l.mechanism.coordinates[CoordinateId{s.index}];
      // Positions and velocities that a balance of forces determines have no start value of their
      // own.
      return (c.role == CoordinateRole::kEliminated && !c.constrained) ||
             c.role == CoordinateRole::kSettled ||
             (c.role == CoordinateRole::kCreep && s.kind == SymbolKind::kVelocity);
    });
    if (solved) continue;
    const FlatVariable& variable = l.flat.variables[check.variable];
    const double wanted = parametric(variable.start);
    const double actual = at_start(l.resolver.resolve(check.value));
    if (std::abs(wanted - actual) <= 1e-9 * std::max({1.0, std::abs(wanted), std::abs(actual)})) {
      continue;
    }
    l.diagnostics
        .error(Code::kInconsistentStart, variable.start_span,
               "the start value of '" + variable.name +
                   "' contradicts those of rigidly connected parts")
        .with_note("the connections make it " + std::to_string(actual) + ", not " +
                   std::to_string(wanted));
  }
}

}  // namespace luztar
