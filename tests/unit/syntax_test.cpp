// Text to tree: structure, spans, precedence, robustness.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "compiler/syntax/parse.h"

using namespace luztar;

namespace {

struct Parsed {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Ast> ast;

  explicit Parsed(const std::string& text) {
    const FileId file = sources.add("m.ltm", text);
    ast = parse(sources, file, diagnostics);
  }
  [[nodiscard]] const AstClass& first() const { return ast->class_table[ast->classes.at(0)]; }
  [[nodiscard]] Code code(std::size_t i) const { return diagnostics.all().at(i).code; }
};

// The right-hand side of the only equation, fully printed with the parentheses the tree needs.
std::string reprinted(const std::string& expression) {
  const Parsed p("model M equation x = " + expression + "; end M;");
  REQUIRE(p.ast);
  const std::string text = print(*p.ast);
  const std::size_t begin = text.find("x = ") + 4;
  return text.substr(begin, text.find(";\n", begin) - begin);
}

const AstExpr& right_side(const Parsed& p) {
  return p.ast->exprs[p.ast->equations[p.first().equations.at(0)].right];
}

}  // namespace

TEST_CASE("spans cover the text they come from") {
  const Parsed p(
      "model M \"d\"\n  Rotational.Inertia wheel(J = 0.03);\nequation\n  a = b + \n c*d;\nend "
      "M;\n");
  REQUIRE(p.ast);
  const AstComponent& wheel = p.first().components.at(0);
  CHECK(p.sources.text(wheel.type.span) == "Rotational.Inertia");
  CHECK(p.sources.text(wheel.name.span) == "wheel");
  CHECK(p.sources.text(wheel.modifiers.at(0).span) == "J = 0.03");
  CHECK(p.sources.text(right_side(p).span) == "b + \n c*d");
  CHECK(p.sources.text(p.first().name.span) == "M");
  CHECK(p.first().description == "d");
}

TEST_CASE("spans count bytes behind characters outside ASCII") {
  const Parsed p("model M \"\xC3\xA9\xE2\x82\xAC\" Real x = 1; end M;");
  REQUIRE(p.ast);
  CHECK(p.sources.text(p.first().components.at(0).name.span) == "x");
}

TEST_CASE("operators bind as in Modelica") {
  CHECK(reprinted("-a^2") == "-a^2");
  CHECK(reprinted("(-a)^2") == "(-a)^2");
  CHECK(reprinted("a-(b-c)") == "a - (b - c)");
  CHECK(reprinted("(a-b)-c") == "a - b - c");
  CHECK(reprinted("a/(b*c)") == "a/(b*c)");
  CHECK(reprinted("a*(b+c)") == "a*(b + c)");
  CHECK(reprinted("(a*b)*c") == "a*b*c");
  CHECK(reprinted("not (a or b) and c") == "not (a or b) and c");
  CHECK(reprinted("if a then b else c + d") == "if a then b else c + d");
  CHECK(reprinted("(if a then b else c) + d") == "(if a then b else c) + d");
  CHECK(reprinted("a.b[2].c(x, k = 3)") == "a.b[2].c(x, k = 3)");
  CHECK(reprinted("1:2:n") == "1:2:n");
  CHECK(reprinted("a .* b ./ c .+ d") == "a .* b ./ c .+ d");
}

TEST_CASE("numbers keep their value") {
  CHECK(reprinted("0.1") == "0.1");
  CHECK(reprinted("1e-3") == "0.001");
  CHECK(reprinted(".5") == "0.5");
  CHECK(reprinted("2.") == "2");
  CHECK(reprinted("1.7976931348623157e308") == "1.7976931348623157e+308");
}

TEST_CASE("words of studies are names elsewhere, final is a function in measures") {
  const Parsed p(
      "model M Real study, vary, carry, of, with; end M; study S of M measure m = final(x); end "
      "S;");
  CHECK(p.ast);
}

