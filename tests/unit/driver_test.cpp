#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "compiler/driver/column_filter.h"
#include "compiler/driver/exit_code.h"
#include "compiler/driver/options.h"
#include "compiler/driver/summary.h"

namespace luztar {
namespace {

Options options_of(const std::vector<std::string>& arguments) {
  const CommandLine line = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<Options>(line));
  return std::get<Options>(line);
}

std::string message_of(const std::vector<std::string>& arguments) {
  const CommandLine line = parse_command_line(arguments);
  REQUIRE(std::holds_alternative<UsageError>(line));
  return std::get<UsageError>(line).message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("options: a run with everything set") {
  const Options o = options_of({"a b.ltm",     "--simulate", "--set",          "gear.k=2 N.m/rad",
                                "--set=J=inf", "--class",    "Test",           "--start",
                                "-1",          "--stop=2.5", "--interval",     "0.01",
                                "--tolerance", "1e-8",       "--step",         "1e-4",
                                "--zero",      "0",          "--variables",    "^wheel\\.",
                                "-o",          "r.csv",      "--library",      "one",
                                "--library",   "two",        "--diagnostics",  "json",
                                "--color",     "never",      "--quiet",        "--timings",
                                "--solver",    "euler",      "--no-event-rows"});
  CHECK(o.model == "a b.ltm");
  CHECK(o.action == Action::kSimulate);
  REQUIRE(o.settings.size() == 2);
  CHECK(o.settings[0].name == "gear.k");
  CHECK(o.settings[0].value == "2 N.m/rad");
  CHECK(o.settings[1].name == "J");
  CHECK(o.settings[1].value == "inf");
  CHECK(o.class_name == "Test");
  CHECK(o.start == -1.0);
  CHECK(o.stop == 2.5);
  CHECK(o.interval == 0.01);
  CHECK(o.tolerance == 1e-8);
  CHECK(o.solver == Solver::kEuler);
  CHECK_FALSE(o.event_rows);
  CHECK(o.step == 1e-4);
  CHECK(o.zero == 0.0);
  CHECK(o.variables == "^wheel\\.");
  CHECK(o.output == "r.csv");
  CHECK(o.libraries == std::vector<std::string>{"one", "two"});
  CHECK(o.diagnostics == DiagnosticsFormat::kJson);
  CHECK(o.color == ColorMode::kNever);
  CHECK(o.quiet);
  CHECK(o.timings);
}

TEST_CASE("options: defaults") {
  const Options o = options_of({"--check", "m.ltm"});
  CHECK(o.action == Action::kCheck);
  CHECK_FALSE(o.start.has_value());
  CHECK(o.solver == Solver::kTaylor);
  CHECK(o.event_rows);
  CHECK(o.step == 1e-5);
  CHECK(o.zero == 1e-6);
  CHECK(o.output.empty());
  CHECK(options_of({"m.ltm", "--emit", "reduced"}).dump == Dump::kReduced);
}

TEST_CASE("options: repeated options do not swallow the model") {
  const Options o = options_of({"--simulate", "--set", "a=1", "m.ltm"});
  CHECK(o.model == "m.ltm");
  CHECK(o.settings.size() == 1);
}

TEST_CASE("options: what is wrong is said") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "MODEL"},
      {{"m.ltm"}, "say what to do"},
      {{"m.ltm", "--simulate", "--check"}, "only one"},
      {{"m.ltm", "--simulate", "--nonsense"}, "--nonsense"},
      {{"m.ltm", "--simulate", "--stop", "soon"}, "soon"},
      {{"m.ltm", "--simulate", "--stop", "nan"}, "--stop must be a finite number"},
      {{"m.ltm", "--simulate", "--start", "2", "--stop", "1"}, "before"},
      {{"m.ltm", "--simulate", "--interval", "0"}, "--interval must be greater than 0"},
      {{"m.ltm", "--simulate", "--interval", "-1"}, "--interval must be greater than 0"},
      {{"m.ltm", "--simulate", "--step", "0"}, "--step must be greater than 0"},
      {{"m.ltm", "--simulate", "--step", "inf"}, "--step must be a finite number"},
      {{"m.ltm", "--simulate", "--zero", "-1e-6"}, "--zero must not be negative"},
      {{"m.ltm", "--simulate", "--tolerance", "0"}, "--tolerance must be greater than 0"},
      {{"m.ltm", "--simulate", "--variables", "("}, "not a regular expression"},
      {{"m.ltm", "--simulate", "--set", "k"}, "NAME=VALUE"},
      {{"m.ltm", "--simulate", "--set", "=3"}, "NAME=VALUE"},
      {{"m.ltm", "--simulate", "--solver", "magic"}, "magic"},
      {{"m.ltm", "--simulate", "-o", "r.mat"}, "not available yet"},
      {{"m.ltm", "--simulate", "-o", "r.xls"}, "not known"},
      {{"m.ltm", "--emit", "nonsense"}, "flat"},
      {{"m.ltm", "--explain=latex"}, "--explain is not available yet"},
      {{"m.ltm", "--study", "Fig8"}, "--study is not available yet"},
      {{"m.ltm", "--simulate", "--color", "pink"}, "pink"},
      {{"m.ltm", "--simulate", "--diagnostics", "xml"}, "xml"},
  };
  for (const auto& [arguments, expected] : cases) {
    const std::string message = message_of(arguments);
    CHECK_MESSAGE(contains(message, expected), message);
  }
}

