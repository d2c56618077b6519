// What a solver sees of a model: sizes, names and plain functions. JIT-compiled or compiled ahead of time alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace luztar {

struct OutputColumn {
  std::string name;
  std::string unit;
  bool integral = false;  // friction modes and freeplay zones: -1, 0, 1
};

/// A reaction entry: taking out slip w of a friction adds -w*constants[constant] to state `state`.
struct ReactionEntry {
  std::uint32_t state = 0;
  std::uint32_t constant = 0;
};

/// An explicit piecewise-smooth system  dx/dt = f(t, x, c, mode).
/// All arrays are dense and of the sizes given here; SI units.
struct System {
  std::size_t state_count = 0;
  std::size_t parameter_count = 0;
  std::size_t constant_count = 0;
  std::size_t friction_count = 0;
  std::size_t assertion_count = 0;
  std::vector<std::string> state_names;
  std::vector<std::string> friction_names;
  std::vector<OutputColumn> outputs;
  std::vector<std::string> assertion_messages;
  std::vector<double> parameters;                      // values of the compiled model
  std::vector<std::vector<ReactionEntry>> reactions;   // by friction

  /// Derived constants c from parameters p, and the initial state x0.
  void (*prepare)(const double* p, double* c, double* x0) = nullptr;
  /// dx = f(t, x, c, mode); mode[i] is -1, 0 or 1.
  void (*derivatives)(double t, const double* x, const double* c, const std::int32_t* mode, double* dx) = nullptr;
  /// Slip velocities of all frictions.
  void (*slips)(double t, const double* x, const double* c, double* slip) = nullptr;
  /// For each friction the force that would keep it stuck and its static bound, in the given mode.
  void (*demands)(double t, const double* x, const double* c, const std::int32_t* mode, double* demand,
                  double* static_bound) = nullptr;
  /// Values of all output columns.
  void (*evaluate_outputs)(double t, const double* x, const double* c, const std::int32_t* mode, double* y) = nullptr;
  /// 1 where an assertion holds, 0 where it fails.
  void (*assertions)(double t, const double* x, const double* c, const std::int32_t* mode, double* holds) = nullptr;
};

}  // namespace luztar
