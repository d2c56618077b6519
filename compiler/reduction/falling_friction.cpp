#include "compiler/reduction/falling_friction.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/slip_laws.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// nas(|ratio * slip|, V0)
struct SaturatedSpeed {
  Expr node, ratio;
};

/// The saturations of the slip velocity in e.
std::vector<SaturatedSpeed> saturated_speeds(const ReductionContext& context,
                                             const IdentityTest& identity, Expr e, Expr slip) {
  const ExprPool& pool = context.pool;
  std::vector<SaturatedSpeed> found;
  const Expr roots[] = {e};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kNas || !is_parametric(pool, pool.arg(node, 1))) continue;
    const Expr speed = pool.arg(node, 0);
    if (pool[speed].op != Op::kAbs) continue;
    const auto ratio = ratio_to(context, identity, pool.arg(speed, 0), slip);
    if (ratio) found.push_back({node, context.pool.call(Op::kAbs, {*ratio})});
  }
  return found;
}

/// base + factor * shape: in the shape parameters and saturations of the slip velocity alone, no
/// such saturations in the others.
struct SplitSize {
  Expr base, factor, shape;
};

/// Nothing when several factors stand before saturations.
std::optional<SplitSize> split_size(const ReductionContext& context,
                                    const std::vector<SaturatedSpeed>& speeds, Expr kinetic) {
  ExprPool& pool = context.pool;
  const auto falls = [&](Expr e) {
    const Expr roots[] = {e};
    const std::vector<Expr> nodes = topological_order(pool, roots);
    return std::any_of(speeds.begin(), speeds.end(), [&](const SaturatedSpeed& speed) {
      return std::find(nodes.begin(), nodes.end(), speed.node) != nodes.end();
    });
  };
  const auto args_of = [&](Expr e, Op op) {
    const auto args = pool.args(e);
    return pool[e].op == op ? std::vector<Expr>(args.begin(), args.end()) : std::vector<Expr>{e};
  };
  std::vector<Expr> base, shape;
  Expr factor;
  for (const Expr term : args_of(kinetic, Op::kAdd)) {
    if (!falls(term)) {
      base.push_back(term);
      continue;
    }
    std::vector<Expr> own, others;
    for (const Expr f : args_of(term, Op::kMul)) {
      (falls(f) || is_parametric(pool, f) ? own : others).push_back(f);
    }
    const Expr before = pool.mul(std::move(others));
    if (factor.valid() && before != factor) return std::nullopt;
    factor = before;
    shape.push_back(pool.mul(std::move(own)));
  }
  if (!factor.valid()) factor = pool.one();
  return SplitSize{pool.add(std::move(base)), factor, pool.add(std::move(shape))};
}

/// at_rest - sum of fall * nas(ratio |w|, V0)
struct FallingLine {
  Expr fall;   // by |w|
  Expr speed;  // |w| up to which it falls
};

/// The friction at rest and beyond all lines, and the lines.
struct FallingShape {
  Expr at_rest, beyond;
  std::vector<FallingLine> lines;
};

std::optional<FallingShape> falling_shape(const ReductionContext& context,
                                          const IdentityTest& identity,
                                          const std::vector<SaturatedSpeed>& speeds, Expr kinetic) {
  ExprPool& pool = context.pool;
  FallingShape shape{kinetic, kinetic, {}};
  for (const SaturatedSpeed& s : speeds) {
    shape.at_rest = replaced(pool, shape.at_rest, s.node, pool.zero());
    shape.beyond = replaced(pool, shape.beyond, s.node, pool.arg(s.node, 1));
  }
  std::vector<Expr> sum{shape.at_rest};
  for (const SaturatedSpeed& s : speeds) {
    const Expr limit = pool.arg(s.node, 1);
    Expr reached = replaced(pool, kinetic, s.node, limit);
    for (const SaturatedSpeed& other : speeds) {
      reached = replaced(pool, reached, other.node, pool.zero());
    }
    const Expr fall = pool.div(pool.sub(shape.at_rest, reached), limit);
    sum.push_back(pool.neg(pool.mul(fall, s.node)));
    shape.lines.push_back({pool.mul(fall, s.ratio), pool.div(limit, s.ratio)});
  }
  for (const Expr e : {shape.at_rest, shape.beyond}) {
    if (!is_parametric(pool, e)) return std::nullopt;
  }
  if (!identity.equal(kinetic, pool.add(std::move(sum)))) return std::nullopt;
  return shape;
}

