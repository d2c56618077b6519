// Hand-written CVODE simulation of peer_model.ltm: what the generated simulators are compared with.
//
//   cvode_peer [--rtol R] [--method adams|bdf] [--iteration fixed|newton] [--turn yes|no]
//              [--repeat N]
//
// One right-hand side per mode, root finding on what ends the mode, restart at every event.
// Default: Adams with fixed-point iteration, the fastest at every rtol from 1e-6 to 1e-10, since
// the model is not stiff (fastest oscillation 172 rad/s). At the same rtol Newton with the analytic
// dense Jacobian takes 1.05 to 1.15 times as long, BDF 1.2 to 1.8 times with an error 4 to 25 times
// as large. A given first step after events, a lower maximum order or another convergence test save
// no time; absolute tolerances equal to rtol save 15 % and double the error.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr double kInertiaPsi = 0.03;               // kg.m2
constexpr double kInertiaPhi = 1.2;                // kg.m2
constexpr double kRatio = 16;                      // psi per phi
constexpr double kMeshStiffness = 120;             // N.m/rad, seen from psi
constexpr double kHalfFreeplay = 0.02;             // rad, seen from psi
constexpr double kDampingPsi = 0.5;                // N.m.s/rad
constexpr double kDampingPhi = 2.0;                // N.m.s/rad
constexpr double kDryPsi = 0.15;                   // N.m
constexpr double kDryPhi = 4.05;                   // N.m
constexpr double kGroundStiffness = 60;            // N.m/rad
constexpr double kAmplitude = 2;                   // N.m
constexpr double kFrequency = 0.7;                 // Hz
constexpr double kInterval = 0.01;                 // s
constexpr int kIntervals = 2000;                   // 20 s
constexpr double kExactPsi = -0.6408811381196042;  // rad, at 20 s, from quadruple precision
constexpr double kExactPhi = -0.0386015131772117;  // rad, at 20 s, from quadruple precision
constexpr int kExactEvents = 744;

constexpr double kAbsolutePerRelative = 1e-2;  // absolute over relative tolerance, in rad and rad/s
constexpr double kRestSlip = 1e-13;            // rad/s; slower slip counts as rest
constexpr long kMaxSteps = 100000;             // between two outputs

enum State { kPsi, kPhi, kSpeedPsi, kSpeedPhi, kStates };  // rad, rad, rad/s, rad/s
enum Root { kFrictionPsi, kFrictionPhi, kUpperEdge, kLowerEdge, kTurn, kRoots };

using Sample = std::array<double, kStates>;

struct Mode {
  int slip_psi = 0;  // direction of the slip; 0: stick
  int slip_phi = 0;
  int zone = 0;  // -1, 1: teeth touch; 0: in the freeplay
  bool operator==(const Mode&) const = default;
};

struct Options {
  double rtol = 1e-8;
  int method = CV_ADAMS;
  bool newton = false;  // with the analytic dense Jacobian; else fixed-point iteration
  bool turn = true;     // also find the roots of kTurn
  int repeat = 21;
};

struct Result {
  std::vector<Sample> samples;  // every kInterval from 0 s on
  long steps = 0;
  long right_hand_sides = 0;
  int events = 0;  // changes of the mode
};

double mesh_torque(const double* y, const Mode& mode) {
  if (mode.zone == 0) return 0;
  return kMeshStiffness * (y[kPsi] - kRatio * y[kPhi] - mode.zone * kHalfFreeplay);
}

/// Torque that the dry friction of psi holds while psi sticks, N.m.
double demand_psi(double t, double mesh) {
  return kAmplitude * std::sin(2 * std::numbers::pi * kFrequency * t) - mesh;
}

/// Torque that the dry friction of phi holds while phi sticks, N.m.
double demand_phi(const double* y, double mesh) {
  return kRatio * mesh - kGroundStiffness * y[kPhi];
}

