#include "compiler/reduction/parallel_springs.h"

#include <utility>

namespace luztar {

void add_springs(ExprPool& pool, Mechanism& mechanism, const ForceTerm& written,
                 const LinearForm& x, const ParallelSprings& law) {
  ForceTerm term;
  term.part = written.part;
  term.span = written.span;
  term.name = written.name;
  term.participation = {x.terms, pool.zero()};
  for (const PlaySpring& spring : law.springs) {
    term.kind = term.origin = TermKind::kSpring;
    term.coefficient = pool.constant(spring.stiffness);
    term.argument = {x.terms, pool.sub(x.offset, pool.constant(spring.centre))};
    term.half_freeplay = pool.constant(spring.half_freeplay);
    mechanism.terms.push_back(term);
  }
  if (law.force == 0) return;
  term.kind = term.origin = TermKind::kLoad;
  term.coefficient = pool.one();
  term.argument = {};
  term.half_freeplay = pool.zero();
  term.value = pool.constant(law.force);
  mechanism.terms.push_back(std::move(term));
}

}  // namespace luztar
