#include "tests/kernels/moreau_steps.h"

#include <Eigen/LU>
#include <cmath>

#include "runtime/pwl/box_minimum.h"

namespace luztar::test {

double kinetic_force(const FrictionLaw& law, double speed) {
  if (law.decay > 0) return law.beyond + (law.at_rest - law.beyond) * std::exp(-speed / law.decay);
  double fallen = 0;
  for (const FallingPart& part : law.falls) {
    fallen += part.share * std::fmin(speed / part.speed, 1);
  }
  return law.at_rest - (law.at_rest - law.beyond) * fallen;
}

Ended stepped(const DampedBodies& bodies, const Eigen::VectorXd& load, Eigen::VectorXd v,
              const Eigen::VectorXd& mass) {
  constexpr double kStep = 0.05;
  const Eigen::MatrixXd inertia = mass.asDiagonal();
  const Eigen::MatrixXd inverse = (inertia / kStep + bodies.damping).inverse();
  const Gram gram(Eigen::MatrixXd(bodies.rows * inverse * bodies.rows.transpose()));
  const Eigen::Index n = bodies.rows.rows();
  Eigen::VectorXd most(n);
  BoxMinimum box;
  for (int left = 100000; left > 0; --left) {
    const Eigen::VectorXd slips = bodies.slips(v);
    for (Eigen::Index i = 0; i < n; ++i) {
      const FrictionLaw& law = bodies.laws[static_cast<std::size_t>(i)];
      const double speed = std::fabs(slips[i]);
      most[i] = speed <= 1e-12 ? law.holds : kinetic_force(law, speed);
    }
    const Eigen::VectorXd push = inertia * v / kStep + load;
    box = minimize_in_box(gram, bodies.slips(inverse * push), -most, most);
    const Eigen::VectorXd next = inverse * (push - bodies.rows.transpose() * box.force);
    const bool ends = (next - v).norm() <= 1e-12;
    v = next;
    if (ends) break;
  }
  Ended end{v, {}};
  for (Eigen::Index i = 0; i < n; ++i) {
    const double slip = box.residual[i];
    end.side.push_back(static_cast<std::int8_t>((slip > 1e-7) - (slip < -1e-7)));
  }
  return end;
}

}  // namespace luztar::test
