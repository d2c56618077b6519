#include "compiler/reduction/settle_kernel.h"

#include <cmath>

#include "compiler/reduction/nodes.h"
#include "compiler/reduction/softening_springs.h"

namespace luztar {
namespace {

/// Springs, contacts and frictions push on it, and no damping.
bool settles(const Node& node) {
  if (!node.dampers.empty()) return false;
  return !node.linear_springs.empty() || !node.freeplay_springs.empty() ||
         !node.frictions.empty() || !node.stops.empty();
}

/// The way a friction has slipped, of which its argument is the rate.
void give_travel(Mechanism& mechanism, const ReductionContext& context, ForceTerm& friction) {
  ExprPool& pool = context.pool;
  friction.travel = friction.argument;
  if (pool.is_zero(friction.argument.offset)) return;
  const VariableId way = add_variable(mechanism);
  mechanism.signal_states.push_back({way, pool.zero(), friction.argument.offset});
  friction.travel.offset = pool.symbol(SymbolKind::kVariable, way.value);
}

}  // namespace

Mechanism settle_kernel(Mechanism mechanism, const ReductionContext& context) {
  const NodeTerms nodes = node_terms(mechanism);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  std::vector<CoordinateId> settled;
  std::vector<std::string> names;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    const Node node = classify_node(context, mechanism, q, nodes[q.value]);
    if (!settles(node)) continue;
    mechanism.coordinates[q].role = CoordinateRole::kSettled;
    settled.push_back(q);
    names.push_back(mechanism.coordinates[q].name);
  }
  if (names.empty()) return mechanism;
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kSpring) continue;
    if (!acts_on_settled(mechanism, term) || value_of(context, term.half_freeplay) != 0) continue;
    term.half_freeplay = context.pool.zero();  // no edges
  }
  mechanism = softening_springs(std::move(mechanism), context);
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || !acts_on_settled(mechanism, term)) continue;
    if (term.kind == TermKind::kFriction) give_travel(mechanism, context, term);
    if (term.least_fall.valid()) mechanism.fixed.push_back(term.least_fall);
    if (term.kind == TermKind::kStop) term.travel = term.argument;  // a position itself
  }
  context.log.push_back(
      {"settle kernel", "kernel B, P1 simplification 2, P4 (40)-(45)",
       massless_condition(mechanism, settled) + ", no damping",
       list_of(names) + " follow from the balance of springs, dry frictions and loads"});
  return mechanism;
}

}  // namespace luztar
