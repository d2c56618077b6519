// Taylor coefficients of nonlinear operations by the standard recurrences (Griewank & Walther,
// Evaluating Derivatives, 2nd ed., ch. 13; Jorba & Zou 2005, sec. 2.1).
#pragma once

#include <cstdint>

namespace luztar {

/// Computes coefficient k of row `result` of J (J[k*rows + r], all lower orders given) from the
/// rows a and b of the operands. Operations with a companion (the cosine of a sine, ...) keep it in
/// the rows after `result`.
using Recurrence = void (*)(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                            std::int64_t a, std::int64_t b);

void jet_multiply(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
                  std::int64_t b);
void jet_divide(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
                std::int64_t b);
void jet_sqrt(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
/// a^b; with b constant no logarithm is taken.
void jet_pow(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_exp(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_log(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_log10(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
               std::int64_t b);
void jet_sin(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_cos(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_asin(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_acos(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_atan(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
/// Angle of the point (b, a).
void jet_atan2(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
               std::int64_t b);
void jet_sinh(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_cosh(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_tanh(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);

/// Row a, exactly zero at order 0 where row b is not zero there, or a is negative: at its edge.
/// Zero at all orders where row b is above 1: it stays there.
void jet_above_edge(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                    std::int64_t a, std::int64_t b);

// Operations whose branch the values at order 0 decide (arguments of noEvent).
void jet_abs(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_sign(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_floor(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
               std::int64_t b);
void jet_ceil(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_min(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_max(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_less(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
              std::int64_t b);
void jet_less_equal(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                    std::int64_t a, std::int64_t b);
void jet_and(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
void jet_or(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
            std::int64_t b);
void jet_not(double* J, std::int64_t rows, std::int64_t k, std::int64_t result, std::int64_t a,
             std::int64_t b);
/// Row a where the condition in row `condition` is not 0 at order 0, else row b.
void jet_select(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                std::int64_t condition, std::int64_t a, std::int64_t b);

/// Of operations with any number of operands: their rows.
using ListRecurrence = void (*)(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                                const std::int64_t* operands, std::int64_t count);

/// Operands: y, then of each force weight, exponent and rate, which does not vary
/// (pwl/falling_balance.h). At a fold, at order 0, x stays as it is there. Companions: the slope at
/// order 0, then of each force exp(-z) and z = exponent + rate x.
void jet_falling_balance(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                         const std::int64_t* operands, std::int64_t count);
/// Operands but y, and companions, likewise; instead of the slope, whether it is a fold.
void jet_falling_end(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                     const std::int64_t* operands, std::int64_t count);
/// Operands: as of falling_speed_of (pwl/falling_speeds.h); rates do not vary. Companions: whether
/// the balance lasts, of each force E and z, x of each body.
void jet_falling_speed(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                       const std::int64_t* operands, std::int64_t count);
/// Operands: as of falling_speed_end_of. Companions: the kind of end, of each force E and z, x and
/// `way` of each body, E way of each force.
void jet_falling_speed_end(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                           const std::int64_t* operands, std::int64_t count);
/// Another result of jet_falling_speed, of jet_falling_speed_end, whose row is the first operand;
/// the others are those it would be found from.
void jet_falling_speed_beside(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                              const std::int64_t* operands, std::int64_t count);
void jet_falling_speed_end_beside(double* J, std::int64_t rows, std::int64_t k, std::int64_t result,
                                  const std::int64_t* operands, std::int64_t count);

}  // namespace luztar
