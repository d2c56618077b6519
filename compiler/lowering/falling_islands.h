// Frictions of damped bodies without inertia that fall with speed, or hold with more than they
// slide with, and others that act on the same speed (P3, Stribeck, in the limit M -> 0).
#pragma once

#include "compiler/lowering/lowering.h"

namespace luztar {

/// On the lines that it falls along such a friction lets no speed last by itself: its body goes on
/// until another friction holds it, or to where all have fallen. While another one holds the body,
/// the speed is that of what it is held to, and the friction slips on its lines. Where a load jumps
/// the body comes by the speeds at which T_S may hold it, too.
///   pre:    the frictions of the island are numbered
///   post:   T_K of those that fall is that of the speed they are held at, or what is beyond; slots
///           for the one that holds; `speed` of the island, also where T_S > T_K alone
///   errors: LT4007 when several speeds of bodies without inertia have a say, when a contact
///           has, when a damper makes up for the fall along lines, and when several fall
///           exponentially
void write_falling(Lowering& l, ExplicitIsland& island, const FrictionGroup& group);

/// T_K of those that fall exponentially. Alone with a damping 1/G such a body slips at u, with
///   u + G (T_K + (T_0 - T_K) exp(-u/V_s)) = y,     y: the slip without this friction,
/// whose greatest solution is that of Lambert's W (runtime/pwl/beyond_fall.h).
///   pre: slips without friction are known
void write_decays(Lowering& l);

/// Without damping the limit is not known.
void report_falling_in_series(Lowering& l, const ForceTerm& term);

}  // namespace luztar
