#include "compiler/reduction/slip_laws.h"

#include <unordered_map>

#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// table(speed, 0, T0, x1, T1, ...) by saturations of the speed, or nothing.
std::optional<Expr> table_by_saturations(const ReductionContext& context, Expr table) {
  ExprPool& pool = context.pool;
  const auto args = pool.args(table);
  const std::vector<Expr> knots(args.begin() + 1, args.end());
  if (value_of(context, knots[0]) != 0) return std::nullopt;
  std::vector<Expr> sum{knots[1]};
  Expr reached = pool.zero();
  for (std::size_t i = 2; i + 1 < knots.size(); i += 2) {
    if (!(value_of(context, knots[i - 2]) < value_of(context, knots[i]))) return std::nullopt;
    const Expr slope =
        pool.div(pool.sub(knots[i + 1], knots[i - 1]), pool.sub(knots[i], knots[i - 2]));
    const Expr reaches = pool.nas(pool.arg(table, 0), knots[i]);
    sum.push_back(pool.mul(slope, pool.sub(reaches, reached)));
    reached = reaches;
  }
  return pool.add(std::move(sum));
}

/// at_rest + slope * speed, both over parameters.
struct SpeedLine {
  Expr at_rest, slope, speed;  // the speed is |w|
};

/// e as such, where it depends on one speed, or nothing.
std::optional<SpeedLine> speed_line(const ReductionContext& context, const IdentityTest& identity,
                                    Expr e) {
  ExprPool& pool = context.pool;
  Expr speed;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kAbs || is_parametric(pool, node)) continue;
    if (speed.valid()) return std::nullopt;
    speed = node;
  }
  if (!speed.valid()) return std::nullopt;
  const Expr at_rest = replaced(pool, e, speed, pool.zero());
  const Expr slope = pool.sub(replaced(pool, e, speed, pool.one()), at_rest);
  if (!is_parametric(pool, at_rest) || !is_parametric(pool, slope)) return std::nullopt;
  if (!identity.equal(e, pool.add(at_rest, pool.mul(slope, speed)))) return std::nullopt;
  return SpeedLine{at_rest, slope, speed};
}

/// max(line, 0)
Expr above_zero(Mechanism& mechanism, const ReductionContext& context, const SpeedLine& line) {
  ExprPool& pool = context.pool;
  const bool starts = value_of(context, line.at_rest) > 0,
             rises = value_of(context, line.slope) > 0;
  const Expr all = pool.add(line.at_rest, pool.mul(line.slope, line.speed));
  mechanism.fixed.insert(mechanism.fixed.end(), {line.at_rest, line.slope});
  if (starts == rises) return starts ? all : pool.zero();
  const Expr meets = pool.neg(pool.div(line.at_rest, line.slope));
  const Expr below = pool.add(line.at_rest, pool.mul(line.slope, pool.nas(line.speed, meets)));
  return starts ? below : pool.sub(all, below);
}

/// nas(slope * speed, bound) by a saturation of the speed itself, or nothing.
std::optional<Expr> saturated(Mechanism& mechanism, const ReductionContext& context,
                              const IdentityTest& identity, Expr e, Expr bound) {
  ExprPool& pool = context.pool;
  const auto line = speed_line(context, identity, e);
  if (!line || !pool.is_zero(line->at_rest) || !is_parametric(pool, bound)) return std::nullopt;
  if (!(value_of(context, line->slope) != 0)) return std::nullopt;
  if (e == line->speed) return pool.nas(e, bound);
  mechanism.fixed.push_back(line->slope);
  const Expr speed = pool.div(bound, pool.call(Op::kAbs, {line->slope}));
  return pool.mul(line->slope, pool.nas(line->speed, speed));
}

