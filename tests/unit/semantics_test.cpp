// Flattening of small models: exact variables, values, equations and diagnostics.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/semantics/flatten.h"
#include "compiler/semantics/settings.h"
#include "compiler/symbolic/print.h"
#include "compiler/syntax/parse.h"

namespace luztar {
namespace {

namespace fs = std::filesystem;

/// A folder of library files that lives as long as the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int count = 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    path_ = fs::temp_directory_path() /
            ("luztar_semantics_" + std::to_string(now) + "_" + std::to_string(count++));
    fs::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

struct Run {
  SourceMap sources;
  ExprPool pool;
  Diagnostics diagnostics;
  std::optional<Ast> ast;
  std::optional<FlatModel> flat;

  explicit Run(const std::string& text, const std::vector<Setting>& settings = {},
               const std::vector<fs::path>& roots = {}, const std::string& class_name = "") {
    ClassLibrary library(sources, roots);
    try {
      ast = parse(sources, sources.add("model.ltm", text), diagnostics);
      if (!ast || diagnostics.has_errors()) return;
      flat = flatten(*ast, class_name, settings, library, sources, pool, diagnostics);
    } catch (const TooManyErrors&) {
      flat.reset();
    }
  }

  [[nodiscard]] std::string messages() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) text += render_text(d, sources, false);
    return text;
  }
  /// "LT2001 LT2004"
  [[nodiscard]] std::string codes() const {
    std::string text;
    for (const Diagnostic& d : diagnostics.all()) {
      text += (text.empty() ? "" : " ") + code_name(d.code);
    }
    return text;
  }
  [[nodiscard]] std::string first_message() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().message;
  }
  [[nodiscard]] std::string first_label() const {
    return diagnostics.all().empty() ? "" : diagnostics.all().front().label;
  }

  [[nodiscard]] const FlatParameter& parameter(const std::string& name) const {
    for (const FlatParameter& p : flat->parameters) {
      if (p.name == name) return p;
    }
    FAIL("no parameter " << name);
    throw;
  }
  [[nodiscard]] const FlatVariable& variable(const std::string& name) const {
    for (const FlatVariable& v : flat->variables) {
      if (v.name == name) return v;
    }
    FAIL("no variable " << name);
    throw;
  }
  [[nodiscard]] std::string text(Expr e) const { return to_text(pool, e, flat->names()); }
  [[nodiscard]] std::vector<std::string> equations() const {
    std::vector<std::string> result;
    for (const FlatEquation& e : flat->equations) {
      result.push_back(text(e.left) + " = " + text(e.right));
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> result;
    for (const FlatVariable& v : flat->variables) result.push_back(v.name);
    return result;
  }
};

using Strings = std::vector<std::string>;

/// A small library: a connector, a body, a spring.
const char* const kParts = R"(
connector Flange "end of a rod"
  Real s(unit = "m");
  flow Real f(unit = "N");
end Flange;
model Body
  Flange flange;
  parameter Real m(min = 0, unit = "kg");
  Real v(start = 0);
equation
  v = der(flange.s);
  m*der(v) = flange.f;
end Body;
)";

}  // namespace