int right_hand_side(double t, N_Vector state, N_Vector derivative, void* data) {
  const Mode& mode = *static_cast<const Mode*>(data);
  const double* y = N_VGetArrayPointer(state);
  double* dy = N_VGetArrayPointer(derivative);
  const double mesh = mesh_torque(y, mode);
  dy[kPsi] = dy[kPhi] = dy[kSpeedPsi] = dy[kSpeedPhi] = 0;
  if (mode.slip_psi != 0) {
    const double w = y[kSpeedPsi];
    dy[kPsi] = w;
    dy[kSpeedPsi] = (demand_psi(t, mesh) - kDampingPsi * w - mode.slip_psi * kDryPsi) / kInertiaPsi;
  }
  if (mode.slip_phi != 0) {
    const double w = y[kSpeedPhi];
    dy[kPhi] = w;
    dy[kSpeedPhi] = (demand_phi(y, mesh) - kDampingPhi * w - mode.slip_phi * kDryPhi) / kInertiaPhi;
  }
  return 0;
}

int jacobian(double /*t*/, N_Vector /*state*/, N_Vector /*derivative*/, SUNMatrix matrix,
             void* data, N_Vector /*work1*/, N_Vector /*work2*/, N_Vector /*work3*/) {
  const Mode& mode = *static_cast<const Mode*>(data);
  double* d_psi = SUNDenseMatrix_Column(matrix, kPsi);  // zero on entry
  double* d_phi = SUNDenseMatrix_Column(matrix, kPhi);
  const double k = mode.zone != 0 ? kMeshStiffness : 0;
  if (mode.slip_psi != 0) {
    double* d_w = SUNDenseMatrix_Column(matrix, kSpeedPsi);
    d_w[kPsi] = 1;
    d_w[kSpeedPsi] = -kDampingPsi / kInertiaPsi;
    d_psi[kSpeedPsi] = -k / kInertiaPsi;
    d_phi[kSpeedPsi] = kRatio * k / kInertiaPsi;
  }
  if (mode.slip_phi != 0) {
    double* d_w = SUNDenseMatrix_Column(matrix, kSpeedPhi);
    d_w[kPhi] = 1;
    d_w[kSpeedPhi] = -kDampingPhi / kInertiaPhi;
    d_psi[kSpeedPhi] = kRatio * k / kInertiaPhi;
    d_phi[kSpeedPhi] = -(kRatio * kRatio * k + kGroundStiffness) / kInertiaPhi;
  }
  return 0;
}

/// Positive while the friction stays in its mode, falling to zero where the mode ends. Exactly zero
/// at rest: at breakaway slip and slip rate are both zero, and CVODE leaves a root function out
/// until it differs from zero.
double friction_margin(int slip, double w, double demand, double dry) {
  if (slip == 0) return dry - std::abs(demand);
  return std::abs(w) <= kRestSlip ? 0 : slip * w;
}

int roots(double t, N_Vector state, double* g, void* data) {
  const Mode& mode = *static_cast<const Mode*>(data);
  const double* y = N_VGetArrayPointer(state);
  const double mesh = mesh_torque(y, mode);
  const double deflection = y[kPsi] - kRatio * y[kPhi];
  g[kFrictionPsi] = friction_margin(mode.slip_psi, y[kSpeedPsi], demand_psi(t, mesh), kDryPsi);
  g[kFrictionPhi] = friction_margin(mode.slip_phi, y[kSpeedPhi], demand_phi(y, mesh), kDryPhi);
  g[kUpperEdge] = deflection - kHalfFreeplay;
  g[kLowerEdge] = deflection + kHalfFreeplay;
  return 0;
}

/// Adds the turning points of the deflection: two crossings of an edge within one step leave
/// equal signs at its ends and show only by the turn between them (2 or 4 of the 744 events; costs
/// 3 to 7 % of the time, gains no accuracy).
int roots_and_turn(double t, N_Vector state, double* g, void* data) {
  const Mode& mode = *static_cast<const Mode*>(data);
  const double* y = N_VGetArrayPointer(state);
  const bool moves = mode.slip_psi != 0 || mode.slip_phi != 0;
  g[kTurn] = moves ? y[kSpeedPsi] - kRatio * y[kSpeedPhi] : 1;
  return roots(t, state, g, data);
}

/// Mode after the margin of a friction has reached zero; brings a slip to rest.
int next_slip(int slip, double& w, double demand, double dry) {
  const int direction = demand > 0 ? 1 : -1;
  if (slip == 0) return direction;
  w = 0;
  return std::abs(demand) < dry ? 0 : direction;
}

