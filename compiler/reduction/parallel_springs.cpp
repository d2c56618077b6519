#include "compiler/reduction/parallel_springs.h"

#include <utility>

#include "compiler/reduction/nodes.h"

namespace luztar {

void add_springs(ExprPool& pool, Mechanism& mechanism, const ForceTerm& written,
                 const LinearForm& x, const ParallelSprings& law) {
  ForceTerm term;
  term.part = written.part;
  term.span = written.span;
  term.name = written.name;
  for (const PlaySpring& spring : law.springs) {
    term.kind = term.origin = TermKind::kSpring;
    term.coefficient = pool.constant(spring.stiffness);
    term.argument = {x.terms, pool.sub(x.offset, pool.constant(spring.centre))};
    if (spring.side < 0) term.argument = scaled(pool, term.argument, pool.constant(-1));
    term.participation = {term.argument.terms, pool.zero()};
    term.half_freeplay = pool.constant(spring.half_freeplay);
    term.one_sided = spring.side != 0;
    mechanism.terms.push_back(term);
  }
  if (law.force == 0) return;
  term.kind = term.origin = TermKind::kLoad;
  term.coefficient = pool.one();
  term.argument = x;
  term.participation = {x.terms, pool.zero()};
  term.one_sided = false;
  term.half_freeplay = pool.zero();
  term.value = pool.constant(law.force);
  term.energy = pool.mul(term.value, to_expr(pool, x, false));
  mechanism.terms.push_back(std::move(term));
}

}  // namespace luztar
