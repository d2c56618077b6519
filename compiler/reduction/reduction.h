// What the reduction passes share: the log of applied rules and the reduced mechanism.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/mechanics/mechanism.h"
#include "compiler/mechanics/parameter_point.h"

namespace luztar {

/// One applied rule: what was done, by which theorem, and the condition under which it holds.
struct ReductionEntry {
  std::string rule;       // "series freeplay"
  std::string reference;  // "R6, P1 simplification 2"
  std::string condition;  // "pinion.J = 0"
  std::string result;     // "'shaft' and 'gear' act as one spring k = ..., half freeplay = ..."
};

using ReductionLog = std::vector<ReductionEntry>;

/// What the energy of a mechanism is made of, as the model has it.
struct WrittenMechanism {
  Table<ForceTermId, ForceTerm> terms;
  std::map<std::pair<CoordinateId, CoordinateId>, Expr> inertia;
  std::vector<std::pair<CoordinateId, Expr>> linkages;  // p = n(q), over other coordinates
};

/// A mechanism in which every limit has been taken.
///   contract: no massless coordinate of role kInertial is left; springs have finite stiffness;
///   coordinates of role kEliminated occur in no participation; friction terms act between inertial
///   coordinates only
struct ReducedMechanism {
  Mechanism mechanism;
  WrittenMechanism written;
  ReductionLog log;
  std::vector<ParameterId> structural;  // parameters that the structure follows from
};

/// What passes need besides the mechanism.
struct ReductionContext {
  ExprPool& pool;
  const FlatModel& flat;
  ReductionLog& log;
  Diagnostics& diagnostics;
  std::set<Expr>& limits;  // coefficients asked for that are 0 or inf
  NominalPoint nominal;    // of what the passes ask about
};

/// Mechanism and log as text.
[[nodiscard]] std::string print(const ReducedMechanism& reduced, const FlatModel& flat,
                                const ExprPool& pool);

}  // namespace luztar
