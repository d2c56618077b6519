#include "compiler/reduction/sided_friction.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/slip_laws.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// A size for either direction of the slip.
struct Sides {
  Expr forwards, backwards;
};

class SideSplitter {
 public:
  SideSplitter(const ReductionContext& context, const IdentityTest& identity)
      : context_(context), pool_(context.pool), identity_(identity) {}

  /// Nothing where e does not depend on the direction.
  std::optional<Sides> sides(Expr e, Expr slip) {
    Sides result{e, e};
    const Expr roots[] = {e};
    for (const Expr node : topological_order(pool_, roots)) {
      const std::optional<Expr> ratio = watched_ratio(node, slip);
      if (!ratio) continue;
      const Sides value = values(node, *ratio);
      if (!value.forwards.valid()) return std::nullopt;
      result.forwards = replaced(pool_, result.forwards, node, value.forwards);
      result.backwards = replaced(pool_, result.backwards, node, value.backwards);
    }
    if (result.forwards == result.backwards) return std::nullopt;
    return result;
  }

  /// A parameter says so; a signal that comes to be negative stops the run.
  [[nodiscard]] bool may_be_size(Expr e) const {
    return !is_parametric(pool_, e) || value_of(context_, e) >= 0;
  }

  /// By the present values of parameters, as of a ratio of T_S and T_K that is one.
  bool same_at_present(Expr a, Expr b) {
    if (a == b) return true;
    constexpr double kRounding = 1e-14;  // of a quotient of factors
    const Expr ratio = pool_.is_zero(a) ? Expr{} : pool_.div(b, a);
    if (!ratio.valid() || !is_parametric(pool_, ratio)) return false;
    if (!(std::abs(value_of(context_, ratio) - 1) <= kRounding)) return false;
    relied_on_.push_back(ratio);
    return true;
  }

  /// Whose present values the answers have relied on, since the last call.
  std::vector<Expr> take_relied_on() { return std::exchange(relied_on_, {}); }

 private:
  // Of what a relation with zero, or a sign, watches.
  [[nodiscard]] std::optional<Expr> watched_ratio(Expr node, Expr slip) const {
    const Op op = pool_[node].op;
    if (op == Op::kSign) return ratio_to(context_, identity_, pool_.arg(node, 0), slip);
    if (op != Op::kLess && op != Op::kLessEqual) return std::nullopt;
    const Expr above = pool_.sub(pool_.arg(node, 1), pool_.arg(node, 0));
    return ratio_to(context_, identity_, above, slip);
  }

  // Of a node that watches ratio * slip, for either direction of the slip. A ratio that varies, as
  // the load in `load*w > 0`, says which of them it is.
  Sides values(Expr node, Expr ratio) {
    const Expr backwards = pool_.neg(ratio);
    if (!is_parametric(pool_, ratio)) return {of_sign(node, ratio), of_sign(node, backwards)};
    const double way = value_of(context_, ratio);
    if (!(std::abs(way) > 0)) return {};
    relied_on_.push_back(ratio);
    const Expr ahead = pool_.constant(way > 0 ? 1 : -1);
    return {of_sign(node, ahead), of_sign(node, pool_.neg(ahead))};
  }

  // The node where what it watches is x.
  [[nodiscard]] Expr of_sign(Expr node, Expr x) {
    if (pool_[node].op == Op::kSign) return pool_.call(Op::kSign, {x});
    return pool_.call(pool_[node].op, {pool_.zero(), x});
  }

  const ReductionContext& context_;
  ExprPool& pool_;
  const IdentityTest& identity_;
  std::vector<Expr> relied_on_;
};

/// e, a size for one direction of the slip w, with the speed that it has in that direction: in the
/// other one it may be no size at all. Nothing where the speeds of w do not tell.
///   way   1 or -1
std::optional<Expr> at_own_speed(ExprPool& pool, const ForceTerm& friction, Expr e, double way) {
  for (const auto& [q, c] : friction.argument.terms) {
    const Symbol own{SymbolKind::kVelocity, q.value};
    if (!depends_on(pool, e, [&](Symbol s) { return s == own; })) continue;
    if (!is_parametric(pool, c)) return std::nullopt;
    const Expr slip = to_expr(pool, friction.argument, true);
    const Expr speed = pool.mul(pool.constant(way), pool.call(Op::kAbs, {slip}));
    const Expr shift = pool.div(pool.sub(speed, slip), c);
    const Expr velocity = pool.add(pool.symbol(own.kind, own.index), shift);
    return substitute(pool, e, [&](Symbol s) { return s == own ? velocity : Expr{}; });
  }
  return e;
}

std::optional<Sides> at_own_speed(ExprPool& pool, const ForceTerm& friction, const Sides& sides) {
  const auto forwards = at_own_speed(pool, friction, sides.forwards, 1);
  const auto backwards = at_own_speed(pool, friction, sides.backwards, -1);
  if (!forwards || !backwards) return std::nullopt;
  return Sides{*forwards, *backwards};
}

bool is_infinite(const ReductionContext& context, const Sides& sides) {
  const auto infinite = [&](Expr e) {
    return is_parametric(context.pool, e) && std::isinf(value_of(context, e));
  };
  return infinite(sides.forwards) || infinite(sides.backwards);
}

