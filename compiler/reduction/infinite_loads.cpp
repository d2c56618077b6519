#include "compiler/reduction/infinite_loads.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

/// The first factor of a product that makes the others infinite; an invalid Expr: there is none.
Expr infinite_factor(const ReductionContext& context, Expr product) {
  Expr infinite;
  bool moves = false;
  for (const Expr factor : context.pool.args(product)) {
    if (!context.nominal.is_parametric(factor)) {
      moves = true;
    } else if (!infinite.valid() && std::isinf(context.nominal.value(factor))) {
      infinite = factor;
    }
  }
  return moves ? infinite : Expr{};
}

/// The same within a load. A condition may keep what it decides about from being computed.
Expr infinite_part(const ReductionContext& context, Expr load) {
  std::set<Expr> seen;
  std::vector<Expr> work{load};
  while (!work.empty()) {
    const Expr e = work.back();
    work.pop_back();
    if (!seen.insert(e).second || context.pool[e].op == Op::kIf) continue;
    if (context.pool[e].op == Op::kMul) {
      const Expr factor = infinite_factor(context, e);
      if (factor.valid()) return factor;
    }
    const auto args = context.pool.args(e);
    work.insert(work.end(), args.begin(), args.end());
  }
  return {};
}

/// A signal times an infinite capacity.
void check_capacity(const ReductionContext& context, const Mechanism& mechanism,
                    const ForceTerm& friction) {
  for (const Expr bound : {friction.kinetic, friction.static_bound}) {
    const Expr factor = infinite_part(context, bound);
    if (!factor.valid()) continue;
    part_error(context.diagnostics, context.flat, Code::kInfiniteFriction, friction.part,
               friction.span,
               "the friction of '" + friction.name + "' is a signal times '" +
                   text_of(context, mechanism, factor) + "', which is infinite")
        .with_note(
            "give it a finite capacity; to join the flanges for good use a spring with k = inf");
    return;
  }
}

/// luz(k*x, F) and nas(k*x, F) with an infinite k, or k luz(x, b) less another one of that k: a
/// rigid connection that gives way at a force.
void check_saturation(const ReductionContext& context, const ForceTerm& spring) {
  if (spring.argument.terms.empty()) return;
  const auto number = [&](Expr e) {
    return context.nominal.is_parametric(e) ? context.nominal.value(e) : 0.0;
  };
  const bool infinite =
      number(spring.coefficient) == -std::numeric_limits<double>::infinity() ||
      std::any_of(spring.argument.terms.begin(), spring.argument.terms.end(),
                  [&](const auto& term) { return std::isinf(number(term.second)); });
  if (!infinite) return;
  part_error(context.diagnostics, context.flat, Code::kUnreducible, spring.part, spring.span,
             "the force of " + part_name(context.flat, spring.part) +
                 " has bounds, or a threshold, of a motion times an infinite number")
      .with_note(
          "a rigid connection that gives way at a force is dry friction (CrossFriction, Clutch); "
          "for a spring that does so give it a finite stiffness");
}

/// Bounds that are infinite, and so are none: which mode a value is in does not follow from them.
void note_infinite_bounds(const Mechanism& mechanism, const ReductionContext& context) {
  std::vector<Expr> roots;
  for (const ForceTerm& term : mechanism.terms) {
    for (const Expr e : {term.value, term.kinetic, term.static_bound}) {
      if (e.valid()) roots.push_back(e);
    }
  }
  for (const SignalState& z : mechanism.signal_states) roots.push_back(z.derivative);
  for (const Expr e : mechanism.definitions) {
    if (e.valid()) roots.push_back(e);
  }
  for (const Expr e : topological_order(context.pool, roots)) {
    const Op op = context.pool[e].op;
    if (op != Op::kMin && op != Op::kMax && op != Op::kLess && op != Op::kLessEqual) continue;
    for (const Expr arg : context.pool.args(e)) {
      if (context.nominal.is_parametric(arg) && std::isinf(context.nominal.value(arg))) {
        context.limits.insert(arg);
      }
    }
  }
}

}  // namespace

void check_infinite_loads(const Mechanism& mechanism, const ReductionContext& context) {
  note_infinite_bounds(mechanism, context);
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive) continue;
    if (term.kind == TermKind::kFriction) check_capacity(context, mechanism, term);
    if (term.kind == TermKind::kSpring) check_saturation(context, term);
    if (term.kind != TermKind::kLoad) continue;
    const Expr factor = infinite_part(context, term.value);
    if (!factor.valid()) continue;
    part_error(context.diagnostics, context.flat, Code::kUnreducible, term.part, term.span,
               "the force of '" + term.name + "' is a motion times '" +
                   text_of(context, mechanism, factor) + "', which is infinite")
        .with_note(
            "only springs c*luz(x, b), frictions and hard stops have a rigid limit: use a HardStop "
            "for a rigid contact, or give it a finite stiffness");
  }
}

}  // namespace luztar
