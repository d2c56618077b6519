// What the steps of lowering hand to each other: the mechanism, its solution so far and the system
// that is written. State only; each concept has a file of its own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/lowering/explicit_system.h"
#include "compiler/lowering/flow_solution.h"
#include "compiler/lowering/friction_groups.h"
#include "compiler/lowering/resolver.h"
#include "compiler/lowering/settle_islands.h"
#include "compiler/lowering/symmetric_solver.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/reduction/reduction.h"
#include "compiler/symbolic/time_derivative.h"

namespace luztar {

using Kernel = FrictionKernel;

struct LoweredFriction : GroupedFriction {
  Expr free;     // rate of the slip, or slip, without friction; over symbols
  Expr kinetic;  // T_K, in the mode; of a stop nothing
  Expr rate;     // of a bound group: rate of the slip without its frictions
  // Of one in a bound settle island that creeps, the parts of its slip without frictions of the
  // island: that of damped bodies without inertia, and that of bodies with inertia.
  Expr creep_slip, body_slip;
};

/// A friction of a bound settle island; shares: its force may be one of many.
struct SeriesFriction {
  GroupedFriction friction;
  bool shares = false;
};

/// A friction that was merged by R5: its slip velocity by that of the whole, |ratio|, its bound, and
/// the load beside it or zero.
struct FrictionShare {
  Expr ratio, size, bound, beside;
};

/// What a friction is merged of; level, of `force`: see friction_shares.cpp.
struct FrictionShares {
  std::vector<FrictionShare> members;
  Expr force, level;
};

struct Lowering {
  Lowering(ExprPool& p, const FlatModel& f, const ReducedMechanism& reduced, Diagnostics& d);
  Lowering(const Lowering&) = delete;  // the resolver asks this one
  Lowering& operator=(const Lowering&) = delete;

  ExprPool& pool;
  const FlatModel& flat;
  const Mechanism& mechanism;
  const WrittenMechanism& written;
  Diagnostics& diagnostics;
  NominalPoint nominal;
  TimeDerivative rate_of_motion;
  TimeDerivative rate_of_states;  // of resolved values
  SymbolTest is_no_motion;        // holds more than coordinates, time and parameters
  SymmetricSolver inertia, damping;
  SettleIslands settle;
  Resolver resolver;
  std::map<Symbol, std::uint32_t> state_index;
  std::vector<Symbol> state_symbols;
  std::map<VariableId, Expr> signal_rates;
  std::vector<LoweredFriction> frictions;
  std::vector<std::size_t> island_of;                        // by friction
  std::map<std::uint32_t, std::vector<Expr>> solved_forces;  // by first friction of the island
  std::map<ForceTermId, std::uint32_t> friction_index;
  std::map<ForceTermId, SeriesFriction> in_series;
  std::optional<std::map<ForceTermId, FrictionShares>> shares;  // by whole; none: not yet asked
  std::map<CoordinateId, std::vector<std::uint32_t>> holding;   // slots that are 0 while q' is held
  SymmetricSolver::Vector accelerations, creep;
  SymmetricSolver::Vector unbound_creep;  // velocities without the frictions of bound groups
  std::map<Symbol, Expr> flows;
  std::vector<FlowCheck> flow_checks;
  std::map<VariableId, Expr> deferred;
  std::set<Symbol> indeterminate;
  ExplicitSystem system;
};

[[nodiscard]] inline Expr mode_symbol(Lowering& l, std::uint32_t slot) {
  return l.pool.symbol(SymbolKind::kMode, slot);
}

}  // namespace luztar
