#include "compiler/reduction/piecewise_linear.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace luztar {
namespace {

constexpr double kRoundingOfLaw = 1e-12;  // of an edge or a slope, relative to the greatest

double at(const Line& line, double x) { return line.slope * x + line.intercept; }

double size_of_edges(const std::vector<double>& edges) {
  double size = 0;
  for (const double e : edges) size = std::max(size, std::fabs(e));
  return size;
}

double size_of_slopes(const PiecewiseLinear& f) {
  double size = 0;
  for (const Line& line : f.lines) size = std::max(size, std::fabs(line.slope));
  return size;
}

double least_slope(const PiecewiseLinear& f) {
  double least = f.lines.front().slope;
  for (const Line& line : f.lines) least = std::min(least, line.slope);
  return least;
}

/// f without edges at which its slope does not change.
PiecewiseLinear without_idle_edges(const PiecewiseLinear& f) {
  const double same = kRoundingOfLaw * size_of_slopes(f);
  PiecewiseLinear result{{}, {f.lines.front()}};
  for (std::size_t i = 0; i < f.edges.size(); ++i) {
    if (std::fabs(f.lines[i + 1].slope - result.lines.back().slope) <= same) continue;
    result.edges.push_back(f.edges[i]);
    result.lines.push_back(f.lines[i + 1]);
  }
  return result;
}

/// The lines of `join(line of f, line of g, from, to)` on all intervals between edges of both, and
/// the edges within that it adds to its first argument.
using Join = std::function<void(PiecewiseLinear&, const Line&, const Line&, double, double)>;

PiecewiseLinear joined(const PiecewiseLinear& f, const PiecewiseLinear& g, const Join& join) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double same = kRoundingOfLaw * std::max(size_of_edges(f.edges), size_of_edges(g.edges));
  PiecewiseLinear result;
  double from = -kInfinity;
  for (std::size_t i = 0, j = 0;;) {
    const double next_f = i < f.edges.size() ? f.edges[i] : kInfinity;
    const double next_g = j < g.edges.size() ? g.edges[j] : kInfinity;
    const double to = std::min(next_f, next_g);
    join(result, f.lines[i], g.lines[j], from, to);
    if (std::isinf(to)) return without_idle_edges(result);
    if (next_f <= to + same) ++i;
    if (next_g <= to + same) ++j;
    result.edges.push_back(to);
    from = to;
  }
}

bool is_symmetric(const PiecewiseLinear& f, double centre) {
  const std::size_t n = f.edges.size();
  const double same_edge = kRoundingOfLaw * size_of_edges(f.edges);
  const double same_slope = kRoundingOfLaw * size_of_slopes(f);
  for (std::size_t i = 0; i < n; ++i) {
    const double mirrored = 2 * centre - f.edges[n - 1 - i];
    if (std::fabs(f.edges[i] - mirrored) > same_edge) return false;
    if (std::fabs(f.lines[i].slope - f.lines[n - i].slope) > same_slope) return false;
  }
  return true;
}

}  // namespace

double PiecewiseLinear::operator()(double x) const {
  const auto edge = std::upper_bound(edges.begin(), edges.end(), x);
  return at(lines[static_cast<std::size_t>(edge - edges.begin())], x);
}

PiecewiseLinear linear(Line line) { return {{}, {line}}; }

PiecewiseLinear scaled(double a, PiecewiseLinear f) {
  for (Line& line : f.lines) line = {a * line.slope, a * line.intercept};
  return a == 0 ? linear({}) : f;
}

PiecewiseLinear sum(const PiecewiseLinear& f, const PiecewiseLinear& g) {
  return joined(f, g, [](PiecewiseLinear& result, const Line& p, const Line& q, double, double) {
    result.lines.push_back({p.slope + q.slope, p.intercept + q.intercept});
  });
}

PiecewiseLinear of_line(const PiecewiseLinear& f, Line x) {
  PiecewiseLinear result;
  for (const double edge : f.edges) result.edges.push_back((edge - x.intercept) / x.slope);
  for (const Line& line : f.lines)
    result.lines.push_back({line.slope * x.slope, at(line, x.intercept)});
  if (x.slope < 0) {
    std::reverse(result.edges.begin(), result.edges.end());
    std::reverse(result.lines.begin(), result.lines.end());
  }
  return result;
}