TEST_CASE("a very long sum and a very long model parse without deep recursion") {
  std::string sum = "1";
  for (int i = 0; i < 100000; ++i) sum += "+a";
  const Parsed p("model M Real x; equation x = " + sum + "; end M;");
  REQUIRE(p.ast);
  CHECK(print(*p.ast).size() > 400000);

  std::string components = "model M\n";
  for (int i = 0; i < 20000; ++i)
    components += "Rotational.Inertia body" + std::to_string(i) + "(J = 1);\n";
  const Parsed q(components + "end M;");
  REQUIRE(q.ast);
  CHECK(q.first().components.size() == 20000);
}

TEST_CASE("nesting is limited, not a crash; many if expressions one after the other are fine") {
  const Parsed deep("model M Real x = " + std::string(1000000, '(') + "1; end M;");
  REQUIRE(deep.diagnostics.has_errors());
  CHECK(deep.code(0) == Code::kTooDeep);
  std::string text = "model M equation\n";
  for (int i = 0; i < 1000; ++i) text += "x = if a then 1 else if b then 2 else 3;\n";
  for (int i = 0; i < 1000; ++i) text += "if a then x = 1; else x = 2; end if;\n";
  const Parsed flat(text + "end M;");
  CHECK(flat.ast);
  std::string chain = "model M equation x = ";
  for (int i = 0; i < 150; ++i) chain += "if a then 1 else ";
  CHECK(Parsed(chain + "0; end M;").ast);
}

TEST_CASE("several errors of one file are reported, one for each place") {
  const Parsed p("model M\n  Real x = ;\n  Real y;\nequation\n  x + = 3;\n  y 5;\nend M;\n");
  REQUIRE(p.diagnostics.error_count() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(p.code(i) == Code::kSyntax);
  CHECK(p.sources.position(p.diagnostics.all()[1].span.file, p.diagnostics.all()[1].span.begin)
            .line == 5);
}

TEST_CASE("unfinished and odd texts give their own code") {
  CHECK(Parsed("").code(0) == Code::kEmptyFile);
  CHECK(Parsed("/* x").code(0) == Code::kUnterminated);
  CHECK(Parsed("model M \"x").code(0) == Code::kUnterminated);
  CHECK(Parsed(std::string("model M\0", 8)).code(0) == Code::kNotText);
  CHECK(Parsed("\xFF\xFEm").code(0) == Code::kNotText);
  // Beyond U+10FFFF, a surrogate, longer forms than needed, a character that ends too early.
  for (const char* bad : {"\xF4\x9A\x91\x9B", "\xF4\x90\x80\x80", "\xED\xA0\x80", "\xE0\x9F\xBF",
                          "\xF0\x8F\xBF\xBF", "\xC1\xBF", "\xE2\x82", "\xF5\x80\x80\x80"}) {
    CHECK(Parsed(std::string("// ") + bad).code(0) == Code::kNotText);
  }
  for (const char* good :
       {"\xF4\x8F\xBF\xBF", "\xED\x9F\xBF", "\xE0\xA0\x80", "\xF0\x90\x80\x80", "\xC2\x80"}) {
    CHECK(Parsed(std::string("// ") + good).code(0) == Code::kEmptyFile);
  }
  CHECK(Parsed("model M Real x = #; end M;").code(0) == Code::kBadCharacter);
  CHECK(Parsed("model A end B;").code(0) == Code::kEndName);
  CHECK(Parsed("model A equation when a then b = 1; end when; end A;").code(0) ==
        Code::kOutsideSubset);
  CHECK(Parsed("model M equation x = 1;").code(0) == Code::kSyntax);
}

TEST_CASE("every truncation of a model is an error message or a tree") {
  const std::string text =
      "within A;\nmodel M \"d\" extends B(k = 1);\n Real x[n](start = {1, 2}) if c;\nequation\n"
      " for i in 1:3 loop connect(a[i], b); end for;\n if p then x = 1; else x = 2; end if;\n"
      " assert(x > 0, \"t\");\nannotation(experiment(StopTime = 1));\nend M;\n"
      "study S of M vary a = {1}; measure m = final(x); end S;\n";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const Parsed p(text.substr(0, n));
    CAPTURE(n);
    CHECK(p.ast.has_value() != p.diagnostics.has_errors());
  }
}
