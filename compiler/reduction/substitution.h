// Coordinates that follow others, one after the other, put together at the end.
#pragma once

#include <optional>
#include <vector>

#include "compiler/reduction/nodes.h"

namespace luztar {

/// Many eliminations at the cost of one: a form is only written in the coordinates that are left
/// when somebody asks for it, by paths that are shortened on the way.
class Substitution {
 public:
  Substitution(ExprPool& pool, std::size_t coordinates);

  /// q moves as `by` says, which holds coordinates that are left, at the time of the call.
  void add(CoordinateId q, CoordinateMotion by);

  /// A form of positions, or of velocities, in coordinates that are left.
  [[nodiscard]] LinearForm position(const LinearForm& form);
  [[nodiscard]] LinearForm velocity(const LinearForm& form);

  /// Rewrites all active terms: virtual work, so participations follow the velocities.
  ///   cost: that of the terms, and of the eliminations each once
  void apply(Mechanism& mechanism);

 private:
  using Part = LinearForm CoordinateMotion::*;
  [[nodiscard]] Expr size(Expr e);
  [[nodiscard]] LinearForm written(const LinearForm& form, Part part);
  [[nodiscard]] bool is_gone(CoordinateId q) const { return motion_[q.value].has_value(); }
  [[nodiscard]] bool is_written(CoordinateId q) const;
  void shorten(CoordinateId q);
  [[nodiscard]] LinearForm put_in(const LinearForm& form, Part part);

  ExprPool& pool_;
  std::vector<std::optional<CoordinateMotion>> motion_;  // by coordinate
};

}  // namespace luztar
