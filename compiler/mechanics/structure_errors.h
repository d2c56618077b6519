// What incidence finds wrong, in words.
#pragma once

#include "compiler/mechanics/part_errors.h"
#include "compiler/mechanics/structure.h"

namespace luztar {

/// LT3005 for every deficit, with its smallest set of unknowns and equations.
void report_deficits(const ExprPool& pool, const FlatModel& flat, const Structure& structure,
                     PartErrors& errors);

/// LT3006 for every surplus, and LT3015 for equations between motions that parts determine.
void report_surplus(ExprPool& pool, const FlatModel& flat, const Structure& structure,
                    PartErrors& errors);

}  // namespace luztar
