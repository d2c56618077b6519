#include "compiler/mechanics/inertia_matrix.h"

namespace luztar {

void InertiaMatrix::add(const FlowLaw& law, Expr c, const LinearForm& lever,
                        const LinearForm& motion) {
  for (const auto& [i, si] : lever.terms) {
    for (const auto& [j, sj] : motion.terms) {
      const Expr m = pool_.mul({si, c, sj});
      const auto [it, fresh] = entries_.emplace(std::pair{i, j}, Entry{m, law.part, law.span});
      if (!fresh) it->second.value = pool_.add(it->second.value, m);
    }
  }
}

// Entries of an inertia matrix may be parameters of their own, symmetric as they are set.
bool InertiaMatrix::are_equal_numbers(Mechanism& mechanism, Expr a, Expr b) const {
  const NominalPoint& nominal = identity_.nominal();
  if (!nominal.is_parametric(a) || !nominal.is_parametric(b)) return false;
  if (nominal.value(a) != nominal.value(b)) return false;
  mechanism.fixed.insert(mechanism.fixed.end(), {a, b});
  return true;
}

void InertiaMatrix::write(Mechanism& mechanism, PartErrors& errors) const {
  for (const auto& [key, entry] : entries_) {
    const auto& [i, j] = key;
    const auto transposed = entries_.find({j, i});
    if (i > j && transposed != entries_.end()) continue;  // one of both
    const Expr other = transposed == entries_.end() ? pool_.zero() : transposed->second.value;
    if (!identity_.equal(entry.value, other) && !are_equal_numbers(mechanism, entry.value, other)) {
      errors
          .error(Code::kInertiaNotSymmetric, entry.part, entry.span,
                 "the inertia this law gives between '" + mechanism.coordinates[i].name +
                     "' and '" + mechanism.coordinates[j].name + "' is not symmetric")
          .with_note("an inertia force must act where the acceleration it is proportional to is");
      continue;
    }
    if (!identity_.is_zero(entry.value)) mechanism.inertia.emplace(key, entry.value);
    if (i == j && identity_.nominal().is_parametric(entry.value) &&
        !(identity_.nominal().value(entry.value) >= 0)) {
      errors
          .error(
              Code::kNegativeInertia, entry.part, entry.span,
              "the inertia that belongs to '" + mechanism.coordinates[i].name + "' is not positive")
          .with_note("masses and moments of inertia are positive, 0 or inf");
    }
  }
}

}  // namespace luztar
