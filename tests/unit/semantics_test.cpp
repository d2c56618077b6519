// Flattening of small models: exact variables, values, equations and diagnostics.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/flat_run.h"

namespace luztar::test {
namespace {

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("parts, connectors, variables and equations of a model") {
  const FlatRun run(std::string(kParts) + R"(
model Pair
  Body left(m = 2);
  Body right(m = left.m + 1, v(start = 3));
equation
  connect(left.flange, right.flange);
end Pair;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  const FlatModel& flat = *run.flat;
  CHECK(flat.name == "Pair");
  REQUIRE(flat.parts.size() == 3);
  CHECK(flat.parts[PartId{std::size_t{0}}].name.empty());
  CHECK(flat.parts[PartId{std::size_t{1}}].name == "left");
  CHECK(flat.parts[PartId{std::size_t{2}}].class_name == "Body");
  CHECK(flat.parts[PartId{std::size_t{2}}].parent == PartId{std::size_t{0}});
  CHECK(run.variables() == Strings{"left.v", "left.flange.s", "left.flange.f", "right.v",
                                   "right.flange.s", "right.flange.f"});
  CHECK(run.equations() ==
        Strings{"left.v = der(left.flange.s)", "left.m*der(left.v) = left.flange.f",
                "right.v = der(right.flange.s)", "right.m*der(right.v) = right.flange.f"});
  CHECK(run.parameter("right.m").value == 3);
  CHECK(run.text(run.parameter("right.m").binding) == "left.m + 1");

  const FlatVariable& s = run.variable("left.flange.s");
  const FlatVariable& f = run.variable("left.flange.f");
  CHECK(s.role == VariableRole::kPotential);
  CHECK(f.role == VariableRole::kFlow);
  CHECK(s.part == PartId{std::size_t{1}});
  CHECK(flat.variables[s.conjugate].name == "left.flange.f");
  CHECK(flat.variables[f.conjugate].name == "left.flange.s");
  CHECK(flat.connectors[s.connector].name == "left.flange");
  CHECK(flat.connectors[s.connector].type == "Flange");
  CHECK(flat.connectors[s.connector].part == PartId{std::size_t{1}});
  CHECK(run.variable("right.v").start_given);
  CHECK(run.text(run.variable("right.v").start) == "3");

  REQUIRE(flat.connections.size() == 1);
  CHECK(flat.connections[0].scope == PartId{std::size_t{0}});
  CHECK(flat.connectors[flat.connections[0].a].name == "left.flange");
  CHECK(flat.connectors[flat.connections[0].b].name == "right.flange");
}

TEST_CASE("every equation knows its part, also those of bases and of connections inside parts") {
  const FlatRun run(std::string(kParts) + R"(
model Heavy
  extends Body(m = 10);
end Heavy;
model Chain
  Flange end_a;
  Heavy heavy;
equation
  connect(end_a, heavy.flange);
end Chain;
model Model
  Chain chain;
end Model;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  for (const FlatEquation& e : run.flat->equations) {
    CHECK(run.flat->parts[e.part].name == "chain.heavy");
  }
  REQUIRE(run.flat->connections.size() == 1);
  const FlatConnection& connection = run.flat->connections[0];
  CHECK(run.flat->parts[connection.scope].name == "chain");
  CHECK(run.flat->connectors[connection.a].part == connection.scope);
  CHECK(run.flat->connectors[connection.b].part != connection.scope);
}

TEST_CASE("the outermost modification wins and is evaluated where it is written") {
  const FlatRun run(R"(
model Inner
  parameter Real a = 1;
  parameter Real b = 2*a;
  Real x(start = b) = a;
end Inner;
model Middle
  parameter Real a = 100;
  Inner part(a = a + 1, x(start = 5));
end Middle;
model Outer
  parameter Real a = 1000;
  Middle first;
  Middle second(a = a, part(a = a/2));
  Middle third(part.x.start = 7, part.b = 8);
end Outer;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.parameter("first.part.a").value == 101);
  CHECK(run.parameter("first.part.b").value == 202);
  CHECK(run.parameter("second.a").value == 1000);
  CHECK(run.parameter("second.part.a").value == 500);
  CHECK(run.text(run.parameter("second.part.a").binding) == "0.5*a");
  CHECK(run.parameter("third.part.b").value == 8);
  CHECK(run.text(run.variable("first.part.x").start) == "5");
  CHECK(run.text(run.variable("third.part.x").start) == "7");
  CHECK(run.equations() == Strings{"first.part.x = first.part.a", "second.part.x = second.part.a",
                                   "third.part.x = third.part.a"});
}

TEST_CASE("types give units, limits and start values; only the model gives a start of its own") {
  const FlatRun run(R"(
type Quantity = Real(min = 0);
type Length = Quantity(unit = "m", displayUnit = "mm", start = 4);
model Model
  parameter Length a(max = 3) = 2;
  Length b;
  Length c(start = 5, fixed = true);
equation
  der(b) = 1;
  der(c) = 1;
end Model;
)",
                    {{"a", "-1"}});
  CHECK(run.codes() == "LT2012");
  CHECK(run.first_message() == "'a' must be at least 0 m");

  const FlatRun good(R"(
type Length = Real(unit = "m", displayUnit = "mm", start = 4);
model Model
  Length b;
  Length c(start = 5, fixed = true);
equation
  der(b) = 1;
  der(c) = 1;
end Model;
)");
  REQUIRE_MESSAGE(good.flat, good.messages());
  CHECK(good.variable("b").unit == "m");
  CHECK(good.variable("b").display_unit == "mm");
  CHECK_FALSE(good.variable("b").start_given);
  CHECK(good.text(good.variable("b").start) == "4");
  CHECK_FALSE(good.variable("b").fixed);
  CHECK(good.variable("c").start_given);
  CHECK(good.variable("c").fixed);
}

TEST_CASE("operators and functions") {
  const auto equation = [](const std::string& expression) {
    const FlatRun run(
        "model M Real x; parameter Real a = 2; parameter Real b = 3;\nequation\n  x = " +
        expression + ";\nend M;\n");
    if (!run.flat) return run.messages();
    const FlatEquation& e = run.flat->equations[FlatEquationId{std::size_t{0}}];
    return run.text(e.right);
  };
  CHECK(equation("luz(time, a)") == "luz(time, a)");
  CHECK(equation("luz(time, -1, 3)") == "luz(time - 1, 2)");
  CHECK(equation("nas(time, -1, 3)") == "nas(time - 1, 2) + 1");
  CHECK(equation("nas(time, 0, inf)") == "max(0, time)");
  CHECK(equation("luz(time, -inf, 2)") == "max(0, time - 2)");
  CHECK(equation("tar(time, a)") == "time + dryfriction(time, a, a)");
  CHECK(equation("dryfriction(time, a)") == "dryfriction(time, a, a)");
  CHECK(equation("dryfriction(time, a, b)") == "dryfriction(time, a, b)");
  CHECK(equation("table(time, {0, 1}, {a, b})") == "table(time, {0, 1}, {a, b})");
  CHECK(equation("a^2*b/a") == "a*b");
  CHECK(equation("1 - 2 - 3 + a") == "a - 4");
  CHECK(equation("sqrt(a) + abs(time) + sign(time)") == "sqrt(a) + abs(time) + sign(time)");
  CHECK(equation("if time > 1 and not a > b then 1 elseif a == b then 2 else 3") ==
        "if 1 < time and not b < a then 1 else if a <= b and b <= a then 2 else 3");
  CHECK(equation("noEvent(min(time, pi)) + mod(time, 2)") ==
        "noEvent(min(time, 3.141592653589793)) + mod(time, 2)");
  CHECK(equation("der(der(x))") == "der(der(x))");
}

TEST_CASE("long sums and deep parentheses take no stack and linear time") {
  std::string sum = "0";
  for (int i = 1; i <= 4000; ++i) sum += " + " + std::to_string(i) + "*time*x";
  const FlatRun run("model M Real x;\nequation\n  x = " + sum + ";\nend M;\n");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.equations() == Strings{"x = 8002000*x*time"});
}

TEST_CASE("parameters in any order, also infinite ones and conditions") {
  const FlatRun run(R"(
model Model
  parameter Real last = 2*middle;
  parameter Real middle = if open then first else -first;
  parameter Real first = inf;
  parameter Boolean open = not n > 3;
  parameter Integer n = 4;
  constant Real c = pi;
end Model;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.parameter("last").value == -std::numeric_limits<double>::infinity());
  CHECK(run.parameter("open").value == 0);
  CHECK(run.parameter("open").type == ScalarType::kBoolean);
  CHECK(run.parameter("n").type == ScalarType::kInteger);
  CHECK(run.parameter("c").constant);
  CHECK(run.parameter("c").value == std::numbers::pi);
  const SymbolValues values = run.flat->parameter_values();
  CHECK(values(Symbol{SymbolKind::kParameter, 4}) == 4);
  CHECK_THROWS_AS(static_cast<void>(values(Symbol{SymbolKind::kTime, 0})), InternalError);
}

TEST_CASE("a chain of ten thousand parameters") {
  std::string text = "model Chain\n  parameter Real p0 = 1;\n";
  for (int i = 1; i <= 10000; ++i) {
    text += "  parameter Real p" + std::to_string(i) + " = p" + std::to_string(i - 1) + " + 1;\n";
  }
  const FlatRun run(text + "end Chain;\n");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.parameter("p10000").value == 10001);
}

TEST_CASE("settings replace values, with units") {
  const std::string model = R"(
model Model
  parameter Real k(unit = "N.m/rad") = 1;
  parameter Real J(unit = "kg.m2") = 2*k;
  final parameter Real fixed_value = 1;
  Real x = time;
end Model;
)";
  const FlatRun run(model, {{"k", "2 kN.m/rad"}});
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.parameter("k").value == 2000);
  CHECK(run.parameter("J").value == 4000);
  CHECK(FlatRun(model, {{"k", "2*pi/3"}}).parameter("k").value ==
        doctest::Approx(2 * std::numbers::pi / 3));
  CHECK(FlatRun(model, {{"k", "-1e-3"}}).parameter("k").value == -1e-3);
  CHECK(std::isinf(FlatRun(model, {{"k", "inf"}}).parameter("k").value));
  CHECK(FlatRun(model, {{"k", "2"}, {"k", "3"}}).parameter("k").value == 3);
  CHECK(FlatRun(model, {{"k", "2 \"N.m/rad\""}}).parameter("k").value == 2);
  CHECK(FlatRun(model, {{"J", "3 g.m2"}}).parameter("J").value == doctest::Approx(3e-3));

  CHECK(FlatRun(model, {{"k", "2 N/m"}}).codes() == "LT2003");
  CHECK(FlatRun(model, {{"K", "2"}}).codes() == "LT2022");
  CHECK(FlatRun(model, {{"K", "2"}}).first_label() == "did you mean 'k'?");
  CHECK(FlatRun(model, {{"x", "2"}}).codes() == "LT2022");
  CHECK(FlatRun(model, {{"fixed_value", "2"}}).codes() == "LT2020");
  CHECK(FlatRun(model, {{"k", "nan"}}).codes() == "LT2013");
  CHECK(FlatRun(model, {{"k", ""}}).codes() == "LT1001");
  CHECK(FlatRun(model, {{"k", "1; Real y = 2"}}).codes() == "LT1001");
  CHECK(FlatRun(model, {{"k", "J"}}).codes() == "LT2002");
  CHECK(FlatRun(model, {{"", "1"}}).codes() == "LT2022");
}

