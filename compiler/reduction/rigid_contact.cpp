#include "compiler/reduction/rigid_contact.h"

#include <algorithm>

#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/row_basis.h"
#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

/// The last coordinate that the term acts on, of those asked for.
template <class Asked>
const Coordinate* last_at(const Mechanism& mechanism, const ForceTerm& term, Asked asked) {
  const Coordinate* last = nullptr;
  for (const auto& [q, c] : term.argument.terms) {
    if (asked(q)) last = &mechanism.coordinates[q];
  }
  return last;
}

template <class Asked>
RowBasis::Row row_of(const ReductionContext& context, const ForceTerm& term, Asked asked) {
  RowBasis::Row row;
  for (const auto& [q, c] : term.argument.terms) {
    if (asked(q)) row[q] = value_of(context, c);
  }
  return row;
}

void report_series(const ReductionContext& context, const ForceTerm& term, const Coordinate& body,
                   bool impact) {
  part_error(context.diagnostics, context.flat, Code::kRigidFreeplay, term.part, term.span,
             "'" + term.name + "' is one of several rigid contacts on '" + body.name +
                 "', which has no inertia")
      .with_note(impact ? "all of them can be closed at once, and pass on an impact"
                        : "all of them can be closed at once, and hold a body with damping")
      .with_note("give the body an inertia, or let a spring of finite stiffness be in between");
}

/// Contacts that massless bodies join are closed one after the other, and then none of them can
/// move without the others: what they hold together has an impact, of which there is no law. In
/// kernel B a combination of contacts may leave nothing at all beyond the points: then they only
/// share a force. Where it leaves damped bodies, these follow velocities, and the points positions.
void check_independent(const Mechanism& mechanism, const ReductionContext& context,
                       const std::vector<char>& undamped) {
  const auto all = [](CoordinateId) { return true; };
  const auto damped = [&](CoordinateId q) { return is_creep_kernel(mechanism, q); };
  const auto settles = [&](CoordinateId q) { return undamped[q.value] != 0; };
  const auto massless = [&](CoordinateId q) { return damped(q) || settles(q); };
  RowBasis of_damped, of_points, of_massless, of_all;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind != TermKind::kStop) continue;
    if (const Coordinate* point = last_at(mechanism, term, settles)) {
      const bool gives_way = of_points.add(row_of(context, term, settles));
      const bool impact = !of_massless.add(row_of(context, term, massless));
      const bool is_new = of_all.add(row_of(context, term, all));
      if (is_new && !gives_way) report_series(context, term, *point, impact);
    } else if (const Coordinate* body = last_at(mechanism, term, damped)) {
      if (!of_damped.add(row_of(context, term, damped))) report_series(context, term, *body, true);
    }
  }
}

void log_contact(const ReductionContext& context, const ForceTerm& term, bool settles) {
  context.log.push_back({"rigid contact", settles ? "kernel B" : "kernel A, Moreau 1977",
                         settles ? "no inertia and no damping at a body that it acts on"
                                 : "no inertia, and damping, at a body that it acts on",
                         "'" + term.name + "' pushes in contact, and closes without impact"});
}

}  // namespace

Mechanism rigid_contact(Mechanism mechanism, const ReductionContext& context) {
  const std::vector<char> undamped = massless_coordinates(context, mechanism);
  for (ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive) continue;
    const bool rigid = is_rigid_spring(context, term);
    if (term.kind != TermKind::kStop && !rigid) continue;
    const bool settles = std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                                     [&](const auto& t) { return undamped[t.first.value] != 0; });
    if (!settles && !acts_on_creeping(mechanism, term)) continue;
    log_contact(context, term, settles);
    if (!rigid) continue;
    term.kind = term.origin = TermKind::kStop;
    term.restitution = context.pool.zero();
  }
  check_independent(mechanism, context, undamped);
  return mechanism;
}

}  // namespace luztar