/// `found`: per root 1 or -1, the direction in which the root function crossed zero; 0: it did not.
Mode next_mode(double t, double* y, Mode mode, const std::array<int, kRoots>& found) {
  if (found[kUpperEdge] != 0) mode.zone = found[kUpperEdge] > 0 ? 1 : 0;
  if (found[kLowerEdge] != 0) mode.zone = found[kLowerEdge] < 0 ? -1 : 0;
  const double mesh = mesh_torque(y, mode);
  if (found[kFrictionPsi] != 0) {
    mode.slip_psi = next_slip(mode.slip_psi, y[kSpeedPsi], demand_psi(t, mesh), kDryPsi);
  }
  if (found[kFrictionPhi] != 0) {
    mode.slip_phi = next_slip(mode.slip_phi, y[kSpeedPhi], demand_phi(y, mesh), kDryPhi);
  }
  return mode;
}

void check(int flag, const char* what) {
  if (flag < 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(flag));
}

/// A body whose slip is opposite to its mode means a missed event.
void check_slip(int slip, double w, double tolerance) {
  if (slip * w < -tolerance) throw std::runtime_error("slip against its mode");
}

template <auto kFree>
struct Free {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename Handle, auto kFree>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Free<kFree>>;

void free_context(SUNContext context) { SUNContext_Free(&context); }
void free_cvode(void* memory) { CVodeFree(&memory); }

/// CVODE set up for the model at rest at 0 s.
class Simulation {
 public:
  explicit Simulation(const Options& options);
  Result run();

 private:
  static SUNContext new_context();
  void set_iteration(bool newton);
  void cross_event(double t);
  void add_counts();

