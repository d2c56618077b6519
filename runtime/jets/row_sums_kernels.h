// The loops of row_sums, for files that are compiled for different processors. No function from
// elsewhere: the linker might take that of the wrong file.
#pragma once

#include <cstddef>
#include <cstdint>

namespace luztar {
namespace {  // each file that includes this has its own

constexpr std::size_t kLanes = 4;
constexpr std::size_t kParts = 4;  // of kLanes rows, whose sums fit the registers

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

/// Sums of |c[k*rows + i]| power h^k over k < orders, for kCount of T side by side.
template <class T, std::size_t kCount>
void bound(const double* c, std::size_t rows, std::int64_t orders, double power, double h,
           double* sums) {
  T sum[kCount]{};
  for (std::int64_t k = 0; k < orders; ++k, c += rows, power *= h) {
    for (std::size_t i = 0; i < kCount; ++i) {
      sum[i] += absolute(load<T>(c + i * (sizeof(T) / sizeof(double)))) * power;
    }
  }
  for (std::size_t i = 0; i < kCount; ++i)
    store<T>(sum[i], sums + i * (sizeof(T) / sizeof(double)));
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

/// The same for count > 0 rows.
void bound_all(const double* c, std::size_t rows, std::int64_t orders, double power, double h,
               double* sums, std::size_t count) {
  if (count >= kParts * kLanes) {
    for_blocks(kParts * kLanes, count, [=](std::size_t i) {
      bound<Lanes, kParts>(c + i, rows, orders, power, h, sums + i);
    });
  } else if (count >= kLanes) {
    for_blocks(kLanes, count,
               [=](std::size_t i) { bound<Lanes, 1>(c + i, rows, orders, power, h, sums + i); });
  } else {
    for_blocks(1, count,
               [=](std::size_t i) { bound<double, 1>(c + i, rows, orders, power, h, sums + i); });
  }
}

}  // namespace
}  // namespace luztar