TEST_CASE("parts, connectors, variables and equations of a model") {
  const Run run(std::string(kParts) + R"(
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
  const Run run(std::string(kParts) + R"(
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
  const Run run(R"(
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
  const Run run(R"(
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

  const Run good(R"(
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
    const Run run("model M Real x; parameter Real a = 2; parameter Real b = 3;\nequation\n  x = " +
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
  const Run run("model M Real x;\nequation\n  x = " + sum + ";\nend M;\n");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.equations() == Strings{"x = 8002000*x*time"});
}

TEST_CASE("parameters in any order, also infinite ones and conditions") {
  const Run run(R"(
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
  const Run run(text + "end Chain;\n");
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
  const Run run(model, {{"k", "2 kN.m/rad"}});
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.parameter("k").value == 2000);
  CHECK(run.parameter("J").value == 4000);
  CHECK(Run(model, {{"k", "2*pi/3"}}).parameter("k").value ==
        doctest::Approx(2 * std::numbers::pi / 3));
  CHECK(Run(model, {{"k", "-1e-3"}}).parameter("k").value == -1e-3);
  CHECK(std::isinf(Run(model, {{"k", "inf"}}).parameter("k").value));
  CHECK(Run(model, {{"k", "2"}, {"k", "3"}}).parameter("k").value == 3);
  CHECK(Run(model, {{"k", "2 \"N.m/rad\""}}).parameter("k").value == 2);
  CHECK(Run(model, {{"J", "3 g.m2"}}).parameter("J").value == doctest::Approx(3e-3));

  CHECK(Run(model, {{"k", "2 N/m"}}).codes() == "LT2003");
  CHECK(Run(model, {{"K", "2"}}).codes() == "LT2022");
  CHECK(Run(model, {{"K", "2"}}).first_label() == "did you mean 'k'?");
  CHECK(Run(model, {{"x", "2"}}).codes() == "LT2022");
  CHECK(Run(model, {{"fixed_value", "2"}}).codes() == "LT2020");
  CHECK(Run(model, {{"k", "nan"}}).codes() == "LT2013");
  CHECK(Run(model, {{"k", ""}}).codes() == "LT1001");
  CHECK(Run(model, {{"k", "1; Real y = 2"}}).codes() == "LT1001");
  CHECK(Run(model, {{"k", "J"}}).codes() == "LT2002");
  CHECK(Run(model, {{"", "1"}}).codes() == "LT2022");
}

TEST_CASE("classes come from the file, its folder and the library roots, in this order") {
  const TemporaryFolder folder;
  const TemporaryFolder library;
  library.write(
      "Parts/Spring.ltm",
      "within Parts;\nmodel Spring\n  extends Base;\n  parameter Q k = 1;\nend Spring;\n");
  library.write("Parts/Base.ltm", "within Parts;\npartial model Base\n  Real f = 2;\nend Base;\n");
  library.write("Parts/package.ltm",
                "package Parts\n  constant Real g = 9.81;\n  type Q = Real(unit = \"N\");\n"
                "  model Nested\n    parameter Real w = 2*g;\n  end Nested;\nend Parts;\n");
  library.write("Other.ltm",
                "package Other\n  model Thing\n    Real x = 1;\n  end Thing;\n"
                "  package Deep\n    constant Real e = 2.5;\n  end Deep;\nend Other;\n");
  library.write("Broken.ltm", "this is not a model\n");
  folder.write("Helper.ltm", "model Helper\n  Parts.Spring spring(k = 5);\nend Helper;\n");
  // A package of the user with the same name adds to the library's and does not hide it.
  folder.write("Parts/Own.ltm", "within Parts;\nmodel Own\n  extends Base(f = 3);\nend Own;\n");
  const std::vector<fs::path> roots{folder.path(), library.path()};

  const Run run(R"(
model Model
  import P = Parts;
  import Other.*;
  import Other.Deep.e;
  Helper helper;
  P.Own own;
  P.Nested nested(w = Parts.g + Other.Deep.e + e);
  Thing thing;
end Model;
)",
                {}, roots);
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.variables() == Strings{"helper.spring.f", "own.f", "thing.x"});
  CHECK(run.parameter("helper.spring.k").value == 5);
  CHECK(run.parameter("helper.spring.k").unit == "N");
  CHECK(run.parameter("nested.w").value == doctest::Approx(9.81 + 5));
  CHECK(run.parameter("Parts.g").constant);
  CHECK(run.equations() == Strings{"helper.spring.f = 2", "own.f = 3", "thing.x = 1"});

  CHECK(Run("model M Spring s; end M;", {}, roots).first_label() == "did you mean 'Parts.Spring'?");
  CHECK(Run("model M Parts.Sprin s; end M;", {}, roots).first_label() ==
        "did you mean 'Parts.Spring'?");
  // What is wrong with a file is said by the parser alone, and once.
  const Run broken("model M Broken a; Broken b; end M;", {}, roots);
  CHECK_FALSE(broken.flat);
  CHECK(broken.codes().find("LT20") == std::string::npos);
}

TEST_CASE("files that do not hold what their place says") {
  const TemporaryFolder library;
  library.write("Parts/Spring.ltm", "within Parts;\nmodel Sprung\nend Sprung;\n");
  library.write("Parts/Lost.ltm", "within Elsewhere;\nmodel Lost\nend Lost;\n");
  const Run wrong_name("model M Parts.Spring s; end M;", {}, {library.path()});
  CHECK(wrong_name.first_message() == "this file has to define the class 'Spring'");
  const Run wrong_package("model M Parts.Lost s; end M;", {}, {library.path()});
  CHECK(wrong_package.first_message() == "this file lies in 'Parts' but says 'within Elsewhere'");
}

TEST_CASE("a file that cannot be read") {
  const TemporaryFolder folder;
  SourceMap sources;
  Diagnostics diagnostics;
  ClassLibrary library(sources, {folder.path()});
  CHECK(library.load_file(folder.path() / "missing.ltm", diagnostics) == nullptr);
  REQUIRE(diagnostics.all().size() == 1);
  CHECK(diagnostics.all()[0].code == Code::kCannotRead);
  CHECK(diagnostics.all()[0].message.find("No such file or directory") != std::string::npos);
  CHECK(library.load_file(folder.path(), diagnostics) == nullptr);
  CHECK(diagnostics.all()[1].message.find("it is a folder") != std::string::npos);
}

TEST_CASE("the class to run") {
  const std::string text =
      "model First Real x = 1; end First;\npartial model Base end Base;\n"
      "package P model Inner Real y = 2; end Inner; end P;\n"
      "model Last Real z = 3; end Last;\npartial model Tail end Tail;\n"
      "study S of Last\n  measure m = final(z);\nend S;\n";
  CHECK(Run(text).flat->name == "Last");
  CHECK(Run(text, {}, {}, "First").flat->name == "First");
  CHECK(Run(text, {}, {}, "P.Inner").variables() == Strings{"y"});
  CHECK(Run(text, {}, {}, "Base").codes() == "LT2007");
  CHECK(Run(text, {}, {}, "P").codes() == "LT2024");
  CHECK(Run(text, {}, {}, "S").codes() == "LT2024");
  CHECK(Run(text, {}, {}, "Furst").first_message() ==
        "there is no class 'Furst'; did you mean 'First'?");
  CHECK(Run("connector C Real v; flow Real i; end C;").codes() == "LT2019");
  CHECK(Run(text, {}, {}, ".").codes() == "LT2001");
}

TEST_CASE("the experiment comes from the model or its nearest base") {
  const Run run(R"(
partial model Base
  parameter Real T = 3;
  annotation(experiment(StopTime = 2*T, Interval = 0.1));
end Base;
model Model
  extends Base(T = 5);
end Model;
)");
  REQUIRE_MESSAGE(run.flat, run.messages());
  CHECK(run.flat->experiment.start == 0);
  CHECK(run.flat->experiment.stop == 10);
  CHECK(run.flat->experiment.interval == 0.1);
  CHECK(run.flat->experiment.tolerance == 1e-6);
  CHECK(Run("model M annotation(experiment(StopTime = time)); end M;").codes() == "LT2014");
  CHECK(Run("model M annotation(experiment(StopTime = inf)); end M;").codes() == "LT2013");
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
  const Run run(blocks + R"(
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

  CHECK(Run(blocks + "model M Twice a; end M;").codes() == "LT2017");
  CHECK(Run(blocks + "model M Twice a(u = time); end M;").codes().empty());
  CHECK(Run(blocks + "model M Twice a; equation a.u = time; end M;").codes().empty());
  CHECK(Run(blocks + "model M input Real u; end M;").codes() == "LT2017");
  CHECK(Run(blocks + "model M input Real u = 3; end M;").codes().empty());
  CHECK(Run(blocks + R"(
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
  const Run run(R"(
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
  const Run failing("model M parameter Real a = -1; equation assert(a > 0, \"bad\"); end M;");
  CHECK(failing.codes() == "LT2021");
  REQUIRE(failing.diagnostics.all()[0].notes.size() == 1);
  CHECK(failing.diagnostics.all()[0].notes[0].text == "a = -1");
}

TEST_CASE("each mistake is reported once, and all of them in one run") {
  const Run run(R"(
model Part
  parameter Real k = missing;
  Real x = also_missing + missing;
end Part;
model Model
  Part a;
  Part b;
  Part c(kk = 2);
  Unknown d(x = 3);
  Real y = d.x + d.z.w;
end Model;
)");
  CHECK(run.codes() == "LT2001 LT2004 LT2002 LT2002");
}

TEST_CASE("an unknown base does not make its names unknown too") {
  const Run run(R"(
model Part
  extends Nowhere(k = 3);
  Real x = inherited + 1;
equation
  connect(flange_a, flange_b);
end Part;
model Model
  Part part(k = 2);
end Model;
)");
  CHECK(run.codes() == "LT2001");
}

TEST_CASE("classes that contain, extend or rename themselves") {
  CHECK(Run("model M M m; end M;").codes() == "LT2006");
  CHECK(Run("model M extends M; end M;").codes() == "LT2006");
  CHECK(Run("model A extends B; end A; model B extends A; end B;").codes() == "LT2006");
  CHECK(Run("model A = B; model B = A; model M A a; end M;").codes() == "LT2006");
  CHECK(Run("type T = T; model M parameter T t = 1; end M;").codes() == "LT2006");
  CHECK(Run("model A B b; end A; model B C c; end B; model C extends A; end C;").codes() ==
        "LT2006");
  CHECK(Run("package P extends P.Q; package Q constant Real x = 1; end Q; end P; model M Real y = "
            "P.x; end M;")
            .codes()
            .empty());
}

TEST_CASE("final elements, nested as well") {
  const std::string inner =
      "model A final parameter Real k = 1; parameter Real c(final unit = "
      "\"m\") = 2; end A;\nmodel B A a(final c = 3); end B;\n";
  CHECK(Run(inner + "model M B b; end M;").codes().empty());
  CHECK(Run(inner + "model M A a(k = 2); end M;").codes() == "LT2020");
  CHECK(Run(inner + "model M B b(a(c = 4)); end M;").codes() == "LT2020");
  CHECK(Run(inner + "model M B b(a.c = 4); end M;").codes() == "LT2020");
  CHECK(Run(inner + "model M A a(c(unit = \"s\")); end M;").codes() == "LT2020");
  CHECK(Run(inner + "model M final B b(a(k = 2)); end M;").codes() == "LT2020");
  CHECK(Run(inner + "model M B b; end M;", {{"b.a.c", "5"}}).codes() == "LT2020");
}

TEST_CASE("connectors of the same type only, also under another name") {
  const std::string parts = std::string(kParts) + R"(
connector OtherFlange "end of a shaft"
  Real s(unit = "m");
  flow Real f(unit = "N");
end OtherFlange;
connector SameFlange = Flange;
model Other OtherFlange flange; equation flange.s = 0; end Other;
model Same SameFlange flange; equation flange.s = 0; end Same;
)";
  CHECK(Run(parts + "model M Body b(m = 1); Same s; equation connect(b.flange, s.flange); end M;")
            .codes()
            .empty());
  const Run wrong(parts +
                  "model M Body b(m = 1); Other o; equation connect(b.flange, o.flange); end M;");
  CHECK(wrong.codes() == "LT2008");
  REQUIRE(wrong.diagnostics.all()[0].notes.size() == 3);
  CHECK(wrong.diagnostics.all()[0].notes[0].text == "'b.flange' is a Flange: end of a rod");
  CHECK(wrong.diagnostics.all()[0].notes[1].text == "'o.flange' is a OtherFlange: end of a shaft");
}

TEST_CASE("the flat model prints as a model") {
  const Run run(
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
  const Run again(text);
  REQUIRE_MESSAGE(again.flat, again.messages());
  CHECK(again.parameter("Flange.m").value == 1);

  // A number to which a unit adapts may cancel.
  const std::string adapting =
      "model M Real x(unit = \"m\") = 2*time; Real t(unit = \"s\") = 1*x; end M;";
  const Run adapted(adapting);
  REQUIRE_MESSAGE(adapted.flat, adapted.messages());
  CHECK(Run(print(*adapted.flat, adapted.pool)).codes().empty());
}

}  // namespace luztar
