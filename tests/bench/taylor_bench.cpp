// Time of repeated runs of one model by the Taylor solver, and its split.
//   taylor_bench MODEL.ltm TOLERANCE REPEATS [COLUMN...]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 1;
  const double tolerance = std::strtod(argv[2], nullptr);
  const std::string file = std::filesystem::absolute(argv[1]);
  const std::string text = test::read_text(file);
  const auto begin = Clock::now();
  const test::Model model(file, text);
  const std::chrono::duration<double, std::milli> compiled = Clock::now() - begin;
  const Experiment& e = model.stages().flat->experiment;
  std::vector<double> times;
  RunReport report;
  LastRow last;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    const auto start = Clock::now();
    report = simulate_taylor(model.system(), model.parameters(),
                             {e.start, e.stop, e.interval, tolerance, false}, last);
    const std::chrono::duration<double, std::milli> run = Clock::now() - start;
    times.push_back(run.count());
  }
  const double ms = median(times);
  std::printf("compile %.2f ms, run %.3f ms (median), %llu steps, %llu events, %.0f ns per step\n",
              compiled.count(), ms, static_cast<unsigned long long>(report.steps),
              static_cast<unsigned long long>(report.events),
              ms * 1e6 / static_cast<double>(report.steps));
  for (int i = 4; i < argc; ++i) {
    std::printf("%s = %.16g\n", argv[i], last.values[model.output(argv[i])]);
  }
  return 0;
}
