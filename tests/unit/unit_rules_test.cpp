// Units through whole models: what is right passes, and one wrong factor anywhere is found.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "compiler/semantics/unit_table.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

namespace fs = std::filesystem;

/// Codes of all errors up to the flat model: "LT2003 LT2003".
std::string codes_of(const std::string& text) {
  const auto stages = run_stages("units.ltm", text, Stage::kFlat);
  std::string codes;
  for (const Diagnostic& diagnostic : stages->diagnostics.all()) {
    codes += (codes.empty() ? "" : " ") + code_name(diagnostic.code);
  }
  return codes;
}

/// Codes for a model with quantities of many units, one equation for x and declarations before it.
std::string codes_of_value(const std::string& type, const std::string& value,
                           const std::string& declarations = "") {
  return codes_of("model M\n" + declarations + R"(
  parameter Units.MomentOfInertia J = 0.2;
  parameter Units.RotationalStiffness k = 120;
  parameter Units.RotationalDamping d = 3;
  parameter Units.Torque T = 1;
  parameter Units.Mass m = 2;
  parameter Units.Length r = 0.3;
  parameter Units.Length arms[2] = {0.3, 0.4};
  parameter Units.Force F = 5;
  parameter Units.Force forces[2] = {5, 6};
  parameter Units.Frequency f = 2;
  parameter Real bare = 2;
  parameter Real n[2](each unit = "1") = {1, 2};
  parameter Real degrees(unit = "deg") = 2;
  Units.Angle phi = 0.1*sin(2*time);
  Units.AngularVelocity w = der(phi);
  Real free = 3*time;
)" + type + " x" +
                  ";\nequation\n  x = " + value + ";\nend M;\n");
}

TEST_CASE("quantities of derived units fit") {
  const std::pair<std::string, std::string> cases[] = {
      {"Units.Torque", "J*der(w) + d*w + k*phi - T"},
      {"Units.Torque", "F*r"},
      {"Units.Torque", "m*r^2*der(w)"},
      {"Units.AngularVelocity", "sqrt(k/J)"},
      {"Units.AngularVelocity", "(k/J)^(1/2)*cos(phi)"},
      {"Units.Time", "1*J/d"},
      {"Units.Time", "sqrt(m*r^2/k)"},
      {"Units.AngularVelocity", "2*pi*f"},
      {"Units.Torque", "T*sin(2*pi*f*time)"},
      {"Units.Torque", "sin(2*pi*0.7*time)"},
      {"Units.Torque", "T*sign(w)*abs(phi)"},
      {"Units.Torque", "if phi > 0.1 then T else k*phi"},
      {"Units.Torque", "dryfriction(w, T, 1.5*T)"},
      {"Units.Torque", "k*luz(phi, 0.1) + k*nas(phi, -0.1, 0.2)"},
      {"Units.Torque", "table(phi, {0, 0.1, 0.2}, {0, T, 2*T})"},
      {"Units.Torque", "forces*arms"},
      {"Units.Torque", "sum(forces[i]*arms[i] for i in 1:2)"},
      {"Units.Torque", "max({F*r, T}) + min(T, 0)"},
      {"Units.Torque", "[T, 2*T; 3*T, 4*T]*{1, 0}*{0, 1}"},
      {"Units.Torque", "bare*phi + free"},
      {"Units.Force", "bare"},
      {"Units.Angle", "degrees*pi/180"},
      {"Units.Angle", "atan2(F, 2*F)"},
      {"Units.Ratio", "exp(-time/(J/d))"},
      {"Real", "T*bare"},
      {"Real", "phi"},
  };
  for (const auto& [type, value] : cases) {
    CAPTURE(value);
    CHECK(codes_of_value(type, value) == "");
  }
}

