#include "compiler/reduction/rigid_limit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/rigid_loop.h"
#include "compiler/mechanics/union_find.h"
#include "compiler/reduction/nodes.h"
#include "compiler/reduction/prescribed_motion.h"
#include "compiler/reduction/substitution.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {
namespace {

// The coordinate a rigid connection eliminates: massless before inertial, without before with a
// start value, later before earlier.
CoordinateId choose_eliminated(const ReductionContext& context, const Mechanism& mechanism,
                               const LinearForm& constraint) {
  CoordinateId best;
  int best_rank = 0;
  for (const auto& [q, c] : constraint.terms) {
    const double value = value_of(context, c);
    if (!std::isfinite(value) || value == 0) continue;
    const Coordinate& coordinate = mechanism.coordinates[q];
    if (coordinate.role == CoordinateRole::kGuided) continue;
    const bool starts =
        std::max(coordinate.start_given, coordinate.start_velocity_given) != StartGiven::kNo;
    const int rank = (is_massless(context, mechanism, q) ? 0 : 4) + (starts ? 2 : 0);
    if (!best.valid() || rank <= best_rank) {
      best = q;
      best_rank = rank;
    }
  }
  return best;
}

/// Both ends move as known functions of time, or not at all: they must agree with the connection.
void check_known_ends(const ReductionContext& context, const Mechanism& mechanism,
                      const ForceTerm& term, const LinearForm& constraint) {
  const Expr distance = known_position(context.pool, mechanism, constraint.offset);
  if (!is_parametric(context.pool, distance)) {
    if (IdentityTest(context.pool, context.flat).is_zero(distance)) return;
    part_error(context.diagnostics, context.flat, Code::kContradictoryConstraints, term.part,
               term.span,
               "the rigid connection '" + term.name + "' joins two prescribed motions that differ")
        .with_note("give it a finite stiffness, or prescribe one of the motions only");
    return;
  }
  const double gap = std::abs(value_of(context, distance)) - value_of(context, term.half_freeplay);
  if (gap <= 1e-12) return;
  part_error(context.diagnostics, context.flat, Code::kInconsistentStart, term.part, term.span,
             "the rigid connection '" + term.name + "' joins two fixed positions that differ")
      .with_note("they miss each other by " + number_text(gap) +
                 (value_of(context, term.half_freeplay) > 0 ? " more than its play allows" : ""))
      .with_note("give it the relative position of its ends, or a finite stiffness");
}

/// Where nothing but linkages moves the ends, a rigid connection would be one more law of theirs.
void check_linkages(const ReductionContext& context, const Mechanism& mechanism,
                    const ForceTerm& term) {
  for (const auto& [q, c] : term.argument.terms) {
    if (mechanism.coordinates[q].role != CoordinateRole::kGuided) continue;
    part_error(context.diagnostics, context.flat, Code::kUnreducible, term.part, term.span,
               "the rigid connection '" + term.name + "' holds '" + mechanism.coordinates[q].name +
                   "', which follows a linkage")
        .with_note("it closes a loop that is not linear: give it a finite stiffness");
    return;
  }
}

void report_loop(const ReductionContext& context, const Mechanism& mechanism,
                 const ForceTerm& closing) {
  Diagnostic& error =
      part_error(context.diagnostics, context.flat, Code::kContradictoryConstraints, closing.part,
                 closing.span,
                 "the rigid connection '" + closing.name + "' contradicts the loop that it closes");
  std::vector<const ForceTerm*> rigid;
  for (const ForceTerm& term : mechanism.terms) {
    if (term.status == TermStatus::kRigid) rigid.push_back(&term);
  }
  note_rigid_loop(error, context.pool, context.flat, rigid, closing);
  error.with_note("the ratios around the loop allow no motion; check them and their signs");
}

/// Too long to be read as text, which would be as long for each part in a long row of them.
bool is_page_long(const ExprPool& pool, Expr e) {
  constexpr std::size_t kMostNodes = 500;
  std::vector<Expr> nodes{e};
  for (std::size_t i = 0; i < nodes.size() && i < kMostNodes; ++i) {
    for (const Expr arg : pool.args(nodes[i])) nodes.push_back(arg);
  }
  return nodes.size() > kMostNodes;
}

std::string motion_text(const ReductionContext& context, const Mechanism& mechanism,
                        const LinearForm& by) {
  const Expr motion = to_expr(context.pool, by, false);
  if (!is_page_long(context.pool, motion)) return " = " + text_of(context, mechanism, motion);
  std::string names;
  for (const auto& [q, c] : by.terms) {
    names += (names.empty() ? " follows '" : ", '") + mechanism.coordinates[q].name + "'";
  }
  return names;
}

/// A connection solved for q, one of its coordinates.
LinearForm solved_for(ExprPool& pool, const LinearForm& constraint, CoordinateId q) {
  const Expr factor = pool.neg(pool.div(pool.one(), *constraint.coefficient(q)));
  return scaled(pool, without(constraint, q), factor);
}

/// Coordinates that connections tie to each other, whatever has become of them.
class TiedCoordinates {
 public:
  explicit TiedCoordinates(std::size_t coordinates) : sets_(coordinates) {}

