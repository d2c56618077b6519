// Time of repeated runs of one model by the Taylor solver, and its split.
//   taylor_bench MODEL.ltm TOLERANCE REPEATS [COLUMN...]
// Rows hold the columns named, or all of them.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/codegen/jit.h"
#include "runtime/solvers/taylor.h"
#include "tests/support/csv_table.h"
#include "tests/support/model.h"

namespace {

using namespace luztar;
using Clock = std::chrono::steady_clock;

/// Keeps the last row.
class LastRow final : public RowSink {
 public:
  std::vector<double> values;
  void row(double, std::span<const double> outputs) override {
    values.assign(outputs.begin(), outputs.end());
  }
};

struct Times {
  double median = 0, least = 0;  // [ms]
};

/// Times of `repeats` calls; the least says most where others use the machine.
template <class Work>
Times measure(int repeats, Work work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

/// The system with outputs of these names only.
ExplicitSystem with_columns(ExplicitSystem system, const std::vector<std::string>& names) {
  std::erase_if(system.outputs, [&](const ExplicitOutput& output) {
    return std::find(names.begin(), names.end(), output.name) == names.end();
  });
  return system;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  const double tolerance = std::strtod(argv[2], nullptr);
  const int repeats = std::max(1, std::atoi(argv[3]));
  const std::vector<std::string> names(argv + 4, argv + argc);
  const std::string file = std::filesystem::absolute(argv[1]);
  const auto stages = test::run_stages(file, test::read_text(file), test::Stage::kExplicit);
  if (!stages->explicit_system) {
    std::fputs(stages->messages().c_str(), stderr);
    return 1;
  }
  const ExplicitSystem asked =
      names.empty() ? *stages->explicit_system : with_columns(*stages->explicit_system, names);
  const auto compiled = [&] { return compile(stages->pool, *stages->flat, asked); };
  const Times jit = measure(5, compiled);
  const JitProgram program = compiled();
  const System& system = program.system();
  const Experiment& e = stages->flat->experiment;
  RunReport report;
  LastRow last;
  const Times run = measure(repeats, [&] {
    report = simulate_taylor(system, system.parameters,
                             {e.start, e.stop, e.interval, tolerance, false}, last);
  });
  std::printf("JIT %.2f ms (least %.2f), run %.3f ms (least %.3f), order %lld, %llu steps, ",
              jit.median, jit.least, run.median, run.least,
              static_cast<long long>(taylor_order(system, tolerance)),
              static_cast<unsigned long long>(report.steps));
  std::printf("%llu events, %.0f ns per step\n", static_cast<unsigned long long>(report.events),
              run.least * 1e6 / static_cast<double>(report.steps));
  for (std::size_t i = 0; i < system.outputs.size() && !names.empty(); ++i) {
    std::printf("%s = %.16g\n", system.outputs[i].name.c_str(), last.values[i]);
  }
  return 0;
}
