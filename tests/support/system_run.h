// A run of a hand-written system, with all of its outputs.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/results/trajectory.h"
#include "runtime/solvers/euler.h"
#include "runtime/solvers/taylor.h"

namespace luztar::test {

struct SystemRun {
  Trajectory trajectory;
  RunReport report;
};

inline SystemRun start_run(const System& system) {
  std::vector<std::uint32_t> all(system.outputs.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  return {{system.outputs, all}, {}};
}

inline SystemRun run(const System& system, const EulerOptions& options) {
  SystemRun result = start_run(system);
  result.report = simulate_euler(system, system.parameters, options, result.trajectory);
  return result;
}

inline SystemRun run(const System& system, const TaylorOptions& options) {
  SystemRun result = start_run(system);
  result.report = simulate_taylor(system, system.parameters, options, result.trajectory);
  return result;
}

/// The last value of a column; column 0 is the time.
inline double last(const SystemRun& result, std::size_t column) {
  return result.trajectory.row(result.trajectory.rows() - 1)[column];
}

}  // namespace luztar::test