/// One operation by saturations of a speed, or nothing.
std::optional<Expr> operation_by_saturations(Mechanism& mechanism, const ReductionContext& context,
                                             const IdentityTest& identity, Expr e) {
  ExprPool& pool = context.pool;
  const auto args = pool.args(e);
  const std::vector<Expr> parts(args.begin(), args.end());
  switch (pool[e].op) {
    case Op::kTable: {
      if (pool[parts[0]].op != Op::kAbs) return std::nullopt;
      const auto by = table_by_saturations(context, e);
      if (by) mechanism.fixed.insert(mechanism.fixed.end(), parts.begin() + 1, parts.end());
      return by;
    }
    case Op::kNas:
      if (is_parametric(pool, parts[1]) && value_of(context, parts[1]) == 0) return pool.zero();
      return saturated(mechanism, context, identity, parts[0], parts[1]);
    case Op::kLuz: {
      const auto below = saturated(mechanism, context, identity, parts[0], parts[1]);
      if (!below) return std::nullopt;
      return pool.sub(parts[0], *below);
    }
    case Op::kMin:
    case Op::kMax: {
      const bool least = pool[e].op == Op::kMin;  // min(a, b) = b - max(b - a, 0)
      const Expr excess = least ? pool.sub(parts[1], parts[0]) : pool.sub(parts[0], parts[1]);
      const auto line = speed_line(context, identity, excess);
      if (!line) return std::nullopt;
      const Expr above = above_zero(mechanism, context, *line);
      return least ? pool.sub(parts[1], above) : pool.add(parts[1], above);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<CoordinateId> own_speed(const ReductionContext& context,
                                      const std::vector<char>& massless, const ForceTerm& friction,
                                      Expr e) {
  for (const auto& [q, c] : friction.argument.terms) {
    const CoordinateId own = q;
    const bool depends =
        massless[q.value] && depends_on(context.pool, e, [&](Symbol s) {
          return (s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration) &&
                 s.index == own.value;
        });
    if (depends) return own;
  }
  return std::nullopt;
}

std::optional<Expr> ratio_to(const ReductionContext& context, const IdentityTest& identity, Expr w,
                             Expr slip) {
  ExprPool& pool = context.pool;
  const auto is_velocity = [](Symbol s) { return s.kind == SymbolKind::kVelocity; };
  AffineForm own, whole;
  if (!affine_form(pool, w, is_velocity, own) || !affine_form(pool, slip, is_velocity, whole)) {
    return std::nullopt;
  }
  if (own.coefficients.empty() || whole.coefficients.empty()) return std::nullopt;
  const Expr ratio = pool.div(own.coefficients[0].second, whole.coefficients[0].second);
  if (!identity.equal(w, pool.mul(ratio, slip))) return std::nullopt;
  return ratio;
}

Expr replaced(ExprPool& pool, Expr root, Expr what, Expr by) {
  std::unordered_map<Expr, Expr> done;
  const Expr roots[] = {root};
  for (const Expr e : topological_order(pool, roots)) {
    std::vector<Expr> args;
    for (const Expr a : pool.args(e)) args.push_back(done.at(a));
    done.emplace(e, e == what ? by : args.empty() ? e : pool.call(pool[e].op, args));
  }
  return done.at(root);
}

std::optional<Expr> factor_of_speed(const ReductionContext& context, const IdentityTest& identity,
                                    Expr e, Expr slip) {
  ExprPool& pool = context.pool;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kAbs) continue;
    const auto ratio = ratio_to(context, identity, pool.arg(node, 0), slip);
    if (!ratio) continue;
    const Expr factor = replaced(pool, e, node, pool.call(Op::kAbs, {*ratio}));
    const Expr speed = pool.call(Op::kAbs, {slip});
    if (is_parametric(pool, factor) && identity.equal(e, pool.mul(factor, speed))) return factor;
  }
  return std::nullopt;
}

Expr by_saturations(Mechanism& mechanism, const ReductionContext& context,
                    const IdentityTest& identity, Expr root) {
  Expr result = root;
  const Expr roots[] = {root};
  for (const Expr e : topological_order(context.pool, roots)) {
    const auto by = operation_by_saturations(mechanism, context, identity, e);
    if (by && *by != e) result = replaced(context.pool, result, e, *by);
  }
  return result;
}

bool adds_up(const ReductionContext& context, const IdentityTest& identity,
             const std::vector<char>& massless, const ForceTerm& a, const ForceTerm& b) {
  ExprPool& pool = context.pool;
  const Expr slip = to_expr(pool, a.argument, true);
  std::optional<double> rate;
  bool differ = false;
  int others = 0;  // that vary with the speed in another way
  for (const ForceTerm* term : {&a, &b}) {
    if (!own_speed(context, massless, *term, term->kinetic)) return true;
    Expr rest = term->kinetic;
    const Expr roots[] = {term->kinetic};
    for (const Expr node : topological_order(pool, roots)) {
      if (pool[node].op != Op::kExp || is_parametric(pool, node)) continue;
      const auto factor = factor_of_speed(context, identity, pool.arg(node, 0), slip);
      if (!factor) continue;
      const double own = value_of(context, *factor);
      differ = differ || (rate && *rate != own);
      rate = own;
      rest = replaced(pool, rest, node, pool.zero());
    }
    others += own_speed(context, massless, *term, rest) ? 1 : 0;
  }
  return !rate || (!differ && others == 0);
}

}  // namespace luztar
