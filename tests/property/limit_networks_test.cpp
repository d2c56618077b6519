// The limits are limits in random networks of dry frictions, too: with J = 1e-4, 1e-5, 1e-6 the
// motion tends to that with J = 0, and with d = 1e-3, 1e-4, 1e-5 to that with d = 0, with an error
// of first order.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>

#include "tests/support/model.h"
#include "tests/support/random_cases.h"
#include "tests/support/random_network.h"
#include "tests/support/simulation.h"

namespace luztar::test {
namespace {

/// Whether frictions or impacts leave open what is the limit: bounds that are reached together, a
/// light body that bounces, one that a drive takes along at once.
bool has_limit(const std::string& network) {
  if (network.find("motion") != std::string::npos) return false;
  if (std::regex_search(network, std::regex(R"(HardStop[^\n]*e = 0\.)"))) return false;
  std::set<std::string> bounds;
  const std::regex bound(R"(tau0(_static)? = ([\d.]+))");
  for (std::sregex_iterator m(network.begin(), network.end(), bound), end; m != end; ++m) {
    if (!bounds.insert((*m)[2]).second) return false;
  }
  return true;
}

/// With a damper of that much [N.m.s/rad] from each massless body to the ground. Empty: the network
/// has none.
std::string with_damping(const std::string& network, const std::string& damping) {
  std::string parts, connections;
  const std::regex massless(R"(Inertia (p\d+)\(J = 0,)");
  for (std::sregex_iterator m(network.begin(), network.end(), massless), end; m != end; ++m) {
    const std::string body = (*m)[1];
    parts += "  Rotational.BearingFriction on_" + body + "(tau0 = 0, d = " + damping + ");\n";
    connections += "  connect(on_" + body + ".flange_a, " + body + ".flange_b);\n";
  }
  if (parts.empty()) return {};
  return std::regex_replace(network, std::regex("equation\n"), parts + "equation\n" + connections);
}

std::string with_inertia(const std::string& network, const std::string& inertia) {
  return std::regex_replace(network, std::regex("J = 0,"), "J = " + inertia + ",");
}

/// Where bodies move at the start, T_S > T_K leaves open which of them hold massless ones.
std::string at_rest(const std::string& network) {
  return std::regex_replace(network, std::regex(R"(w\(start = [^)]*\))"), "w(start = 0)");
}

/// Greatest deviation of an angle of a body with inertia.
double deviation(const Model& model, const Simulation& run, const Model& other,
                 const Simulation& near) {
  double greatest = 0;
  for (const Deviation& d : motion_deviations(model, run, other, near)) {
    const bool is_angle = std::regex_match(d.column, std::regex(R"(b\d+\.phi)"));
    if (is_angle) greatest = std::max(greatest, d.difference);
  }
  return greatest;
}

/// The deviations of three networks, each ten times nearer to the limit. True: there are some.
bool check_first_order(const std::string& limit, const std::array<std::string, 3>& networks) {
  INFO(limit);
  std::unique_ptr<Stages> stages = run_stages("limit.ltm", limit, Stage::kProgram);
  if (!stages->program) return false;  // contacts in series
  const Model model(std::move(stages));
  const Simulation exact = simulate(model, TaylorOptions{0, 2, 1.0 / 64, 1e-12, false});
  if (exact.report.reason == StopReason::kNoEquilibrium) return false;
  REQUIRE(exact.report.reason == StopReason::kDone);
  std::array<double, 3> error{};
  for (std::size_t i = 0; i < networks.size(); ++i) {
    const Model light("light.ltm", networks[i]);
    const Simulation near = simulate(light, TaylorOptions{0, 2, 1.0 / 64, 1e-11, false});
    REQUIRE(near.report.reason == StopReason::kDone);
    error[i] = deviation(model, exact, light, near);
  }
  CAPTURE(error[0]);
  CAPTURE(error[1]);
  CAPTURE(error[2]);
  constexpr double kRounding = 1e-9;
  if (error[2] > kRounding) {
    const double order = std::log10(error[1] / error[2]);
    CHECK(order > 0.8);
    CHECK(order < 1.3);
  }
  CHECK(error[2] < 1e-3);
  return error[1] > kRounding;
}

/// Damped, as without damping light bodies ring.
bool check_inertia(const std::string& network) {
  const std::string damped = with_damping(network, "0.05");
  if (damped.empty()) return false;
  return check_first_order(damped, {with_inertia(damped, "1e-4"), with_inertia(damped, "1e-5"),
                                    with_inertia(damped, "1e-6")});
}

bool check_damping(const std::string& network) {
  if (with_damping(network, "1").empty()) return false;
  return check_first_order(network, {with_damping(network, "1e-3"), with_damping(network, "1e-4"),
                                     with_damping(network, "1e-5")});
}

void check_networks(bool (*check)(const std::string& network)) {
  unsigned compared = 0;
  for (unsigned number = 1; number <= random_cases(24); ++number) {
    CAPTURE(number);
    const std::string network = random_network(number);
    if (has_limit(network)) compared += check(at_rest(network)) ? 1 : 0;
  }
  CHECK(compared >= random_cases(3));
}

}  // namespace

TEST_CASE("light bodies of random networks tend to the massless limit in first order") {
  check_networks(check_inertia);
}

TEST_CASE("massless bodies without damping are the limit of small damping in first order") {
  check_networks(check_damping);
}

// A clutch lets a light body go as its capacity falls: the second derivative tells, of which stiff
// dampers beside it leave no digit in the first terms.
TEST_CASE("a friction lets go as its bound falls, however stiff what is beside it") {
  const Model model("stiff.ltm", with_damping(random_network(571), "1e-5"));
  const RunReport report = audited(model, TaylorOptions{0, 0.5, 0.5, 1e-10, false});
  REQUIRE(report.reason == StopReason::kDone);
  CHECK(std::fabs(report.energy->residual()) < 1e-9 * report.energy->turnover);
}

}  // namespace luztar::test
