// Columns of a run against what is expected of them as a function of time.
#pragma once

#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/model.h"
#include "tests/support/simulation.h"

namespace luztar::test {

using Function = std::function<double(double)>;

inline constexpr double kPi = std::numbers::pi;
/// Of what the Taylor solver gives to rounding.
inline constexpr double kBound = 1e-11;

/// To the end by the Taylor solver, with an energy audit that balances to rounding.
[[nodiscard]] Simulation audited_run(const Model& model, double stop, double interval);

/// Greatest difference between a column and what is expected of it; rows before an event, where a
/// snap is still to come, do not count.
[[nodiscard]] double greatest_error(const Simulation& run, const Model& model,
                                    std::string_view name, const Function& expected);

/// By the Taylor solver to rounding; CVODE and Euler take the same way.
void check_column(const Model& model, double stop, std::string_view name, const Function& expected,
                  double euler_bound, double euler_step = 1e-3);

/// By the Taylor solver to rounding, and by CVODE, but for the instants at which it jumps.
void check_column_between(const Model& model, double stop, const std::string& name,
                          const std::vector<double>& jumps, const Function& expected);

struct BodySpeed {
  std::string body;
  Function speed;  ///< just after t, where it jumps
};
/// Bodies without inertia, of a state each, by the Taylor solver; CVODE and Euler take them to the
/// same places.
void check_speeds(const std::string& text, double stop, const std::vector<BodySpeed>& bodies);

/// At their end columns tend to those of the model without inertia.
///   text   the model, with a given inertia
///   bound  of what is left at 1e-5, in proportion for others
void check_light_limit(const std::function<std::string(const std::string& inertia)>& text,
                       double stop, const std::vector<std::string>& columns, double bound);

/// The least y in [low, high] with f(y) <= level, f falling.
[[nodiscard]] double where(double level, double low, double high, const Function& f);

[[nodiscard]] double luz(double x, double a);

}  // namespace luztar::test
