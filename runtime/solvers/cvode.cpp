#include "runtime/solvers/cvode.h"

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "runtime/numbers.h"
#include "runtime/pwl/cubic.h"
#include "runtime/solvers/event_run.h"

namespace luztar {
namespace {

/// Of the expansions: enough to see where a force at its bound goes.
constexpr std::int64_t kOrder = 12;
/// Steps in a run, at least: events show by the ends of steps.
constexpr double kLeastSteps = 1000;
/// Scale of a state that has been smaller so far [SI]: what rounding leaves of a held mass is
/// noise.
constexpr double kLeastStateScale = 1e-6;
/// With more states than this the Jacobian is not built.
constexpr std::size_t kMostDense = 50;
/// Accuracy to which CVODE locates roots, relative to the time, and a margin for it.
constexpr double kResolution = 1000 * kEpsilon;

template <auto release>
struct Release {
  template <class T>
  void operator()(T* handle) const {
    release(handle);
  }
};
template <class Handle, auto release>
using Owner = std::unique_ptr<std::remove_pointer_t<Handle>, Release<release>>;

void free_context(SUNContext context) { SUNContext_Free(&context); }
void free_memory(void* memory) { CVodeFree(&memory); }
void free_linear(SUNLinearSolver solver) { SUNLinSolFree(solver); }
void free_nonlinear(SUNNonlinearSolver solver) { SUNNonlinSolFree(solver); }

/// What SUNDIALS hands out is null only when there is no memory.
template <class Handle>
Handle checked(Handle handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

void check(int flag) {
  if (flag != CV_SUCCESS) throw std::bad_alloc();
}

SUNContext new_context() {
  SUNContext context = nullptr;
  if (SUNContext_Create(nullptr, &context) != 0) throw std::bad_alloc();
  return context;
}

/// Messages of CVODE: its return values say the same.
void ignore_message(int, const char*, const char*, char*, void*) {}

int rates_callback(double t, N_Vector y, N_Vector rate, void* run);
int weights_callback(N_Vector y, N_Vector weight, void* run);
int margins_callback(double t, N_Vector y, double* margin, void* run);

struct CvodeRun : EventRun {
  const CvodeOptions& options;
  double now;                      // [s]
  double longest_step;             // of CVODE [s]
  bool fresh_mode = true;          // CVODE has not begun in this mode
  std::size_t size;                // of CVODE's vectors: it needs one number at least
  std::vector<std::uint8_t> idle;  // frictions: none
  // Of the last rate, and of what is watched: orders up to 1 and 2, and the rates' rates.
  std::vector<double> J, watched;
  std::vector<ValueAndRate> at_begin, at_end;  // of a step: margins, then pulls
  // By switch that watches the base of a power: its greatest value so far; how far it may fall
  // below the edge.
  std::vector<double> base_peaks, slack;
  std::vector<int> roots;  // by margin, then by pull
  Owner<SUNContext, free_context> context;
  Owner<N_Vector, N_VDestroy> y;
  Owner<SUNMatrix, SUNMatDestroy> matrix;
  Owner<SUNLinearSolver, free_linear> linear;
  Owner<SUNNonlinearSolver, free_nonlinear> nonlinear;
  Owner<void*, free_memory> memory;  // of CVODE: goes first

  CvodeRun(const System& s, std::span<const double> parameters, const CvodeOptions& o,
           RowSink& sink)
      : EventRun(s, parameters, OutputGrid(o.start, o.stop, o.interval),
                 {kOrder, o.event_rows, kResolution, o.energy}, sink),
        options(o),
        now(o.start),
        longest_step((o.stop - o.start) / kLeastSteps),
        size(std::max<std::size_t>(s.state_count, 1)),
        idle(s.frictions.size()),
        J(2 * s.row_count),
        watched(4 * s.row_count),
        base_peaks(s.switches.size(), kLeastStateScale),
        slack(s.switches.size()),
        context(new_context()),
        y(checked(N_VNew_Serial(static_cast<sunindextype>(size), context.get()))),
        memory(checked(
            CVodeCreate(o.method == CvodeMethod::kBdf ? CV_BDF : CV_ADAMS, context.get()))) {
    N_VConst(0, y.get());
    void* m = memory.get();
    check(CVodeSetErrHandlerFn(m, ignore_message, nullptr));
    check(CVodeInit(m, rates_callback, o.start, y.get()));
    check(CVodeSetUserData(m, this));
    check(CVodeWFtolerances(m, weights_callback));
    check(CVodeSetMaxStep(m, longest_step));
    choose_solvers();
  }

  void choose_solvers() {
    SUNContext c = context.get();
    if (options.method == CvodeMethod::kAdams) {
      nonlinear.reset(checked(SUNNonlinSol_FixedPoint(y.get(), 0, c)));
      return check(CVodeSetNonlinearSolver(memory.get(), nonlinear.get()));
    }
    if (size <= kMostDense) {
      const auto n = static_cast<sunindextype>(size);
      matrix.reset(checked(SUNDenseMatrix(n, n, c)));
      linear.reset(checked(SUNLinSol_Dense(y.get(), matrix.get(), c)));
    } else {
      linear.reset(checked(SUNLinSol_SPGMR(y.get(), SUN_PREC_NONE, 0, c)));
    }
    check(CVodeSetLinearSolver(memory.get(), linear.get(), matrix.get()));
  }

  /// Rows of order 0 and rates of the states at (t, y).
  void evaluate(double t, N_Vector states, std::vector<double>& rows) const {
    const double* values = N_VGetArrayPointer(states);
    std::copy(values, values + x.size(), rows.begin());
    system.jets(t, modes.constants(), 0, 0, rows.data(), idle.data());
  }
  [[nodiscard]] bool is_of_base(const Margin& margin) const {
    return margin.kind == MarginKind::kSwitch &&
           system.switches[margin.index].edge_slot != kNoIndex;
  }
  [[nodiscard]] double value(const Margin& margin, const std::vector<double>& rows) const {
    const double value = margin.sign * rows[margin.row] + margin.offset;
    return is_of_base(margin) ? value + slack[margin.index] : value;
  }
  /// Rows of what is watched, with the orders that pulls need; and `further` ones.
  void watch(double t, N_Vector states, std::int64_t further = 0) {
    evaluate(t, states, watched);
    std::int64_t last = further;
    for (const Pull& pull : events.pulls())
      last = std::max<std::int64_t>(last, pull.order + further);
    if (last > 0) system.jets(t, modes.constants(), 1, last, watched.data(), idle.data());
  }
  [[nodiscard]] const double* watched_order(std::int64_t k) const {
    return watched.data() + static_cast<std::size_t>(k) * system.row_count;
  }
  [[nodiscard]] double coefficient(const Pull& pull, std::int64_t k) const {
    return pull.coefficient(k, [this](std::int64_t order) { return watched_order(order); });
  }
  /// How far a pull is above what errors of steps may leave of zero.
  [[nodiscard]] double value(const Pull& pull) const {
    return coefficient(pull, 0) + std::max(pull.slack, options.tolerance * pull.size);
  }
  /// What is watched at (t, states): margins, then pulls.
  void follow(double t, N_Vector states, std::vector<ValueAndRate>& out) {
    watch(t, states, 1);
    const double* rates = watched_order(1);
    out.clear();
    for (const Margin& m : events.margins()) {
      out.push_back({value(m, watched), m.sign * rates[m.row]});
    }
    for (const Pull& pull : events.pulls()) out.push_back({value(pull), coefficient(pull, 1)});
  }
  /// The base of a power may fall below its edge by the errors of steps: where it comes near
  /// slowly, these would take it across again and again.
  void follow_bases() {
    for (const Margin& margin : events.margins()) {
      if (!is_of_base(margin)) continue;
      double& peak = base_peaks[margin.index];
      peak = std::max(peak, std::fabs(watched[margin.row]));
      slack[margin.index] = std::max(slack[margin.index], options.tolerance * peak);
    }
  }
  /// In a new mode, of which the base may begin below the edge.
  void begin_bases() {
    evaluate(now, y.get(), watched);
    for (const Margin& margin : events.margins()) {
      if (!is_of_base(margin)) continue;
      const double below = -(margin.sign * watched[margin.row] + margin.offset);
      slack[margin.index] = options.tolerance * base_peaks[margin.index] + std::max(below, 0.0);
    }
  }
  void copy_states(std::span<double> to) const {
    const double* values = N_VGetArrayPointer(y.get());
    std::copy(values, values + to.size(), to.begin());
  }
};

int rates_callback(double t, N_Vector y, N_Vector rate, void* data) {
  CvodeRun& run = *static_cast<CvodeRun*>(data);
  run.evaluate(t, y, run.J);
  double* result = N_VGetArrayPointer(rate);
  const double* rates = run.J.data() + run.system.row_count;
  std::fill(result, result + run.size, 0.0);
  std::copy(rates, rates + run.x.size(), result);
  const bool finite =
      std::all_of(result, result + run.size, [](double value) { return std::isfinite(value); });
  return finite ? 0 : 1;  // 1: a shorter step may do
}

int weights_callback(N_Vector y, N_Vector weight, void* data) {
  const CvodeRun& run = *static_cast<const CvodeRun*>(data);
  const double* values = N_VGetArrayPointer(y);
  double* result = N_VGetArrayPointer(weight);
  for (std::size_t i = 0; i < run.size; ++i) {
    double scale = std::fabs(values[i]);
    if (i < run.x.size()) scale = std::max(scale, run.expansion.peak(i));
    result[i] = 1 / (run.options.tolerance * std::max(scale, kLeastStateScale));
    if (!std::isfinite(result[i])) return -1;
  }
  return 0;
}

int margins_callback(double t, N_Vector y, double* margin, void* data) {
  CvodeRun& run = *static_cast<CvodeRun*>(data);
  run.watch(t, y);
  for (const Margin& m : run.events.margins()) *margin++ = run.value(m, run.watched);
  for (const Pull& pull : run.events.pulls()) *margin++ = run.value(pull);
  return 0;
}

bool give_up(CvodeRun& run) {
  run.expand(run.now);
  run.report_growth();
  return false;
}

/// Ends a step at `t`, with its event if it has one. False when the run has to stop.
bool end_step(CvodeRun& run, double t) {
  run.now = t;
  ++run.recorder.report.steps;
  run.note_peaks();
  if (run.has_event()) {
    run.fresh_mode = true;
    if (!run.pass_event(t)) return false;
  } else if (run.lacked_series() || run.events.is_provisional() ||
             run.events.tends_away(t, run.x) || run.events.lets_go(t, run.x)) {
    run.fresh_mode = true;
    if (!run.decide_again(t)) return false;
  }
  return run.assertions_hold(t);
}

/// Rows of the grid up to `end`.
template <class States>
void put_grid_rows(CvodeRun& run, double end, States states) {
  run.put_grid_rows(
      end, [end](double t) { return end - t; }, states);
}

/// Starts CVODE anew, with the margins of the present mode. False when it refuses.
bool begin_mode(CvodeRun& run) {
  void* memory = run.memory.get();
  const std::size_t count = run.events.margins().size() + run.events.pulls().size();
  std::copy(run.x.begin(), run.x.end(), N_VGetArrayPointer(run.y.get()));
  if (CVodeReInit(memory, run.now, run.y.get()) != CV_SUCCESS ||
      CVodeSetStopTime(memory, run.options.stop) != CV_SUCCESS) {
    return false;
  }
  run.begin_bases();
  check(CVodeRootInit(memory, static_cast<int>(count), count > 0 ? margins_callback : nullptr));
  run.follow(run.now, run.y.get(), run.at_begin);
  run.fresh_mode = false;
  if (count == 0) return true;
  run.roots.assign(count, -1);  // downward
  check(CVodeSetRootDirection(memory, run.roots.data()));
  check(CVodeSetNoInactiveRootWarn(memory));
  return true;
}

double step_error(const CvodeRun& run, const Margin& margin) {
  return run.options.tolerance * run.expansion.peak(margin.row);
}

/// Margins `fired` that stay within the error of CVODE's steps until they are back at zero at
/// `event` [s] after now: it would not see them, as those of a contact whose bounces die out.
bool is_unseen(CvodeRun& run, double event) {
  run.expansion.evaluate_states(event / 2, run.x);
  std::copy(run.x.begin(), run.x.end(), N_VGetArrayPointer(run.y.get()));
  run.evaluate(run.now + event / 2, run.y.get(), run.watched);
  return std::any_of(run.fired.begin(), run.fired.end(), [&](const FiredMargin& f) {
    const Margin& margin = run.events.margins()[f.margin];
    return run.value(margin, run.watched) <= step_error(run, margin);
  });
}

/// The first step in a mode, along the Taylor polynomials and exact to rounding: takes the margins
/// off zero. It stays before the next event, except when CVODE could not find that.
bool first_step(CvodeRun& run) {
  run.expand(run.now);
  const std::vector<Margin>& margins = run.events.margins();
  const double rest = run.options.stop - run.now;
  const double span = std::max(std::fabs(run.now), rest);
  const double least = kResolution * span;  // too short for CVODE
  run.clear_event();
  double h = run.expansion.step_to_root(run.expansion.step_size(kEpsilon, rest, margins));
  const bool has_series = h > 4 * kEpsilon * span || h == rest;
  if (!has_series) {
    h = run.along_rates.next(run.expansion, 2 * least, rest);
    if (std::isnan(h)) return give_up(run);
  } else {
    run.along_rates.end();
    const double event = run.expansion.step_to_event(h, margins, run.fired);
    if (run.fired.empty() || event <= least || is_unseen(run, event)) {
      h = event;
    } else {
      h = event / 2;
      run.fired.clear();
    }
    const double pull = run.expansion.step_to_pull(h, run.events.pulls(), run.options.tolerance);
    if (pull < h) {
      h = pull > least ? pull / 2 : pull;
      run.fired.clear();
      run.lets_go = pull <= least;
    }
    if (const double checked = run.expansion.checked_step(h, rest, margins); checked < h) {
      h = checked;
      run.clear_event();
    }
  }
  if (!run.has_event() && rest - h <= least) h = rest;
  const double end = h == rest ? run.options.stop : run.now + h;
  put_grid_rows(run, end, [&run](double t, std::vector<double>& x) {
    run.expansion.evaluate_states(t - run.now, x);
  });
  if (h > 0) run.expansion.evaluate_states(h, run.x);
  run.events.forget_zeros();
  run.fresh_mode = false;
  if (!end_step(run, end)) return false;
  if (run.fresh_mode || run.now >= run.options.stop) return true;
  return begin_mode(run) || give_up(run);
}

/// Margins at zero by CVODE's root, or below it at the end of a step: one that was zero all along
/// has no root when it leaves.
void list_fired(CvodeRun& run, bool at_root) {
  const std::vector<Margin>& margins = run.events.margins();
  const std::vector<Pull>& pulls = run.events.pulls();
  run.clear_event();
  if (at_root) check(CVodeGetRootInfo(run.memory.get(), run.roots.data()));
  for (std::uint32_t m = 0; m < margins.size(); ++m) {
    if (at_root) {
      if (run.roots[m] != 0) run.fired.push_back({m, true});
      continue;
    }
    if (run.value(margins[m], run.watched) < -step_error(run, margins[m])) {
      run.fired.push_back({m, false});
    }
  }
  for (std::size_t p = 0; p < pulls.size(); ++p) {
    const bool gone = at_root ? run.roots[margins.size() + p] != 0 : run.value(pulls[p]) < 0;
    run.lets_go = run.lets_go || gone;
  }
}

/// What is watched, by number: margins, then pulls, at a time in the last step.
double watched_at(CvodeRun& run, std::size_t number, double t) {
  check(CVodeGetDky(run.memory.get(), t, 0, run.y.get()));
  run.watch(t, run.y.get());
  const std::vector<Margin>& margins = run.events.margins();
  if (number < margins.size()) return run.value(margins[number], run.watched);
  return run.value(run.events.pulls()[number - margins.size()]);
}

/// A margin may fall below zero and rise again within a step, of which CVODE sees the ends alone:
/// the step ends where the first one falls, then.
void end_at_excursion(CvodeRun& run, double& end) {
  run.follow(end, run.y.get(), run.at_end);
  const std::size_t margins = run.events.margins().size();
  const double begin = run.now, h = end - begin;
  std::optional<std::size_t> first;
  for (std::size_t m = 0; m < run.at_end.size(); ++m) {
    const auto least = minimum_inside(run.at_begin[m], run.at_end[m], h);
    if (!least || least->value > 0 || run.at_begin[m].value <= 0) continue;
    const double error = m < margins ? step_error(run, run.events.margins()[m]) : 0;
    double above = begin, below = begin + least->at;
    if (below >= end || watched_at(run, m, below) >= -error) continue;
    while (below - above > kResolution * std::fabs(below)) {
      const double middle = above + (below - above) / 2;
      (watched_at(run, m, middle) > 0 ? above : below) = middle;
    }
    end = below;
    first = m;
  }
  std::swap(run.at_begin, run.at_end);
  if (!first) return;
  check(CVodeGetDky(run.memory.get(), end, 0, run.y.get()));
  if (*first < margins) {
    run.fired.push_back({static_cast<std::uint32_t>(*first), true});
  } else {
    run.lets_go = true;
  }
}

/// A step between whose ends an exponential rises and falls says nothing about it.
void limit_step(CvodeRun& run) {
  constexpr double kMost = 2;  // the formulas are of the orders 1 to 5
  if (run.system.exponents.empty()) return;
  run.expand(run.now);
  const double rest = run.options.stop - run.now;
  const double h = run.expansion.step_of_exponents(kMost, rest);
  check(CVodeSetMaxStep(run.memory.get(), std::min(h, run.longest_step)));
}

/// One step of CVODE, to the next event at most. False when the run has to stop.
bool step(CvodeRun& run) {
  void* memory = run.memory.get();
  double end = run.now, h = 0;
  limit_step(run);
  const int flag = CVode(memory, run.options.stop, run.y.get(), &end, CV_ONE_STEP);
  if (flag < 0) return give_up(run);
  check(CVodeGetLastStep(memory, &h));
  // Next to the start of time it may begin with a step that is small against what is left.
  constexpr double kOfRest = 1e-3;
  const double rest = run.options.stop - end;
  const double least = 4 * kEpsilon * std::max(std::fabs(end), kOfRest * rest);
  if (rest > 0 && !(h > least)) return give_up(run);
  list_fired(run, flag == CV_ROOT_RETURN);
  run.follow_bases();
  if (!run.has_event()) end_at_excursion(run, end);
  run.copy_states(run.x);
  put_grid_rows(run, end, [&run, memory, end](double t, std::vector<double>& x) {
    check(CVodeGetDky(memory, std::min(t, end), 0, run.y.get()));
    run.copy_states(x);
  });
  return end_step(run, end);
}

}  // namespace

RunReport simulate_cvode(const System& system, std::span<const double> parameters,
                         const CvodeOptions& options, RowSink& sink) {
  CvodeRun run(system, parameters, options, sink);
  bool good = run.begin(options.start);
  while (good && run.now < options.stop) good = run.fresh_mode ? first_step(run) : step(run);
  return run.finish(run.now);
}

}  // namespace luztar
