#include "compiler/lowering/solved_island.h"

#include <iterator>
#include <utility>

#include "compiler/lowering/symmetric_solver.h"
#include "compiler/mechanics/parameter_point.h"

namespace luztar {
namespace {

using Vector = SymmetricSolver::Vector;

/// An unknown of the island, as the solver names it.
CoordinateId unknown(std::uint32_t friction) { return CoordinateId{friction}; }

class Elimination {
 public:
  Elimination(ExprPool& pool, const ExplicitIsland& island)
      : pool_(pool), island_(island), rows_(island.count) {
    for (const ExplicitGramEntry& entry : island.gram) {
      rows_[entry.i].emplace_back(entry.j, entry.value);
      if (entry.i != entry.j) rows_[entry.j].emplace_back(entry.i, entry.value);
    }
  }

  std::vector<Expr> forces(const std::vector<Expr>& free, const std::vector<Expr>& given) {
    const SymmetricSolver solver(pool_, held_matrix());
    Vector right;  // of the basis
    for (std::uint32_t i = 0; i < island_.count; ++i) {
      right.emplace(unknown(i), pool_.mul(basis(i), pool_.sub(free[i], row_times(i, given))));
    }
    std::vector<Expr> out = given;
    const auto add = [&](std::uint32_t i, Expr force) { out[i] = pool_.add(out[i], force); };
    if (island_.share_slot != kNoIndex) {
      const SymmetricSolver normal(pool_, normal_matrix());
      for (int pass = 0; pass < 2; ++pass) {  // the second one refines the first
        const std::vector<Expr> shared = shared_forces(normal, right);
        for (std::uint32_t i = 0; i < island_.count; ++i) {
          add(i, shared[i]);
          Expr& left = right.at(unknown(i));
          left = pool_.sub(left, pool_.mul(basis(i), row_times(i, shared)));
        }
      }
    }
    for (const auto& [i, force] : solver.solve(right)) add(i.value, force);
    return out;
  }

 private:
  Expr basis(std::uint32_t i) { return pool_.symbol(SymbolKind::kMode, island_.hold_slot + i); }
  Expr share(std::uint32_t i) { return pool_.symbol(SymbolKind::kMode, island_.share_slot + i); }

  Expr row_times(std::uint32_t i, const std::vector<Expr>& x) {
    std::vector<Expr> terms;
    for (const auto& [j, g] : rows_[i]) terms.push_back(pool_.mul(g, x[j]));
    return pool_.add(std::move(terms));
  }

  // The matrix on the basis, and 1 on the diagonal for frictions that are not in it.
  SymmetricMatrix on_basis(SymmetricMatrix matrix) {
    for (auto& [at, value] : matrix) {
      const std::uint32_t i = at.first.value, j = at.second.value;
      value = pool_.mul(i == j ? basis(i) : pool_.mul(basis(i), basis(j)), value);
      if (i == j) value = pool_.add(value, pool_.sub(pool_.one(), basis(i)));
    }
    return matrix;
  }

  SymmetricMatrix held_matrix() {  // G_BB
    SymmetricMatrix matrix;
    for (const ExplicitGramEntry& entry : island_.gram) {
      matrix.emplace(std::pair{unknown(entry.i), unknown(entry.j)}, entry.value);
    }
    return on_basis(std::move(matrix));
  }

  SymmetricMatrix normal_matrix() {  // G_BH G_HB
    std::map<std::pair<CoordinateId, CoordinateId>, std::vector<Expr>> terms;
    for (std::uint32_t h = 0; h < island_.count; ++h) {
      for (const auto& [i, g] : rows_[h]) {
        for (const auto& [j, other] : rows_[h]) {
          if (j >= i) terms[{unknown(i), unknown(j)}].push_back(pool_.mul({share(h), g, other}));
        }
      }
    }
    SymmetricMatrix matrix;
    for (auto& [at, sum] : terms) matrix.emplace(at, pool_.add(std::move(sum)));
    return on_basis(std::move(matrix));
  }

  // G_HB y with (G_BH G_HB) y = right: the shortest forces with these effects.
  std::vector<Expr> shared_forces(const SymmetricSolver& normal, const Vector& right) {
    std::vector<Expr> y(island_.count, pool_.zero());
    for (const auto& [i, value] : normal.solve(right)) y[i.value] = value;
    std::vector<Expr> forces;
    for (std::uint32_t h = 0; h < island_.count; ++h) {
      forces.push_back(pool_.mul(share(h), row_times(h, y)));
    }
    return forces;
  }

  ExprPool& pool_;
  const ExplicitIsland& island_;
  std::vector<std::vector<std::pair<std::uint32_t, Expr>>> rows_;  // of G
};

}  // namespace

std::vector<Expr> solve_forces(ExprPool& pool, const ExplicitIsland& island,
                               const std::vector<Expr>& free, const std::vector<Expr>& given) {
  return Elimination(pool, island).forces(free, given);
}

void separate_varying(const ExprPool& pool, std::vector<ExplicitGramEntry>& gram,
                      std::vector<ExplicitGramEntry>& varying) {
  std::vector<ExplicitGramEntry> steady;
  for (const ExplicitGramEntry& entry : gram) {
    (is_parametric(pool, entry.value) ? steady : varying).push_back(entry);
  }
  gram = std::move(steady);
}

}  // namespace luztar
