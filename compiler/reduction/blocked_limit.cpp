#include "compiler/reduction/blocked_limit.h"

#include <cmath>

#include "compiler/mechanics/part_names.h"
#include "compiler/reduction/nodes.h"

namespace luztar {

Mechanism blocked_limit(Mechanism mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  NodeTerms nodes = node_terms(mechanism);
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const auto diagonal = mechanism.inertia.find({q, q});
    if (diagonal == mechanism.inertia.end()) continue;
    if (!std::isinf(value_of(context, diagonal->second))) continue;
    const Coordinate& coordinate = mechanism.coordinates[q];
    if (coordinate.role == CoordinateRole::kPrescribed) continue;  // moved all the same
    if (coordinate.role == CoordinateRole::kGuided) {
      part_error(context.diagnostics, context.flat, Code::kUnreducible, coordinate.part, {},
                 "'" + coordinate.name + "' follows a linkage, and has an infinite inertia")
          .with_note("block the side that drives the linkage instead");
      continue;
    }
    const bool moves = value_of(context, coordinate.start_velocity) != 0;
    LinearForm motion{{}, coordinate.start};
    if (moves) {
      const Expr elapsed = pool.sub(pool.time(), pool.constant(context.flat.experiment.start));
      motion.offset = pool.add(motion.offset, pool.mul(coordinate.start_velocity, elapsed));
    }
    context.log.push_back(
        {"blocked body", "M -> inf, P2 sec. 3, P5 note 4",
         text_of(context, mechanism, diagonal->second) + " = inf",
         "'" + coordinate.name + "' = " + text_of(context, mechanism, motion.offset)});
    eliminate_coordinate(context, mechanism, nodes, q, motion);
  }
  return mechanism;
}

}  // namespace luztar