TEST_CASE("quantities of other units do not") {
  const std::pair<std::string, std::string> cases[] = {
      {"Units.Torque", "J*w"},
      {"Units.Torque", "F*phi"},
      {"Units.Torque", "m*r^3*der(w)"},
      {"Units.AngularVelocity", "k/J"},
      {"Units.AngularVelocity", "(k/J)^(1/3)"},
      {"Units.Torque", "T*exp(T)"},
      {"Units.Torque", "T*sign(w)*w"},
      {"Units.Torque", "noEvent(J)"},
      {"Units.Torque", "dryfriction(w, T, k*w)"},
      {"Units.Torque", "table(phi, {0, 0.1}, {F, 2*F})"},
      {"Units.Torque", "table(phi, {r, 2*r}, {T, 2*T})"},
      {"Units.Torque", "forces*forces"},
      {"Units.Torque", "product(forces)"},
      {"Units.Torque", "sum({T, F})"},
      {"Units.Torque", "sum([T, r]*n)"},
      {"Units.Torque", "-F"},
      {"Units.Angle", "degrees"},
      {"Units.Force", "f*m"},
      {"Units.Time", "div(J, d)*phi/r"},
      {"Units.Ratio", "exp(w*time) + w"},
  };
  for (const auto& [type, value] : cases) {
    CAPTURE(value);
    const std::string codes = codes_of_value(type, value);
    CHECK(codes.find_first_not_of("LT203 ") == std::string::npos);
    CHECK(codes.starts_with("LT2003"));
  }
}

TEST_CASE("elements of arrays keep their units") {
  const std::string declarations = R"(
  Rotational.Inertia disc[3](J = {0.1, 0.2, 0.3});
  function swap
    input Real a[2];
    output Real b[2];
  algorithm
    b[1] := a[2];
    b[2] := a[1];
  end swap;
)";
  const auto codes = [&](const std::string& type, const std::string& value) {
    return codes_of_value(type, value, declarations);
  };
  CHECK(codes("Units.Torque", "swap({T, F})*n") == "LT2003");  // its terms differ
  CHECK(codes("Units.Angle", "sum(disc.phi)") == "");
  CHECK(codes("Units.Angle", "sum(disc.w)") == "LT2003");
  CHECK(codes("Units.Torque", "sum(v for v in {T, 2*T})") == "");
  CHECK(codes("Units.Torque", "sum(v for v in {F, 2*F})") == "LT2003");
  CHECK(codes("Units.Force", "sum(v*n[1] for v in {F*r, T})") == "LT2003");
  CHECK(codes("Units.Torque", "sum(transpose([T, F])*n[1:1])") == "LT2003");
  CHECK(codes("Units.Torque", "sum(linspace(T, F, 3))") == "LT2003");
  CHECK(codes("Units.Torque", "sum(fill(F, 3))") == "LT2003");
  CHECK(codes("Units.Torque", "sum(fill(T, 3))") == "");
}

TEST_CASE("functions take and give their declared units") {
  const std::string declarations = R"(
  function area
    input Real x(unit = "m") = 2;
    output Real y(unit = "m2");
  algorithm
    y := x^2;
  end area;
  function total
    input Real x[:];
    output Real y[size(x, 1)];
  algorithm
    y := 2*x;
    y[1] := sum(x);
  end total;
)";
  const auto codes = [&](const std::string& type, const std::string& value) {
    return codes_of_value(type, value, declarations);
  };
  CHECK(codes("Real", "area(r)/r^2") == "");
  CHECK(codes("Units.Length", "area(r)/r") == "");
  CHECK(codes("Units.Length", "area(3)/r") == "");
  CHECK(codes("Units.Length", "area()/r") == "");
  CHECK(codes("Units.Length", "area(3)") == "LT2003");
  CHECK(codes("Units.Ratio", "area(F)/r^2") == "LT2003");
  // Without declared units those of the arguments pass through.
  CHECK(codes("Units.Length", "sum(total(arms))") == "");
  CHECK(codes("Units.Length", "total({F, F})*n") == "LT2003");
  CHECK(codes("Units.Length", "sum(total({F, r}))") == "LT2003");
}

