// How diagnostics name equations and lists of variables.
#pragma once

#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/semantics/flat_model.h"

namespace luztar {

/// Where an equation comes from. Several equations may stand in one place: those of a loop, or of
/// the parts of one class.
struct EquationPlace {
  PartId part;
  Span span;
  FlatEquationId equation;  // invalid: the derivative of another one

  friend bool operator==(const EquationPlace& a, const EquationPlace& b) {
    return a.equation == b.equation;
  }
};

/// "`gear.flange_a.phi = gear.ratio*gear.flange_b.phi` of 'gear'"; "an equation of 'gear'" when it
/// is none of the flat model.
[[nodiscard]] std::string equation_text(const ExprPool& pool, const FlatModel& flat,
                                        const EquationPlace& place);

/// One note per equation, each once and without `said`; a long list is cut.
void note_equations(Diagnostic& error, const ExprPool& pool, const FlatModel& flat,
                    const std::vector<EquationPlace>& places, const std::string& lead,
                    const EquationPlace& said = {});

/// "'a', 'b' and 'c'"; a long list is cut.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& names);

}  // namespace luztar
