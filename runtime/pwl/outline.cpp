#include "runtime/pwl/outline.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace luztar {
namespace {

constexpr Eigen::Index kDegree = 15, kSize = kDegree + 1;
constexpr Eigen::Index kBlock = 4;  // coefficients that are worked on together
constexpr int kHalvings = 3;
constexpr std::size_t kMostTerms = 64;  // beyond, `doubt` would not cover the rounding of bounds

using Block = Eigen::Array<double, kBlock, 1>;
using Polygon = Eigen::Array<double, kSize, 1>;

/// Lower triangular: entry (i, k) is zero for k > i. Column by column.
using Triangle = std::array<std::array<double, kSize>, kSize>;

/// Column k: control polygon of s^k on [0, 1], C(i, k) / C(kDegree, k).
constexpr Triangle make_monomials() {
  Triangle result{};
  for (std::size_t i = 0; i < kSize; ++i) {
    result[0][i] = 1;
    for (std::size_t k = 1; k <= i; ++k) {
      const auto up = static_cast<double>(i - k + 1), down = static_cast<double>(kSize - k);
      result[k][i] = result[k - 1][i] * up / down;
    }
  }
  return result;
}

/// De Casteljau's bisection: the control polygon of the left half, C(i, k) / 2^i.
constexpr Triangle make_left_half() {
  Triangle result{};
  result[0][0] = 1;
  for (std::size_t i = 1; i < kSize; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      result[k][i] = (result[k][i - 1] + (k > 0 ? result[k - 1][i - 1] : 0)) / 2;
    }
  }
  return result;
}

constexpr Triangle kMonomials = make_monomials(), kLeftHalf = make_left_half();

Polygon product(const Triangle& matrix, const Polygon& x) {
  constexpr Eigen::Index kHalf = kSize / 2;
  using Half = Eigen::Array<double, kHalf, 1>;
  Half upper = Half::Zero(), lower = Half::Zero();
  for (Eigen::Index k = 0; k < kHalf; ++k) {
    const double* column = matrix[static_cast<std::size_t>(k)].data();
    upper += x[k] * Eigen::Map<const Half>(column);
    lower += x[k] * Eigen::Map<const Half>(column + kHalf);
  }
  for (Eigen::Index k = kHalf; k < kSize; ++k) {
    lower += x[k] * Eigen::Map<const Half>(matrix[static_cast<std::size_t>(k)].data() + kHalf);
  }
  Polygon result;
  result << upper, lower;
  return result;
}

/// p(h s) = sum_k a_k s^k.
struct Terms {
  Polygon head;  // a_k
  /// Of the terms beyond kDegree on [0, 1]: bounds of their sum and of its derivatives by s.
  double value = 0, slope = 0, bend = 0;
  double doubt = 0;  // bound of the rounding in a point of a polygon
  bool reliable = true;
};

Terms scale(std::span<const double> c, double h) {
  constexpr double kTinyPower = 1e-280;
  const auto size = static_cast<Eigen::Index>(c.size());
  const auto coefficients = [&](Eigen::Index k) -> Block {
    if (k + kBlock <= size) return Eigen::Map<const Block>(c.data() + k);
    Block part = Block::Zero();
    for (Eigen::Index j = 0; k + j < size; ++j) part[j] = c[static_cast<std::size_t>(k + j)];
    return part;
  };
  Terms t;
  const double h2 = h * h, h4 = h2 * h2;
  Block power(1.0, h, h2, h2 * h), total = Block::Zero();
  for (Eigen::Index k = 0; k < kSize; k += kBlock) {
    const Block a = coefficients(k) * power;
    t.head.segment<kBlock>(k) = a;
    total += a.abs();
    power *= h4;
  }
  Block degree(kSize, kSize + 1, kSize + 2, kSize + 3);
  Block value = Block::Zero(), slope = Block::Zero(), bend = Block::Zero();
  for (Eigen::Index k = kSize; k < size; k += kBlock) {
    const Block a = (coefficients(k) * power).abs();
    value += a;
    slope += degree * a;
    bend += degree * (degree - 1) * a;
    degree += static_cast<double>(kBlock);
    power *= h4;
  }
  t.value = value.sum();
  t.slope = slope.sum();
  t.bend = bend.sum();
  const double sum = total.sum() + t.value;
  // Each point carries at most so many roundings of eps / 2.
  const auto roundings = static_cast<double>(size + kSize + kHalvings * kSize);
  t.doubt = roundings * std::numeric_limits<double>::epsilon() * sum;
  t.reliable = power[kBlock - 1] > kTinyPower && sum <= std::numeric_limits<double>::max();
  return t;
}

/// Part of [0, 1] with its control polygon, and bounds there of the terms beyond kDegree.
struct Piece {
  double begin, length;
  Polygon b;
  double value, slope, bend;

  Piece(double from, double size, const Polygon& polygon, const Terms& t)
      : begin(from), length(size), b(polygon) {
    const double s = begin + length, s2 = s * s, s4 = s2 * s2;
    const double s14 = s4 * s4 * s4 * s2;
    bend = s14 * t.bend;
    slope = s14 * s * t.slope;
    value = s14 * s2 * t.value;
  }
};

/// For p(end) < 0 < p(begin): one root, by p' < 0 or p'' of one sign.
bool has_one_root(const Piece& p, double doubt) {
  constexpr double kFirst = kDegree, kSecond = kDegree * (kDegree - 1);
  const Eigen::Array<double, kDegree, 1> step = p.b.tail<kDegree>() - p.b.head<kDegree>();
  if (kFirst * (step.maxCoeff() + 4 * doubt) < -p.length * p.slope) return true;
  const Eigen::Array<double, kDegree - 1, 1> turn =
      step.tail<kDegree - 1>() - step.head<kDegree - 1>();
  const double one_sign = std::max(turn.minCoeff(), -turn.maxCoeff());
  return kSecond * (one_sign - 8 * doubt) > p.length * p.length * p.bend;
}

/// Where the polygon crosses zero.
double polygon_root(const Piece& p) {
  Eigen::Index i = 1;
  while (i < kDegree && p.b[i] > 0) ++i;
  const double part = p.b[i - 1] / (p.b[i - 1] - p.b[i]);
  const double index = static_cast<double>(i - 1) + std::clamp(part, 0.0, 1.0);
  return p.begin + p.length * index / static_cast<double>(kDegree);
}

/// Looks at a piece before which p > 0.
Outline look(const Piece& p, const Terms& t, int halvings) {
  const double doubt = p.value + 2 * t.doubt;
  if (p.b.minCoeff() > doubt) return {Course::kPositive, 0, 0, 0};
  if (p.b[0] > doubt && p.b[kDegree] < -doubt && has_one_root(p, t.doubt)) {
    return {Course::kFalls, p.begin, p.begin + p.length, polygon_root(p)};
  }
  if (halvings == 0) return {};
  const double half = p.length / 2;
  const Outline left = look({p.begin, half, product(kLeftHalf, p.b), t}, t, halvings - 1);
  if (left.course != Course::kPositive) return left;
  const Polygon right = product(kLeftHalf, p.b.reverse()).reverse();
  return look({p.begin + half, half, right, t}, t, halvings - 1);
}

}  // namespace

Outline outline(std::span<const double> c, double h) {
  if (c.empty() || c.size() > kMostTerms || !(c[0] > 0)) return {};
  const Terms t = scale(c, h);
  if (!t.reliable) return {};
  Outline result = look({0, 1, product(kMonomials, t.head), t}, t, kHalvings);
  for (double* place : {&result.begin, &result.end, &result.root}) *place *= h;
  return result;
}

}  // namespace luztar
