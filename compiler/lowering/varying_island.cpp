#include "compiler/lowering/varying_island.h"

#include "compiler/lowering/symmetric_solver.h"
#include "compiler/mechanics/parameter_point.h"

namespace luztar {
namespace {

using Vector = SymmetricSolver::Vector;

/// An unknown of the island, as the solver names it.
CoordinateId unknown(std::uint32_t friction) { return CoordinateId{friction}; }
std::uint32_t friction_of(CoordinateId unknown) { return unknown.value; }

class Elimination {
 public:
  Elimination(ExprPool& pool, const ExplicitIsland& island) : pool_(pool), island_(island) {}

  std::vector<Expr> forces(const std::vector<Expr>& free, const std::vector<Expr>& given) {
    const SymmetricSolver solver(pool_, held_matrix());
    Vector pull;
    for (std::uint32_t i = 0; i < island_.count; ++i) {
      std::vector<Expr> terms{free[i]};
      for (std::uint32_t j = 0; j < island_.count; ++j) {
        terms.push_back(pool_.neg(pool_.mul(gram(i, j), given[j])));
      }
      pull.emplace(unknown(i), pool_.mul(basis(i), pool_.add(std::move(terms))));
    }
    Vector held = solver.solve(pull);
    if (island_.share_slot != kNoIndex) held = shared(solver, held);
    std::vector<Expr> forces = given;
    for (const auto& [i, s] : held) {
      forces[friction_of(i)] = pool_.add(forces[friction_of(i)], s);
    }
    return forces;
  }

 private:
  [[nodiscard]] Expr gram(std::uint32_t i, std::uint32_t j) const {
    return island_.gram[i * island_.count + j];
  }
  Expr basis(std::uint32_t i) { return pool_.symbol(SymbolKind::kMode, island_.hold_slot + i); }

  void add_unit(SymmetricMatrix& matrix, std::uint32_t i) {
    Expr& entry = matrix.emplace(std::pair{unknown(i), unknown(i)}, pool_.zero()).first->second;
    entry = pool_.add(entry, pool_.sub(pool_.one(), basis(i)));
  }

  // G_BB, and 1 on the diagonal for frictions that are not in B.
  SymmetricMatrix held_matrix() {
    SymmetricMatrix matrix;
    for (std::uint32_t i = 0; i < island_.count; ++i) {
      for (std::uint32_t j = i; j < island_.count; ++j) {
        if (pool_.is_zero(gram(i, j))) continue;
        const Expr both = i == j ? basis(i) : pool_.mul(basis(i), basis(j));
        matrix.emplace(std::pair{unknown(i), unknown(j)}, pool_.mul(both, gram(i, j)));
      }
      add_unit(matrix, i);
    }
    return matrix;
  }

  // C (C' C)^-1 t
  Vector shared(const SymmetricSolver& solver, const Vector& t) {
    std::vector<Vector> columns;  // of C
    for (std::uint32_t j = 0; j < island_.count; ++j) {
      const Vector inverse = solver.solve({{unknown(j), basis(j)}});
      Vector& column = columns.emplace_back();
      for (std::uint32_t i = 0; i < island_.count; ++i) {
        const Expr share = pool_.symbol(SymbolKind::kMode, island_.share_slot + i);
        std::vector<Expr> terms;
        for (const auto& [k, x] : inverse) terms.push_back(pool_.mul(gram(i, friction_of(k)), x));
        const Expr entry = pool_.mul(share, pool_.add(std::move(terms)));
        if (!pool_.is_zero(entry)) column.emplace(unknown(i), entry);
      }
    }
    SymmetricMatrix normal;
    for (std::uint32_t i = 0; i < island_.count; ++i) {
      for (std::uint32_t j = i; j < island_.count; ++j) {
        const Expr entry = product(columns[i], columns[j]);
        if (!pool_.is_zero(entry)) normal.emplace(std::pair{unknown(i), unknown(j)}, entry);
      }
      add_unit(normal, i);
    }
    Vector forces;
    for (const auto& [j, y] : SymmetricSolver(pool_, normal).solve(t)) {
      for (const auto& [i, c] : columns[friction_of(j)]) {
        const Expr term = pool_.mul(c, y);
        const auto [it, fresh] = forces.emplace(i, term);
        if (!fresh) it->second = pool_.add(it->second, term);
      }
    }
    return forces;
  }

  Expr product(const Vector& a, const Vector& b) {
    std::vector<Expr> terms;
    for (const auto& [i, x] : a) {
      const auto other = b.find(i);
      if (other != b.end()) terms.push_back(pool_.mul(x, other->second));
    }
    return pool_.add(std::move(terms));
  }

  ExprPool& pool_;
  const ExplicitIsland& island_;
};

}  // namespace

std::vector<Expr> varying_forces(ExprPool& pool, const ExplicitIsland& island,
                                 const std::vector<Expr>& free, const std::vector<Expr>& given) {
  return Elimination(pool, island).forces(free, given);
}

void separate_varying(const ExprPool& pool, ExplicitIsland& island) {
  for (std::uint32_t i = 0; i < island.count; ++i) {
    for (std::uint32_t j = i; j < island.count; ++j) {
      Expr& entry = island.gram[i * island.count + j];
      if (is_parametric(pool, entry)) continue;
      island.varying_gram.push_back({i, j, entry});
      entry = island.gram[j * island.count + i] = Expr{};
    }
  }
}

}  // namespace luztar
