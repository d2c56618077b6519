// The loops of row_sums, for files that are compiled for different processors. No function from
// elsewhere: the linker might take that of the wrong file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace luztar {
namespace {  // each file that includes this has its own

constexpr std::size_t kLanes = 4;

/// As many rows.
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

/// Of any alignment in memory.
template <class T>
T load(const double* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(const T& value, double* to) {
  __builtin_memcpy(to, &value, sizeof(T));
}

/// Calls block(i) for blocks of `width` rows that cover [0, count), the last two overlapping.
template <class Block>
void for_blocks(std::size_t width, std::size_t count, Block block) {
  for (std::size_t i = 0; i + width < count; i += width) block(i);
  block(count - width);
}

/// Horner's rule in t^4 on four interleaved polynomials, as in first_crossing: short chains.
template <class T>
void evaluate(const double* c, std::size_t rows, std::int64_t order, double t, double* value) {
  const double t2 = t * t, t4 = t2 * t2;
  const auto at = [=](std::int64_t k) { return load<T>(c + static_cast<std::size_t>(k) * rows); };
  T s0{}, s1{}, s2{}, s3{};
  const std::int64_t k = (order + 1) & ~std::int64_t{3};
  if (k <= order) s0 = at(k);
  if (k + 1 <= order) s1 = at(k + 1);
  if (k + 2 <= order) s2 = at(k + 2);
  for (std::int64_t j = k - 4; j >= 0; j -= 4) {
    s0 = s0 * t4 + at(j);
    s1 = s1 * t4 + at(j + 1);
    s2 = s2 * t4 + at(j + 2);
    s3 = s3 * t4 + at(j + 3);
  }
  store<T>((s0 + t * s1) + t2 * (s2 + t * s3), value);
}

Lanes absolute(Lanes x) {
  using Bits = std::int64_t __attribute__((vector_size(sizeof(Lanes))));
  return reinterpret_cast<Lanes>(reinterpret_cast<Bits>(x) & INT64_MAX);
}
inline double absolute(double x) { return __builtin_fabs(x); }

template <class T>
T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T greater(T a, T b) {
  return a > b ? a : b;
}

/// Coefficients that range() makes a control polygon of; the sizes of the others widen it.
constexpr std::int64_t kLead = 8;

/// 1 / C(kLead - 1, k).
constexpr double kInverseBinomials[kLead] = {1,        1.0 / 7,  1.0 / 21, 1.0 / 35,
                                             1.0 / 35, 1.0 / 21, 1.0 / 7,  1};

/// range_rows() for the rows of one T; `orders`: how many coefficients.
template <class T>
void range(const double* c, std::size_t rows, std::int64_t orders, double h, double* least,
           double* greatest) {
  constexpr double kEpsilon = 0x1p-52;
  T b[kLead], total{};
  double power = 1;
  for (std::int64_t k = 0; k < kLead; ++k, power *= h) {
    b[k] = k < orders ? load<T>(c + static_cast<std::size_t>(k) * rows) * power : T{};
    total += absolute(b[k]);
    b[k] *= kInverseBinomials[k];
  }
  T rest{};
  for (std::int64_t k = kLead; k < orders; ++k, power *= h) {
    rest += absolute(load<T>(c + static_cast<std::size_t>(k) * rows)) * power;
  }
  total += rest;
  // b_i = sum_k C(i, k) / C(n, k) c_k h^k (Farouki 2012, section 3), as a triangle of additions.
  for (std::int64_t r = 1; r < kLead; ++r) {
    for (std::int64_t j = kLead - 1; j >= r; --j) b[j] += b[j - 1];
  }
  T low = b[0], high = b[0];
  for (std::int64_t i = 1; i < kLead; ++i) {
    low = lesser(low, b[i]);
    high = greater(high, b[i]);
  }
  // Each point carries at most so many roundings of eps / 2, of the powers and of the sums; a NaN
  // that the comparisons have lost is in the total.
  const T width = rest + total * (2 * static_cast<double>(orders + 2 * kLead) * kEpsilon);
  store<T>(low - width, least);
  store<T>(high + width, greatest);
}

/// evaluate_rows() for count > 0 rows.
void evaluate_all(const double* c, std::size_t rows, std::int64_t order, double t, double* values,
                  std::size_t count) {
  if (count >= kLanes) {
    for_blocks(kLanes, count,
               [=](std::size_t i) { evaluate<Lanes>(c + i, rows, order, t, values + i); });
  } else {
    for_blocks(1, count,
               [=](std::size_t i) { evaluate<double>(c + i, rows, order, t, values + i); });
  }
}

/// The same of range_rows().
void range_all(const double* c, std::size_t rows, std::int64_t orders, double h, double* least,
               double* greatest, std::size_t count) {
  if (count >= kLanes) {
    for_blocks(kLanes, count, [=](std::size_t i) {
      range<Lanes>(c + i, rows, orders, h, least + i, greatest + i);
    });
  } else {
    for_blocks(1, count, [=](std::size_t i) {
      range<double>(c + i, rows, orders, h, least + i, greatest + i);
    });
  }
}

}  // namespace
}  // namespace luztar
