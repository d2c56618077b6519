#include "compiler/lowering/start_checks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "compiler/mechanics/part_names.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// To six digits.
std::string brief(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

/// Values at the start, of settled points where they are said to come from.
class StartPoint {
 public:
  explicit StartPoint(Lowering& l)
      : l_(l),
        parametric_(l.pool, l.flat.parameter_values()),
        at_start_(l.pool, [this, parameters = l.flat.parameter_values()](Symbol s) {
          if (s.kind == SymbolKind::kState) return parametric_(l_.system.states[s.index].start);
          if (s.kind == SymbolKind::kTime) return l_.flat.experiment.start;
          if (s.kind != SymbolKind::kMode) return parameters(s);
          const auto point = starts_.find(s.index);
          return point == starts_.end() ? 0.0 : parametric_(point->second);
        }) {
    for (const ExplicitSettleIsland& island : l.system.settle_islands) {
      for (std::uint32_t k = 0; k < island.starts.size(); ++k) {
        starts_.emplace(island.offset_slot + k, island.starts[k]);
      }
    }
  }

  [[nodiscard]] double parametric(Expr e) { return parametric_(e); }
  [[nodiscard]] double operator()(Expr resolved) { return at_start_(resolved); }
  /// The sum of the terms of a position, each by its size.
  [[nodiscard]] double size(const LinearForm& position) {
    double sum = std::abs(at_start_(l_.resolver.resolve(position.offset)));
    for (const auto& [q, factor] : position.terms) {
      const Expr at = l_.resolver.resolve(l_.pool.symbol(SymbolKind::kCoordinate, q.value));
      sum += std::abs(at_start_(l_.resolver.resolve(factor)) * at_start_(at));
    }
    return sum;
  }

 private:
  Lowering& l_;
  PointEvaluator parametric_, at_start_;
  std::map<std::uint32_t, Expr> starts_;  // by slot of the position of a point
};

/// Such a body may be anywhere before it is first in balance.
bool begins_anywhere(const Mechanism& mechanism, const ForceTerm& term) {
  return std::any_of(term.argument.terms.begin(), term.argument.terms.end(), [&](const auto& of) {
    const Coordinate& c = mechanism.coordinates[of.first];
    return c.role == CoordinateRole::kSettled && c.start_given != StartGiven::kYes;
  });
}

void check_stop(Lowering& l, const ExplicitStop& stop, StartPoint& at_start) {
  const ForceTerm& term = l.mechanism.terms[l.frictions[stop.friction].term];
  if (begins_anywhere(l.mechanism, term)) return;
  const double least = std::min(at_start(stop.gap_below), at_start(stop.gap_above));
  const double size = at_start.size(term.argument) + at_start.parametric(term.half_freeplay);
  if (least >= -1e-12 * size) return;
  part_error(l.diagnostics, l.flat, Code::kInconsistentStart, term.part, term.span,
             "the start values lie beyond the hard stop '" + term.name + "'")
      .with_note("it is passed by " + brief(-least));
}

}  // namespace

void check_starts(Lowering& l) {
  StartPoint at_start(l);
  for (const ExplicitStop& stop : l.system.stops) check_stop(l, stop, at_start);
  for (const StartCheck& check : l.mechanism.start_checks) {
    const bool solved = depends_on(l.pool, check.value, [&](Symbol s) {
      if (s.kind != SymbolKind::kCoordinate && s.kind != SymbolKind::kVelocity) return false;
      const Coordinate& c = l.mechanism.coordinates[CoordinateId{s.index}];
      // Positions and velocities that a balance of forces determines have no start value of their
      // own; what is infinitely heavy has.
      const bool balanced =
          c.role == CoordinateRole::kEliminated && !c.constrained &&
          depends_on(l.pool, c.position, [](Symbol symbol) {
            return symbol.kind != SymbolKind::kParameter && symbol.kind != SymbolKind::kTime;
          });
      return balanced || c.role == CoordinateRole::kSettled ||
             (c.role == CoordinateRole::kCreep && s.kind == SymbolKind::kVelocity);
    });
    if (solved) continue;
    const FlatVariable& variable = l.flat.variables[check.variable];
    const double wanted = at_start.parametric(variable.start);
    const double actual = at_start(l.resolver.resolve(check.value));
    if (std::abs(wanted - actual) <= 1e-9 * std::max({1.0, std::abs(wanted), std::abs(actual)})) {
      continue;
    }
    l.diagnostics
        .error(Code::kInconsistentStart, variable.start_span,
               "the start value of '" + variable.name +
                   "' contradicts those of rigidly connected parts")
        .with_note("the connections make it " + brief(actual) + ", not " + brief(wanted));
  }
}

}  // namespace luztar
