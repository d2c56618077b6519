// Numbers worked on together, for files that are compiled for different processors. What these
// files include calls no function from elsewhere: the linker might take that of the wrong file.
#pragma once

#include <cstddef>
#include <cstdint>
#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace luztar {
namespace {  // each file that includes this has its own

#ifdef __AVX512F__
constexpr std::size_t kLanes = 8;
#else
constexpr std::size_t kLanes = 4;
#endif

using TwoLanes = double __attribute__((vector_size(2 * sizeof(double))));
using FourLanes = double __attribute__((vector_size(4 * sizeof(double))));
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

/// The first `count` of four numbers, and zeros for the others; of as many lanes as there are. No
/// others are touched: a processor waits when it loads what was stored in parts.
inline FourLanes load_first(const double* from, std::size_t count, FourLanes) {
#ifdef __AVX2__
  return _mm256_maskload_pd(from, __m256i{0, 1, 2, 3} < static_cast<std::int64_t>(count));
#else
  FourLanes some{};
  for (std::size_t i = 0; i < count && i < 4; ++i) some[i] = from[i];
  return some;
#endif
}
inline void store_first(FourLanes x, std::size_t count, double* to) {
#ifdef __AVX2__
  _mm256_maskstore_pd(to, __m256i{0, 1, 2, 3} < static_cast<std::int64_t>(count), x);
#else
  for (std::size_t i = 0; i < count && i < 4; ++i) to[i] = x[i];
#endif
}
#ifdef __AVX512F__
inline __mmask8 first_lanes(std::size_t count) {
  return static_cast<__mmask8>(count < kLanes ? (1U << count) - 1 : 0xff);
}
inline Lanes load_first(const double* from, std::size_t count, Lanes) {
  return _mm512_maskz_loadu_pd(first_lanes(count), from);
}
inline void store_first(Lanes x, std::size_t count, double* to) {
  _mm512_mask_storeu_pd(to, first_lanes(count), x);
}
#endif

inline FourLanes absolute(FourLanes x) {
  using Bits = std::int64_t __attribute__((vector_size(sizeof(x))));
  return reinterpret_cast<FourLanes>(reinterpret_cast<Bits>(x) & INT64_MAX);
}
#ifdef __AVX512F__
inline Lanes absolute(Lanes x) {
  using Bits = std::int64_t __attribute__((vector_size(sizeof(x))));
  return reinterpret_cast<Lanes>(reinterpret_cast<Bits>(x) & INT64_MAX);
}
#endif
inline double absolute(double x) { return __builtin_fabs(x); }

/// a*b + c with one rounding.
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline FourLanes fused(FourLanes a, FourLanes b, FourLanes c) {
#ifdef __FMA__
  return _mm256_fmadd_pd(a, b, c);
#else
  for (std::size_t i = 0; i < 4; ++i) c[i] = fused(a[i], b[i], c[i]);
  return c;
#endif
}
#ifdef __AVX512F__
inline Lanes fused(Lanes a, Lanes b, Lanes c) { return _mm512_fmadd_pd(a, b, c); }
#endif
/// The same for all lanes.
template <class T>
T in_lanes(double x) {
  return x - T{};
}

template <class T>
T lesser(T a, T b) {
  return a < b ? a : b;
}
template <class T>
T greater(T a, T b) {
  return a > b ? a : b;
}

/// Both halves of a vector by an operation, down to one number.
template <class Operation>
double fold(TwoLanes x, Operation operation) {
  return operation(x[0], x[1]);
}
template <class Operation>
double fold(FourLanes x, Operation operation) {
  TwoLanes half[2];
  __builtin_memcpy(half, &x, sizeof(x));
  return fold(operation(half[0], half[1]), operation);
}
#ifdef __AVX512F__
template <class Operation>
double fold(Lanes x, Operation operation) {
  FourLanes half[2];
  __builtin_memcpy(half, &x, sizeof(x));
  return fold(operation(half[0], half[1]), operation);
}
#endif

/// Numbers in memory: as many as there are lanes, or the first `count` of them only.
template <class T>
struct Whole {
  using Type = T;
  [[nodiscard]] T load(const double* from) const { return luztar::load<T>(from); }
  void store(T x, double* to) const { luztar::store(x, to); }
};
template <class T>
struct First {
  using Type = T;
  std::size_t count;
  [[nodiscard]] T load(const double* from) const { return load_first(from, count, T{}); }
  void store(T x, double* to) const { store_first(x, count, to); }
};

/// Calls block(i) for blocks of kLanes numbers that cover [0, count), the last two overlapping;
/// count >= kLanes.
template <class Block>
void for_blocks(std::size_t count, Block block) {
  for (std::size_t i = 0; i + kLanes < count; i += kLanes) block(i);
  block(count - kLanes);
}

/// h^k for k = 0, 1, ... in whole blocks of four up to `count`.
inline void fill_powers(double h, std::size_t count, double* powers) {
  const double h2 = h * h, h4 = h2 * h2;
  FourLanes power = {1, h, h2, h2 * h};
  for (std::size_t k = 0; k < count; k += 4) {
    store(power, powers + k);
    power *= h4;
  }
}

}  // namespace
}  // namespace luztar
