#include "compiler/driver/not_finite.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// Ulps of time on both sides of the report in which a pole shows.
constexpr double kAround = 256;
/// Change of a value in these, relative to it, that only a pole makes.
constexpr double kPole = 0.01;

/// What a variable's value is made of.
struct Making {
  std::uint32_t height = 0;  // of its expression
  bool finite = true;        // all states and modes it depends on are
};

/// A constant times something: as simple as that.
bool is_scaled(const ExprPool& pool, Expr e) {
  const std::span<const Expr> args = pool.args(e);
  return pool[e].op == Op::kMul && args.size() == 2 && pool.is_constant(args[0]);
}

std::vector<Making> makings(const ExprPool& pool, std::span<const Expr> values,
                            const SymbolValues& symbols) {
  NodeMap<Making> of;
  for (const Expr node : topological_order(pool, values)) {
    Making making;
    if (pool.is_symbol(node)) {
      const Symbol s = pool[node].symbol;  // an infinite parameter is a limit, no fault
      making.finite = s.kind == SymbolKind::kParameter || std::isfinite(symbols(s));
    }
    const std::uint32_t step = is_scaled(pool, node) ? 0 : 1;
    for (const Expr arg : pool.args(node)) {
      const Making part = of[arg];
      making.height = std::max(making.height, part.height + step);
      making.finite = making.finite && part.finite;
    }
    of.insert(node, making);
  }
  std::vector<Making> result;
  result.reserve(values.size());
  for (const Expr value : values) result.push_back(of[value]);
  return result;
}

bool is_pole(double before, double at, double after) {
  if (!std::isfinite(at)) return true;
  const double most = kPole * std::fabs(at);
  return !(std::fabs(after - at) <= most && std::fabs(before - at) <= most);
}

}  // namespace

NotFinite not_finite_variable(const ExprPool& pool, const FlatModel& flat,
                              const ExplicitSystem& system, const RunReport& report) {
  std::vector<Expr> values;
  for (const ExplicitOutput& output : system.outputs) values.push_back(output.value);
  const SymbolValues parameters = flat.parameter_values();
  double time = report.time;
  const SymbolValues symbols = [&](Symbol s) {
    if (s.kind == SymbolKind::kState) return report.states[s.index];
    if (s.kind == SymbolKind::kMode) return report.modes[s.index];
    return s.kind == SymbolKind::kTime ? time : parameters(s);
  };
  const double ulp = std::nextafter(std::fabs(report.time), HUGE_VAL) - std::fabs(report.time);
  const std::vector<double> at = evaluate(pool, values, symbols);
  time = report.time - kAround * ulp;
  const std::vector<double> before = evaluate(pool, values, symbols);
  time = report.time + kAround * ulp;
  const std::vector<double> after = evaluate(pool, values, symbols);

  const std::vector<Making> made_of = makings(pool, values, symbols);
  const auto rank = [&](std::size_t v) {  // a signal comes before the connectors it reaches
    const std::string& name = system.outputs[v].name;
    return std::pair(made_of[v].height, std::count(name.begin(), name.end(), '.'));
  };
  std::optional<std::size_t> best;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const bool guilty = is_pole(before[v], at[v], after[v]);
    if (!guilty || !made_of[v].finite) continue;
    if (!best || rank(v) < rank(*best)) best = v;
  }
  if (best) return {system.outputs[*best].name, true};
  return {system.states[report.index].name, false};
}

}  // namespace luztar
