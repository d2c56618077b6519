#include "compiler/reduction/rigid_contact.h"

#include <algorithm>

#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/row_basis.h"
#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

bool creeps(const Mechanism& mechanism, const ForceTerm& term) {
  return std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                     [&](const auto& t) { return is_creep_kernel(mechanism, t.first); });
}

/// A coordinate that the term acts on and that has neither inertia nor damping; not a guided one,
/// which join_linkages looks at.
const Coordinate* undamped_at(const Mechanism& mechanism, const ReductionContext& context,
                              const ForceTerm& term) {
  for (const auto& [q, c] : term.argument.terms) {
    const Coordinate& coordinate = mechanism.coordinates[q];
    if (coordinate.role == CoordinateRole::kGuided || is_creep_kernel(mechanism, q)) continue;
    if (coordinate.role != CoordinateRole::kInertial || is_massless(context, mechanism, q)) {
      return &coordinate;
    }
  }
  return nullptr;
}

void report_undamped(const ReductionContext& context, const ForceTerm& contact,
                     const Coordinate& body) {
  const bool stop = contact.origin == TermKind::kStop;
  part_error(context.diagnostics, context.flat, Code::kRigidFreeplay, contact.part, contact.span,
             stop ? "the hard stop '" + contact.name + "' acts on '" + body.name +
                        "', which has no inertia and no damping"
                  : "'" + contact.name + "' is a rigid connection with freeplay to '" + body.name +
                        "', which has no inertia and no damping")
      .with_note(stop ? "give the body a damping or an inertia, or use a FreeplaySpring"
                      : "give the body a damping or an inertia, or the spring a finite stiffness");
}

/// Contacts that massless bodies join are closed one after the other, and then none of them can
/// move without the others: what they hold together has an impact, of which there is no law.
void check_independent(const Mechanism& mechanism, const ReductionContext& context) {
  RowBasis basis;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kStop) continue;
    if (!creeps(mechanism, term)) continue;
    RowBasis::Row row;
    const Coordinate* body = nullptr;
    for (const auto& [q, c] : term.argument.terms) {
      if (!is_creep_kernel(mechanism, q)) continue;
      row[q] = value_of(context, c);
      body = &mechanism.coordinates[q];
    }
    if (basis.add(std::move(row))) continue;
    part_error(context.diagnostics, context.flat, Code::kRigidFreeplay, term.part, term.span,
               "'" + term.name + "' is one of several rigid contacts on '" + body->name +
                   "', which has no inertia")
        .with_note("all of them can be closed at once, and pass on an impact")
        .with_note("give the body an inertia, or let a spring of finite stiffness be in between");
  }
}

}  // namespace

Mechanism rigid_contact(Mechanism mechanism, const ReductionContext& context) {
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive) continue;
    const bool rigid = is_rigid_spring(context, term);
    if (term.kind != TermKind::kStop && !(rigid && creeps(mechanism, term))) continue;
    if (const Coordinate* body = undamped_at(mechanism, context, term)) {
      report_undamped(context, term, *body);
      continue;
    }
    if (creeps(mechanism, term)) {
      context.log.push_back({"rigid contact", "kernel A, Moreau 1977",
                             "no inertia, and damping, at a body that it acts on",
                             "'" + term.name + "' pushes in contact, and closes without impact"});
    }
    if (!rigid) continue;
    term.kind = term.origin = TermKind::kStop;
    term.restitution = context.pool.zero();
  }
  check_independent(mechanism, context);
  return mechanism;
}

}  // namespace luztar
