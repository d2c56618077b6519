#include "runtime/jets/recurrences.h"

#include <algorithm>
#include <cmath>

#include "runtime/jets/series.h"
#include "runtime/numbers.h"

namespace luztar {
namespace {

using jets::as_real;
using jets::convolve;
using jets::convolve_rate;
using jets::Row;
using jets::Rows;
using Index = std::int64_t;

/// z with y z' = s x' (s a sign), given z_0: coefficient k >= 1.
double quotient_rate(Row x, Row y, Row z, Index k, double s) {
  return (s * as_real(k) * x[k] - convolve_rate(z, y, k, 1, k - 1)) / (as_real(k) * y[0]);
}

/// sqrt(u), with u_k known.
void root_step(Row s, double u_k, Index k) {
  s[k] = k == 0 ? std::sqrt(u_k) : (u_k - convolve(s, s, k, 1, k - 1)) / (2 * s[0]);
}

/// z = x^n for x_0 = 0, n > 0: the power of x = t^m (x_m + ..) is t^(n m) (x_m^n + ..), a series
/// when n m is whole; coefficient k >= 1. One of n < 1 would need orders of x beyond k: infinite.
double power_of_zero(Row x, Row z, Index k, double n) {
  Index m = 1;
  while (m <= k && x[m] == 0) ++m;
  if (m > k) return 0;
  const double lead = n * as_real(m);
  if (as_real(k) < lead) return 0;
  if (n < 1 || lead != std::floor(lead)) return kInfinity;
  if (as_real(k) == lead) return std::pow(x[m], n);
  // x z' = n x' z at the order k + m
  double sum = 0;
  for (Index j = m + 1; j <= k + m - static_cast<Index>(lead); ++j) {
    sum += (n * as_real(j) - as_real(k + m - j)) * x[j] * z[k + m - j];
  }
  return sum / ((as_real(k) - lead) * x[m]);
}

/// s = sin a, c = cos a (sign -1), or sinh and cosh (sign 1)
void sine_step(Row s, Row c, Row a, Index k, double sign) {
  if (k == 0) {
    s[0] = sign < 0 ? std::sin(a[0]) : std::sinh(a[0]);
    c[0] = sign < 0 ? std::cos(a[0]) : std::cosh(a[0]);
    return;
  }
  const double sine = convolve_rate(a, c, k, 1, k) / as_real(k);
  c[k] = sign * convolve_rate(a, s, k, 1, k) / as_real(k);
  s[k] = sine;
}

/// z = asin a (sign 1) or acos a (sign -1): sqrt(1 - a^2) z' = sign a'.
void arc_step(Row z, Row w, Row a, Index k, double sign) {
  root_step(w, (k == 0 ? 1.0 : 0.0) - convolve(a, a, k, 0, k), k);
  if (k == 0) {
    z[0] = sign > 0 ? std::asin(a[0]) : std::acos(a[0]);
  } else {
    z[k] = quotient_rate(a, w, z, k, sign);
  }
}

/// A value that has no coefficients above order 0.
void put_step(Row z, Index k, double at_zero) { z[k] = k == 0 ? at_zero : 0.0; }

}  // namespace

void jet_multiply(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  r[result][k] = convolve(r[a], r[b], k, 0, k);
}

void jet_divide(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  r[result][k] = (r[a][k] - convolve(r[result], r[b], k, 0, k - 1)) / r[b][0];
}

void jet_sqrt(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  const Row s = r[result], x = r[a];
  if (k > 0 && x[0] == 0) {
    s[k] = power_of_zero(x, s, k, 0.5);
  } else {
    root_step(s, x[k], k);
  }
}

void jet_pow(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  const Row z = r[result], x = r[a], y = r[b];
  const Row log_x = r[result + 1], exponent = r[result + 2];
  if (k == 0) {
    z[0] = std::pow(x[0], y[0]);
    log_x[0] = x[0] > 0 ? std::log(x[0]) : 0.0;
    exponent[0] = y[0] * log_x[0];
    return;
  }
  bool steady = true;
  for (Index j = 1; j <= k; ++j) steady = steady && y[j] == 0;
  log_x[k] = quotient_rate(x, x, log_x, k, 1);
  exponent[k] = convolve(y, log_x, k, 0, k);
  if (!steady) {
    z[k] = convolve_rate(exponent, z, k, 1, k) / as_real(k);
    return;
  }
  if (x[0] == 0 && y[0] > 0) {
    z[k] = power_of_zero(x, z, k, y[0]);
    return;
  }
  // x z' = n x' z
  double sum = 0;
  for (Index j = 1; j <= k; ++j) {
    sum += (y[0] * as_real(j) - as_real(k - j)) * x[j] * z[k - j];
  }
  z[k] = sum / (as_real(k) * x[0]);
}

void jet_exp(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  r[result][k] = k == 0 ? std::exp(r[a][0]) : convolve_rate(r[a], r[result], k, 1, k) / as_real(k);
}

void jet_log(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  r[result][k] = k == 0 ? std::log(r[a][0]) : quotient_rate(r[a], r[a], r[result], k, 1);
}

void jet_log10(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  if (k == 0) {
    r[result][0] = std::log10(r[a][0]);
    return;
  }
  // y z' = a' with y = ln(10) a
  const double scale = std::log(10.0);
  r[result][k] = (as_real(k) * r[a][k] / scale - convolve_rate(r[result], r[a], k, 1, k - 1)) /
                 (as_real(k) * r[a][0]);
}

void jet_sin(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  sine_step(r[result], r[result + 1], r[a], k, -1);
}

void jet_cos(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  sine_step(r[result + 1], r[result], r[a], k, -1);
}

void jet_sinh(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  sine_step(r[result], r[result + 1], r[a], k, 1);
}

void jet_cosh(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  sine_step(r[result + 1], r[result], r[a], k, 1);
}

void jet_tanh(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  const Row z = r[result], w = r[result + 1];  // z' = w a', w = 1 - z^2
  z[k] = k == 0 ? std::tanh(r[a][0]) : convolve_rate(r[a], w, k, 1, k) / as_real(k);
  w[k] = (k == 0 ? 1.0 : 0.0) - convolve(z, z, k, 0, k);
}

void jet_asin(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  arc_step(r[result], r[result + 1], r[a], k, 1);
}

void jet_acos(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  arc_step(r[result], r[result + 1], r[a], k, -1);
}

void jet_atan(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  const Row z = r[result], w = r[result + 1], x = r[a];
  w[k] = (k == 0 ? 1.0 : 0.0) + convolve(x, x, k, 0, k);
  z[k] = k == 0 ? std::atan(x[0]) : quotient_rate(x, w, z, k, 1);
}

void jet_atan2(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  const Row z = r[result], w = r[result + 1], y = r[a], x = r[b];
  w[k] = convolve(x, x, k, 0, k) + convolve(y, y, k, 0, k);
  if (k == 0) {
    z[0] = std::atan2(y[0], x[0]);
    return;
  }
  const double turn = convolve_rate(y, x, k, 1, k) - convolve_rate(x, y, k, 1, k);
  z[k] = (turn - convolve_rate(z, w, k, 1, k - 1)) / (as_real(k) * w[0]);
}

void jet_above_edge(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  const double x = r[a][k], edge = r[b][0];
  r[result][k] = edge > 1 || (k == 0 && (edge != 0 || x < 0)) ? 0.0 : x;
}

void jet_abs(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  r[result][k] = r[a][0] < 0 ? -r[a][k] : r[a][k];
}

void jet_sign(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  put_step(r[result], k, (r[a][0] > 0 ? 1.0 : 0.0) - (r[a][0] < 0 ? 1.0 : 0.0));
}

void jet_floor(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  put_step(r[result], k, std::floor(r[a][0]));
}

void jet_ceil(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  put_step(r[result], k, std::ceil(r[a][0]));
}

void jet_min(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  r[result][k] = r[a][0] < r[b][0] ? r[a][k] : r[b][k];
}

void jet_max(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  r[result][k] = r[a][0] > r[b][0] ? r[a][k] : r[b][k];
}

void jet_less(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  put_step(r[result], k, r[a][0] < r[b][0] ? 1.0 : 0.0);
}

void jet_less_equal(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  put_step(r[result], k, r[a][0] <= r[b][0] ? 1.0 : 0.0);
}

void jet_and(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  put_step(r[result], k, r[a][0] != 0 && r[b][0] != 0 ? 1.0 : 0.0);
}

void jet_or(double* J, Index rows, Index k, Index result, Index a, Index b) {
  const Rows r{J, rows};
  put_step(r[result], k, r[a][0] != 0 || r[b][0] != 0 ? 1.0 : 0.0);
}

void jet_not(double* J, Index rows, Index k, Index result, Index a, Index) {
  const Rows r{J, rows};
  put_step(r[result], k, r[a][0] == 0 ? 1.0 : 0.0);
}

void jet_select(double* J, Index rows, Index k, Index result, Index condition, Index a, Index b) {
  const Rows r{J, rows};
  r[result][k] = r[condition][0] != 0 ? r[a][k] : r[b][k];
}

}  // namespace luztar
