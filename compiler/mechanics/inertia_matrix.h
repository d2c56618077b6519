// The inertia matrix that the laws of forces add up to.
#pragma once

#include <map>
#include <utility>

#include "compiler/mechanics/force_system.h"
#include "compiler/mechanics/mechanism.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_errors.h"

namespace luztar {

class InertiaMatrix {
 public:
  InertiaMatrix(ExprPool& pool, const IdentityTest& identity) : pool_(pool), identity_(identity) {}

  /// A force of `law` that is `c` times the acceleration of `motion`, with its lever.
  void add(const FlowLaw& law, Expr c, const LinearForm& lever, const LinearForm& motion);
  /// Its upper triangle.
  ///   errors: LT3008 not symmetric, LT3011 a negative entry of the diagonal
  void write(Mechanism& mechanism, PartErrors& errors) const;

 private:
  struct Entry {
    Expr value;
    PartId part;
    Span span;
  };
  [[nodiscard]] bool are_equal_numbers(Mechanism& mechanism, Expr a, Expr b) const;

  ExprPool& pool_;
  const IdentityTest& identity_;
  std::map<std::pair<CoordinateId, CoordinateId>, Entry> entries_;
};

}  // namespace luztar
