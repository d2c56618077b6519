#include "compiler/driver/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include "compiler/base/diagnostics.h"
#include "compiler/driver/column_filter.h"
#include "compiler/driver/version.h"

namespace luztar {
namespace {

constexpr const char* kFooter =
    R"(Without an option the result goes to MODEL_res.csv in the current folder, MODEL being the name of the class.
Models are looked for in the folder of the file, then in --library DIR, the folders of the environment variable LTM_PATH, and the built-in library.

Exit codes: 0 done; 1 wrong usage; 2 the model does not compile; 3 no consistent initial state; 4 the simulation stopped early
(what was computed is written); 5 a file could not be read or written; 70 an error in ltc itself.)";

/// No machine of today has the memory for more components.
constexpr std::size_t kMostOfAll = 1'000'000'000;

/// Options of the language that have no meaning yet: said so, instead of "unknown option".
constexpr std::array<std::string_view, 7> kLater = {
    "--explain", "--study", "--sweep", "--sensitivity", "--linearize", "--measure", "--threads"};

/// What the arguments hold before it is checked.
struct Raw {
  Options options;
  bool simulate = false, check = false;
  std::string emit, solver = "taylor", cvode_method = "bdf", diagnostics = "text", color = "auto";
  std::vector<std::string> settings;
};

void define(CLI::App& app, Raw& raw) {
  Options& o = raw.options;
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "Print this text");
  app.set_version_flag("--version", std::string("ltc ") + kVersion);
  app.add_option("MODEL", o.model, "File with the model to run (.ltm)")->required();

  app.add_flag("--simulate", raw.simulate, "Run the experiment and write the result")
      ->group("What to do (one of)");
  app.add_flag("--check", raw.check, "Compile only")->group("What to do (one of)");
  app.add_option("--emit", raw.emit,
                 "Print a stage: ast, flat, dot, mechanism, reduced, llvm or asm")
      ->group("What to do (one of)");

  const char* model = "Model";
  app.add_option("--class", o.class_name, "Class to run; default: the last model of the file")
      ->group(model);
  app.add_option("--set", raw.settings, "NAME=VALUE of a parameter, e.g. gear.k=1e4; repeatable")
      ->allow_extra_args(false)
      ->group(model);
  app.add_option("--library", o.libraries, "Folder with further classes; repeatable")
      ->allow_extra_args(false)
      ->group(model);
  app.add_option("--max-components", o.most_components,
                 "Most components that a model or file may have")
      ->check(CLI::Range(std::size_t{1}, kMostOfAll))
      ->capture_default_str()
      ->group(model);

  const char* experiment = "Experiment";
  app.add_option("--start", o.start, "Start time [s]")->group(experiment);
  app.add_option("--stop", o.stop, "Stop time [s]")->group(experiment);
  app.add_option("--interval", o.interval, "Time between rows [s]; default: 500 intervals")
      ->group(experiment);
  app.add_option("--tolerance", o.tolerance, "Relative tolerance of solvers with step control")
      ->group(experiment);
  app.add_option("--solver", raw.solver, "taylor, cvode or euler")
      ->capture_default_str()
      ->group(experiment);
  app.add_option("--cvode-method", raw.cvode_method, "bdf (for stiff models) or adams")
      ->capture_default_str()
      ->group(experiment);
  app.add_option("--step", o.step, "Step of euler [s]")->capture_default_str()->group(experiment);
  app.add_option("--zero", o.zero, "Slip velocity that euler takes for zero [rad/s, m/s]")
      ->capture_default_str()
      ->group(experiment);

  const char* output = "Output";
  app.add_option("--variables", o.variables, "Write only variables in which REGEX matches")
      ->group(output);
  app.add_option("-o", o.output, "Result file (.csv); - is standard output")->group(output);
  app.add_option("--diagnostics", raw.diagnostics,
                 "text, or json: one array on standard error and nothing else there")
      ->capture_default_str()
      ->group(output);
  app.add_option("--color", raw.color, "auto, always or never")
      ->capture_default_str()
      ->group(output);
  app.add_flag_callback(
         "--no-event-rows", [&o] { o.event_rows = false; },
         "One row at each instant of the interval only; default: two more at "
         "each event, before and after")
      ->group(output);
  app.add_flag("--quiet", o.quiet, "No summary")->group(output);
  app.add_flag("--timings", o.timings, "Print the time of every stage")->group(output);
}

/// The value of `text` in `names`, or a message that lists them.
template <class T>
std::string choose(const char* option, const std::string& text,
                   const std::map<std::string, T>& names, T& value) {
  const auto place = names.find(text);
  if (place != names.end()) {
    value = place->second;
    return "";
  }
  std::string message = std::string(option) + " cannot be '" + text + "'; it is one of";
  const char* separator = " ";
  for (const auto& [name, unused] : names) message += separator + name, separator = ", ";
  return message;
}

