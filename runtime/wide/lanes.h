// Numbers worked on together, for files that are compiled for different processors. What these
// files include calls no function from elsewhere: the linker might take that of the wrong file.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// Calls block(i) for blocks of `width` numbers that cover [0, count), the last two overlapping.
template <class Block>
void for_blocks(std::size_t width, std::size_t count, Block block) {
  for (std::size_t i = 0; i + width < count; i += width) block(i);
  block(count - width);
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
