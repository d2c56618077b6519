// Time of one right-hand side of a model with many bodies.
//   rhs_bench MODEL.ltm BODIES
// The least of many calls: of order 0, which also fills the margins, and of one order of Taylor
// coefficients.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"

namespace {

using namespace luztar;
using Clock = std::chrono::steady_clock;

/// Least time of a call [ns].
template <class Work>
double least_time(Work work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 2000; ++i) {
    const auto start = Clock::now();
    work();
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 1;
  const double bodies = std::strtod(argv[2], nullptr);
  const std::string file = std::filesystem::absolute(argv[1]);
  const auto stages = test::run_stages(file, test::read_text(file), test::Stage::kProgram);
  if (!stages->program) {
    std::fputs(stages->messages().c_str(), stderr);
    return 1;
  }
  const System& s = stages->program->system();
  std::vector<double> c(s.constant_count), x(s.state_count), mode(s.slot_count, 1.0);
  s.prepare(s.parameters.data(), c.data(), x.data());
  s.prepare_mode(c.data(), mode.data(), c.data() + s.mode_constants);
  std::vector<double> J(3 * s.row_count);
  const std::vector<std::uint8_t> idle(s.frictions.size());
  for (std::size_t i = 0; i < x.size(); ++i) J[i] = 0.01 * static_cast<double>(i % 7);
  const double values = least_time([&] { s.jets(0.1, c.data(), 0, 0, J.data(), idle.data()); });
  const double order = least_time([&] { s.jets(0.1, c.data(), 1, 1, J.data(), idle.data()); });
  std::printf("right-hand side %.2f ns per body, an order of coefficients %.2f ns per body\n",
              values / bodies, order / bodies);
  return 0;
}
