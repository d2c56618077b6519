// The command line of ltc.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/component_limit.h"
#include "compiler/semantics/flatten.h"
#include "runtime/solvers/cvode.h"

namespace luztar {

enum class Action { kSimulate, kCheck, kEmit };
enum class Dump { kAst, kFlat, kDot, kMechanism, kReduced, kLlvm, kAssembly };
enum class DiagnosticsFormat { kText, kJson };
enum class Solver { kTaylor, kEuler, kCvode };
enum class ColorMode { kAuto, kAlways, kNever };

struct Options {
  std::string model;  // path of the user's file
  Action action = Action::kSimulate;
  Dump dump = Dump::kFlat;
  std::string class_name;
  std::vector<Setting> settings;
  std::optional<double> start, stop, interval,
      tolerance;  // [s], [s], [s], 1; else as the model says
  Solver solver = Solver::kTaylor;
  CvodeMethod cvode_method = CvodeMethod::kBdf;
  bool event_rows = true;  // two rows at each event
  double step = 1e-5;      // euler: h [s]
  double zero = 1e-6;      // euler: numerical zero of slip velocities [rad/s, m/s]
  std::string variables;   // regular expression, empty: all
  std::string output;      // empty: MODEL_res.csv, "-": standard output
  std::vector<std::string> libraries;
  std::size_t most_components = kMostComponents;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::kText;
  ColorMode color = ColorMode::kAuto;
  bool quiet = false;
  bool timings = false;
};

/// A command line that asks for text only: --help, --version.
struct TextRequest {
  std::string text;
};

/// A command line that cannot be followed, and how its diagnostics are wanted.
struct UsageError {
  std::string message;
  DiagnosticsFormat diagnostics = DiagnosticsFormat::kText;
};

using CommandLine = std::variant<Options, TextRequest, UsageError>;

/// Reads the arguments after the command's name.
[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace luztar