  /// Nothing has tied q to the others in the connection so far: they do not follow q.
  [[nodiscard]] bool is_new(CoordinateId q, const LinearForm& written) {
    std::size_t own = 0;
    for (const auto& [p, c] : written.terms) {
      if (sets_.find(p.value) == sets_.find(q.value)) ++own;
    }
    return own == 1 && written.coefficient(q) != nullptr;
  }
  void tie(const LinearForm& written) {
    for (const auto& [p, c] : written.terms) {
      sets_.unite(written.terms.front().first.value, p.value);
    }
  }

 private:
  UnionFind sets_;
};

/// A hard stop without play joins what it acts on. Between bodies with inertia it does so at an
/// impact, which may be lossy; a massless one has no impacts.
bool joins_massless(const ReductionContext& context, const Mechanism& mechanism,
                    const ForceTerm& term) {
  if (term.kind != TermKind::kStop || value_of(context, term.half_freeplay) != 0) return false;
  return std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                     [&](const auto& t) { return is_massless(context, mechanism, t.first); });
}

/// Coordinates that rigid connections of two tie to each other, and those tied to a known motion.
class RigidGroups {
 public:
  explicit RigidGroups(std::size_t coordinates) : groups_(coordinates), fixed_(coordinates, 0) {}

  /// Takes a connection in, `written` in the coordinates of the model; `binds`: something is left
  /// of it in those that remain. False when it closes a loop of tied coordinates and binds them.
  bool join(bool binds, const LinearForm& written) {
    if (written.terms.size() == 1) fixed_[groups_.find(written.terms[0].first.value)] = 1;
    if (written.terms.size() != 2) return true;
    const std::size_t a = groups_.find(written.terms[0].first.value);
    const std::size_t b = groups_.find(written.terms[1].first.value);
    const bool loose = fixed_[a] == 0 && fixed_[b] == 0;
    const char fixed = fixed_[a] != 0 || fixed_[b] != 0 ? 1 : 0;
    const bool closes = !groups_.unite(a, b);
    fixed_[groups_.find(a)] = fixed;
    return !closes || !loose || !binds;
  }

 private:
  UnionFind groups_;
  std::vector<char> fixed_;
};

}  // namespace

Mechanism rigid_limit(Mechanism mechanism, const ReductionContext& context) {
  ExprPool& pool = context.pool;
  // What follows others may be followed itself: terms are rewritten once, at the end.
  Substitution joined(pool, mechanism.coordinates.size());
  Couplings coupled = couplings(mechanism);
  RigidGroups groups(mechanism.coordinates.size());
  TiedCoordinates tied(mechanism.coordinates.size());
  std::set<PartId> known_ends;
  for (const ForceTermId id : mechanism.terms.ids()) {
    ForceTerm& term = mechanism.terms[id];
    if (term.status != TermStatus::kActive) continue;
    const bool is_stop = joins_massless(context, mechanism, term);
    if (!is_stop && !is_rigid_spring(context, term)) continue;
    const LinearForm written = term.argument;
    const LinearForm constraint = joined.position(written);
    if (constraint.terms.empty() && known_ends.insert(term.part).second) {
      check_known_ends(context, mechanism, term, constraint);
    }
    if (value_of(context, term.half_freeplay) != 0) continue;
    term.status = TermStatus::kRigid;
    term.argument = constraint;
    const CoordinateId q = choose_eliminated(context, mechanism, constraint);
    if (!groups.join(q.valid(), written)) {
      report_loop(context, mechanism, term);
      continue;
    }
    if (!q.valid()) {
      check_linkages(context, mechanism, term);
      continue;
    }
    // By its neighbours, as the connection is written, where these do not follow it: what follows
    // something in a long row would be a long sum otherwise.
    const LinearForm by = solved_for(pool, tied.is_new(q, written) ? written : constraint, q);
    tied.tie(written);
    context.log.push_back(
        {"rigid limit", "k -> inf, P1 simplification 3, P4 (38)-(42)",
         is_stop ? text_of(context, mechanism, term.half_freeplay) + " = 0, at a massless body"
                 : text_of(context, mechanism, term.coefficient) + " = inf, no freeplay",
         "'" + mechanism.coordinates[q].name + "'" + motion_text(context, mechanism, by)});
    const LinearForm rates = joined.velocity({written.terms, rate_of_motion(pool, written.offset)});
    const LinearForm velocity = solved_for(pool, rates, q);
    const CoordinateMotion motion{solved_for(pool, constraint, q), velocity,
                                  rate_of_motion(pool, velocity.offset)};
    join_starts(context, mechanism, q, motion.position);
    mark_eliminated(context, mechanism, q, by, true);
    transform_inertia(context, mechanism, coupled, q, motion);
    joined.add(q, motion);
  }
  joined.apply(mechanism);
  return mechanism;
}

}  // namespace luztar