void report_infinite(const ReductionContext& context, const ForceTerm& friction) {
  part_error(context.diagnostics, context.flat, Code::kInfiniteFriction, friction.part,
             friction.span, "the friction of '" + friction.name + "' is infinite in one direction")
      .with_note("give it a finite size: one that no load reaches locks as well");
}

/// even: the load is the same at rest and in motion.
void split(Mechanism& mechanism, const ReductionContext& context, ForceTermId id,
           const Sides& kinetic, const Sides& at_rest, bool even) {
  ExprPool& pool = context.pool;
  const Expr half = pool.constant(0.5);
  const auto mean = [&](const Sides& sides) {
    const Expr sum = pool.add(sides.forwards, sides.backwards);
    return pool.mul(half, sum);
  };
  const auto half_difference = [&](const Sides& sides) {
    const Expr difference = pool.sub(sides.forwards, sides.backwards);
    return pool.mul(half, difference);
  };
  ForceTerm dry = mechanism.terms[id];
  ForceTerm load = dry;
  dry.kinetic = mean(kinetic);
  dry.static_bound = mean(at_rest);
  load.kind = load.origin = TermKind::kLoad;
  load.value = half_difference(kinetic);
  if (!even) {
    const Expr direction = pool.call(Op::kSign, {to_expr(pool, dry.argument, true)});
    const Expr slips = pool.mul(direction, direction);
    const Expr resting = half_difference(at_rest);
    load.value = pool.if_then_else(slips, load.value, resting);
  }
  load.argument = {};
  load.kinetic = load.static_bound = Expr{};
  std::string entry = "'" + dry.name + "' is one of " + text_of(context, mechanism, dry.kinetic) +
                      " beside a load of " + text_of(context, mechanism, half_difference(kinetic));
  if (!even) {
    entry += ", at rest of " + text_of(context, mechanism, dry.static_bound) + " beside " +
             text_of(context, mechanism, half_difference(at_rest));
  }
  const ForceTermId whole = mechanism.terms.push_back(std::move(dry));
  const ForceTermId beside = mechanism.terms.push_back(std::move(load));
  const Expr of_load = pool.symbol(SymbolKind::kForce, beside.value);
  mechanism.terms[whole].beside = of_load;
  ForceTerm& written = mechanism.terms[id];
  written.status = TermStatus::kReplaced;
  written.sides = {kinetic.forwards, kinetic.backwards};
  if (!even) written.sides.insert(written.sides.end(), {at_rest.forwards, at_rest.backwards});
  const Expr of_whole = pool.symbol(SymbolKind::kForce, whole.value);
  written.value = pool.add(of_whole, of_load);
  written.merged_into = whole;
  written.merged_ratio = pool.one();
  context.log.push_back({"sided friction", "T+ | -T- = (T+ + T-)/2 sgn w + (T+ - T-)/2",
                         "inertia, or sizes that do not depend on w", entry});
}

}  // namespace

Mechanism sided_friction(Mechanism mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  const auto may_have_sides = [&](const ForceTerm& term) {
    return term.status == TermStatus::kActive && term.kind == TermKind::kFriction &&
           !is_parametric(pool, term.kinetic) && !is_parametric(pool, term.static_bound);
  };
  if (std::none_of(mechanism.terms.begin(), mechanism.terms.end(), may_have_sides)) {
    return mechanism;
  }
  const IdentityTest identity(pool, context.flat);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  SideSplitter splitter(context, identity);
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (!may_have_sides(term)) continue;
    std::ignore = splitter.take_relied_on();  // of one that is left as it is
    const Expr slip = to_expr(pool, term.argument, true);
    auto kinetic = splitter.sides(term.kinetic, slip);
    auto at_rest = splitter.sides(term.static_bound, slip);
    if (!kinetic || !at_rest) continue;
    if (is_infinite(context, *kinetic) || is_infinite(context, *at_rest)) {
      report_infinite(context, term);
      continue;
    }
    const auto is_own = [&](Symbol s) {
      return (s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration) &&
             term.argument.coefficient(CoordinateId{s.index}) != nullptr;
    };
    const bool of_massless =
        std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                    [&](const auto& part) { return massless[part.first.value] != 0; });
    bool fits = true;
    for (const Expr e :
         {kinetic->forwards, kinetic->backwards, at_rest->forwards, at_rest->backwards}) {
      fits = fits && !(of_massless && depends_on(pool, e, is_own)) && splitter.may_be_size(e);
    }
    if (!fits) continue;
    kinetic = at_own_speed(pool, term, *kinetic);
    at_rest = at_own_speed(pool, term, *at_rest);
    if (!kinetic || !at_rest) continue;
    const Expr difference = pool.sub(kinetic->forwards, kinetic->backwards);
    const Expr at_rest_difference = pool.sub(at_rest->forwards, at_rest->backwards);
    const bool even = identity.equal(difference, at_rest_difference) ||
                      (splitter.same_at_present(kinetic->forwards, at_rest->forwards) &&
                       splitter.same_at_present(kinetic->backwards, at_rest->backwards));
    if (!even && of_massless) continue;
    const std::vector<Expr> relied_on = splitter.take_relied_on();
    mechanism.fixed.insert(mechanism.fixed.end(), relied_on.begin(), relied_on.end());
    split(mechanism, context, id, *kinetic, *at_rest, even);
  }
  return mechanism;
}

}  // namespace luztar
