// fuzz_frictions [--compare] FIRST LAST: runs the random networks of these numbers, and prints
// those whose run does not come to the end; with --compare, also those in which CVODE gives another
// motion. fuzz_frictions --print NUMBER prints the model.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fuzz/numbers.h"
#include "tests/support/model.h"
#include "tests/support/random_network.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Speeds without inertia follow from forces divided by a damping: errors of CVODE are greater
/// there.
constexpr double kApart = 1e-5;

const char* reason(const RunReport& report) {
  switch (report.reason) {
    case StopReason::kDone:
      return "done";
    case StopReason::kNotFinite:
      return "infinite";
    case StopReason::kAssertion:
      return "assertion";
    case StopReason::kEventStorm:
      return "storm";
    case StopReason::kNoEquilibrium:
      return "no equilibrium";
    case StopReason::kWeakAtRest:
      return "weak at rest";
    case StopReason::kBlocked:
      return "blocked";
  }
  return "";
}

void report_end(unsigned number, const char* solver, const RunReport& report) {
  fmt::print("{}: {} {} at {}", number, solver, reason(report), report.time);
  for (const std::string& part : report.storm) fmt::print(" {}", part);
  fmt::print("\n");
}

struct Count {
  int run = 0, refused = 0, ended = 0, differ = 0;
};

void run_network(unsigned number, bool compare, Count& count) {
  std::unique_ptr<Stages> stages =
      run_stages("network.ltm", random_network(number), Stage::kProgram);
  if (!stages->program) {
    ++count.refused;
    return;
  }
  ++count.run;
  const Model model(std::move(stages));
  constexpr double kTolerance = 1e-10;
  const double stop = model.stages().flat->experiment.stop;
  const Simulation taylor = simulate(model, TaylorOptions{0, stop, stop / 50, kTolerance, false});
  if (taylor.report.reason != StopReason::kDone) {
    ++count.ended;
    return report_end(number, "taylor", taylor.report);
  }
  if (!compare) return;
  const Simulation cvode = simulate(model, CvodeOptions{0, stop, stop / 50, kTolerance, false});
  if (cvode.report.reason != StopReason::kDone) {
    ++count.ended;
    return report_end(number, "cvode", cvode.report);
  }
  double worst = 0;
  std::string column;
  for (const Deviation& d : motion_deviations(model, taylor, model, cvode)) {
    if (d.peak < 1e-6 || d.relative() <= worst) continue;
    worst = d.relative();
    column = d.column;
  }
  if (worst < kApart) return;
  ++count.differ;
  fmt::print("{}: solvers {:.1e} apart in {}\n", number, worst, column);
}

}  // namespace
}  // namespace luztar::test

int main(int argc, char** argv) {
  using namespace luztar::test;
  std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == "--print") {
    fmt::print("{}", random_network(number_of(arguments[1])));
    return 0;
  }
  const bool compare = !arguments.empty() && arguments[0] == "--compare";
  if (compare) arguments.erase(arguments.begin());
  if (arguments.size() != 2) {
    fmt::print(stderr, "fuzz_frictions [--compare] FIRST LAST\nfuzz_frictions --print NUMBER\n");
    return 2;
  }
  Count count;
  for (unsigned i = number_of(arguments[0]); i <= number_of(arguments[1]); ++i) {
    try {
      run_network(i, compare, count);
    } catch (const std::exception& e) {
      ++count.ended;
      fmt::print("{}: {}\n", i, e.what());
    }
    std::fflush(stdout);
  }
  fmt::print("{} run, {} refused, {} ended early, {} differ\n", count.run, count.refused,
             count.ended, count.differ);
  return count.ended + count.differ == 0 ? 0 : 1;
}
