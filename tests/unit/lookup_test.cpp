// Classes: where they come from, which of them runs, what may be done with them.
#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/flat_run.h"

namespace luztar::test {
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

using Strings = std::vector<std::string>;

}  // namespace

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

  const FlatRun run(R"(
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

  CHECK(FlatRun("model M Spring s; end M;", {}, roots).first_label() ==
        "did you mean 'Parts.Spring'?");
  CHECK(FlatRun("model M Parts.Sprin s; end M;", {}, roots).first_label() ==
        "did you mean 'Parts.Spring'?");
  // What is wrong with a file is said by the parser alone, and once.
  const FlatRun broken("model M Broken a; Broken b; end M;", {}, roots);
  CHECK_FALSE(broken.flat);
  CHECK(broken.codes().find("LT20") == std::string::npos);
}

TEST_CASE("files that do not hold what their place says") {
  const TemporaryFolder library;
  library.write("Parts/Spring.ltm", "within Parts;\nmodel Sprung\nend Sprung;\n");
  library.write("Parts/Lost.ltm", "within Elsewhere;\nmodel Lost\nend Lost;\n");
  const FlatRun wrong_name("model M Parts.Spring s; end M;", {}, {library.path()});
  CHECK(wrong_name.first_message() == "this file has to define the class 'Spring'");
  const FlatRun wrong_package("model M Parts.Lost s; end M;", {}, {library.path()});
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
  CHECK(FlatRun(text).flat->name == "Last");
  CHECK(FlatRun(text, {}, {}, "First").flat->name == "First");
  CHECK(FlatRun(text, {}, {}, "P.Inner").variables() == Strings{"y"});
  CHECK(FlatRun(text, {}, {}, "Base").codes() == "LT2007");
  CHECK(FlatRun(text, {}, {}, "P").codes() == "LT2024");
  CHECK(FlatRun(text, {}, {}, "S").codes() == "LT2024");
  CHECK(FlatRun(text, {}, {}, "Furst").first_message() ==
        "there is no class 'Furst'; did you mean 'First'?");
  CHECK(FlatRun("connector C Real v; flow Real i; end C;").codes() == "LT2019");
  CHECK(FlatRun(text, {}, {}, ".").codes() == "LT2001");
}

TEST_CASE("the experiment comes from the model or its nearest base") {
  const FlatRun run(R"(
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
  CHECK(FlatRun("model M annotation(experiment(StopTime = time)); end M;").codes() == "LT2014");
  CHECK(FlatRun("model M annotation(experiment(StopTime = inf)); end M;").codes() == "LT2013");
}

TEST_CASE("each mistake is reported once, and all of them in one run") {
  const FlatRun run(R"(
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
  const FlatRun run(R"(
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
  CHECK(FlatRun("model M M m; end M;").codes() == "LT2006");
  CHECK(FlatRun("model M extends M; end M;").codes() == "LT2006");
  CHECK(FlatRun("model A extends B; end A; model B extends A; end B;").codes() == "LT2006");
  CHECK(FlatRun("model A = B; model B = A; model M A a; end M;").codes() == "LT2006");
  CHECK(FlatRun("type T = T; model M parameter T t = 1; end M;").codes() == "LT2006");
  CHECK(FlatRun("model A B b; end A; model B C c; end B; model C extends A; end C;").codes() ==
        "LT2006");
  CHECK(FlatRun(
            "package P extends P.Q; package Q constant Real x = 1; end Q; end P; model M Real y = "
            "P.x; end M;")
            .codes()
            .empty());
}

TEST_CASE("final elements, nested as well") {
  const std::string inner =
      "model A final parameter Real k = 1; parameter Real c(final unit = "
      "\"m\") = 2; end A;\nmodel B A a(final c = 3); end B;\n";
  CHECK(FlatRun(inner + "model M B b; end M;").codes().empty());
  CHECK(FlatRun(inner + "model M A a(k = 2); end M;").codes() == "LT2020");
  CHECK(FlatRun(inner + "model M B b(a(c = 4)); end M;").codes() == "LT2020");
  CHECK(FlatRun(inner + "model M B b(a.c = 4); end M;").codes() == "LT2020");
  CHECK(FlatRun(inner + "model M A a(c(unit = \"s\")); end M;").codes() == "LT2020");
  CHECK(FlatRun(inner + "model M final B b(a(k = 2)); end M;").codes() == "LT2020");
  CHECK(FlatRun(inner + "model M B b; end M;", {{"b.a.c", "5"}}).codes() == "LT2020");
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
  CHECK(
      FlatRun(parts + "model M Body b(m = 1); Same s; equation connect(b.flange, s.flange); end M;")
          .codes()
          .empty());
  const FlatRun wrong(
      parts + "model M Body b(m = 1); Other o; equation connect(b.flange, o.flange); end M;");
  CHECK(wrong.codes() == "LT2008");
  REQUIRE(wrong.diagnostics.all()[0].notes.size() == 3);
  CHECK(wrong.diagnostics.all()[0].notes[0].text == "'b.flange' is a Flange: end of a rod");
  CHECK(wrong.diagnostics.all()[0].notes[1].text == "'o.flange' is a OtherFlange: end of a shaft");
}

}  // namespace luztar::test