PiecewiseLinear greater(const PiecewiseLinear& f, const PiecewiseLinear& g) {
  const double size = std::max(size_of_edges(f.edges), size_of_edges(g.edges));
  return joined(
      f, g, [=](PiecewiseLinear& result, const Line& p, const Line& q, double from, double to) {
        if (p.slope == q.slope) {
          result.lines.push_back(p.intercept >= q.intercept ? p : q);
          return;
        }
        const Line& flat = p.slope < q.slope ? p : q;
        const Line& steep = p.slope < q.slope ? q : p;
        const double meet = (flat.intercept - steep.intercept) / (steep.slope - flat.slope);
        const double same = kRoundingOfLaw * std::max(size, std::fabs(meet));
        if (meet > from + same) result.lines.push_back(flat);
        if (meet > from + same && meet < to - same) result.edges.push_back(meet);
        if (meet <= from + same || meet < to - same) result.lines.push_back(steep);
      });
}

PiecewiseLinear lesser(const PiecewiseLinear& f, const PiecewiseLinear& g) {
  return scaled(-1, greater(scaled(-1, f), scaled(-1, g)));
}

PiecewiseLinear limited(const PiecewiseLinear& f, double lower, double upper) {
  return greater(lesser(f, linear({0, upper})), linear({0, lower}));
}

PiecewiseLinear luz(const PiecewiseLinear& f, double a) {
  return sum(f, scaled(-1, limited(f, -a, a)));
}

double PlaySpring::operator()(double x) const {
  const double u = x - centre;
  if (side != 0) return side * stiffness * std::max(side * u, 0.0);
  return stiffness * (u - std::clamp(u, -half_freeplay, half_freeplay));
}

ParallelSprings parallel_springs(const PiecewiseLinear& f) {
  const std::size_t n = f.edges.size();
  const double none = kRoundingOfLaw * size_of_slopes(f), size = size_of_edges(f.edges);
  const double before = f.lines.front().slope, beyond = f.lines.back().slope;
  ParallelSprings result;
  const auto add = [&](double stiffness, double centre, double half_freeplay, int side = 0) {
    if (std::fabs(stiffness) <= none) return;
    result.springs.push_back({stiffness, centre, half_freeplay, side});
  };
  const auto add_saturations = [&](double base) {
    for (std::size_t i = 1; i < n; ++i) {
      const double half = (f.edges[i] - f.edges[i - 1]) / 2, stiffness = f.lines[i].slope - base;
      add(stiffness, f.edges[i - 1] + half, 0);
      add(-stiffness, f.edges[i - 1] + half, half);
    }
  };
  double centre = n == 0 ? 0 : f.edges.front() + (f.edges.back() - f.edges.front()) / 2;
  if (std::fabs(centre) <= kRoundingOfLaw * size) centre = 0;
  if (std::fabs(beyond - before) > none) {
    const double base = std::max(least_slope(f), std::min({0.0, before, beyond}));
    add(base, 0, 0);
    add(before - base, f.edges.front(), 0, -1);
    add(beyond - base, f.edges.back(), 0, 1);
    add_saturations(base);
  } else if (is_symmetric(f, centre)) {
    add(f.lines[n / 2].slope, centre, 0);
    for (std::size_t i = n / 2; i < n; ++i) {
      add(f.lines[i + 1].slope - f.lines[i].slope, centre, f.edges[i] - centre);
    }
  } else {
    add(beyond, centre, f.edges.back() - centre);
    add_saturations(0);
  }
  result.force = f(centre);
  double greatest = std::fabs(result.force);
  for (const PlaySpring& spring : result.springs) {
    result.force -= spring(centre);
    greatest = std::max(greatest, std::fabs(spring.stiffness * (centre - spring.centre)));
  }
  if (std::fabs(result.force) <= kRoundingOfLaw * greatest) result.force = 0;
  return result;
}

}  // namespace luztar