/// What the lines make together: the speed beyond which the friction is constant, and how much it
/// falls up to there, by speed, at least.
struct Fall {
  Expr speed, least;  // invalid where it is constant everywhere
};

Fall whole_fall(const ReductionContext& context, std::vector<FallingLine> lines) {
  constexpr double kRounding = 1e-12;
  const auto speed_of = [&](const FallingLine& line) { return value_of(context, line.speed); };
  std::stable_sort(lines.begin(), lines.end(), [&](const FallingLine& a, const FallingLine& b) {
    return speed_of(a) > speed_of(b);
  });
  Fall result;
  Expr total = context.pool.zero();
  double fall = 0, least = 0, size = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {  // from beyond all down to rest
    total = context.pool.add(total, lines[i].fall);
    fall += value_of(context, lines[i].fall);
    size += std::fabs(value_of(context, lines[i].fall));
    if (i + 1 < lines.size() && speed_of(lines[i + 1]) == speed_of(lines[i])) continue;
    const bool is_constant = std::fabs(fall) <= kRounding * size;
    if (is_constant && !result.speed.valid()) continue;
    if (!result.speed.valid()) result.speed = lines[i].speed;
    if (result.least.valid() && fall >= least) continue;
    result.least = is_constant ? context.pool.zero() : total;
    least = fall;
  }
  return result;
}

/// True when the friction falls along lines, or not at all, which it is written by then.
bool take_lines(Mechanism& mechanism, const ReductionContext& context, const IdentityTest& identity,
                const std::vector<char>& massless, ForceTerm& friction) {
  ExprPool& pool = context.pool;
  const Expr slip = to_expr(pool, friction.argument, true);
  const Expr kinetic = by_saturations(mechanism, context, identity, friction.kinetic);
  const std::vector<SaturatedSpeed> speeds = saturated_speeds(context, identity, kinetic, slip);
  const auto size = split_size(context, speeds, kinetic);
  if (!size) return false;
  for (const Expr e : {size->base, size->factor}) {
    if (own_speed(context, massless, friction, e)) return false;
  }
  const auto form = falling_shape(context, identity, speeds, size->shape);
  if (!form) return false;
  const Fall fall = whole_fall(context, form->lines);
  // What is as great beyond as at rest has no shares of that difference.
  if (fall.speed.valid() && value_of(context, form->at_rest) == value_of(context, form->beyond)) {
    return false;
  }
  const auto with = [&](Expr shape) { return pool.add(size->base, pool.mul(size->factor, shape)); };
  friction.kinetic = with(form->beyond);
  if (!fall.speed.valid()) return true;
  friction.rest_speed = fall.speed;
  friction.at_rest = with(form->at_rest);
  friction.least_fall = fall.least;
  const Expr all = pool.sub(form->at_rest, form->beyond);
  const bool several = speeds.size() > 1;
  for (const FallingLine& line : form->lines) {
    const Expr share = several ? pool.div(pool.mul(line.fall, line.speed), all) : pool.one();
    friction.falls.push_back({line.speed, share});
    if (several) mechanism.fixed.insert(mechanism.fixed.end(), {line.fall, line.speed});
  }
  return true;
}

