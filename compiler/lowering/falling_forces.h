// Forces of frictions of damped bodies without inertia that fall with speed.
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// T_K of those that fall: at the speed that the body is held at, or at which it slips on all of
/// its frictions. With what these add to the slip of the first one as its speed x, compliances
/// G_ij, slips sigma_i |w_i| = f_i + r_i x and T_i = c_i - k_i |w_i| on their lines, that is
///   D x = sum of G_1i (k_i f_i - sigma_i c_i),   D = 1 - sum of G_ii k_i > 0.
/// Bodies of a network, whose x act on each other, have a row each of such a system.
/// With some that fall exponentially beside them, by (T_0 - T_K) exp(-sigma_i w_i/V_i), x follows
/// from that of their T_K, which is y, by
///   x + sum of G_1i sigma_i (T_0 - T_K)/D exp(-sigma_i (f_i + r_i x)/V_i) = y,
/// where the left side rises (runtime/pwl/falling_balance.h); of one by Lambert's W. In a network D
/// is that of the system: of several bodies on which some do so x is the balance of all at once
/// (runtime/pwl/falling_speeds.h), and the others follow.
///   pre: slips without friction are known
void write_falling_forces(Lowering& l);

}  // namespace luztar