TEST_CASE("powers of powers end without a unit") {
  UnitTable units;
  UnitId id = *units.declared("m");
  for (int i = 0; i < 6; ++i) id = units.product(id, id);
  CHECK(to_text(units[id]) == "m64");
  CHECK_FALSE(units.product(id, id).valid());
  CHECK(*units.declared("N.m/rad") == *units.declared("J"));
  CHECK(units.fit(*units.declared("kg.m2"),
                  units.product(*units.declared("J"), units.power(units.second(), 2))));
  CHECK_FALSE(units.fit(*units.declared("deg"), *units.declared("rad")));
  CHECK_FALSE(units.declared("Nm").has_value());
  CHECK_FALSE(units.power(*units.declared("m"), 0.123).valid());
}

/// The text of a library class as a class of the user's own file.
std::string own_class(const fs::path& file, const std::string& package) {
  std::ifstream in(file);
  std::stringstream buffer;
  buffer << in.rdbuf();
  std::string text = buffer.str();
  text.erase(0, text.find('\n') + 1);  // within
  const std::string prefix = "Interfaces.";
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at)) {
    const bool whole = at == 0 || !(std::isalnum(text[at - 1]) != 0 || text[at - 1] == '.');
    if (whole) text.insert(at, package + ".");
    at += prefix.size() + (whole ? package.size() + 1 : 0);
  }
  return text;
}

struct LibraryEquation {
  std::string part, equation, text;  // of the class with a wrong factor in this equation
};

/// Every equation of the parts with its right side multiplied by a time, one after the other.
std::vector<LibraryEquation> wrong_equations() {
  std::vector<LibraryEquation> result;
  for (const std::string package : {"Rotational", "Translational", "RotationalTranslational"}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(project_dir() / "library" / package)) {
      if (entry.path().extension() == ".ltm") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      const std::string text = own_class(file, package);
      const std::string name = file.stem().string();
      const bool table = text.find("[:]") != std::string::npos;  // which needs its points
      const std::string sizes = table ? "(angle_b = {0, 1}, angle_a = {0, 2})" : "";
      for (std::size_t at = text.find("\nequation"); at != std::string::npos;) {
        at = text.find(" = ", at + 1);
        if (at == std::string::npos) break;
        const std::size_t end = text.find(';', at);
        const std::size_t begin = text.rfind('\n', at) + 1;
        const std::string equation = text.substr(begin, end - begin);
        at = end;
        // The force of an impact has no law with units, and signals have none.
        const bool open = equation.find("hardstop") != std::string::npos ||
                          equation.find("f_normalized") != std::string::npos;
        if (open) continue;
        std::string wrong = text;
        const std::size_t right = begin + equation.find(" = ") + 3;
        // Of a balance 0 = a + b one term is wrong.
        const bool balance = equation.find("  0 = ") != std::string::npos;
        if (!balance) wrong.insert(end, ")");
        wrong.insert(right, balance ? "duration*" : "duration*(");
        wrong.insert(text.find("\nequation"), "\n  parameter Real duration(unit = \"s\") = 1;");
        result.push_back(
            {name, equation,
             wrong + "\nmodel Whole\n  " + name + " part" + sizes + ";\nend Whole;\n"});
      }
    }
  }
  return result;
}

TEST_CASE("a wrong factor in any equation of a library part is found") {
  std::size_t found = 0;
  for (const LibraryEquation& equation : wrong_equations()) {
    CAPTURE(equation.part);
    CAPTURE(equation.equation);
    CHECK(codes_of(equation.text).find("LT2003") != std::string::npos);
    ++found;
  }
  CHECK(found > 40);
}

TEST_CASE("J and k swapped in a binding are found in both places") {
  const std::string text = R"(
model Swapped
  parameter Units.MomentOfInertia J = 0.2;
  parameter Units.RotationalStiffness k = 120;
  Rotational.Inertia body(J = k);
  Rotational.Spring spring(k = J);
  Rotational.Fixed wall;
equation
  connect(body.flange_b, spring.flange_a);
  connect(spring.flange_b, wall.flange);
end Swapped;
)";
  CHECK(codes_of(text) == "LT2003 LT2003");
}

}  // namespace
}  // namespace luztar::test
