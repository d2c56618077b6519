// Dry frictions by the way forces move them, in groups that act on each other's slip.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/lowering/explicit_system.h"
#include "compiler/lowering/symmetric_solver.h"
#include "compiler/reduction/reduction.h"

namespace luztar {

enum class FrictionKernel : std::uint8_t {
  kGauss,   // G: between bodies with inertia
  kCreep,   // A: its slip follows the forces at once
  kSettle,  // B: its travel does
};

struct GroupedFriction {
  ForceTermId term;
  FrictionKernel kernel = FrictionKernel::kGauss;
  bool bound = false;  // member of a bound group
  // Of kernel G M^-1 d; of the others C^-1 d, of kernel B in a bound group alone.
  SymmetricSolver::Vector response;
  SymmetricSolver::Vector
      rate_response;  // of kernels A and B in a bound group, M^-1 d of coordinates with inertia
  SymmetricSolver::Vector drag_response = {};  // where it creeps in a bound group, M^-1 C_xz C^-1 d

  /// Forces on it move damped bodies without inertia at once.
  [[nodiscard]] bool creeps() const {
    return kernel != FrictionKernel::kGauss && !response.empty();
  }
};

/// Tables of how the forces of a group act on each other take the square of its size. In a larger
/// group neighbours are numbered near to each other, so that G is a band where they form a chain.
inline constexpr std::size_t kMostInTables = 16;

/// Frictions of a damped body without inertia, by place in their group: the `own` ones, whose slips
/// its speed makes, and others that forces on them move at once, too. Bodies that act on each other
/// so have the same number of a `network`.
struct SnappingGroup {
  std::vector<std::uint32_t> places;
  std::uint32_t own = 0;
  std::uint32_t network = 0;
};

/// Contiguous frictions. A group is bound when frictions in series through massless bodies, all
/// sticking, hold bodies with inertia: then it contains the frictions of these bodies, too.
struct FrictionGroup {
  std::size_t first = 0, count = 0;
  bool bound = false;
  bool settles = false;   // bound by bodies of kernel B, some frictions act on these
  bool singular = false;  // slips depend on each other: at rest their forces are not unique
  bool varies = false;    // entries of `gram` or `drag` do, with the position
  /// Of a bound group: forces that move no body without inertia have so many dimensions at most.
  std::size_t stresses = 0;
  /// Where some fall with speed; or, if one speed makes the slips of all, hold with more than they
  /// slide with.
  std::vector<SnappingGroup> snapping;
  /// D M^-1 D', of creep D C^-1 D'; over parameters or, with linkages, over coordinates. The
  /// entries i <= j that may not be zero.
  std::vector<ExplicitGramEntry> gram;
  std::vector<Expr> creep_gram;  // of a bound group in which some creep: D C^-1 D'
  /// Likewise: slip rates by what a unit of force takes from the dampers that act on bodies
  /// with inertia, D M^-1 C_xz C^-1 D'.
  std::vector<Expr> drag;
};

struct FrictionGroups {
  std::vector<GroupedFriction> frictions;
  std::vector<FrictionGroup> groups;
};

/// Groups all frictions and stops of kernels G and A, and with them those of kernel B that act in
/// series. All others of kernel B are in no group.
///   settled:          the frictions of kernel B that act on the same bodies
///   inertia, damping: factors of M and C
///   cost: linear in the nonzeros of M^-1 D' and C^-1 D', cubic in the size of a group of kernel A
[[nodiscard]] FrictionGroups group_frictions(ExprPool& pool, const FlatModel& flat,
                                             const Mechanism& mechanism,
                                             const std::vector<std::vector<ForceTermId>>& settled,
                                             const SymmetricSolver& inertia,
                                             const SymmetricSolver& damping);

/// sum of row coefficients times entries of `column`.
[[nodiscard]] Expr product(ExprPool& pool, const LinearForm& row,
                           const SymmetricSolver::Vector& column);

}  // namespace luztar
