// Smooth interpolation, in any arithmetic.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace luztar {

/// Derivatives beyond this are zero.
inline constexpr int kHighestSplineOrder = 3;

namespace spline_detail {

template <class A>
struct Differences {
  std::vector<typename A::Value> width,
      slope;  // of the cells: h_i = x_i+1 - x_i, (y_i+1 - y_i)/h_i
};

// Second derivatives m_i at the points, zero at the ends:
//   h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (s_i - s_i-1)
template <class A>
std::vector<typename A::Value> curvatures(A& a, const Differences<A>& d) {
  using Number = typename A::Value;
  const std::size_t n = d.width.size() + 1;
  std::vector<Number> m(n, a.number(0)), pivot(n, a.number(0)), right(n, a.number(0));
  for (std::size_t i = 1; i + 1 < n; ++i) {
    pivot[i] = a.mul(a.number(2), a.add(d.width[i - 1], d.width[i]));
    right[i] = a.mul(a.number(6), a.sub(d.slope[i], d.slope[i - 1]));
    if (i == 1) continue;
    const Number factor = a.div(d.width[i - 1], pivot[i - 1]);
    pivot[i] = a.sub(pivot[i], a.mul(factor, d.width[i - 1]));
    right[i] = a.sub(right[i], a.mul(factor, right[i - 1]));
  }
  for (std::size_t i = n - 2; n > 2 && i > 0; --i) {
    m[i] = a.div(a.sub(right[i], a.mul(d.width[i], m[i + 1])), pivot[i]);
  }
  return m;
}

}  // namespace spline_detail

/// The derivative of order 0 to kHighestSplineOrder of the natural cubic spline through points
/// (x_i, y_i), x_i ascending, continued by lines: value, slope and curvature are continuous. A
/// cubic in x whose coefficients, over those of the points, are chosen by conditions on x.
///   A    number(double), add, sub, mul, div, and choose(x, knot, left, right): left where x < knot
///   pre: two points at least
///   ref: de Boor, A Practical Guide to Splines, ch. IV      cost: linear in the points
template <class A>
typename A::Value natural_spline(
    A& a, typename A::Value x,
    const std::vector<std::pair<typename A::Value, typename A::Value>>& points, int order) {
  using Number = typename A::Value;
  using Numbers = std::vector<Number>;
  spline_detail::Differences<A> d;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    d.width.push_back(a.sub(points[i + 1].first, points[i].first));
    d.slope.push_back(a.div(a.sub(points[i + 1].second, points[i].second), d.width[i]));
  }
  const Numbers m = spline_detail::curvatures(a, d);
  const std::size_t cells = d.width.size();
  const Number zero = a.number(0), sixth = a.number(1.0 / 6);
  // Left of the first point, the cells, and right of the last point: y, y', y''/2 and y'''/6.
  Numbers knot{points.front().first}, value{points.front().second}, slope{zero}, half{zero},
      cubic{zero};
  for (std::size_t i = 0; i < cells; ++i) {
    const Number bend = a.add(a.add(m[i], m[i]), m[i + 1]);
    knot.push_back(points[i].first);
    value.push_back(points[i].second);
    slope.push_back(a.sub(d.slope[i], a.mul(sixth, a.mul(d.width[i], bend))));
    half.push_back(a.mul(a.number(0.5), m[i]));
    cubic.push_back(a.div(a.sub(m[i + 1], m[i]), a.mul(a.number(6), d.width[i])));
  }
  slope.front() = slope[1];
  slope.push_back(a.add(d.slope.back(), a.mul(sixth, a.mul(d.width.back(), m[cells - 1]))));
  knot.push_back(points.back().first);
  value.push_back(points.back().second);
  half.push_back(zero);
  cubic.push_back(zero);
  const auto chosen = [&](const Numbers& pieces) {
    Number result = pieces.back();
    for (std::size_t i = points.size(); i-- > 0;) {
      result = a.choose(x, points[i].first, pieces[i], result);
    }
    return result;
  };
  const auto times = [&](double factor, Number v) { return a.mul(a.number(factor), v); };
  if (order == 3) return times(6, chosen(cubic));
  const Number u = a.sub(x, chosen(knot));
  if (order == 2) return a.add(times(2, chosen(half)), times(6, a.mul(u, chosen(cubic))));
  if (order == 1) {
    const Number rise = a.add(times(2, chosen(half)), times(3, a.mul(u, chosen(cubic))));
    return a.add(chosen(slope), a.mul(u, rise));
  }
  const Number bend = a.add(chosen(half), a.mul(u, chosen(cubic)));
  return a.add(chosen(value), a.mul(u, a.add(chosen(slope), a.mul(u, bend))));
}

/// The same for args = x, order, x1, y1, x2, y2, ... of Op::kSpline; of: the value of an argument.
template <class A, class Args, class Of>
typename A::Value spline_of(A& a, const Args& args, int order, Of of) {
  std::vector<std::pair<typename A::Value, typename A::Value>> points;
  for (std::size_t i = 2; i + 1 < args.size(); i += 2) {
    points.emplace_back(of(args[i]), of(args[i + 1]));
  }
  return natural_spline(a, of(args[0]), points, order);
}

}  // namespace luztar
