// Small steps in time of damped bodies under dry frictions that fall with speed.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/pwl/friction_law.h"

namespace luztar::test {

/// T of one that slips at this speed.
[[nodiscard]] double kinetic_force(const FrictionLaw& law, double speed);

/// Frictions with slips  rows v - belts.
struct DampedBodies {
  Eigen::MatrixXd damping, rows;
  Eigen::VectorXd belts;
  std::vector<std::vector<FallingPart>> falls;  // that the laws have
  std::vector<FrictionLaw> laws;                // of forces alone

  [[nodiscard]] Eigen::VectorXd slips(const Eigen::VectorXd& v) const { return rows * v - belts; }
};

struct Ended {
  Eigen::VectorXd v;
  std::vector<std::int8_t> side;  // of slips; 0 where it holds
};

/// The end of M v' = -dR(v) by Moreau's implicit steps; what falls does so from the step before.
[[nodiscard]] Ended stepped(const DampedBodies& bodies, const Eigen::VectorXd& load,
                            Eigen::VectorXd v, const Eigen::VectorXd& mass);

}  // namespace luztar::test
