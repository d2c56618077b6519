#include "compiler/lowering/friction_bounds.h"

#include <string>
#include <vector>

#include "compiler/lowering/ranges.h"

namespace luztar {
namespace {

struct FrictionBound {
  ForceTermId term;
  const char* kind;
  Expr size;
};

// Sizes that follow from parameters alone have been checked when these were known.
std::vector<FrictionBound> varying_bounds(Lowering& l) {
  std::vector<FrictionBound> bounds;
  for (std::size_t i = 0; i < l.mechanism.written_terms; ++i) {
    const ForceTerm& term = l.mechanism.terms[ForceTermId{i}];
    if (term.origin != TermKind::kFriction) continue;
    const auto add = [&](const char* kind, Expr size) {
      if (!l.nominal.is_parametric(size)) bounds.push_back({ForceTermId{i}, kind, size});
    };
    for (const Expr side : term.sides) add("kinetic", side);
    if (!term.sides.empty()) continue;
    add("kinetic", term.kinetic);
    if (term.static_bound != term.kinetic) add("static", term.static_bound);
  }
  for (FrictionBound& bound : bounds) bound.size = l.resolver.resolve(bound.size);
  return bounds;
}

}  // namespace

void watch_friction_bounds(Lowering& l) {
  const std::vector<FrictionBound> bounds = varying_bounds(l);
  std::vector<Expr> sizes;
  for (const FrictionBound& bound : bounds) sizes.push_back(bound.size);
  const std::vector<Range> ranges = ranges_of(l.pool, l.nominal, sizes);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    if (ranges[i].least >= 0) continue;
    const ForceTerm& term = l.mechanism.terms[bounds[i].term];
    l.system.assertions.push_back(
        {l.pool.call(Op::kLessEqual, {l.pool.zero(), sizes[i]}),
         std::string("the ") + bounds[i].kind + " friction of '" + term.name + "' becomes negative",
         term.span,
         {},
         Code::kNegativeFriction,
         term.part});
  }
}

}  // namespace luztar
