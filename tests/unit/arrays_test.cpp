// Arrays, loops, functions and conditional components: the values and equations they stand for.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/symbolic/print.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

class Flat {
 public:
  explicit Flat(const std::string& text, const std::vector<Setting>& settings = {})
      : stages_(run_stages("model.ltm", text, Stage::kFlat, settings)) {
    REQUIRE_MESSAGE(stages_->flat.has_value(), stages_->messages());
  }

  [[nodiscard]] const FlatModel& model() const { return *stages_->flat; }
  [[nodiscard]] std::size_t pool_size() const { return stages_->pool.size(); }

  [[nodiscard]] double value(const std::string& name) const {
    for (const FlatParameter& p : model().parameters) {
      if (p.name == name) return p.value;
    }
    FAIL("no parameter " << name);
    return 0;
  }
  /// v[1], v[2], ..
  [[nodiscard]] std::vector<double> values(const std::string& name, std::size_t count) const {
    std::vector<double> result;
    for (std::size_t i = 1; i <= count; ++i) {
      result.push_back(value(name + "[" + std::to_string(i) + "]"));
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> equations() const {
    std::vector<std::string> result;
    for (const FlatEquation& e : model().equations) {
      result.push_back(text(e.left) + " = " + text(e.right));
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> connections() const {
    std::vector<std::string> result;
    for (const FlatConnection& c : model().connections) {
      result.push_back(model().connectors[c.a].name + " - " + model().connectors[c.b].name);
    }
    return result;
  }

 private:
  [[nodiscard]] std::string text(Expr e) const {
    return to_text(stages_->pool, e, model().names());
  }

  std::unique_ptr<Stages> stages_;
};

using Numbers = std::vector<double>;
using Strings = std::vector<std::string>;

/// A chain of n discs, as in the example.
std::string chain(std::size_t n) {
  return "model Chain\n"
         "  parameter Integer n = " +
         std::to_string(n) +
         ";\n"
         "  Rotational.Inertia disc[n](each J = 0.1);\n"
         "  Rotational.FreeplaySpring shaft[n - 1](k = linspace(1, 2, n - 1));\n"
         "  Rotational.BearingFriction bearing[n](each tau0 = 1);\n"
         "equation\n"
         "  connect(disc.flange_b, bearing.flange_a);\n"
         "  for i in 1:n - 1 loop\n"
         "    connect(disc[i].flange_b, shaft[i].flange_a);\n"
         "    connect(shaft[i].flange_b, disc[i + 1].flange_a);\n"
         "  end for;\n"
         "end Chain;\n";
}

}  // namespace

TEST_CASE("array operations give the numbers of linear algebra") {
  const Flat flat(
      "model M\n"
      "  parameter Real v[:] = {1, 2, 3};\n"
      "  parameter Real A[2, 3] = [1, 2, 3; 4, 5, 6];\n"
      "  parameter Real Av[2] = A*v;\n"
      "  parameter Real wA[3] = {1, 10}*A;\n"
      "  parameter Real AAt[2, 2] = A*transpose(A);\n"
      "  parameter Real vv = v*v;\n"
      "  parameter Real lin[3] = 2*v - v/2 + ones(3);\n"
      "  parameter Real squares[3] = v .^ 2 .* {1, -1, 1} ./ v .+ 0.5;\n"
      "  parameter Real negative[3] = -v;\n"
      "  parameter Real s = sum(A) + product(v) + max(A[:, 2]) + min(v);\n"
      "  parameter Real ends[2] = v[{1, end}];\n"
      "  parameter Real backwards[3] = v[3:-1:1];\n"
      "  parameter Real row[3] = A[2, :];\n"
      "  parameter Real corner[2, 2] = A[:, 2:end];\n"
      "  parameter Real l[5] = linspace(-1, 1, 5);\n"
      "  parameter Real d[2, 2] = diagonal({3, 4}) + identity(2) + zeros(2, 2) + fill(0.5, 2, 2);\n"
      "  parameter Real it[2, 3] = {{10*i + j for j in 1:3} for i in 1:2};\n"
      "  parameter Real both[3, 2] = {10*i + j for i in 1:2, j in 1:3};\n"
      "  parameter Real t = sum(i*j for i in 1:3, j in {1, 10});\n"
      "  parameter Real steps = sum(0:0.25:1);\n"
      "  parameter Real range[3] = 2:4;\n"
      "  parameter Integer sizes[2] = size(A);\n"
      "  parameter Integer half = div(7, 2) + div(-7, 2) + integer(2.9) + ndims(A);\n"
      "  parameter Real sines[2] = sin({0, pi/2});\n"
      "  parameter Real nothing = sum(zeros(0)) + sum(1:0);\n"
      "end M;\n");
  CHECK(flat.values("Av", 2) == Numbers{14, 32});
  CHECK(flat.values("wA", 3) == Numbers{41, 52, 63});
  CHECK(flat.value("AAt[1,1]") == 14);
  CHECK(flat.value("AAt[1,2]") == 32);
  CHECK(flat.value("AAt[2,2]") == 77);
  CHECK(flat.value("vv") == 14);
  CHECK(flat.values("lin", 3) == Numbers{2.5, 4, 5.5});
  CHECK(flat.values("squares", 3) == Numbers{1.5, -1.5, 3.5});
  CHECK(flat.values("negative", 3) == Numbers{-1, -2, -3});
  CHECK(flat.value("s") == 21 + 6 + 5 + 1);
  CHECK(flat.values("ends", 2) == Numbers{1, 3});
  CHECK(flat.values("backwards", 3) == Numbers{3, 2, 1});
  CHECK(flat.values("row", 3) == Numbers{4, 5, 6});
  CHECK(flat.value("corner[1,1]") == 2);
  CHECK(flat.value("corner[2,2]") == 6);
  CHECK(flat.values("l", 5) == Numbers{-1, -0.5, 0, 0.5, 1});
  CHECK(flat.value("d[1,1]") == 4.5);
  CHECK(flat.value("d[1,2]") == 0.5);
  CHECK(flat.value("d[2,2]") == 5.5);
  CHECK(flat.value("it[2,3]") == 23);
  CHECK(flat.value("both[3,2]") == 23);
  CHECK(flat.value("t") == 66);
  CHECK(flat.value("steps") == 2.5);
  CHECK(flat.values("range", 3) == Numbers{2, 3, 4});
  CHECK(flat.values("sizes", 2) == Numbers{2, 3});
  CHECK(flat.value("half") == 3 - 3 + 2 + 2);
  CHECK(flat.values("sines", 2) == Numbers{0, 1});
  CHECK(flat.value("nothing") == 0);
}

TEST_CASE("values of arrays go to their elements, also through several levels") {
  const std::string text =
      "model Pair\n"
      "  parameter Integer m = 2;\n"
      "  parameter Real a[m] = {1, 2};\n"
      "  parameter Real b = 0;\n"
      "  parameter Real c[:] = {b, 2*b};\n"
      "end Pair;\n"
      "model Triple\n"
      "  extends Pair(m = 3, a = {4, 5, 6});\n"
      "end Triple;\n"
      "model M\n"
      "  Pair p[2](a = {{1, 2}, {3, 4}}, b = {5, 6});\n"
      "  Pair q[2](each a = {7, 8}, each b = 9);\n"
      "  Pair r[2](each m = 1, a = {{1}, {2}});\n"
      "  Triple t;\n"
      "  Pair none[0];\n"
      "end M;\n";
  const Flat flat(text, {{"p[1].b", "50"}, {"q[2].a[1]", "70"}, {"t.a[ 3 ]", "60"}});
  CHECK(flat.values("p[1].a", 2) == Numbers{1, 2});
  CHECK(flat.values("p[2].a", 2) == Numbers{3, 4});
  CHECK(flat.values("p[1].c", 2) == Numbers{50, 100});
  CHECK(flat.values("p[2].c", 2) == Numbers{6, 12});
  CHECK(flat.values("q[1].a", 2) == Numbers{7, 8});
  CHECK(flat.values("q[2].a", 2) == Numbers{70, 8});
  CHECK(flat.value("q[2].b") == 9);
  CHECK(flat.values("r[2].a", 1) == Numbers{2});
  CHECK(flat.values("t.a", 3) == Numbers{4, 5, 60});
  CHECK(flat.model().parts.size() == 1 + 2 + 2 + 2 + 1);
}

TEST_CASE("each is about the innermost array around it") {
  const Flat flat(
      "model Leaf\n"
      "  parameter Real a = 0, b = 0;\n"
      "end Leaf;\n"
      "model Twig\n"
      "  Leaf leaf;\n"
      "  Leaf leaves[2];\n"
      "end Twig;\n"
      "model M\n"
      "  Twig p[3](leaf(a = {1, 2, 3}, each b = 4));\n"
      "  Twig q[3](leaves(each a = {1, 2, 3}, b = {{1, 2}, {3, 4}, {5, 6}}));\n"
      "  Twig r[3](each leaf(a = 7), leaf.b = {1, 2, 3});\n"
      "end M;\n");
  CHECK(flat.value("p[2].leaf.a") == 2);
  CHECK(flat.value("p[3].leaf.b") == 4);
  CHECK(flat.value("q[2].leaves[1].a") == 2);
  CHECK(flat.value("q[2].leaves[2].a") == 2);
  CHECK(flat.value("q[3].leaves[1].b") == 5);
  CHECK(flat.value("r[3].leaf.a") == 7);
  CHECK(flat.value("r[3].leaf.b") == 3);
}

TEST_CASE("sizes are evaluated when they are needed, whatever the order of declaration") {
  const Flat flat(
      "model M\n"
      "  parameter Real x[n] = fill(k, n);\n"
      "  parameter Integer n = 2*m;\n"
      "  parameter Integer m = size(v, 1) + size(part, 1);\n"
      "  parameter Real v[:] = w;\n"
      "  parameter Real w[2] = {3, 4};\n"
      "  parameter Real k = w[2];\n"
      "  Blocks.Constant part[size(w, 1) - 1](each k = 1);\n"
      "end M;\n",
      {{"k", "7"}});
  CHECK(flat.value("n") == 6);
  CHECK(flat.values("x", 6) == Numbers{7, 7, 7, 7, 7, 7});
}

TEST_CASE("loops, conditions and arrays of connectors become single equations") {
  const Flat flat(
      "model M\n"
      "  parameter Integer n = 3;\n"
      "  parameter Boolean locked = false;\n"
      "  Real x[n];\n"
      "  Real y[2, 2];\n"
      "  Real z;\n"
      "  Rotational.Inertia disc[n](each J = 1);\n"
      "  Rotational.Spring spring[n - 1](each k = 1);\n"
      "  Rotational.Fixed wall if locked;\n"
      "  Rotational.Fixed ground if not locked;\n"
      "equation\n"
      "  x[1] = time;\n"
      "  for i in 2:n loop\n"
      "    x[i] = if i == 2 then x[i - 1] else x[i - 2];\n"
      "  end for;\n"
      "  for i in 1:2, j in {2, 1} loop\n"
      "    y[i, j] = 10*i + j;\n"
      "  end for;\n"
      "  if locked then\n"
      "    z = 1;\n"
      "  elseif n == 3 then\n"
      "    z = 2;\n"
      "  else\n"
      "    z = 3;\n"
      "  end if;\n"
      "  connect(disc[1:n - 1].flange_b, spring.flange_a);\n"
      "  connect(spring.flange_b, disc[2:end].flange_a);\n"
      "  connect(wall.flange, disc[n].flange_b);\n"
      "  connect(ground.flange, disc[1].flange_a);\n"
      "end M;\n");
  const Strings all = flat.equations();
  const Strings own(all.begin(), all.begin() + 8);
  CHECK(own == Strings{"x[1] = time", "x[2] = x[1]", "x[3] = x[1]", "y[1,2] = 12", "y[1,1] = 11",
                       "y[2,2] = 22", "y[2,1] = 21", "z = 2"});
  CHECK(flat.connections() ==
        Strings{"disc[1].flange_b - spring[1].flange_a", "disc[2].flange_b - spring[2].flange_a",
                "spring[1].flange_b - disc[2].flange_a", "spring[2].flange_b - disc[3].flange_a",
                "ground.flange - disc[1].flange_a"});
}

TEST_CASE("functions are inlined") {
  const Flat flat(
      "package P\n"
      "  constant Real g[2] = {9, 10};\n"
      "  function weight\n"
      "    input Real m;\n"
      "    input Real factor = 2;\n"
      "    input Integer which = 1;\n"
      "    output Real f;\n"
      "  protected\n"
      "    Real local = m*g[which];\n"
      "  algorithm\n"
      "    local := factor*local;\n"
      "    f := local + 1;\n"
      "  end weight;\n"
      "  function cumulated\n"
      "    input Real v[:];\n"
      "    output Real s[size(v, 1)];\n"
      "  algorithm\n"
      "    s := {sum(v[1:i]) for i in 1:size(v, 1)};\n"
      "    s[1] := -v[1];\n"
      "  end cumulated;\n"
      "end P;\n"
      "model M\n"
      "  import W = P.weight;\n"
      "  import P.{cumulated, g};\n"
      "  parameter Real a = W(3);\n"
      "  parameter Real b = P.weight(3, which = 2);\n"
      "  parameter Real c = W(factor = 1, m = W(1));\n"
      "  parameter Real d[3] = cumulated({1, 2, 3});\n"
      "  parameter Real e = g[2];\n"
      "  Real x = W(time);\n"
      "end M;\n");
  CHECK(flat.value("a") == 55);
  CHECK(flat.value("b") == 61);
  CHECK(flat.value("c") == 172);
  CHECK(flat.values("d", 3) == Numbers{-1, 3, 6});
  CHECK(flat.value("e") == 10);
  CHECK(flat.equations() == Strings{"x = 2*P.g[1]*time + 1"});
}

TEST_CASE("tables take parameter arrays and columns of matrices") {
  const std::string text =
      "model M\n"
      "  parameter Real xs[:] = {0, 1, 2};\n"
      "  parameter Real m[3, 2] = [0, 0; 1, 10; 2, 40];\n"
      "  Real a = table(time, xs, m[:, 2]);\n"
      "  Real b = table(time, m[:, 1], {0, 1, 4});\n"
      "end M;\n";
  const Flat flat(text);
  CHECK(flat.equations() ==
        Strings{"a = table(time, {xs[1], xs[2], xs[3]}, {m[1,2], m[2,2], m[3,2]})",
                "b = table(time, {m[1,1], m[2,1], m[3,1]}, {0, 1, 4})"});
  const auto bad = run_stages("model.ltm", text, Stage::kFlat, {{"xs[3]", "0.5"}});
  CHECK(bad->messages().find("must not decrease: 1 stands before 0.5") != std::string::npos);
}

TEST_CASE("the work for an array grows with its size") {
  const Flat small(chain(500));
  const Flat large(chain(1000));
  CHECK(large.model().parts.size() == 1 + 3 * 1000 - 1);
  CHECK(large.value("shaft[999].k") == 2);
  CHECK(large.model().connections.size() == 1000 + 2 * 999);
  CHECK(large.model().variables.size() <
        2.01 * static_cast<double>(small.model().variables.size()));
  CHECK(large.pool_size() < 2.1 * static_cast<double>(small.pool_size()));
}

}  // namespace luztar::test
