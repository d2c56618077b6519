// The look at a polynomial of outline.h.
#pragma once

#include "runtime/wide/lanes.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {  // each file that includes this has its own

constexpr std::size_t kDegree = 15, kSize = kDegree + 1;
constexpr std::size_t kBlocks = kSize / kLanes;
constexpr int kHalvings = 3;

/// Column by column: point i of a polygon takes entry [k][i] of what k stands for.
struct Matrix {
  alignas(64) double columns[kSize][kSize]{};
};

/// Control polygon of s^k on [0, 1]: C(i, k) / C(kDegree, k), zero for k > i.
constexpr Matrix make_monomials() {
  Matrix m;
  for (std::size_t i = 0; i < kSize; ++i) {
    m.columns[0][i] = 1;
    for (std::size_t k = 1; k <= i; ++k) {
      const auto up = static_cast<double>(i - k + 1), down = static_cast<double>(kSize - k);
      m.columns[k][i] = m.columns[k - 1][i] * up / down;
    }
  }
  return m;
}

/// De Casteljau's bisection: control polygon of the left half, C(i, k) / 2^i, zero for k > i.
constexpr Matrix make_left_half() {
  Matrix m;
  m.columns[0][0] = 1;
  for (std::size_t i = 1; i < kSize; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      m.columns[k][i] = (m.columns[k][i - 1] + (k > 0 ? m.columns[k - 1][i - 1] : 0)) / 2;
    }
  }
  return m;
}

/// The mirror image.
constexpr Matrix make_right_half() {
  const Matrix left = make_left_half();
  Matrix m;
  for (std::size_t k = 0; k < kSize; ++k) {
    for (std::size_t i = 0; i < kSize; ++i) {
      m.columns[k][i] = left.columns[kDegree - k][kDegree - i];
    }
  }
  return m;
}

constexpr Matrix kMonomials = make_monomials(), kLeftHalf = make_left_half(),
                 kRightHalf = make_right_half();

struct Polygon {
  alignas(64) double b[kSize];
};

/// In two sums, of every other column. kLower: columns begin with zeros, else they end with them.
template <bool kLower>
Polygon product(const Matrix& matrix, const Polygon& x) {
  Lanes even[kBlocks]{}, odd[kBlocks]{};
#pragma GCC unroll 16
  for (std::size_t k = 0; k < kSize; ++k) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < kBlocks; ++i) {
      if (kLower ? i < k / kLanes : i > k / kLanes) continue;
      Lanes& sum = k % 2 == 0 ? even[i] : odd[i];
      sum = fused(load<Lanes>(matrix.columns[k] + i * kLanes), in_lanes<Lanes>(x.b[k]), sum);
    }
  }
  Polygon result;
  for (std::size_t i = 0; i < kBlocks; ++i) store<Lanes>(even[i] + odd[i], result.b + i * kLanes);
  return result;
}

/// p(h s) = sum_k a_k s^k.
struct Terms {
  Polygon head;  // a_k
  /// Of the terms beyond kDegree on [0, 1]: bounds of their sum and of its derivatives by s.
  double value = 0, slope = 0, bend = 0;
  double size = 0;   // sum of |a_k|, of all terms
  double doubt = 0;  // bound of the rounding in a point of a polygon
  bool reliable = true;
};

/// By four on every processor, as the order of sums matters.
Terms scale(const double* c, std::size_t size, double h) {
  constexpr double kTinyPower = 1e-280, kEpsilon = 0x1p-52, kMost = 1.7976931348623157e308;
  double powers[kMostTerms];
  fill_powers(h, size, powers);
  const auto term = [&](std::size_t k) {
    const FourLanes some =
        k + 4 > size ? load_first(c + k, size - k, FourLanes{}) : load<FourLanes>(c + k);
    return some * load<FourLanes>(powers + k);
  };
  Terms t;
  FourLanes total{}, value{}, slope{}, bend{};
  for (std::size_t k = 0; k < kSize; k += 4) {
    const FourLanes a = k < size ? term(k) : FourLanes{};
    store(a, t.head.b + k);
    total += absolute(a);
  }
  FourLanes degree = {kSize, kSize + 1, kSize + 2, kSize + 3};
  for (std::size_t k = kSize; k < size; k += 4) {
    const FourLanes a = absolute(term(k));
    value += a;
    slope = fused(degree, a, slope);
    bend = fused(degree * (degree - 1), a, bend);
    degree += 4;
  }
  const auto sum = [](auto a, auto b) { return a + b; };
  t.value = fold(value, sum);
  t.slope = fold(slope, sum);
  t.bend = fold(bend, sum);
  t.size = fold(total, sum) + t.value;
  // Each point carries at most so many roundings of eps / 2.
  const auto roundings = static_cast<double>(size + kSize + kHalvings * kSize);
  t.doubt = roundings * kEpsilon * t.size;
  t.reliable = powers[(size - 1) / 4 * 4 + 3] * h > kTinyPower && t.size <= kMost;
  return t;
}

