// Frictions of damped bodies without inertia that fall with speed, or hold with more than they
// slide with, and others that act on the same speed (P3, Stribeck, in the limit M -> 0).
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// Where such a friction falls by more than the damping rises it lets no speed last by itself: its
/// body goes on until another friction holds it, or to where the damping rises by more again. While
/// another one holds the body, the speed is that of what it is held to, and the friction slips
/// there; so does a contact that pushes it. Where a load jumps the body comes by the speeds at
/// which T_S may hold it, too.
///   pre:    the frictions of the island are numbered
///   post:   slots for the one that holds, and for lines on which a body slips; `speed` of the
///           island, also where T_S > T_K alone
///   errors: LT4007 when several speeds of bodies without inertia have a say
void write_falling(Lowering& l, ExplicitIsland& island, const FrictionGroup& group);

/// T_K of those that fall: at the speed that the body is held at, or at which it slips on all of
/// its frictions. With what these add to the slip of the first one as its speed x, compliances
/// G_ij, slips sigma_i |w_i| = f_i + r_i x and T_i = c_i - k_i |w_i| on their lines, that is
///   D x = sum of G_1i (k_i f_i - sigma_i c_i),   D = 1 - sum of G_ii k_i > 0.
/// With some that fall exponentially beside them, by (T_0 - T_K) exp(-sigma_i w_i/V_i), x follows
/// from that of their T_K, which is y, by
///   x + sum of G_1i sigma_i (T_0 - T_K)/D exp(-sigma_i (f_i + r_i x)/V_i) = y,
/// where the left side rises (runtime/pwl/falling_balance.h); of one by Lambert's W.
///   pre: slips without friction are known
void write_falling_forces(Lowering& l);

/// Without damping the limit is not known.
void report_falling_in_series(Lowering& l, const ForceTerm& term);

/// Without damping a slip would follow the load where the friction rises with it.
void report_rising(Lowering& l, const ForceTerm& term);

}  // namespace luztar
