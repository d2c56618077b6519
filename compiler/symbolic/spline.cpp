#include "compiler/symbolic/spline.h"

namespace luztar {
namespace {

using Exprs = std::vector<Expr>;

struct Differences {
  Exprs width, slope;  // of the cells: h_i = x_i+1 - x_i and (y_i+1 - y_i)/h_i
};

Differences differences(ExprPool& pool, const std::vector<std::pair<Expr, Expr>>& points) {
  Differences d;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    d.width.push_back(pool.sub(points[i + 1].first, points[i].first));
    d.slope.push_back(pool.div(pool.sub(points[i + 1].second, points[i].second), d.width[i]));
  }
  return d;
}

// Second derivatives m_i at the points, zero at the ends:
//   h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (s_i - s_i-1)
Exprs curvatures(ExprPool& pool, const Differences& d) {
  const std::size_t n = d.width.size() + 1;
  Exprs m(n, pool.zero());
  if (n < 3) return m;
  Exprs pivot(n), right(n);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    pivot[i] = pool.mul(pool.constant(2), pool.add(d.width[i - 1], d.width[i]));
    right[i] = pool.mul(pool.constant(6), pool.sub(d.slope[i], d.slope[i - 1]));
    if (i == 1) continue;
    const Expr factor = pool.div(d.width[i - 1], pivot[i - 1]);
    pivot[i] = pool.sub(pivot[i], pool.mul(factor, d.width[i - 1]));
    right[i] = pool.sub(right[i], pool.mul(factor, right[i - 1]));
  }
  for (std::size_t i = n - 2; i > 0; --i) {
    m[i] = pool.div(pool.sub(right[i], pool.mul(d.width[i], m[i + 1])), pivot[i]);
  }
  return m;
}

}  // namespace

Expr natural_spline(ExprPool& pool, Expr x, const std::vector<std::pair<Expr, Expr>>& points) {
  const Differences d = differences(pool, points);
  const Exprs m = curvatures(pool, d);
  const std::size_t cells = d.width.size();
  const auto part = [&](double factor, Expr a, Expr b) {
    return pool.mul({pool.constant(factor), a, b});
  };
  // Left of the first point, the cells, and right of the last point.
  Exprs knot{points.front().first}, value{points.front().second}, slope, half{pool.zero()},
      sixth{pool.zero()};
  for (std::size_t i = 0; i < cells; ++i) {
    const Expr bend = pool.add(pool.add(m[i], m[i]), m[i + 1]);
    knot.push_back(points[i].first);
    value.push_back(points[i].second);
    slope.push_back(pool.sub(d.slope[i], part(1.0 / 6, d.width[i], bend)));
    half.push_back(pool.mul(pool.constant(0.5), m[i]));
    sixth.push_back(pool.div(pool.sub(m[i + 1], m[i]), part(6, d.width[i], pool.one())));
  }
  slope.insert(slope.begin(), slope.front());
  slope.push_back(pool.add(d.slope.back(), part(1.0 / 6, d.width.back(), m[cells - 1])));
  knot.push_back(points.back().first);
  value.push_back(points.back().second);
  half.push_back(pool.zero());
  sixth.push_back(pool.zero());
  const auto chosen = [&](const Exprs& pieces) {
    Expr result = pieces.back();
    for (std::size_t i = points.size(); i-- > 0;) {
      const Expr left = pool.call(Op::kLess, {x, points[i].first});
      result = pool.if_then_else(left, pieces[i], result);
    }
    return result;
  };
  const Expr u = pool.sub(x, chosen(knot));
  const Expr bend = pool.add(chosen(half), pool.mul(u, chosen(sixth)));
  return pool.add(chosen(value), pool.mul(u, pool.add(chosen(slope), pool.mul(u, bend))));
}

}  // namespace luztar
