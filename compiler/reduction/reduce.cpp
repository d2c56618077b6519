#include "compiler/reduction/reduce.h"

#include <algorithm>
#include <optional>
#include <set>

#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/unconnected.h"
#include "compiler/reduction/absent_forces.h"
#include "compiler/reduction/blocked_limit.h"
#include "compiler/reduction/cancelled_rows.h"
#include "compiler/reduction/elastic_loads.h"
#include "compiler/reduction/falling_friction.h"
#include "compiler/reduction/infinite_loads.h"
#include "compiler/reduction/linear_node.h"
#include "compiler/reduction/linkage.h"
#include "compiler/reduction/massless_creep.h"
#include "compiler/reduction/massless_kernel.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/parallel_friction.h"
#include "compiler/reduction/prescribed_motion.h"
#include "compiler/reduction/quasi_static_node.h"
#include "compiler/reduction/rigid_contact.h"
#include "compiler/reduction/rigid_limit.h"
#include "compiler/reduction/saturations.h"
#include "compiler/reduction/separation_sheet.h"
#include "compiler/reduction/series_freeplay.h"
#include "compiler/reduction/settle_kernel.h"
#include "compiler/reduction/sided_friction.h"
#include "compiler/reduction/stored_loads.h"
#include "compiler/reduction/structural_parameters.h"
#include "compiler/reduction/viscous_friction.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

std::string list_parts(const ReductionContext& context, const Mechanism& mechanism,
                       const std::vector<ForceTermId>& terms) {
  std::set<PartId> seen;
  std::string list;
  for (const ForceTermId id : terms) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || !seen.insert(term.part).second) continue;
    list += (list.empty() ? "" : ", ") + part_name(context.flat, term.part);
  }
  return list;
}

// The parts of the terms, when these are forces that follow no motion; else nothing.
std::optional<std::vector<std::string>> loads_alone(const ReductionContext& context,
                                                    const Mechanism& mechanism,
                                                    const std::vector<ForceTermId>& terms) {
  std::vector<std::string> parts;
  for (const ForceTermId id : terms) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    const bool given =
        term.kind == TermKind::kLoad && !depends_on(context.pool, term.value, [](Symbol s) {
          return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter;
        });
    if (!given) return std::nullopt;
    const std::string& part = context.flat.parts[term.part].name;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

// Massless nodes that no rule took, and rigid stops between bodies.
void check_reduced(const Mechanism& mechanism, const ReductionContext& context) {
  const NodeTerms nodes = node_terms(mechanism);
  const std::vector<char> massless = massless_coordinates(context, mechanism);
  bool left = false;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (!massless[q.value]) continue;
    left = true;
    const Coordinate& coordinate = mechanism.coordinates[q];
    const std::string terms = list_parts(context, mechanism, nodes[q.value]);
    if (const auto loads = loads_alone(context, mechanism, nodes[q.value])) {
      PartErrors errors(context.pool, context.flat, context.diagnostics);
      report_floating_node(context.flat, coordinate, *loads, errors);
      continue;
    }
    part_error(
        context.diagnostics, context.flat, Code::kUnreducible, coordinate.part, {},
        "'" + coordinate.name + "' has no inertia, and a force on it is not linear in its motion")
        .with_note("the forces on it are those of " + terms)
        .with_note(
            "without inertia its motion has to follow from springs, dampers and dry "
            "frictions: give it an inertia");
  }
  if (left) return;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || !is_rigid_spring(context, term)) continue;
    part_error(
        context.diagnostics, context.flat, Code::kRigidFreeplay, term.part, term.span,
        "'" + term.name + "' is a rigid connection with freeplay between bodies with inertia")
        .with_note(
            "an impact needs a law of restitution: use a HardStop, or give the spring a "
            "finite stiffness");
  }
}

}  // namespace

std::optional<ReducedMechanism> reduce(ExprPool& pool, const FlatModel& flat,
                                       const Mechanism& mechanism, Diagnostics& diagnostics) {
  const std::size_t errors = diagnostics.error_count();
  ReducedMechanism result;
  std::set<Expr> limits = mechanism.limits;
  const ReductionContext context{pool,        flat,   result.log,
                                 diagnostics, limits, NominalPoint(pool, flat)};
  check_infinite_loads(mechanism, context);
  if (diagnostics.error_count() > errors) return std::nullopt;
  const Mechanism written = elastic_loads(mechanism, context);
  Mechanism m = prescribed_motion(written, context);
  m = absent_forces(std::move(m), context);
  m = blocked_limit(std::move(m), context);
  m = rigid_limit(std::move(m), context);
  m = join_linkages(std::move(m), context);
  m = cancelled_rows(std::move(m), context);
  m = sided_friction(std::move(m), context);
  m = viscous_friction(std::move(m), context);
  m = parallel_friction(std::move(m), context);
  m = falling_friction(std::move(m), context);
  m = series_freeplay(std::move(m), context);
  if (diagnostics.error_count() > errors) return std::nullopt;
  m = linear_node(std::move(m), context);
  m = separation_sheet(std::move(m), context);
  m = quasi_static_node(std::move(m), context);
  m = massless_creep(std::move(m), context);
  m = massless_kernel(std::move(m), context);
  // Springs in series with a damper: the direction that no damping holds.
  m = cancelled_rows(std::move(m), context);
  m = linear_node(std::move(m), context);
  m = quasi_static_node(std::move(m), context);
  m = rigid_contact(std::move(m), context);
  m = parallel_falls(std::move(m), context);
  m = settle_kernel(std::move(m), context);
  m = eliminate_linkages(std::move(m), context);
  if (diagnostics.error_count() == errors) check_reduced(m, context);
  if (diagnostics.error_count() == errors)
    m = check_jumps(std::move(m), mechanism.inertia, context);
  if (diagnostics.error_count() > errors) return std::nullopt;
  m.terms = saturations(std::move(m.terms), m.coordinates, context);
  result.mechanism = std::move(m);
  result.structural = structural_parameters(pool, flat, limits, result.mechanism.fixed);
  result.written = {stored_loads(saturations(written.terms, written.coordinates, context), context),
                    written.inertia,
                    {}};
  for (const CoordinateId p : mechanism.coordinates.ids()) {
    const Coordinate& c = mechanism.coordinates[p];
    if (c.role == CoordinateRole::kGuided) result.written.linkages.emplace_back(p, c.position);
  }
  return result;
}

std::string print(const ReducedMechanism& reduced, const FlatModel& flat, const ExprPool& pool) {
  std::string out = "reductions\n";
  for (const ReductionEntry& entry : reduced.log) {
    out += "  " + entry.rule + " [" + entry.reference + "] since " + entry.condition + ":\n    " +
           entry.result + "\n";
  }
  if (!reduced.structural.empty()) out += "structural parameters\n";
  for (const ParameterId p : reduced.structural) {
    out += "  " + flat.parameters[p].name + " = " + number_text(flat.parameters[p].value) + "\n";
  }
  return out + print(reduced.mechanism, flat, pool);
}

}  // namespace luztar
