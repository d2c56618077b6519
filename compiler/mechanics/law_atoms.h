// A force law as a sum of elementary laws.
#pragma once

#include <vector>

#include "compiler/mechanics/force_terms.h"
#include "compiler/symbolic/operations.h"

namespace luztar {

enum class AtomKind : std::uint8_t {
  kSpring,    // luz(x, a) or x, x affine in positions
  kDamper,    // w affine in velocities
  kFriction,  // dryfriction(w, ..), w affine in velocities
  kStop,      // hardstop(x, a, e), x affine in positions
  kLoad,      // anything else
};

/// coefficient * node
struct Atom {
  AtomKind kind = AtomKind::kLoad;
  Expr coefficient;     // over parameters
  Expr node;            // in motion of potentials
  AffineForm argument;  // of springs, dampers and frictions: in kVariable(p) or kVelocity(p)
  Expr half_width;      // of springs, zero when linear
  Expr more_play;       // of a spring that makes one with play saturate: by what its own is wider
};

struct LawSplit {
  std::vector<std::pair<std::uint32_t, Expr>> accelerations;  // potential, coefficient
  std::vector<Atom> atoms;
  bool nonlinear_acceleration = false;
};

/// Splits `law` = sum of accelerations and atoms. Accelerations that are prescribed may stand
/// anywhere: where they do not stand linearly, atoms hold them. Linear terms with the same
/// coefficient join to one element, so that c*phi_b - c*phi_a is the spring c*(phi_b - phi_a);
/// nas(x, a) is x - luz(x, a), also of a luz (R4).
[[nodiscard]] LawSplit split_law(ExprPool& pool, const MotionMap& motion, Expr law);

}  // namespace luztar
