// How much a test draws and tries: less under the sanitizers, which take many times as long to look
// at the same code.
#pragma once

#include <string>
#include <vector>

namespace luztar::test {

inline constexpr bool kSanitized = LUZTAR_RANDOM_CASES_DIVISOR > 1;

/// Of n a twelfth under the sanitizers.
constexpr unsigned random_cases(unsigned n) { return n / LUZTAR_RANDOM_CASES_DIVISOR; }

/// Inertias that tend to zero, each a tenth of the one before: under the sanitizers without the
/// last one, whose steps take longest.
inline std::vector<std::string> light_inertias(std::vector<std::string> inertias) {
  if (kSanitized) inertias.pop_back();
  return inertias;
}

}  // namespace luztar::test