/// Part of [0, 1] with its control polygon, and bounds there of the terms beyond kDegree.
struct Piece {
  double begin, length;
  Polygon polygon;
  double value, slope, bend;

  Piece(double from, double size, const Polygon& b, const Terms& t)
      : begin(from), length(size), polygon(b) {
    const double s = begin + length, s2 = s * s, s4 = s2 * s2;
    const double s14 = s4 * s4 * s4 * s2;
    bend = s14 * t.bend;
    slope = s14 * s * t.slope;
    value = s14 * s2 * t.value;
  }
};

/// Least of at(i), and greatest, of blocks that cover [0, count).
struct Extremes {
  double least, greatest;
};
template <class At>
Extremes extremes(std::size_t count, At at) {
  Lanes low = at(0), high = low;
  for_blocks(count, [&](std::size_t i) {
    low = lesser(low, at(i));
    high = greater(high, at(i));
  });
  return {fold(low, [](auto a, auto b) { return lesser(a, b); }),
          fold(high, [](auto a, auto b) { return greater(a, b); })};
}

/// For p(end) < 0 < p(begin): one root, by p' < 0 or p'' of one sign.
bool has_one_root(const Piece& p, double doubt) {
  constexpr double kFirst = kDegree, kSecond = kDegree * (kDegree - 1);
  const double* b = p.polygon.b;
  const auto step = [b](std::size_t i) { return load<Lanes>(b + i + 1) - load<Lanes>(b + i); };
  const double steepest = extremes(kDegree, step).greatest;
  if (kFirst * (steepest + 4 * doubt) < -p.length * p.slope) return true;
  const Extremes turn = extremes(kDegree - 1, [&](std::size_t i) { return step(i + 1) - step(i); });
  const double one_sign = greater(turn.least, -turn.greatest);
  return kSecond * (one_sign - 8 * doubt) > p.length * p.length * p.bend;
}

/// Where the polygon crosses zero.
double polygon_root(const Piece& p) {
  const double* b = p.polygon.b;
  std::size_t i = 1;
  while (i < kDegree && b[i] > 0) ++i;
  const double part = lesser(greater(b[i - 1] / (b[i - 1] - b[i]), 0.0), 1.0);
  const double index = static_cast<double>(i - 1) + part;
  return p.begin + p.length * index / static_cast<double>(kDegree);
}

/// Looks at a piece before which p > 0.
Outline look(const Piece& p, const Terms& t, int halvings) {
  const double doubt = p.value + 2 * t.doubt;
  const double* b = p.polygon.b;
  const double least = extremes(kSize, [b](std::size_t i) { return load<Lanes>(b + i); }).least;
  if (least > doubt) return {Course::kPositive};
  if (b[0] > doubt && b[kDegree] < -doubt && has_one_root(p, t.doubt)) {
    return {Course::kFalls, p.begin, p.begin + p.length, polygon_root(p), 0};
  }
  if (halvings == 0) return {};
  const double half = p.length / 2;
  const Outline left =
      look({p.begin, half, product<true>(kLeftHalf, p.polygon), t}, t, halvings - 1);
  if (left.course != Course::kPositive) return left;
  return look({p.begin + half, half, product<false>(kRightHalf, p.polygon), t}, t, halvings - 1);
}

Outline outline_of(const double* c, std::size_t size, double h) {
  const Terms t = scale(c, size, h);
  if (!t.reliable) return {};
  Outline result = look({0, 1, product<true>(kMonomials, t.head), t}, t, kHalvings);
  result.begin *= h;
  result.end *= h;
  result.root *= h;
  result.size = t.size;
  return result;
}

}  // namespace
}  // namespace luztar