TEST_CASE("options: a usage error honours --diagnostics json") {
  const CommandLine line = parse_command_line({"m.ltm", "--diagnostics", "json", "--bad"});
  REQUIRE(std::holds_alternative<UsageError>(line));
  CHECK(std::get<UsageError>(line).diagnostics == DiagnosticsFormat::kJson);
}

TEST_CASE("options: help and version") {
  const CommandLine help = parse_command_line({"--help"});
  REQUIRE(std::holds_alternative<TextRequest>(help));
  for (const char* part :
       {"--simulate", "--solver", "--no-event-rows", "--zero", "LTM_PATH", "Exit codes"}) {
    CHECK(contains(std::get<TextRequest>(help).text, part));
  }
  const CommandLine version = parse_command_line({"--version"});
  REQUIRE(std::holds_alternative<TextRequest>(version));
  CHECK(std::get<TextRequest>(version).text.starts_with("ltc "));
}

TEST_CASE("columns are selected by a match anywhere in the name") {
  const std::vector<OutputColumn> columns = {
      {"wheel.phi", "rad", false}, {"wheel.w", "rad/s", false}, {"gear.phi", "rad", false}};
  using Indices = std::vector<std::uint32_t>;
  CHECK(select_columns(columns, "") == Indices{0, 1, 2});
  CHECK(select_columns(columns, "phi") == Indices{0, 2});
  CHECK(select_columns(columns, "^wheel\\.(phi|w)$") == Indices{0, 1});
  CHECK(select_columns(columns, "mass").empty());
  std::vector<ExplicitOutput> outputs(2);
  outputs[0].name = "wheel.phi";
  outputs[1].name = "gear.w";
  CHECK(select_outputs(outputs, "").size() == 2);
  REQUIRE(select_outputs(outputs, "w$").size() == 1);
  CHECK(select_outputs(outputs, "w$")[0].name == "gear.w");
  CHECK(why_no_pattern("a.*(b|c)+") == "");
  CHECK(why_no_pattern("(") != "");
  CHECK(why_no_pattern("[a") != "");
}

TEST_CASE("exit codes follow the first error") {
  const auto code_of = [](Code code) {
    Diagnostics diagnostics;
    diagnostics.warning(Code::kUsage, {}, "only a warning");
    diagnostics.error(code, {}, "first");
    diagnostics.error(Code::kSyntax, {}, "second");
    return exit_code(diagnostics);
  };
  CHECK(exit_code(Diagnostics()) == ExitCode::kDone);
  CHECK(code_of(Code::kUsage) == ExitCode::kUsage);
  CHECK(code_of(Code::kUnitMismatch) == ExitCode::kModel);
  CHECK(code_of(Code::kRigidFreeplay) == ExitCode::kModel);
  CHECK(code_of(Code::kInconsistentStart) == ExitCode::kStart);
  CHECK(code_of(Code::kNotFinite) == ExitCode::kStoppedEarly);
  CHECK(code_of(Code::kAssertionStopped) == ExitCode::kStoppedEarly);
  CHECK(code_of(Code::kEventStorm) == ExitCode::kStoppedEarly);
  CHECK(code_of(Code::kCannotRead) == ExitCode::kFile);
  CHECK(code_of(Code::kCannotWrite) == ExitCode::kFile);
}

TEST_CASE("summary: model, reductions, states, steps, stick-slip changes, file") {
  const ReductionLog log = {{"series freeplay", "R6", "pinion.J = 0", "one spring 'shaft + gear'"}};
  System system;
  system.frictions.resize(2);
  system.frictions[0].name = "kingpin_l";
  system.frictions[1].name = "kingpin_r";
  RunSummary summary;
  summary.model = "Steering";
  summary.reductions = &log;
  summary.primary_states = 12;
  summary.reduced_states = 1;
  summary.system = &system;
  summary.report.time = 6;
  summary.report.steps = 600000;
  summary.report.changes = {3, 14};
  summary.report.events = 17;
  summary.solver = "euler with h = 1e-05 s";
  summary.rows = 601;
  summary.columns = 40;
  summary.file = "Steering_res.csv";
  CHECK(text_of(summary) ==
        "Steering: 1 state (primary model: 12)\n"
        "reductions:\n"
        "  series freeplay (R6), as pinion.J = 0: one spring 'shaft + gear'\n"
        "simulated 0 s to 6 s by euler with h = 1e-05 s: 600000 steps, 17 events\n"
        "stick-slip changes: kingpin_l 3, kingpin_r 14\n"
        "wrote Steering_res.csv: 601 rows, 40 variables\n");
}

TEST_CASE("summary: of many parts the ten that count most, and how many others") {
  System system;
  RunSummary summary;
  const ReductionLog log;
  summary.reductions = &log;
  summary.system = &system;
  summary.report.energy.emplace();
  for (int i = 0; i < 13; ++i) {
    system.frictions.emplace_back().name = "b" + std::to_string(i);
    system.dissipators.push_back("d" + std::to_string(i));
    summary.report.changes.push_back(static_cast<std::uint64_t>(100 + i * 5 % 13));
    summary.report.energy->dissipated.push_back(i);
  }
  const std::string text = text_of(summary);
  CHECK(text.find("stick-slip changes: b5 112, b10 111, b2 110, b7 109, b12 108, b4 107, b9 106, "
                  "b1 105, b6 104, b11 103, 3 others\n") != std::string::npos);
  CHECK(text.find("dissipated 78 (d12 12, d11 11, d10 10, d9 9, d8 8, d7 7, d6 6, d5 5, d4 4, "
                  "d3 3, 3 others); ") != std::string::npos);
}

}  // namespace
}  // namespace luztar
