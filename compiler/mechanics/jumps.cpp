#include "compiler/mechanics/jumps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/spline.h"

namespace luztar {
namespace {

constexpr int kSamples = 1000;

/// Values along one symbol.
class Line {
 public:
  Line(const ExprPool& pool, const FlatModel& flat, Symbol along)
      : pool_(pool), along_(along), others_(values_at_parameters(pool, flat)) {}

  double operator()(Expr e, double at) const {
    return evaluate(pool_, e, [&](Symbol s) { return s == along_ ? at : others_(s); });
  }

 private:
  const ExprPool& pool_;
  Symbol along_;
  SymbolValues others_;
};

bool has_doubled_knot(const ExprPool& pool, Expr table) {
  const std::span<const Expr> args = pool.args(table);
  for (std::size_t i = 1; i + 2 < args.size(); i += 2) {
    if (args[i] == args[i + 2]) return true;
  }
  return false;
}

bool is_edge(const ExprPool& pool, Expr e) {
  const Op op = pool[e].op;
  if (op == Op::kSpline) return pool[pool.arg(e, 1)].value == kHighestSplineOrder;
  if (op == Op::kTable) return has_doubled_knot(pool, e);
  return op == Op::kSign || op == Op::kLess || op == Op::kLessEqual || op == Op::kFloor ||
         op == Op::kCeil || op == Op::kMod || op == Op::kOutside;
}

/// The piece of the edge's operation that its arguments are in.
double piece(const ExprPool& pool, const Line& line, Expr edge, double at) {
  const auto arg = [&](std::size_t i) { return line(pool.arg(edge, i), at); };
  switch (pool[edge].op) {
    case Op::kMod:
      return std::floor(arg(0) / arg(1));
    case Op::kTable: {
      double passed = 0;  // knots
      for (std::size_t i = 1; i < pool[edge].count; i += 2) passed += arg(i) <= arg(0) ? 1 : 0;
      return passed;
    }
    default:
      return line(edge, at);
  }
}

// The edge lies in [low, high], or the other way round; a few roundings apart in the end.
void enclose(const ExprPool& pool, const Line& line, Expr edge, double& low, double& high) {
  const double below = piece(pool, line, edge, low);
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (piece(pool, line, edge, middle) == below ? low : high) = middle;
  }
}

// A bend leaves half of the difference when the distance is halved, a jump all of it; so does the
// rounding of a place where e is zero, against which only values beside it are great.
//   beside   distance of these
bool jumps_between(const Line& line, Expr e, double low, double high, double distance,
                   double beside) {
  const auto difference = [&](double d) { return std::fabs(line(e, high + d) - line(e, low - d)); };
  double size = 0;
  for (const double at : {high, low, high + beside, low - beside}) {
    const double value = std::fabs(line(e, at));
    if (std::isfinite(value)) size = std::max(size, value);
  }
  const double near = difference(0.5 * distance);
  return near > 0.75 * difference(distance) && near > 1e-9 * size;
}

std::optional<Symbol> symbol_to_vary(const ExprPool& pool, Expr edge) {
  std::optional<Symbol> result;
  for (const Symbol s : symbols_of(pool, edge)) {
    if (s.kind == SymbolKind::kParameter) continue;
    if (!result || s.kind == SymbolKind::kTime) result = s;
  }
  return result;
}

bool jumps_at(const ExprPool& pool, const FlatModel& flat, Expr e, Expr edge) {
  const std::optional<Symbol> along = symbol_to_vary(pool, edge);
  if (!along) return false;
  constexpr double kReach = 10;  // of a signal, in its own unit
  const bool time = along->kind == SymbolKind::kTime;
  const double first = time ? flat.experiment.start : -kReach;
  const double step = ((time ? flat.experiment.stop : kReach) - first) / kSamples;
  const Line line(pool, flat, *along);
  double before = piece(pool, line, edge, first);
  for (int i = 0; i < kSamples; ++i) {
    double low = first + step * i, high = first + step * (i + 1);
    const double after = piece(pool, line, edge, high);
    if (after != before) {
      enclose(pool, line, edge, low, high);
      // What happens at the start itself has happened.
      if (low > first && jumps_between(line, e, low, high, 1e-4 * step, step)) return true;
    }
    before = after;
  }
  return false;
}

}  // namespace

bool has_jump(const ExprPool& pool, const FlatModel& flat, Expr e) {
  for (const Expr node : topological_order(pool, std::span(&e, 1))) {
    if (is_edge(pool, node) && jumps_at(pool, flat, e, node)) return true;
  }
  return false;
}

}  // namespace luztar
