// The printed form of a tree parses to the same tree.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "compiler/syntax/parse.h"
#include "tests/support/csv_table.h"
#include "tests/support/model.h"
#include "tests/support/tree_text.h"

namespace luztar::test {
namespace {

namespace fs = std::filesystem;

std::optional<Ast> tree_of(const std::string& name, const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  std::optional<Ast> ast = parse(sources, sources.add(name, text), diagnostics);
  return diagnostics.has_errors() ? std::nullopt : ast;
}

/// Number of files in `folder` whose trees survive printing.
std::size_t check_printed_again(const fs::path& folder) {
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".ltm" || name.rfind("fail_", 0) == 0) continue;
    const std::string text = read_text(entry.path());
    if (text.rfind("// --example", 0) == 0) continue;  // stands for a file of the library
    INFO(entry.path().string());
    const std::optional<Ast> tree = tree_of(name, text);
    REQUIRE(tree);
    const std::optional<Ast> again = tree_of(name, print(*tree));
    REQUIRE(again);
    CHECK(tree_text(*again) == tree_text(*tree));
    ++files;
  }
  return files;
}

TEST_CASE("print(parse(file)) parses to the same tree: library and golden models") {
  CHECK(check_printed_again(project_dir() / "library") > 80);
  CHECK(check_printed_again(project_dir() / "tests" / "golden") > 20);
}

TEST_CASE("what tree_text leaves out is not seen: two trees that differ have different texts") {
  const auto text = [](const std::string& model) { return tree_text(*tree_of("m.ltm", model)); };
  const std::string one = text("model M Real x = 1; end M;");
  for (const char* other :
       {"model M Real x = 2; end M;", "model M Real x(start = 1); end M;",
        "model M Real x = 1 \"d\"; end M;", "model M parameter Real x = 1; end M;",
        "model M Real x[1] = 1; end M;", "model M Real x = 1 if true; end M;",
        "partial model M Real x = 1; end M;", "model M Real x = 1; equation end M;"}) {
    if (std::string(other).find("equation end") != std::string::npos) {
      CHECK(text(other) == one);  // an empty section is nothing
    } else {
      CHECK(text(other) != one);
    }
  }
}

}  // namespace
}  // namespace luztar::test
