// Errors of several passes over one model, without those that follow from others.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/mechanics/equation_names.h"
#include "compiler/mechanics/part_names.h"

namespace luztar {

/// What a mistake can spread to: variables and equations of one part that hang together, all of its
/// flanges among them.
class ErrorRegions {
 public:
  /// cost: linear in the size of the equations
  ErrorRegions(const ExprPool& pool, const FlatModel& flat);

  [[nodiscard]] std::size_t of(VariableId v) const { return region_[v.value]; }
  [[nodiscard]] std::size_t of(FlatEquationId e) const { return region_[variables_ + e.value]; }
  [[nodiscard]] std::size_t bound() const { return region_.size(); }

 private:
  std::size_t variables_;
  std::vector<std::size_t> region_;  // by variable, then by equation
};

/// Errors of a stage that is made of several passes. What a pass says about a part, or about parts
/// that are involved, silences later passes about them: they would see what follows from it. Where
/// the equation or variable is known, other equations of the part that do not hang together with it
/// are heard.
class PartErrors {
 public:
  PartErrors(const ExprPool& pool, const FlatModel& flat, Diagnostics& diagnostics)
      : pool_(pool),
        flat_(flat),
        diagnostics_(diagnostics),
        said_{std::vector<char>(flat.parts.size(), 0), std::vector<char>(flat.parts.size(), 0), {}},
        silent_(said_) {}

  /// See part_error.
  Diagnostic& error(Code code, PartId part, Span equation, std::string message);
  Diagnostic& error(Code code, const EquationPlace& place, std::string message);
  Diagnostic& error(Code code, VariableId variable, Span at, std::string message);
  void involve(PartId part) { said_.whole[part.value] = said_.some[part.value] = 1; }
  void involve(const EquationPlace& place);
  void involve(VariableId variable);
  void next_pass() { silent_ = said_; }
  /// Something is wrong with the part.
  [[nodiscard]] bool is_silent(PartId part) const { return silent_.some[part.value] != 0; }
  [[nodiscard]] bool is_silent(VariableId variable) const;
  /// As is_silent, what this pass has said included.
  [[nodiscard]] bool is_said(PartId part) const { return said_.some[part.value] != 0; }
  [[nodiscard]] Diagnostics& diagnostics() { return diagnostics_; }

 private:
  struct Marks {
    std::vector<char> whole, some;  // by part
    std::vector<char> region;       // empty as long as none is marked
  };
  [[nodiscard]] static bool has(const Marks& marks, PartId part, std::size_t region) {
    return marks.whole[part.value] != 0 || (!marks.region.empty() && marks.region[region] != 0);
  }
  void mark(PartId part, std::size_t region);
  /// An equation of the model as written: not the derivative of one, nor one that stands for what
  /// is missing (see `balanced`).
  [[nodiscard]] bool is_written(const EquationPlace& place) const {
    return place.equation.valid() && place.equation.value < flat_.equations.size();
  }
  [[nodiscard]] const ErrorRegions& regions() const;

  const ExprPool& pool_;
  const FlatModel& flat_;
  Diagnostics& diagnostics_;
  Marks said_, silent_;
  mutable std::unique_ptr<ErrorRegions> regions_;  // made with the first error
  Diagnostic hidden_;
};

}  // namespace luztar
