#include "compiler/reduction/massless_kernel.h"

#include "compiler/reduction/damped_directions.h"
#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

/// The coordinate of a direction: the pivot itself, or a new one in its place.
CoordinateId write_in_direction(Mechanism& mechanism, const ReductionContext& context,
                                NodeTerms& nodes, const DampedDirection& direction) {
  if (direction.others.terms.empty()) return direction.pivot;
  ExprPool& pool = context.pool;
  Coordinate z = mechanism.coordinates[direction.pivot];
  const Expr name = pool.add(pool.symbol(SymbolKind::kCoordinate, direction.pivot.value),
                             to_expr(pool, direction.others, false));
  z.name = "(" + text_of(context, mechanism, name) + ")";
  z.velocity_name = "der" + z.name;
  std::vector<Expr> start{z.start};
  for (const auto& [q, c] : direction.others.terms) {
    start.push_back(pool.mul(c, mechanism.coordinates[q].start));
  }
  z.start = pool.add(std::move(start));
  const CoordinateId id = mechanism.coordinates.push_back(std::move(z));
  LinearForm by = scaled(pool, direction.others, pool.constant(-1));
  by.terms.emplace_back(id, pool.one());  // the greatest id: stays sorted
  eliminate_coordinate(context, mechanism, nodes, direction.pivot, by);
  for (const auto& [q, c] : direction.others.terms) {
    join_terms(nodes[q.value], nodes[direction.pivot.value]);
  }
  nodes.terms.push_back(std::move(nodes[direction.pivot.value]));
  return id;
}

}  // namespace

Mechanism massless_kernel(Mechanism mechanism, const ReductionContext& context) {
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  const std::vector<DampedDirection> directions = damped_directions(context, mechanism, massless);
  NodeTerms nodes = node_terms(mechanism);
  std::vector<std::string> names;
  std::vector<CoordinateId> pivots;
  for (const DampedDirection& direction : directions) {
    pivots.push_back(direction.pivot);
    const CoordinateId q = write_in_direction(mechanism, context, nodes, direction);
    mechanism.coordinates[q].role = CoordinateRole::kCreep;
    names.push_back(mechanism.coordinates[q].velocity_name);
  }
  if (directions.empty()) return mechanism;
  context.log.push_back(
      {"massless kernel", "kernel A, Th. 5.3 in several variables",
       massless_condition(mechanism, pivots) + ", damping in " + std::to_string(directions.size()) +
           (directions.size() == 1 ? " direction" : " directions"),
       list_of(names) + " follow from the balance of forces, dry friction by Gauss' "
                        "principle in velocities"});
  return mechanism;
}

}  // namespace luztar
