// Problems of Gauss' principle in a box, and what their solutions promise.
#pragma once

#include <Eigen/Core>
#include <initializer_list>

#include "runtime/pwl/box_minimum.h"

namespace luztar::test {

struct BoxProblem {
  Eigen::MatrixXd G;
  Eigen::VectorXd b, lower, upper;
};

[[nodiscard]] BoxMinimum solve(const BoxProblem& p);

[[nodiscard]] Eigen::VectorXd vec(std::initializer_list<double> values);

/// G = D M^-1 D', b = D M^-1 f, |s_i| <= bound_i.
[[nodiscard]] BoxProblem frictions(const Eigen::MatrixXd& D, const Eigen::VectorXd& mass,
                                   const Eigen::VectorXd& load, const Eigen::VectorXd& bound);

/// Per row, the sum of the magnitudes that make up b - G s: the measure of a relative error.
[[nodiscard]] Eigen::VectorXd row_scale(const BoxProblem& p, const Eigen::VectorXd& s);

/// The same with the other rows' measure in it, in energy units, for rows that are near 0.
[[nodiscard]] Eigen::VectorXd mixed_scale(const BoxProblem& p, const Eigen::VectorXd& s);

/// What BoxMinimum promises: bounds, signs, exactness, r = b - G s.
[[nodiscard]] bool keeps_its_promises(const BoxProblem& p, const BoxMinimum& m);

}  // namespace luztar::test
