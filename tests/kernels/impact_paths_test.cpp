// Ways on which contacts pass an impulse on, against enumeration of all sets of contacts.
#include "runtime/events/impact_paths.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace luztar {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Rows in an order of their own.
std::vector<std::vector<double>> sorted(const MatrixXd& rows) {
  std::vector<std::vector<double>> out;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    out.emplace_back();
    for (Eigen::Index c = 0; c < rows.cols(); ++c) {
      out.back().push_back(std::round(rows(r, c) * 1e8) / 1e8 + 0.0);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

/// Rays by definition: sets of contacts that hold the bodies in balance, which no smaller set does,
/// with impulses that push.
MatrixXd enumerated(const MatrixXd& directions, const std::vector<std::int8_t>& sides) {
  const auto n = static_cast<unsigned>(sides.size());
  std::vector<VectorXd> rays;
  for (unsigned set = 1; set < 1u << n; ++set) {
    std::vector<Eigen::Index> members;
    bool taking_part = true;
    for (unsigned i = 0; i < n; ++i) {
      if ((set >> i & 1u) == 0) continue;
      members.push_back(i);
      taking_part = taking_part && sides[i] != 0;
    }
    if (!taking_part) continue;
    const Eigen::FullPivLU<MatrixXd> lu(directions(members, Eigen::all).transpose());
    if (lu.dimensionOfKernel() != 1) continue;
    VectorXd ray = VectorXd::Zero(n);
    ray(members) = lu.kernel().col(0);
    ray /= ray.cwiseAbs().maxCoeff();
    int pushing = 0, count = static_cast<int>(members.size());
    bool least = true;
    for (const Eigen::Index i : members) {
      const double p = ray[i] * sides[static_cast<std::size_t>(i)];
      least = least && std::fabs(p) > 1e-9;
      pushing += p > 0 ? 1 : -1;
    }
    if (least && std::abs(pushing) == count) rays.push_back(pushing > 0 ? ray : VectorXd(-ray));
  }
  MatrixXd out(static_cast<Eigen::Index>(rays.size()), n);
  for (std::size_t r = 0; r < rays.size(); ++r) {
    out.row(static_cast<Eigen::Index>(r)) = rays[r].transpose();
  }
  return out;
}

TEST_CASE("an impulse passes through a body by a gear") {
  const Eigen::Vector3d d(2, -1, -4);  // travel of the contacts by that of the body
  const MatrixXd compliance = d * d.transpose() / 0.5;
  CHECK(impulse_paths(compliance, {1, 0, 0}).rows() == 0);
  CHECK(impulse_paths(compliance, {1, -1, 0}).rows() == 0);  // both push to the same side
  CHECK(sorted(impulse_paths(compliance, {1, 1, 0})) ==
        std::vector<std::vector<double>>{{0.5, 1, 0}});
  CHECK(sorted(impulse_paths(compliance, {1, 1, 1})) ==
        std::vector<std::vector<double>>{{0.5, 1, 0}, {1, 0, 0.5}});
}

TEST_CASE("an impulse passes through a row of bodies by all contacts or none") {
  MatrixXd directions = MatrixXd::Zero(4, 3);  // of three bodies between two others
  for (Eigen::Index i = 0; i < 3; ++i) {
    directions(i, i) = -1;
    directions(i + 1, i) = 1;
  }
  const MatrixXd compliance = directions * directions.transpose();
  CHECK(sorted(impulse_paths(compliance, {1, 1, 1, 1})) ==
        std::vector<std::vector<double>>{{1, 1, 1, 1}});
  CHECK(impulse_paths(compliance, {1, 1, 0, 1}).rows() == 0);
  CHECK(impulse_paths(compliance, {1, 1, -1, 1}).rows() == 0);
}

TEST_CASE("paths of impulses between random bodies and contacts") {
  std::mt19937 engine(5);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); };
  Eigen::Index paths = 0;
  for (int problem = 0; problem < 2000; ++problem) {
    const int contacts = 1 + below(8), bodies = 1 + below(4);
    const bool integers = below(2) == 0;
    MatrixXd directions(contacts, bodies);
    std::vector<std::int8_t> sides;
    for (int i = 0; i < contacts; ++i) {
      sides.push_back(static_cast<std::int8_t>(below(5) == 0 ? 0 : below(3) == 0 ? -1 : 1));
      for (int q = 0; q < bodies; ++q) {
        directions(i, q) = integers        ? below(5) - 2
                           : below(2) == 0 ? 0
                                           : std::uniform_real_distribution<double>(-2, 2)(engine);
      }
    }
    const MatrixXd found = impulse_paths(directions * directions.transpose(), sides);
    CAPTURE(problem);
    CHECK(sorted(found) == sorted(enumerated(directions, sides)));
    paths += found.rows();
  }
  CHECK(paths > 2000);
}

}  // namespace
}  // namespace luztar
