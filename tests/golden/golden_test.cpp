// Golden tests: tests/golden/<stage>/<case>.ltm and what that stage makes of it in <case>.out.
//
//   ast, flat, dot, mechanism, reduced         the dump of the stage
//   syntax, semantics                     the diagnostics of the pipeline up to that stage
//   assembly, reduction                   the diagnostics of the whole compiler
// A case whose name starts with fail_ is one that reports errors, in any folder; its .out holds the
// diagnostics. Leading comment lines give command-line options:   // --set gear.k=3     // --class
// Name With LUZTAR_UPDATE_GOLDEN=1 in the environment the .out files are rewritten.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/semantics/connection_graph.h"
#include "tests/support/csv_table.h"
#include "tests/support/model.h"

namespace luztar::test {
namespace {

namespace fs = std::filesystem;

struct StageFolder {
  const char* name;
  Stage stage;
  std::string (*dump)(const Stages&);  // null: diagnostics only
};

const StageFolder kFolders[] = {
    {"ast", Stage::kSyntax, [](const Stages& s) { return print(*s.ast); }},
    {"syntax", Stage::kSyntax, nullptr},
    {"flat", Stage::kFlat, [](const Stages& s) { return print(*s.flat, s.pool); }},
    {"dot", Stage::kFlat, [](const Stages& s) { return connection_graph(*s.flat); }},
    {"semantics", Stage::kFlat, nullptr},
    {"mechanism", Stage::kMechanism,
     [](const Stages& s) { return print(*s.mechanism, *s.flat, s.pool); }},
    {"assembly", Stage::kExplicit, nullptr},
    {"reduced", Stage::kReduced,
     [](const Stages& s) { return print(*s.reduced, *s.flat, s.pool); }},
    {"reduction", Stage::kExplicit, nullptr},
    {"llvm", Stage::kExplicit,
     [](const Stages& s) { return llvm_text(s.pool, *s.flat, *s.explicit_system); }},
};

/// Codes that no model text alone can raise: tests/cli has to show them.
const Code kCommandLineCodes[] = {
    Code::kNotFinite,        Code::kAssertionStopped, Code::kEventStorm,    Code::kNoEquilibrium,
    Code::kNegativeFriction, Code::kWeakAtRest,       Code::kBlockedMotion, Code::kEnergyOpen,
    Code::kCannotRead,       Code::kCannotWrite,      Code::kUsage,         Code::kExperiment};

fs::path golden_dir() { return project_dir() / "tests" / "golden"; }

bool update_wanted() {
  const char* value = std::getenv("LUZTAR_UPDATE_GOLDEN");
  return value != nullptr && std::string(value) == "1";
}

std::vector<fs::path> cases(const StageFolder& folder) {
  std::vector<fs::path> result;
  const fs::path directory = golden_dir() / folder.name;
  if (!fs::exists(directory)) return result;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".ltm") result.push_back(entry.path());
  }
  std::sort(result.begin(), result.end());
  return result;
}

struct Options {
  std::vector<Setting> settings;
  std::string class_name;
  std::string example;
};

Options leading_options(const std::string& text) {
  Options options;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.rfind("// --", 0) == 0;) {
    if (line.rfind("// --set ", 0) == 0) {
      const std::string setting = line.substr(9);
      const std::size_t equals = setting.find('=');
      REQUIRE_MESSAGE(equals != std::string::npos, "no '=' in " << line);
      options.settings.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
    } else if (line.rfind("// --class ", 0) == 0) {
      options.class_name = line.substr(11);
    } else if (line.rfind("// --example ", 0) == 0) {
      options.example = line.substr(13);
    } else {
      FAIL("unknown option " << line);
    }
  }
  return options;
}

void run_case(const StageFolder& folder, const fs::path& path, bool update) {
  INFO("case ", path.string());
  std::string text = read_text(path);
  const Options options = leading_options(text);
  std::string name = fs::relative(path, project_dir()).generic_string();
  if (!options.example.empty()) {
    text = example_text(options.example);
    name = "library/examples/" + options.example;
  }
  const auto stages = run_stages(name, text, folder.stage, options.settings, options.class_name);

  const bool fails = path.filename().string().rfind("fail_", 0) == 0;
  CHECK_MESSAGE(stages->diagnostics.has_errors() == fails,
                (fails ? "no error is reported" : "errors are reported:\n" + stages->messages()));
  std::string output = stages->messages();
  if (!stages->diagnostics.has_errors() && folder.dump != nullptr) output += folder.dump(*stages);
  if (!output.empty() && output.back() != '\n') output += '\n';

  const fs::path expected_path = fs::path(path).replace_extension(".out");
  if (update) {
    if (!fs::exists(expected_path) || read_text(expected_path) != output) {
      std::ofstream(expected_path, std::ios::binary) << output;
    }
    return;
  }
  const bool exists = fs::exists(expected_path);
  CHECK_MESSAGE(exists, "there is no " << expected_path.string());
  if (exists) CHECK(output == read_text(expected_path));
}

}  // namespace

TEST_CASE("every stage gives the golden dump or diagnostics") {
  const bool update = update_wanted();
  for (const StageFolder& folder : kFolders) {
    for (const fs::path& path : cases(folder)) {
      run_case(folder, path, update);
    }
  }
}

TEST_CASE("every golden output has its case") {
  for (const StageFolder& folder : kFolders) {
    if (!fs::exists(golden_dir() / folder.name)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(golden_dir() / folder.name)) {
      if (entry.path().extension() != ".out") continue;
      CHECK_MESSAGE(fs::exists(fs::path(entry.path()).replace_extension(".ltm")),
                    entry.path().string() << " belongs to no case");
    }
  }
}

TEST_CASE("every registered diagnostic code has a golden output") {
  std::string golden;
  for (const StageFolder& folder : kFolders) {
    for (const fs::path& path : cases(folder)) {
      const fs::path output = fs::path(path).replace_extension(".out");
      if (fs::exists(output)) golden += read_text(output);
    }
  }
  std::string command_line;
  if (fs::exists(project_dir() / "tests" / "cli")) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(project_dir() / "tests" / "cli")) {
      if (entry.is_regular_file()) command_line += read_text(entry.path());
    }
  }
  for (const Code code : all_codes()) {
    const bool from_command_line =
        std::find(std::begin(kCommandLineCodes), std::end(kCommandLineCodes), code) !=
        std::end(kCommandLineCodes);
    if (from_command_line) {
      CHECK_MESSAGE(command_line.find(code_name(code)) != std::string::npos,
                    code_name(code)
                        << " (" << code_title(code) << ") is tested nowhere in tests/cli");
    } else {
      CHECK_MESSAGE(golden.find("[" + code_name(code) + "]") != std::string::npos,
                    code_name(code) << " (" << code_title(code) << ") occurs in no golden output");
    }
  }
}

}  // namespace luztar::test
