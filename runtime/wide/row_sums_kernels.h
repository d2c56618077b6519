// The loops of row_sums: sums over Taylor coefficients, for neighbouring rows at once.
#pragma once

#include "runtime/wide/lanes.h"
#include "runtime/wide/wide.h"

namespace luztar {
namespace {  // each file that includes this has its own

/// Horner's rule in t^4 on four interleaved polynomials: short chains.
template <class Lane>
void evaluate(Lane lane, const double* c, std::size_t rows, std::int64_t order, double t,
              double* value) {
  using T = typename Lane::Type;
  const T p1 = in_lanes<T>(t), p2 = p1 * p1, p4 = p2 * p2;
  const auto at = [=](std::int64_t k) { return lane.load(c + static_cast<std::size_t>(k) * rows); };
  T s0{}, s1{}, s2{}, s3{};
  const std::int64_t k = (order + 1) & ~std::int64_t{3};
  if (k <= order) s0 = at(k);
  if (k + 1 <= order) s1 = at(k + 1);
  if (k + 2 <= order) s2 = at(k + 2);
  for (std::int64_t j = k - 4; j >= 0; j -= 4) {
    s0 = fused(s0, p4, at(j));
    s1 = fused(s1, p4, at(j + 1));
    s2 = fused(s2, p4, at(j + 2));
    s3 = fused(s3, p4, at(j + 3));
  }
  lane.store(fused(p2, fused(p1, s3, s2), fused(p1, s1, s0)), value);
}

/// In whole vectors: a processor waits when it loads one that was stored in parts.
void take_row(const double* c, std::size_t rows, std::size_t terms, double sign, double offset,
              double* polynomial) {
  FourLanes first = {offset, 0, 0, 0};
  std::size_t k = 0;
  for (; k + 4 <= terms; k += 4, c += 4 * rows) {
    const FourLanes four = {c[0], c[rows], c[2 * rows], c[3 * rows]};
    store(sign * four + first, polynomial + k);
    first = FourLanes{};
  }
  if (k == terms) return;
  const std::size_t left = terms - k;
  const FourLanes last = {c[0], left > 1 ? c[rows] : 0.0, left > 2 ? c[2 * rows] : 0.0, 0.0};
  store(sign * last + first, polynomial + k);
}

/// Coefficients that range() makes a control polygon of; the sizes of the others widen it. With
/// more than 10, the registers do not hold it.
constexpr std::size_t kLead = 10;

/// 1 / C(kLead - 1, k).
struct InverseBinomials {
  double of[kLead];
};
constexpr InverseBinomials kInverse = [] {
  InverseBinomials inverses{};
  double binomial = 1;
  for (std::size_t k = 0; k < kLead; ++k) {
    inverses.of[k] = 1 / binomial;
    binomial = binomial * static_cast<double>(kLead - 1 - k) / static_cast<double>(k + 1);
  }
  return inverses;
}();

/// range_rows() for the rows of one block; `terms`: how many coefficients.
template <class Lane>
void range(Lane lane, const double* c, std::size_t rows, std::size_t terms, const double* powers,
           double* least, double* greatest) {
  using T = typename Lane::Type;
  constexpr double kEpsilon = 0x1p-52;
  T b[kLead], total{}, rest{};
  for (std::size_t k = 0; k < kLead; ++k) {
    b[k] = k < terms ? lane.load(c + k * rows) * powers[k] : T{};
    total += absolute(b[k]);
    b[k] *= kInverse.of[k];
  }
  for (std::size_t k = kLead; k < terms; ++k) {
    rest += absolute(lane.load(c + k * rows)) * powers[k];
  }
  total += rest;
  // b_i = sum_k C(i, k) / C(n, k) c_k h^k (Farouki 2012, section 3), as a triangle of additions.
  for (std::size_t r = 1; r < kLead; ++r) {
    for (std::size_t j = kLead - 1; j >= r; --j) b[j] += b[j - 1];
  }
  T low = b[0], high = b[0];
  for (std::size_t i = 1; i < kLead; ++i) {
    low = lesser(low, b[i]);
    high = greater(high, b[i]);
  }
  // Each point carries at most so many roundings of eps / 2, of the powers and of the sums; a NaN
  // that the comparisons have lost is in the total.
  const T width = rest + total * (2 * static_cast<double>(terms + 2 * kLead) * kEpsilon);
  lane.store(low - width, least);
  lane.store(high + width, greatest);
}

/// Calls rows_of(lane, i) for blocks of rows from i on.
template <class RowsOf>
void for_rows(std::size_t count, RowsOf rows_of) {
  if (count >= kLanes) {
    for_blocks(count, [&](std::size_t i) { rows_of(Whole<Lanes>{}, i); });
  } else if (count < 4) {
    rows_of(First<FourLanes>{count}, 0);
  } else if (count == 4) {
    rows_of(Whole<FourLanes>{}, 0);
  } else {
    rows_of(First<Lanes>{count}, 0);
  }
}

/// evaluate_rows() for count > 0 rows.
void evaluate_all(const double* c, std::size_t rows, std::int64_t order, double t, double* values,
                  std::size_t count) {
  for_rows(count,
           [=](auto lane, std::size_t i) { evaluate(lane, c + i, rows, order, t, values + i); });
}

/// range_rows() for count > 0 rows of no more than kMostTerms terms.
void range_all(const double* c, std::size_t rows, std::size_t terms, double h, double* least,
               double* greatest, std::size_t count) {
  double powers[kMostTerms];
  fill_powers(h, terms, powers);
  for_rows(count, [&](auto lane, std::size_t i) {
    range(lane, c + i, rows, terms, powers, least + i, greatest + i);
  });
}

}  // namespace
}  // namespace luztar
