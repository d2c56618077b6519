// The flat model as text is a model, and flattening changes nothing in it.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/csv_table.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

namespace fs = std::filesystem;

/// Number of models in `folder` whose flat text has itself as flat text.
std::size_t check_folder(const fs::path& folder) {
  std::size_t models = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".ltm" || name.rfind("fail_", 0) == 0) continue;
    const std::string text = read_text(entry.path());
    // Not compiled as they stand: golden cases with options, bases of other examples.
    if (text.rfind("// --", 0) == 0 || text.find("\npartial model") != std::string::npos) continue;
    INFO(entry.path().string());
    const auto first = run_stages(name, text, Stage::kFlat);
    REQUIRE_MESSAGE(first->flat, first->messages());
    const std::string flat = print(*first->flat, first->pool);
    const auto second = run_stages("flat.ltm", flat, Stage::kFlat);
    REQUIRE_MESSAGE(second->flat, second->messages());
    // Formulas that are read again may be simplified further, once.
    const std::string again = print(*second->flat, second->pool);
    const auto third = run_stages("flat.ltm", again, Stage::kFlat);
    REQUIRE_MESSAGE(third->flat, third->messages());
    CHECK(print(*third->flat, third->pool) == again);
    REQUIRE(second->flat->variables.size() == first->flat->variables.size());
    for (const VariableId v : first->flat->variables.ids()) {
      const FlatVariable& a = first->flat->variables[v];
      const FlatVariable& b = second->flat->variables[v];
      CHECK(a.name == b.name);
      CHECK(a.start_given == b.start_given);
      CHECK(a.role == b.role);
    }
    REQUIRE(second->flat->parameters.size() == first->flat->parameters.size());
    ++models;
  }
  return models;
}

TEST_CASE("flat text compiles to the same flat model: examples and golden models") {
  CHECK(check_folder(project_dir() / "library" / "examples") > 20);
  CHECK(check_folder(project_dir() / "tests" / "golden" / "flat") >= 3);
  CHECK(check_folder(project_dir() / "tests" / "golden" / "mechanism") >= 5);
  CHECK(check_folder(project_dir() / "tests" / "golden" / "reduced") >= 5);
}

}  // namespace
}  // namespace luztar::test