TEST_CASE("signals are connectors of their own and need one source") {
  const std::string blocks = R"(
connector RealInput = input Real;
block Source output Real y; equation y = time; end Source;
block Gain RealInput u; output Real y; equation y = 2*u; end Gain;
block Twice
  input Real u;
  output Real y;
  Gain gain;
equation
  connect(u, gain.u);
  connect(gain.y, y);
end Twice;
)";
  const FlatRun run(blocks + R"(
model Model
  Source source;
  Twice a;
  Gain b;
equation
  connect(source.y, a.u);
  connect(a.y, b.u);
end Model;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  const FlatVariable& u = run.variable("b.u");
  CHECK(u.input);
  CHECK(u.role == VariableRole::kSignal);
  CHECK(run.flat->connectors[u.connector].type == "Real");
  CHECK(run.flat->connectors[u.connector].name == "b.u");
  CHECK(run.flat->connections.size() == 4);

  CHECK(FlatRun(blocks + "model M Twice a; end M;").codes() == "LT2017");
  CHECK(FlatRun(blocks + "model M Twice a(u = time); end M;").codes().empty());
  CHECK(FlatRun(blocks + "model M Twice a; equation a.u = time; end M;").codes().empty());
  CHECK(FlatRun(blocks + "model M input Real u; end M;").codes() == "LT2017");
  CHECK(FlatRun(blocks + "model M input Real u = 3; end M;").codes().empty());
  CHECK(FlatRun(blocks + R"(
model M
  Source a;
  Source b;
  Gain g;
equation
  connect(a.y, g.u);
  connect(b.y, g.u);
end M;
)")
            .codes() == "LT2018");
}

