// Continuous piecewise linear functions of one variable, in numbers.
#pragma once

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

/// stiffness * luz(x - centre, half_freeplay); with a side, 1 or -1, it acts beyond its centre on
/// that one alone: side * stiffness * max(side * (x - centre), 0).
struct PlaySpring {
  double stiffness = 0, centre = 0, half_freeplay = 0;
  int side = 0;

  [[nodiscard]] double operator()(double x) const;
};

/// A law as parallel springs and a constant force.
struct ParallelSprings {
  std::vector<PlaySpring> springs;
  double force = 0;
};

/// f as springs: of one centre where f is odd about it. Else one for what lies beyond all edges,
/// and for each line between two of them a saturation k nas(x - m, h), which is a spring less one
/// with play: where f does not fall, none of these does. If f is not as steep before the first edge
/// as beyond the last, a spring for each of the two sides and a linear one; none of the former
/// softens.
[[nodiscard]] ParallelSprings parallel_springs(const PiecewiseLinear& f);

}  // namespace luztar
