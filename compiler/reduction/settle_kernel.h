#pragma once

#include "compiler/reduction/reduction.h"

namespace luztar {

/// Leaves massless nodes without damping that no closed form takes to kernel B: they settle where
/// springs, contacts, dry frictions and loads are in balance (P1 simplification 2; P4 (40)-(45)).
///   pre:    the closed forms have been taken, and kernel A what damping holds
///   post:   coordinates with springs, contacts or frictions and no inertia have role kSettled;
///           frictions and contacts on them have a travel, those with one more signal state where a
///           prescribed motion is part of it
///   errors: LT4007 when the stiffness of springs on them becomes negative
///   cost:   linear in the parts
[[nodiscard]] Mechanism settle_kernel(Mechanism mechanism, const ReductionContext& context);

}  // namespace luztar