TEST_CASE("assertions: decided now on parameters, kept on variables") {
  const FlatRun run(R"(
model Model
  parameter Real a = 1;
  Real x = time;
equation
  assert(a > 0, "fine");
  assert(x < 3 and a > 0, "too far");
end Model;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  REQUIRE(run.flat->assertions.size() == 1);
  CHECK(run.flat->assertions[0].message == "too far");
  CHECK(run.text(run.flat->assertions[0].condition) == "0 < a and x < 3");
  const FlatRun failing("model M parameter Real a = -1; equation assert(a > 0, \"bad\"); end M;");
  CHECK(failing.codes() == "LT2021");
  REQUIRE(failing.diagnostics.all()[0].notes.size() == 1);
  CHECK(failing.diagnostics.all()[0].notes[0].text == "a = -1");
}

TEST_CASE("the flat model prints as a model") {
  const FlatRun run(
      std::string(kParts) +
      "model M \"one body\" Body b(m = 1, v(start = 2)); parameter Boolean on = true; Body "
      "Flange(m = b.m); end M;");
  REQUIRE_MESSAGE(run.flat, run.messages());
  const std::string text = print(*run.flat, run.pool);
  CHECK(text == R"(model M
  connector 'Flange 2'
    Real s(unit = "m");
    flow Real f(unit = "N");
  end 'Flange 2';
  model Body
    parameter Real m(unit = "kg");
    Real v;
    'Flange 2' flange;
  equation
    v = der(flange.s);
    m*der(v) = flange.f;
  end Body;
  parameter Boolean on = true;
  Body b(m = 1, v(start = 2));
  Body Flange(m = b.m, v(start = 0));
  annotation(experiment(StartTime = 0, StopTime = 1, Tolerance = 1e-6), __LuzTar(unitsChecked = true));
end M;
)");
  const FlatRun again(text);
  REQUIRE_MESSAGE(again.flat, again.messages());
  CHECK(again.parameter("Flange.m").value == 1);

  // A number to which a unit adapts may cancel.
  const std::string adapting =
      "model M Real x(unit = \"m\") = 2*time; Real t(unit = \"s\") = 1*x; end M;";
  const FlatRun adapted(adapting);
  REQUIRE_MESSAGE(adapted.flat, adapted.messages());
  CHECK(FlatRun(print(*adapted.flat, adapted.pool)).codes().empty());
}

}  // namespace luztar::test