std::string check_choices(Raw& raw) {
  Options& o = raw.options;
  const int actions = int{raw.simulate} + int{raw.check} + int{!raw.emit.empty()};
  if (actions == 0) return "say what to do: --simulate, --check or --emit STAGE";
  if (actions > 1) return "only one of --simulate, --check and --emit can be given";
  o.action = raw.simulate ? Action::kSimulate : raw.check ? Action::kCheck : Action::kEmit;
  std::string message;
  if (o.action == Action::kEmit) {
    message = choose("--emit", raw.emit,
                     {{"ast", Dump::kAst},
                      {"flat", Dump::kFlat},
                      {"dot", Dump::kDot},
                      {"mechanism", Dump::kMechanism},
                      {"reduced", Dump::kReduced},
                      {"llvm", Dump::kLlvm},
                      {"asm", Dump::kAssembly}},
                     o.dump);
  }
  if (message.empty()) {
    message =
        choose("--solver", raw.solver,
               {{"taylor", Solver::kTaylor}, {"cvode", Solver::kCvode}, {"euler", Solver::kEuler}},
               o.solver);
  }
  if (message.empty()) {
    message = choose("--cvode-method", raw.cvode_method,
                     {{"bdf", CvodeMethod::kBdf}, {"adams", CvodeMethod::kAdams}}, o.cvode_method);
  }
  if (message.empty()) {
    message = choose(
        "--color", raw.color,
        {{"auto", ColorMode::kAuto}, {"always", ColorMode::kAlways}, {"never", ColorMode::kNever}},
        o.color);
  }
  return message;
}

std::string check_numbers(const Options& o) {
  for (const auto& [name, value] : {std::pair{"--start", o.start},
                                    {"--stop", o.stop},
                                    {"--interval", o.interval},
                                    {"--tolerance", o.tolerance},
                                    {"--step", std::optional(o.step)},
                                    {"--zero", std::optional(o.zero)}}) {
    if (value && !std::isfinite(*value)) return std::string(name) + " must be a finite number";
  }
  if (o.interval && *o.interval <= 0) return "--interval must be greater than 0";
  if (o.tolerance && *o.tolerance <= 0) return "--tolerance must be greater than 0";
  if (o.step <= 0) return "--step must be greater than 0";
  if (o.zero < 0) return "--zero must not be negative";
  if (o.start && o.stop && *o.stop < *o.start) return "--stop is before --start";
  return "";
}

std::string check_output(const Options& o) {
  if (o.output.empty() || o.output == "-" || o.output.starts_with("/dev/")) return "";
  if (o.action != Action::kSimulate) return "-o goes with --simulate";
  const std::size_t slash = o.output.find_last_of('/');
  const std::string name = slash == std::string::npos ? o.output : o.output.substr(slash + 1);
  const std::size_t dot = name.find_last_of('.');
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  if (extension == ".csv") return "";
  if (extension == ".mat" || extension == ".json" || extension == ".html") {
    return "result files of type " + extension + " are not available yet; use .csv";
  }
  return "the type of the result file '" + o.output + "' is not known; use .csv";
}

std::string check_settings(Raw& raw) {
  for (const std::string& text : raw.settings) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
      return "--set needs NAME=VALUE, not '" + text + "'";
    }
    raw.options.settings.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return "";
}

std::string check_variables(const Options& o) {
  const std::string reason = why_no_pattern(o.variables);
  if (reason.empty()) return "";
  return "--variables '" + o.variables + "' is not a regular expression: " + reason;
}

/// Options that come later, wherever they stand before a lone "--".
std::string check_later(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    const std::string_view name = std::string_view(argument).substr(0, argument.find('='));
    if (std::find(kLater.begin(), kLater.end(), name) != kLater.end()) {
      return std::string(name) + " is not available yet";
    }
  }
  return "";
}

/// How errors are wanted: has to be known before the rest of the line is understood.
DiagnosticsFormat wanted_format(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--diagnostics=json") return DiagnosticsFormat::kJson;
    if (arguments[i] == "--diagnostics" && i + 1 < arguments.size() && arguments[i + 1] == "json") {
      return DiagnosticsFormat::kJson;
    }
  }
  return DiagnosticsFormat::kText;
}

// The first argument that is no option, and what it may have been meant to be.
std::string unexpected(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || app.get_option_no_throw(name) != nullptr) continue;
    std::string nearest = nearest_name(name, names);
    for (const std::string& known : names) {
      // --stoptime, --tol
      const bool longer = name.starts_with(known), shorter = known.starts_with(name);
      if (nearest.empty() && (longer || shorter)) nearest = known;
    }
    return "there is no option '" + name + "'" +
           (nearest.empty() ? "" : ": did you mean '" + nearest + "'?");
  }
  return {};
}

/// An option of one value that is given twice.
std::string repeated(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 1 && option->count() > 1) {
      return option->get_name() + " can be given once only";
    }
  }
  return {};
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  const DiagnosticsFormat format = wanted_format(arguments);
  const auto wrong = [format](std::string message) {
    return UsageError{std::move(message), format};
  };
  if (std::string message = check_later(arguments); !message.empty()) return wrong(message);

  Raw raw;
  CLI::App app("Compiles models of mechanisms with backlash and dry friction, and simulates them.",
               "ltc");
  define(app, raw);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return TextRequest{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return TextRequest{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError& error) {
    const std::string message = unexpected(app, arguments);
    return wrong(message.empty() ? error.what() : message);
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = repeated(app);
    return wrong(message.empty() ? error.what() : message);
  } catch (const CLI::ParseError& error) {
    return wrong(error.what());
  }
  for (const std::string& message :
       {choose("--diagnostics", raw.diagnostics,
               {{"text", DiagnosticsFormat::kText}, {"json", DiagnosticsFormat::kJson}},
               raw.options.diagnostics),
        check_choices(raw), check_numbers(raw.options), check_output(raw.options),
        check_settings(raw), check_variables(raw.options)}) {
    if (!message.empty()) return wrong(message);
  }
  return std::move(raw.options);
}

}  // namespace luztar
