#include "compiler/lowering/solved_series.h"

#include "compiler/lowering/solved_island.h"
#include "compiler/mechanics/parameter_point.h"

namespace luztar {
namespace {

class Series {
 public:
  Series(ExprPool& pool, const SeriesStresses& stresses, std::size_t count)
      : pool_(pool), stresses_(stresses), count_(static_cast<std::uint32_t>(count)) {}

  /// N
  Expr stress(std::uint32_t friction, std::uint32_t column) {
    return pool_.symbol(SymbolKind::kMode, stresses_.slot + friction * stresses_.count + column);
  }

  /// N' x
  std::vector<Expr> along(const std::vector<Expr>& x) {
    std::vector<Expr> out;
    for (std::uint32_t a = 0; a < stresses_.count; ++a) {
      std::vector<Expr> terms;
      for (std::uint32_t i = 0; i < count_; ++i) terms.push_back(pool_.mul(stress(i, a), x[i]));
      out.push_back(pool_.add(std::move(terms)));
    }
    return out;
  }

  /// G x
  std::vector<Expr> product(const std::vector<ExplicitGramEntry>& gram,
                            const std::vector<Expr>& x) {
    std::vector<std::vector<Expr>> terms(count_);
    for (const ExplicitGramEntry& entry : gram) {
      terms[entry.i].push_back(pool_.mul(entry.value, x[entry.j]));
      if (entry.i != entry.j) terms[entry.j].push_back(pool_.mul(entry.value, x[entry.i]));
    }
    std::vector<Expr> out;
    for (std::vector<Expr>& sum : terms) out.push_back(pool_.add(std::move(sum)));
    return out;
  }

  /// N'G N and the slots of y, as of a solved island.
  ExplicitIsland unknowns(const std::vector<ExplicitGramEntry>& gram) {
    ExplicitIsland out;
    out.count = stresses_.count;
    out.hold_slot = stresses_.basis_slot;
    out.share_slot = stresses_.share_slot;
    for (std::uint32_t b = 0; b < stresses_.count; ++b) {
      std::vector<Expr> column;
      for (std::uint32_t i = 0; i < count_; ++i) column.push_back(stress(i, b));
      const std::vector<Expr> entries = along(product(gram, column));
      for (std::uint32_t a = 0; a <= b; ++a) out.gram.push_back({a, b, entries[a]});
    }
    return out;
  }

 private:
  ExprPool& pool_;
  const SeriesStresses& stresses_;
  std::uint32_t count_;
};

}  // namespace

std::vector<Expr> solve_series(ExprPool& pool, const SeriesStresses& stresses,
                               const std::vector<ExplicitGramEntry>& gram,
                               const std::vector<Expr>& drag, const std::vector<Expr>& rate,
                               const std::vector<Expr>& given) {
  const std::size_t n = given.size();
  Series series(pool, stresses, n);
  std::vector<Expr> left = series.product(gram, given);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Expr> taken;
    for (std::size_t j = 0; j < n && !drag.empty(); ++j) {
      taken.push_back(pool.mul(drag[i * n + j], given[j]));
    }
    left[i] = pool.add(pool.sub(rate[i], left[i]), pool.add(std::move(taken)));
  }
  const std::vector<Expr> none(stresses.count, pool.zero());
  const std::vector<Expr> y = solve_forces(pool, series.unknowns(gram), series.along(left), none);
  std::vector<Expr> out;
  for (std::uint32_t i = 0; i < n; ++i) {
    std::vector<Expr> terms{given[i]};
    for (std::uint32_t a = 0; a < stresses.count; ++a) {
      terms.push_back(pool.mul(series.stress(i, a), y[a]));
    }
    out.push_back(pool.add(std::move(terms)));
  }
  return out;
}

void number_stresses(ExplicitSystem& system, const FrictionGroup& group, SeriesStresses& stresses) {
  const auto take = [&](std::size_t count) {
    const std::uint32_t first = system.slots;
    system.slots += static_cast<std::uint32_t>(count);
    return first;
  };
  stresses.count = static_cast<std::uint32_t>(group.stresses);
  stresses.slot = take(group.count * group.stresses);
  stresses.basis_slot = take(group.stresses);
  if (group.singular) stresses.share_slot = take(group.stresses);
}

void separate_varying(ExprPool& pool, std::vector<Expr>& drag,
                      std::vector<ExplicitGramEntry>& varying) {
  std::size_t n = 0;
  while (n * n < drag.size()) ++n;
  for (std::size_t k = 0; k < drag.size(); ++k) {
    if (is_parametric(pool, drag[k])) continue;
    varying.push_back(
        {static_cast<std::uint32_t>(k / n), static_cast<std::uint32_t>(k % n), drag[k]});
    drag[k] = pool.zero();
  }
}

}  // namespace luztar