/// True when the friction falls exponentially, with one decay, which it is written by then; or
/// would do so if there were something to fall by.
bool take_decay(Mechanism& mechanism, const ReductionContext& context, const IdentityTest& identity,
                const std::vector<char>& massless, ForceTerm& friction) {
  ExprPool& pool = context.pool;
  const Expr slip = to_expr(pool, friction.argument, true);
  Expr at_rest = friction.kinetic, beyond = friction.kinetic, between = friction.kinetic;
  Expr decay, rate;  // of the slip; the rate is negative
  const Expr roots[] = {friction.kinetic};
  for (const Expr node : topological_order(pool, roots)) {
    if (pool[node].op != Op::kExp || is_parametric(pool, node)) continue;
    const auto factor = factor_of_speed(context, identity, pool.arg(node, 0), slip);
    if (!factor || !(value_of(context, *factor) < 0)) return false;
    if (rate.valid() && rate != *factor) {
      if (value_of(context, rate) != value_of(context, *factor)) return false;
      mechanism.fixed.insert(mechanism.fixed.end(), {rate, *factor});
    }
    if (!rate.valid()) {
      rate = *factor;
      decay = node;
    }
    at_rest = replaced(pool, at_rest, node, pool.one());
    beyond = replaced(pool, beyond, node, pool.zero());
    between = replaced(pool, between, node, decay);
  }
  if (!rate.valid()) return false;
  for (const Expr e : {at_rest, beyond}) {
    if (own_speed(context, massless, friction, e)) return false;
  }
  const Expr fallen = pool.add(beyond, pool.mul(pool.sub(at_rest, beyond), decay));
  if (!identity.equal(between, fallen)) return false;
  friction.kinetic = beyond;
  const Expr excess = pool.sub(at_rest, beyond);
  if (is_parametric(pool, excess) && value_of(context, excess) == 0) {  // nothing that falls
    mechanism.fixed.push_back(excess);
    return true;
  }
  friction.at_rest = at_rest;
  friction.decay = pool.div(pool.constant(-1), rate);
  friction.rest_speed = pool.constant(std::numeric_limits<double>::infinity());
  return true;
}

void report(const ReductionContext& context, const Mechanism& mechanism, const ForceTerm& friction,
            CoordinateId q) {
  part_error(context.diagnostics, context.flat, Code::kUnreducible, friction.part, friction.span,
             "the friction '" + friction.name + "' depends on the speed of '" +
                 mechanism.coordinates[q].name + "', which has no inertia")
      .with_note(
          "without inertia that speed follows from the friction itself, and jumps where it falls")
      .with_note(
          "give the body a small inertia; or let the friction fall along lines, as a "
          "StribeckFriction does, or by exp(-abs(w)/w_s), as a SmoothStribeckFriction, and be "
          "constant or grow by d*abs(w) beyond");
}

}  // namespace

Mechanism falling_friction(Mechanism mechanism, const ReductionContext& context) {
  const IdentityTest identity(context.pool, context.flat);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kFriction) continue;
    const auto own = own_speed(context, massless, term, term.kinetic);
    const auto holds = own_speed(context, massless, term, term.static_bound);
    if (!own && !holds) continue;
    if (holds || !(take_lines(mechanism, context, identity, massless, term) ||
                   take_decay(mechanism, context, identity, massless, term))) {
      report(context, mechanism, term, own ? *own : *holds);
      continue;
    }
    if (!term.rest_speed.valid()) continue;
    const std::string beyond = text_of(context, mechanism, term.kinetic);
    context.log.push_back(
        {"falling friction", "P3 in the limit M -> 0",
         "no inertia at '" + mechanism.coordinates[*own].name + "'",
         term.decay.valid()
             ? "'" + term.name + "' slips where the damping rises by more than it falls, with " +
                   beyond + " and what is left of " + text_of(context, mechanism, term.at_rest) +
                   ", or not at all"
             : "'" + term.name + "' slips faster than " +
                   text_of(context, mechanism, term.rest_speed) + ", with " + beyond +
                   ", or where the damping rises by more than it falls, or not at all"});
  }
  return mechanism;
}

}  // namespace luztar
