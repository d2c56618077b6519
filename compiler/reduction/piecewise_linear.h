// Continuous piecewise linear functions of one variable, in numbers.
#pragma once

#include <optional>
#include <vector>

namespace luztar {

/// slope * x + intercept
struct Line {
  double slope = 0, intercept = 0;
};

/// lines[i] from edges[i - 1] to edges[i]; there is one line more than edges, which increase.
struct PiecewiseLinear {
  std::vector<double> edges;
  std::vector<Line> lines;

  [[nodiscard]] double operator()(double x) const;
};

[[nodiscard]] PiecewiseLinear linear(Line line);
/// a f
[[nodiscard]] PiecewiseLinear scaled(double a, PiecewiseLinear f);
[[nodiscard]] PiecewiseLinear sum(const PiecewiseLinear& f, const PiecewiseLinear& g);
/// f(x), x a line of slope other than 0
[[nodiscard]] PiecewiseLinear of_line(const PiecewiseLinear& f, Line x);
[[nodiscard]] PiecewiseLinear greater(const PiecewiseLinear& f, const PiecewiseLinear& g);
[[nodiscard]] PiecewiseLinear lesser(const PiecewiseLinear& f, const PiecewiseLinear& g);
/// f between the bounds.
[[nodiscard]] PiecewiseLinear limited(const PiecewiseLinear& f, double lower, double upper);
[[nodiscard]] PiecewiseLinear luz(const PiecewiseLinear& f, double a);

/// stiffness * luz(x - centre, half_freeplay)
struct PlaySpring {
  double stiffness = 0, centre = 0, half_freeplay = 0;
};

/// A law as parallel springs and a constant force.
struct ParallelSprings {
  std::vector<PlaySpring> springs;
  double force = 0;
};

/// f as springs: of one centre where f is odd about it. Else one for what lies beyond all edges,
/// and for each line between two of them a saturation k nas(x - m, h), which is a spring less one
/// with play: where f does not fall, none of these does.
///   errors: nullopt when the slopes beyond the first and the last edge differ
[[nodiscard]] std::optional<ParallelSprings> parallel_springs(const PiecewiseLinear& f);

}  // namespace luztar
