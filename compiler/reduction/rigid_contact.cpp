#include "compiler/reduction/rigid_contact.h"

#include <algorithm>

#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/row_basis.h"
#include "compiler/reduction/nodes.h"

namespace luztar {
namespace {

void report_series(const ReductionContext& context, const ForceTerm& term, const Coordinate& body) {
  part_error(context.diagnostics, context.flat, Code::kRigidFreeplay, term.part, term.span,
             "'" + term.name + "' is one of several rigid contacts on '" + body.name +
                 "', which has no inertia and which nothing else holds")
      .with_note("what an impact leaves depends on which of them are closed before")
      .with_note(
          "let all of them have e = 0, or all e = 1, or give the body an inertia or a damping");
}

/// The last massless coordinate that the term acts on.
const Coordinate* last_at(const Mechanism& mechanism, const ForceTerm& term,
                          const std::vector<char>& massless) {
  const Coordinate* last = nullptr;
  for (const auto& [q, c] : term.argument.terms) {
    if (massless[q.value] != 0) last = &mechanism.coordinates[q];
  }
  return last;
}

RowBasis::Row row_of(const ReductionContext& context, const ForceTerm& term,
                     const std::vector<char>& massless) {
  RowBasis::Row row;
  for (const auto& [q, c] : term.argument.terms) {
    if (massless[q.value] != 0) row[q] = value_of(context, c);
  }
  return row;
}

/// The contacts that act on massless bodies along what no other force on these acts on.
std::vector<ForceTermId> contacts_alone(const Mechanism& mechanism, const RowBasis& held,
                                        const ReductionContext& context,
                                        const std::vector<char>& massless) {
  std::vector<ForceTermId> alone;
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive || term.kind != TermKind::kStop) continue;
    if (!held.spans(row_of(context, term, massless))) alone.push_back(id);
  }
  return alone;
}

/// Where nothing but contacts acts, what an impact leaves depends on which of them are closed
/// before: unless all of them take all, or all of them nothing. Where another force does, it
/// presses light bodies onto their contacts.
void check_restitution(Mechanism& mechanism, const ReductionContext& context,
                       const std::vector<char>& massless) {
  RowBasis held;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status != TermStatus::kActive || term.kind == TermKind::kStop) continue;
    held.add(row_of(context, term, massless));
  }
  std::vector<const ForceTerm*> plastic, elastic, others;
  for (const ForceTermId id : contacts_alone(mechanism, held, context, massless)) {
    const ForceTerm& term = mechanism.terms[id];
    mechanism.fixed.push_back(term.restitution);
    const double e = value_of(context, term.restitution);
    (e == 0 ? plastic : e == 1 ? elastic : others).push_back(&term);
  }
  RowBasis all = held, of_elastic = held;
  for (const ForceTerm* term : plastic) all.add(row_of(context, *term, massless));
  const auto check = [&](const ForceTerm& term) {
    if (all.add(row_of(context, term, massless))) return;
    report_series(context, term, *last_at(mechanism, term, massless));
  };
  for (const ForceTerm* term : elastic) {
    if (of_elastic.add(row_of(context, *term, massless))) check(*term);
  }
  for (const ForceTerm* term : others) check(*term);
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
  std::vector<char> massless = undamped;
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    if (is_creep_kernel(mechanism, q)) massless[q.value] = 1;
  }
  check_restitution(mechanism, context, massless);
  return mechanism;
}

}  // namespace luztar
