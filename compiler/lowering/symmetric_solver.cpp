#include "compiler/lowering/symmetric_solver.h"

#include <set>

namespace luztar {

SymmetricSolver::SymmetricSolver(ExprPool& pool, const SymmetricMatrix& matrix) : pool_(pool) {
  std::map<CoordinateId, Vector>
      lower;  // by column: entries below the diagonal still to be eliminated
  for (const auto& [key, value] : matrix) {
    const auto [i, j] = key;
    if (i == j) {
      diagonal_.emplace(i, value);
    } else {
      lower[i].emplace(j, value);
    }
  }
  for (auto& [k, pivot] : diagonal_) {
    const auto column = lower.find(k);
    if (column == lower.end()) continue;
    const Vector entries = column->second;
    for (const auto& [i, value] : entries) {
      const Expr l = pool_.div(value, pivot);
      columns_[k].emplace_back(i, l);
      rows_[i].emplace_back(k, l);
      for (const auto& [j, other] : entries) {
        if (j < i) continue;
        const Expr update = pool_.neg(pool_.mul(l, other));
        if (i == j) {
          diagonal_.at(i) = pool_.add(diagonal_.at(i), update);
        } else {
          const auto [it, fresh] = lower[i].emplace(j, update);
          if (!fresh) it->second = pool_.add(it->second, update);
        }
      }
    }
  }
}

SymmetricSolver::Vector SymmetricSolver::solve(const Vector& f) const {
  Vector x = f;
  const auto accumulate = [&](CoordinateId i, Expr value) {
    const auto [it, fresh] = x.emplace(i, value);
    if (!fresh) it->second = pool_.add(it->second, value);
  };
  // L y = f in id order; entries that fill in lie ahead of the iteration.
  for (auto it = x.begin(); it != x.end(); ++it) {
    const auto column = columns_.find(it->first);
    if (column == columns_.end()) continue;
    for (const auto& [i, l] : column->second) {
      accumulate(i, pool_.neg(pool_.mul(l, it->second)));
    }
  }
  for (auto& [i, value] : x) value = pool_.div(value, diagonal_.at(i));
  // L^T x = y backwards.
  std::set<CoordinateId> work;
  for (const auto& [i, value] : x) work.insert(i);
  while (!work.empty()) {
    const CoordinateId i = *work.rbegin();
    work.erase(i);
    const auto row = rows_.find(i);
    if (row == rows_.end()) continue;
    for (const auto& [k, l] : row->second) {
      accumulate(k, pool_.neg(pool_.mul(l, x.at(i))));
      work.insert(k);
    }
  }
  return x;
}

}  // namespace luztar
