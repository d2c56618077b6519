// What the stages build is proportional to the parts: chains and stars in which a step that walks
// or copies everything for each part would show.
#include <doctest/doctest.h>

#include <string>

#include "tests/support/model.h"

namespace luztar::test {
namespace {

std::string chain(const std::string& bodies, const std::string& joint, std::size_t n) {
  return "model M parameter Integer n = " + std::to_string(n) + "; Rotational.Inertia body[n](" +
         bodies + "); " + joint +
         "; Rotational.Torque motor(tau = sin(time)); equation connect(motor.flange, "
         "body[1].flange_a); for i in 1:n - 1 loop connect(body[i].flange_b, joint[i].flange_a); "
         "connect(joint[i].flange_b, body[i + 1].flange_a); end for; end M;";
}

std::string chain_backwards(const std::string& joint, std::size_t n) {
  return "model M parameter Integer n = " + std::to_string(n) +
         "; Rotational.Inertia body[n](each J = 1); " + joint +
         "; equation for i in 1:n - 1 loop connect(body[n + 1 - i].flange_b, joint[i].flange_a); "
         "connect(joint[i].flange_b, body[n - i].flange_a); end for; end M;";
}

std::string star(const std::string& bodies, const std::string& joint, std::size_t n,
                 const std::string& hub = "J = 1") {
  return "model M parameter Integer n = " + std::to_string(n) + "; Rotational.Inertia hub(" + hub +
         "); Rotational.Inertia body[n](" + bodies + "); " + joint +
         "; equation for i in 1:n loop connect(hub.flange_b, joint[i].flange_a); "
         "connect(joint[i].flange_b, body[i].flange_a); end for; end M;";
}

/// A row of massless nodes on springs, each with a body on a spring of its own.
std::string ladder(std::size_t n, const std::string& driven, const std::string& more = "") {
  return "model M parameter Integer n = " + std::to_string(n) +
         "; Rotational.Torque motor(tau = sin(time)); "
         "Rotational.BearingFriction bearing(d = 2, tau0 = 0); "
         "Rotational.Inertia node[n](each J = 0), body[n](each J = 1); "
         "Rotational.Spring step[n](each k = 9), side[n - 1](each k = 7); equation "
         "connect(node.flange_b, step.flange_a); connect(step.flange_b, body.flange_a); "
         "connect(motor.flange, " +
         driven + ".flange_a); " + more +
         "for i in 1:n - 1 loop connect(node[i].flange_b, side[i].flange_a); "
         "connect(side[i].flange_b, node[i + 1].flange_a); end for; end M;";
}

/// Nodes of expressions and what they hold, and names and formulas of what reductions make, up to
/// the explicit system.
double built(const std::string& text) {
  const auto stages = run_stages("scale", text, Stage::kExplicit);
  INFO(stages->messages());
  REQUIRE(stages->explicit_system);
  std::size_t written = 0;
  for (const ReductionEntry& entry : stages->reduced->log) {
    written += entry.condition.size() + entry.result.size();
  }
  for (const ForceTerm& term : stages->reduced->mechanism.terms) written += term.name.size();
  return static_cast<double>(stages->pool.size() + stages->pool.argument_count() + written);
}

template <class Text>
void check_linear(const Text& text) {
  // Beyond what is short enough to be copied; half as many under the sanitizers.
  constexpr std::size_t kParts = LUZTAR_RANDOM_CASES_DIVISOR > 1 ? 150 : 300;
  CHECK(built(text(2 * kParts)) < 2.15 * built(text(kParts)));
}

const char* const kEvenAndOdd = "J = {if mod(i, 2) == 0 then 0 else 1 for i in 1:n}";
const char* const kEnds = "J = {if i == 1 or i == n then 1 else 0 for i in 1:n}";

}  // namespace

TEST_CASE("expressions of chains grow with the number of parts") {
  check_linear([](std::size_t n) {
    return chain("each J = 1",
                 "Rotational.FreeplaySpring joint[n - 1](each k = 9, each half_freeplay = 0.1)", n);
  });
  check_linear([](std::size_t n) {
    return chain("each J = 1", "Rotational.Spring joint[n - 1](each k = inf)", n);
  });
  check_linear([](std::size_t n) {
    return chain_backwards("Rotational.Spring joint[n - 1](each k = inf)", n);
  });
  check_linear([](std::size_t n) {
    return chain("each J = 1", "Rotational.IdealGear joint[n - 1](each ratio = 1.01)", n);
  });
  check_linear([](std::size_t n) {
    return chain(kEvenAndOdd, "Rotational.Spring joint[n - 1](each k = 9)", n);
  });
  check_linear([](std::size_t n) {
    return chain(kEvenAndOdd, "Rotational.SpringDamper joint[n - 1](each k = 9, each d = 1)", n);
  });
}

TEST_CASE("expressions of rows of massless nodes grow with the number of parts") {
  check_linear(
      [](std::size_t n) { return chain(kEnds, "Rotational.Spring joint[n - 1](each k = 9)", n); });
  check_linear([](std::size_t n) {
    return chain(kEnds,
                 "Rotational.FreeplaySpring joint[n - 1](each k = 9, each half_freeplay = 0.1)", n);
  });
  check_linear([](std::size_t n) {
    return chain(kEnds, "Rotational.SpringDamper joint[n - 1](each k = 9, each d = 1)", n);
  });
  check_linear([](std::size_t n) { return ladder(n, "body[1]"); });
  check_linear([](std::size_t n) { return ladder(n, "node[1]"); });
  check_linear([](std::size_t n) {
    return ladder(n, "body[1]", "connect(bearing.flange_a, node[n].flange_b); ");
  });
}

TEST_CASE("expressions of stars with a massless hub grow with the number of parts") {
  check_linear([](std::size_t n) {
    return star("each J = 1", "Rotational.Spring joint[n](each k = 9)", n, "J = 0");
  });
  check_linear([](std::size_t n) {
    return star(kEvenAndOdd, "Rotational.Spring joint[n](each k = 9)", n, "J = 0");
  });
  check_linear([](std::size_t n) {
    return star("each J = 1",
                "Rotational.FreeplaySpring joint[n](each k = 9, each half_freeplay = 0.1)", n,
                "J = 0");
  });
}

TEST_CASE("expressions of stars grow with the number of parts") {
  check_linear([](std::size_t n) {
    return star("each J = 1", "Rotational.Spring joint[n](each k = 9)", n);
  });
  check_linear([](std::size_t n) {
    return star("each J = 1", "Rotational.Spring joint[n](each k = inf)", n);
  });
  check_linear([](std::size_t n) {
    return star("each J = 1", "Rotational.IdealGear joint[n](each ratio = 2)", n);
  });
  check_linear([](std::size_t n) {
    return star("each J = 0", "Rotational.SpringDamper joint[n](each k = 9, each d = 1)", n);
  });
}

}  // namespace luztar::test
