// The expressions of an explicit system in the order in which a program takes them, and where the
// solver finds their values.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "compiler/codegen/plan_function.h"
#include "compiler/codegen/program.h"
#include "compiler/lowering/explicit_system.h"

namespace luztar {

/// The expressions of a system in a fixed order, and their nodes in the same order.
struct Roots {
  std::vector<Expr> exprs;
  std::vector<TapeId> nodes;
  std::size_t next = 0;

  void add(Expr e) { exprs.push_back(e); }
  TapeId take() { return nodes[next++]; }
  OutputArray take(std::size_t count) {
    OutputArray result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(take());
    return result;
  }
};

[[nodiscard]] Roots list_roots(const ExplicitSystem& system);

/// Takes what modes watch (switches, frictions, stops, islands) and gives it rows after the states.
/// Returns the nodes of these rows.
[[nodiscard]] OutputArray place_watched(Program& program, const ExplicitSystem& system,
                                        Roots& roots);

/// Roots of parameters alone, which the solver reads from the constants.
struct SteadyRoots {
  std::vector<OutputArray> responses, falls;           // by friction
  std::vector<OutputArray> grams, creep_grams, drags;  // by island
  OutputArray restitutions;                            // by stop
  std::vector<OutputArray> springs;                    // by settle spring: stiffness, half
                                                       // freeplay and in a law the ratio
  // By settle island:
  std::vector<OutputArray> directions, points, settle_grams, settle_creep_grams, settle_drags;
};

/// Takes these roots, the last ones.
///   take_constant  called with each of their nodes
///   errors         InternalError when one depends on more than parameters
[[nodiscard]] SteadyRoots take_steady(const Program& program, const ExplicitSystem& system,
                                      Roots& roots,
                                      const std::function<void(TapeId)>& take_constant);

/// Fills in what places of the program know by constant, and the slots of the islands.
///   pre    the constants are numbered
void place_constants(Program& program, const ExplicitSystem& system, const SteadyRoots& steady);

/// InternalError, naming `what`, for a node that depends on more than parameters.
void require_parametric(const Program& program, TapeId id, const char* what);

}  // namespace luztar
