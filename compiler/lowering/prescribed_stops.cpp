#include "compiler/lowering/prescribed_stops.h"

namespace luztar {

void watch_prescribed_stops(Lowering& l) {
  constexpr double kRounding = 1e-12;  // of motions that only touch
  for (const ForceTermId id : l.mechanism.terms.ids()) {
    const ForceTerm& term = l.mechanism.terms[id];
    if (term.kind != TermKind::kStop || term.status != TermStatus::kActive) continue;
    if (!term.argument.terms.empty()) continue;
    const Expr distance = l.pool.call(Op::kAbs, {to_expr(l.pool, term.argument, false)});
    const Expr size = l.pool.add(distance, term.half_freeplay);
    const Expr condition = l.pool.call(
        Op::kLessEqual,
        {l.pool.sub(distance, term.half_freeplay), l.pool.mul(l.pool.constant(kRounding), size)});
    l.system.assertions.push_back({l.resolver.resolve(condition),
                                   "prescribed motions close the hard stop '" + term.name + "'",
                                   term.span,
                                   {},
                                   Code::kBlockedMotion,
                                   term.part});
  }
}

}  // namespace luztar