  Owned<SUNContext, free_context> context_;
  Owned<N_Vector, N_VDestroy> state_;
  Owned<SUNMatrix, SUNMatDestroy> matrix_;
  Owned<SUNLinearSolver, SUNLinSolFree> linear_;
  Owned<SUNNonlinearSolver, SUNNonlinSolFree> nonlinear_;
  Owned<void*, free_cvode> cvode_;
  double slip_tolerance_;  // rad/s
  Mode mode_;
  Result result_;
};

SUNContext Simulation::new_context() {
  SUNContext context = nullptr;
  check(SUNContext_Create(nullptr, &context), "SUNContext_Create");
  return context;
}

Simulation::Simulation(const Options& options)
    : context_(new_context()),
      state_(N_VNew_Serial(kStates, context_.get())),
      cvode_(CVodeCreate(options.method, context_.get())),
      slip_tolerance_(options.rtol) {
  void* cvode = cvode_.get();
  N_VConst(0, state_.get());
  check(CVodeInit(cvode, right_hand_side, 0, state_.get()), "CVodeInit");
  check(CVodeSStolerances(cvode, options.rtol, kAbsolutePerRelative * options.rtol),
        "CVodeSStolerances");
  check(CVodeSetUserData(cvode, &mode_), "CVodeSetUserData");
  check(CVodeSetMaxNumSteps(cvode, kMaxSteps), "CVodeSetMaxNumSteps");
  set_iteration(options.newton);
  std::array<int, kRoots> direction{-1, -1, 0, 0, 0};  // margins only fall to zero
  check(options.turn ? CVodeRootInit(cvode, kRoots, roots_and_turn)
                     : CVodeRootInit(cvode, kTurn, roots),
        "CVodeRootInit");
  check(CVodeSetRootDirection(cvode, direction.data()), "CVodeSetRootDirection");
  check(CVodeSetNoInactiveRootWarn(cvode), "CVodeSetNoInactiveRootWarn");
}

void Simulation::set_iteration(bool newton) {
  void* cvode = cvode_.get();
  if (newton) {
    matrix_.reset(SUNDenseMatrix(kStates, kStates, context_.get()));
    linear_.reset(SUNLinSol_Dense(state_.get(), matrix_.get(), context_.get()));
    check(CVodeSetLinearSolver(cvode, linear_.get(), matrix_.get()), "CVodeSetLinearSolver");
    check(CVodeSetJacFn(cvode, jacobian), "CVodeSetJacFn");
  } else {
    nonlinear_.reset(SUNNonlinSol_FixedPoint(state_.get(), 0, context_.get()));
    check(CVodeSetNonlinearSolver(cvode, nonlinear_.get()), "CVodeSetNonlinearSolver");
  }
}

void Simulation::cross_event(double t) {
  void* cvode = cvode_.get();
  std::array<int, kRoots> found{};
  check(CVodeGetRootInfo(cvode, found.data()), "CVodeGetRootInfo");
  if (std::none_of(found.begin(), found.begin() + kTurn, [](int f) { return f != 0; })) return;
  const Mode next = next_mode(t, N_VGetArrayPointer(state_.get()), mode_, found);
  if (next != mode_) ++result_.events;
  mode_ = next;
  add_counts();
  check(CVodeReInit(cvode, t, state_.get()), "CVodeReInit");
}

/// CVodeReInit sets CVODE's own counts to zero.
void Simulation::add_counts() {
  long steps = 0;
  long right_hand_sides = 0;
  check(CVodeGetNumSteps(cvode_.get(), &steps), "CVodeGetNumSteps");
  check(CVodeGetNumRhsEvals(cvode_.get(), &right_hand_sides), "CVodeGetNumRhsEvals");
  result_.steps += steps;
  result_.right_hand_sides += right_hand_sides;
}

Result Simulation::run() {
  void* cvode = cvode_.get();
  double* y = N_VGetArrayPointer(state_.get());
  result_.samples.reserve(kIntervals + 1);
  result_.samples.push_back({y[kPsi], y[kPhi], y[kSpeedPsi], y[kSpeedPhi]});
  double t = 0;
  for (int i = 1; i <= kIntervals; ++i) {
    for (;;) {
      const int flag = CVode(cvode, kInterval * i, state_.get(), &t, CV_NORMAL);
      check(flag, "CVode");
      check_slip(mode_.slip_psi, y[kSpeedPsi], slip_tolerance_);
      check_slip(mode_.slip_phi, y[kSpeedPhi], slip_tolerance_);
      if (flag != CV_ROOT_RETURN) break;
      cross_event(t);
    }
    result_.samples.push_back({y[kPsi], y[kPhi], y[kSpeedPsi], y[kSpeedPhi]});
  }
  add_counts();
  return std::move(result_);
}

double positive(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value) || value <= 0) {
    throw std::invalid_argument("not a positive number: '" + text + "'");
  }
  return value;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--rtol") {
      options.rtol = positive(value);
    } else if (name == "--repeat") {
      options.repeat = std::max(1, static_cast<int>(std::min(positive(value), 1e6)));
    } else if (name == "--method" && (value == "bdf" || value == "adams")) {
      options.method = value == "bdf" ? CV_BDF : CV_ADAMS;
    } else if (name == "--iteration" && (value == "newton" || value == "fixed")) {
      options.newton = value == "newton";
    } else if (name == "--turn" && (value == "yes" || value == "no")) {
      options.turn = value == "yes";
    } else {
      throw std::invalid_argument("unknown option: " + std::string(name) + " " + value);
    }
  }
  return options;
}

void print(const Options& options, const Result& result, double median, double least) {
  const Sample& end = result.samples.back();
  std::printf(
      "{\"method\": \"%s\", \"iteration\": \"%s\", \"turn\": %s, \"rtol\": %g, \"repeat\": %d,\n",
      options.method == CV_BDF ? "bdf" : "adams", options.newton ? "newton" : "fixed",
      options.turn ? "true" : "false", options.rtol, options.repeat);
  std::printf(
      " \"median_ms\": %.3f, \"least_ms\": %.3f, \"steps\": %ld, \"right_hand_sides\": %ld,\n",
      median, least, result.steps, result.right_hand_sides);
  std::printf(" \"events\": %d, \"exact_events\": %d,\n", result.events, kExactEvents);
  std::printf(" \"psi\": %.16g, \"phi\": %.16g, \"error_psi\": %.3g, \"error_phi\": %.3g}\n",
              end[kPsi], end[kPhi], std::abs(end[kPsi] - kExactPsi),
              std::abs(end[kPhi] - kExactPhi));
}

void run_benchmark(const Options& options) {
  std::vector<double> times;  // ms
  Result result;
  for (int i = 0; i < options.repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = Simulation(options).run();
    const auto end = std::chrono::steady_clock::now();
    times.push_back(std::chrono::duration<double, std::milli>(end - start).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  print(options, result, *middle, *std::min_element(times.begin(), times.end()));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run_benchmark(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cvode_peer: %s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
