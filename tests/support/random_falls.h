// Random damped bodies without inertia under dry frictions that fall with speed, as model text, by
// number, and what their runs must show.
#pragma once

#include <string>

namespace luztar::test {

/// One body of `mass` [kg] between the ground, belts, a body with inertia, a spring and a stop, for
/// 3 s: the same number gives the same model but for the mass. Its frictions are constant, also
/// with a greater static bound, follow lines of the speed, or fall exponentially; signals set some
/// of them. Half of the models have another body of this mass, which dry friction and dampers
/// connect with it, and whose friction may fall along a line or exponentially.
[[nodiscard]] std::string random_fall(unsigned number, const std::string& mass);

struct FallRun {
  bool refused = false;  ///< the model has no limit of closed form
  std::string problem;   ///< what a run showed that must not be; empty: none
};

/// Runs it with 0.3 kg, 1e-3 kg and without inertia by the Taylor solver, coarse and fine, and
/// CVODE, which must agree; with 1e-5, 1e-6 and 1e-7 kg, which must tend to that without.
[[nodiscard]] FallRun run_fall(unsigned number);

}  // namespace luztar::test
