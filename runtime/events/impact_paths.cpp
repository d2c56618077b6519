#include "runtime/events/impact_paths.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace luztar {
namespace {

using Ray = Eigen::VectorXd;  // exactly zero beyond its members

bool is_within(const Ray& inner, const Ray& a, const Ray& b) {
  for (Eigen::Index i = 0; i < inner.size(); ++i) {
    if (inner[i] != 0 && a[i] == 0 && b[i] == 0) return false;
  }
  return true;
}

/// What `a` and `b` make that the row takes to zero: the terms there are of different sign.
Ray on_row(const Ray& a, double value_a, const Ray& b, double value_b) {
  const Ray sum = std::fabs(value_b) * a + std::fabs(value_a) * b;
  return sum / sum.cwiseAbs().maxCoeff();
}

/// The rays of the cone where the row is zero, too (Motzkin's double description): those that are,
/// and what pairs of neighbours make, between which no third ray has its members.
std::vector<Ray> cut(const std::vector<Ray>& rays, const Eigen::VectorXd& row) {
  constexpr double kRounding = 1e-10;
  std::vector<std::size_t> above, below;
  std::vector<double> value(rays.size());
  std::vector<Ray> out;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    value[i] = row.dot(rays[i]);
    const double terms = row.cwiseAbs().dot(rays[i].cwiseAbs());
    if (std::fabs(value[i]) <= kRounding * terms) {
      out.push_back(rays[i]);
    } else {
      (value[i] > 0 ? above : below).push_back(i);
    }
  }
  for (const std::size_t a : above) {
    for (const std::size_t b : below) {
      bool neighbours = true;
      for (std::size_t i = 0; i < rays.size() && neighbours; ++i) {
        neighbours = i == a || i == b || !is_within(rays[i], rays[a], rays[b]);
      }
      if (neighbours) out.push_back(on_row(rays[a], value[a], rays[b], value[b]));
    }
  }
  return out;
}

}  // namespace

Eigen::MatrixXd impulse_paths(const Eigen::MatrixXd& compliance,
                              const std::vector<std::int8_t>& sides) {
  const auto n = static_cast<Eigen::Index>(sides.size());
  std::vector<Ray> rays;
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::int8_t side = sides[static_cast<std::size_t>(i)];
    if (side != 0) rays.emplace_back(Ray::Unit(n, i) * side);
  }
  for (Eigen::Index i = 0; i < n && !rays.empty(); ++i) {
    if (sides[static_cast<std::size_t>(i)] != 0) rays = cut(rays, compliance.row(i));
  }
  Eigen::MatrixXd out(static_cast<Eigen::Index>(rays.size()), n);
  for (std::size_t r = 0; r < rays.size(); ++r) {
    out.row(static_cast<Eigen::Index>(r)) = rays[r].transpose();
  }
  return out;
}

}  // namespace luztar
