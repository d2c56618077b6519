// fuzz_falls FIRST LAST: runs the random falls of these numbers, and prints those that do not come
// to the end, in which the solvers part, or which are not the limit of small inertia.
// fuzz_falls --print NUMBER [MASS] prints the model.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/numbers.h"
#include "tests/support/random_falls.h"

namespace luztar::test {
namespace {

std::string problem_of(unsigned number, int& refused) {
  try {
    const FallRun run = run_fall(number);
    refused += run.refused ? 1 : 0;
    return run.problem;
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace
}  // namespace luztar::test

int main(int argc, char** argv) {
  using namespace luztar::test;
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() >= 2 && arguments[0] == "--print") {
    const std::string mass(arguments.size() > 2 ? arguments[2] : "0");
    fmt::print("{}", random_fall(number_of(arguments[1]), mass));
    return 0;
  }
  if (arguments.size() != 2) {
    fmt::print(stderr, "fuzz_falls FIRST LAST\nfuzz_falls --print NUMBER [MASS]\n");
    return 2;
  }
  int run = 0, refused = 0, wrong = 0;
  for (unsigned i = number_of(arguments[0]); i <= number_of(arguments[1]); ++i, ++run) {
    const std::string problem = problem_of(i, refused);
    if (problem.empty()) continue;
    ++wrong;
    fmt::print("{}: {}\n", i, problem);
    std::fflush(stdout);
  }
  fmt::print("{} run, {} refused, {} wrong\n", run, refused, wrong);
  return wrong == 0 ? 0 : 1;
}
