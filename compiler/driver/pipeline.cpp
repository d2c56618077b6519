#include "compiler/driver/pipeline.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "compiler/codegen/jit.h"
#include "compiler/driver/column_filter.h"
#include "compiler/driver/library_roots.h"
#include "compiler/driver/run_stop.h"
#include "compiler/driver/summary.h"
#include "compiler/lowering/lower.h"
#include "compiler/mechanics/assemble.h"
#include "compiler/reduction/reduce.h"
#include "compiler/semantics/connection_graph.h"
#include "runtime/results/csv.h"
#include "runtime/results/file_output.h"
#include "runtime/solvers/cvode.h"
#include "runtime/solvers/energy_audit.h"
#include "runtime/solvers/euler.h"
#include "runtime/solvers/output_grid.h"
#include "runtime/solvers/taylor.h"

namespace luztar {
namespace {

/// More steps than this take more than a minute on any machine of today.
constexpr double kManySteps = 1e9;
/// More rows than this are a mistake in the interval.
constexpr double kMostRows = 1e8;
constexpr double kLeastTolerance = 1e-16, kGreatestTolerance = 0.1;

/// Everything of one run that outlives a stage.
struct Session {
  const Options& options;
  SourceMap sources;
  Diagnostics diagnostics;
  ExprPool pool;
  Timings timings;
  std::string work;  // of the solver, for --timings
};

bool use_color(ColorMode mode) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

void print_error(const std::string& text) { std::fputs(text.c_str(), stderr); }

void print_diagnostics(const Diagnostics& diagnostics, const SourceMap& sources,
                       DiagnosticsFormat format, ColorMode color_mode) {
  if (format == DiagnosticsFormat::kJson) {
    std::string text = render_json(diagnostics, sources);
    if (!text.ends_with('\n')) text += '\n';
    print_error(text);
    return;
  }
  const bool color = use_color(color_mode);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    std::string text = render_text(diagnostic, sources, color);
    if (!text.ends_with('\n')) text += '\n';
    print_error(text);
  }
}

/// Standard error takes text for people unless it has to be one JSON array.
bool may_talk(const Session& s) { return s.options.diagnostics == DiagnosticsFormat::kText; }

void print_dump(Session& s, const std::string& text) {
  const std::string reason = write_file("-", text);
  if (!reason.empty()) {
    s.diagnostics.error(Code::kCannotWrite, {}, "standard output cannot be written: " + reason);
  }
}

bool check_steps(Session& s, double steps) {
  // Beyond 2^53 steps the times of neighbouring steps are the same number.
  if (steps > 9e15) {
    s.diagnostics.error(
        Code::kUsage, {},
        fmt::format("a step of {:g} s is too small for this time span", s.options.step));
    return false;
  }
  if (steps > kManySteps) {
    s.diagnostics.warning(
        Code::kUsage, {},
        fmt::format("{:.1e} steps of {:g} s will take long; see --step", steps, s.options.step));
  }
  return true;
}

/// The experiment of the model with the command line's changes; an error when it makes no sense: of
/// the command line where that sets one of the values at fault.
std::optional<Experiment> experiment(Session& s, const FlatModel& flat) {
  const Options& o = s.options;
  Experiment e = flat.experiment;
  e.start = o.start.value_or(e.start);
  e.stop = o.stop.value_or(e.stop);
  e.interval = o.interval.value_or(e.interval);
  e.tolerance = o.tolerance.value_or(e.tolerance);
  const auto wrong = [&](const std::string& message, bool by_option) {
    const bool by_model = !by_option && flat.experiment.span.valid();
    s.diagnostics.error(by_model ? Code::kExperiment : Code::kUsage,
                        by_model ? flat.experiment.span : Span{}, message);
    return std::nullopt;
  };
  const bool span_by_option = o.start.has_value() || o.stop.has_value();
  if (!std::isfinite(e.start) || !std::isfinite(e.stop)) {
    return wrong("the start and stop times must be finite numbers", span_by_option);
  }
  if (e.stop < e.start) {
    return wrong(
        fmt::format("the stop time {:g} s is before the start time {:g} s", e.stop, e.start),
        span_by_option);
  }
  if (e.interval == 0) e.interval = e.stop > e.start ? (e.stop - e.start) / 500 : 1;
  if (!(e.interval > 0))
    return wrong(fmt::format("the interval {:g} s is not greater than 0", e.interval),
                 o.interval.has_value());
  if ((e.stop - e.start) / e.interval > kMostRows) {
    return wrong(
        fmt::format("an interval of {:g} s gives more than {:g} rows", e.interval, kMostRows),
        o.interval.has_value() || span_by_option);
  }
  const double least = o.solver == Solver::kCvode ? kLeastCvodeTolerance : kLeastTolerance;
  if (!(e.tolerance >= least && e.tolerance <= kGreatestTolerance)) {
    return wrong(fmt::format("the tolerance {:g} is not between {:g} and {:g}", e.tolerance, least,
                             kGreatestTolerance),
                 o.tolerance.has_value() || o.solver == Solver::kCvode);
  }
  if (o.solver == Solver::kEuler && !check_steps(s, (e.stop - e.start) / o.step)) {
    return std::nullopt;
  }
  return e;
}

/// Columns that --variables picks.
std::vector<std::uint32_t> selected_columns(Session& s, const std::vector<OutputColumn>& outputs) {
  std::vector<std::uint32_t> selected = select_columns(outputs, s.options.variables);
  if (selected.empty() && !s.options.variables.empty()) {
    s.diagnostics.warning(Code::kUsage, {},
                          "no variable matches --variables '" + s.options.variables + "'");
  }
  return selected;
}

std::string result_file(const Options& options, const FlatModel& flat) {
  return options.output.empty() ? flat.name + "_res.csv" : options.output;
}

void report_unwritable(Session& s, const std::string& file, const std::string& reason) {
  const std::string name = file == "-" ? "standard output" : "'" + file + "'";
  s.diagnostics.error(Code::kCannotWrite, {}, name + " cannot be written: " + reason);
}

std::size_t primary_states(const Mechanism& mechanism) {
  const auto guided = static_cast<std::size_t>(
      std::count_if(mechanism.coordinates.begin(), mechanism.coordinates.end(),
                    [](const Coordinate& c) { return c.role == CoordinateRole::kGuided; }));
  return 2 * (mechanism.coordinates.size() - guided) + mechanism.signal_states.size();
}

std::string solver_text(const Options& o, const Experiment& e) {
  if (o.solver == Solver::kEuler) return fmt::format("euler with h = {:g} s", o.step);
  if (o.solver == Solver::kCvode) {
    const char* method = o.cvode_method == CvodeMethod::kBdf ? "bdf" : "adams";
    return fmt::format("cvode ({}) with tolerance {:g}", method, e.tolerance);
  }
  return fmt::format("taylor with tolerance {:g}", e.tolerance);
}

/// Variables of the model, and of its energy where the solver keeps account of it.
std::vector<OutputColumn> result_columns(const Options& o, const System& system) {
  std::vector<OutputColumn> columns = system.outputs;
  if (o.solver == Solver::kEuler || system.energy == nullptr) return columns;
  const std::vector<OutputColumn> energy = EnergyAudit::columns(system);
  columns.insert(columns.end(), energy.begin(), energy.end());
  return columns;
}

RunReport integrate(const Options& o, const Experiment& e, const System& system, RowSink& sink) {
  if (o.solver == Solver::kEuler) {
    return simulate_euler(system, system.parameters, {e.start, e.stop, e.interval, o.step, o.zero},
                          sink);
  }
  if (o.solver == Solver::kCvode) {
    return simulate_cvode(
        system, system.parameters,
        {e.start, e.stop, e.interval, e.tolerance, o.event_rows, o.cvode_method, true}, sink);
  }
  return simulate_taylor(system, system.parameters,
                         {e.start, e.stop, e.interval, e.tolerance, o.event_rows, true}, sink);
}

/// The name of a state when it is that of a signal, else empty. Of variables that are one it is the
/// output of a block: the others, inputs and forces, are what it acts on.
std::string name_of_signal(const FlatModel& flat, const ReducedMechanism& reduced,
                           const ExplicitSystem& system, const ExprPool& pool, std::size_t state) {
  const std::size_t end = system.states.size() - system.slip_states;
  const std::size_t first = end - reduced.mechanism.signal_states.size();
  if (state < first || state >= end) return "";
  const auto is_state = [&](Expr e) {
    return pool.is_symbol(e) && pool[e].symbol.kind == SymbolKind::kState &&
           pool[e].symbol.index == state;
  };
  for (const ExplicitOutput& output : system.outputs) {
    if (!is_state(output.value)) continue;
    const auto variable =
        std::find_if(flat.variables.begin(), flat.variables.end(),
                     [&](const FlatVariable& v) { return v.name == output.name; });
    if (variable != flat.variables.end() && variable->output) return output.name;
  }
  return system.states[state].name;
}

void simulate(Session& s, const FlatModel& flat, const Mechanism& primary,
              const ReducedMechanism& reduced, const ExplicitSystem& explicit_system) {
  const std::optional<Experiment> settings = experiment(s, flat);
  if (!settings) return;
  const std::string file = result_file(s.options, flat);
  if (std::string reason = why_not_writable(file); !reason.empty()) {
    return report_unwritable(s, file, reason);
  }
  ExplicitSystem asked = explicit_system;
  asked.outputs = select_outputs(explicit_system.outputs, s.options.variables);
  const JitProgram program = s.timings.measure("JIT", [&] { return compile(s.pool, flat, asked); });
  const System& system = program.system();
  if (!system.stops.empty() && s.options.solver == Solver::kEuler) {
    s.diagnostics.error(
        Code::kUsage, {},
        "the solver euler has no impacts: hard stops need --solver taylor or cvode");
    return;
  }
  const auto series = std::find_if(system.settle_islands.begin(), system.settle_islands.end(),
                                   [](const SettleIsland& island) { return island.bound; });
  if (series != system.settle_islands.end() && s.options.solver == Solver::kEuler) {
    s.diagnostics.error(Code::kUsage, {},
                        "the solver euler has no frictions in series on bodies without inertia and "
                        "damping, as '" +
                            system.frictions[series->first_friction].name +
                            "' is: they need --solver taylor or cvode");
    return;
  }
  const std::vector<OutputColumn> columns = result_columns(s.options, system);
  Trajectory trajectory(columns, selected_columns(s, columns));
  RunSummary summary;
  summary.report = s.timings.measure(
      "simulate", [&] { return integrate(s.options, *settings, system, trajectory); });
  const std::uint64_t steps = std::max<std::uint64_t>(summary.report.steps, 1);
  s.work = fmt::format("solver    {} steps, {} events, {:.0f} ns per step\n", summary.report.steps,
                       summary.report.events,
                       s.timings.stages().back().second * 1e9 / static_cast<double>(steps));
  const std::string reason = s.timings.measure("write", [&] {
    return write_file(file, [&](const BlockSink& sink) { write_csv(trajectory, sink); });
  });
  if (!reason.empty()) return report_unwritable(s, file, reason);
  // A report that names an output counts those that were asked for.
  report_run_stop(s.diagnostics, s.pool, flat, summary.report, settings->start,
                  summary.report.output ? asked : explicit_system,
                  s.options.solver == Solver::kEuler);
  report_energy(s.diagnostics, summary.report, settings->tolerance);

  if (s.options.quiet || !may_talk(s)) return;
  summary.model = flat.name;
  ReductionLog log = reduced.log;
  log.insert(log.end(), explicit_system.log.begin(), explicit_system.log.end());
  summary.reductions = &log;
  summary.primary_states = primary_states(primary);
  summary.reduced_states = system.state_count - system.slip_state_count;
  summary.system = &system;
  summary.indeterminate = explicit_system.indeterminate;
  summary.start = settings->start;
  if (const auto stiff = summary.report.stiff_state) {
    summary.stiff_signal = name_of_signal(flat, reduced, explicit_system, s.pool, *stiff);
    const std::string& state = explicit_system.states[*stiff].name;
    const auto& coordinates = reduced.mechanism.coordinates;
    summary.stiff_without_inertia = std::any_of(
        coordinates.begin(), coordinates.end(),
        [&](const Coordinate& c) { return c.role == CoordinateRole::kCreep && c.name == state; });
  }
  summary.solver = solver_text(s.options, *settings);
  summary.rows = trajectory.rows();
  summary.columns = trajectory.columns().size() - 1;
  summary.file = file == "-" ? "" : file;
  print_error(text_of(summary));
  if (!s.options.timings) print_error(text_of(s.timings, false));
}

/// The stages in order; stops at the first that reports errors or that the options ask for.
void run_stages(Session& s) {
  const Options& o = s.options;
  const auto asked_for = [&o](Dump dump) { return o.action == Action::kEmit && o.dump == dump; };

  ClassLibrary library(s.sources, library_roots(o.model, o.libraries), o.most_components);
  const Ast* ast =
      s.timings.measure("parse", [&] { return library.load_file(o.model, s.diagnostics); });
  if (ast == nullptr || s.diagnostics.has_errors()) return;
  if (asked_for(Dump::kAst)) return print_dump(s, print(*ast));

  std::optional<FlatModel> flat = s.timings.measure("flatten", [&] {
    return flatten(*ast, o.class_name, o.settings, library, s.sources, s.pool, s.diagnostics);
  });
  if (!flat || s.diagnostics.has_errors()) return;
  if (o.start) flat->experiment.start = *o.start;  // blocked bodies move on from there
  if (o.stop) flat->experiment.stop = *o.stop;     // jumps of prescribed motions matter until then
  if (asked_for(Dump::kFlat)) return print_dump(s, print(*flat, s.pool));
  if (asked_for(Dump::kDot)) return print_dump(s, connection_graph(*flat));

  const std::optional<Mechanism> mechanism =
      s.timings.measure("assemble", [&] { return assemble(s.pool, *flat, s.diagnostics); });
  if (!mechanism || s.diagnostics.has_errors()) return;
  if (asked_for(Dump::kMechanism)) return print_dump(s, print(*mechanism, *flat, s.pool));

  const std::optional<ReducedMechanism> reduced =
      s.timings.measure("reduce", [&] { return reduce(s.pool, *flat, *mechanism, s.diagnostics); });
  if (!reduced || s.diagnostics.has_errors()) return;
  if (asked_for(Dump::kReduced)) return print_dump(s, print(*reduced, *flat, s.pool));

  const std::optional<ExplicitSystem> explicit_system =
      s.timings.measure("lower", [&] { return lower(s.pool, *flat, *reduced, s.diagnostics); });
  if (!explicit_system || s.diagnostics.has_errors()) return;
  if (asked_for(Dump::kLlvm)) {
    return print_dump(
        s, s.timings.measure("emit", [&] { return llvm_text(s.pool, *flat, *explicit_system); }));
  }
  if (asked_for(Dump::kAssembly)) {
    return print_dump(s, s.timings.measure("emit", [&] {
      return assembly_text(s.pool, *flat, *explicit_system);
    }));
  }
  if (o.action == Action::kSimulate) simulate(s, *flat, *mechanism, *reduced, *explicit_system);
}

}  // namespace

ExitCode run(const Options& options) {
  Session session{options, {}, {}, {}, {}, {}};
  bool too_many = false;
  const auto finish = [&] {
    session.diagnostics.sort_by_source();
    print_diagnostics(session.diagnostics, session.sources, options.diagnostics, options.color);
    if (!may_talk(session)) return;
    if (too_many) print_error("too many errors: the rest is not shown\n");
    if (const std::size_t hidden = session.diagnostics.hidden_warnings(); hidden > 0) {
      print_error(fmt::format("too many warnings: {} are not shown\n", hidden));
    }
  };
  try {
    run_stages(session);
  } catch (const TooManyErrors&) {
    too_many = true;
  } catch (const std::exception&) {
    if (options.diagnostics == DiagnosticsFormat::kText) finish();
    throw;
  }
  finish();
  if (options.timings && may_talk(session)) {
    print_error(text_of(session.timings, true) + session.work);
  }
  return exit_code(session.diagnostics);
}

void report_usage(const UsageError& error) {
  Diagnostics diagnostics;
  diagnostics.error(Code::kUsage, {}, error.message).with_note("ltc --help lists the options");
  print_diagnostics(diagnostics, SourceMap(), error.diagnostics, ColorMode::kAuto);
}

}  // namespace luztar
