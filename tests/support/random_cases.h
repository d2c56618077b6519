// How many random cases a test draws.
#pragma once

namespace luztar::test {

/// Of n a twelfth under the sanitizers, which take four times as long to look at the same code.
constexpr unsigned random_cases(unsigned n) { return n / LUZTAR_RANDOM_CASES_DIVISOR; }

}  // namespace luztar::test
