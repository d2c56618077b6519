// Groups of massless points that kernel B settles together, and the expressions of their motion.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "compiler/lowering/explicit_system.h"
#include "compiler/lowering/friction_groups.h"
#include "compiler/reduction/reduction.h"

namespace luztar {

class SettleIslands {
 public:
  /// Groups the coordinates of role kSettled by the springs and frictions between them.
  SettleIslands(ExprPool& pool, const Mechanism& mechanism);

  /// By island, those that act on its points.
  [[nodiscard]] std::vector<std::vector<ForceTermId>> frictions_by_island() const;
  /// Makes one island of all whose frictions are among `members`: some of these act in series, and
  /// hold bodies with inertia while they stick. Its frictions are the members from then on.
  ///   group  how forces of the members act on each other's slips
  void bind(const std::vector<ForceTermId>& members, FrictionGroup group);

  /// Frictions of all islands, in the order of `number`.
  [[nodiscard]] std::vector<ForceTermId> frictions() const;
  /// Gives islands and springs their slots; their frictions are in `system` from `first` on.
  void number(ExplicitSystem& system, std::uint32_t first);

  /// In terms of other symbols and of mode symbols: the affine map of the island's mode. In a bound
  /// island forces follow from slips where some creep, and from slip rates, too.
  ///   slip, rate   of a friction, without the frictions of the island
  [[nodiscard]] Expr position(CoordinateId q) const;
  [[nodiscard]] Expr friction_force(ForceTermId id, const std::function<Expr(ForceTermId)>& slip,
                                    const std::function<Expr(ForceTermId)>& rate);
  /// Of a bound island: its frictions, and the mode symbols by which their forces follow from their
  /// slip rates, row by row; none where G varies.
  struct Series {
    std::vector<ForceTermId> frictions;
    std::uint32_t hold_slot = kNoIndex;
    SeriesStresses stresses;
    const FrictionGroup* group = nullptr;  // of this
  };
  [[nodiscard]] std::vector<Series> series() const;
  /// The force of a spring in its zone; invalid when it is none of an island's.
  [[nodiscard]] Expr spring_force(ForceTermId id) const;
  /// The zone of a freeplay spring; invalid when it is none of an island's.
  [[nodiscard]] Expr zone(ForceTermId id) const;
  /// The part of a friction's travel that is not the points'.
  [[nodiscard]] Expr travel(ForceTermId id) const;

  /// e depends on where an island settles, or on its frictions.
  [[nodiscard]] bool takes_part(Expr e) const;

  /// Fills in the expressions of springs and islands; `resolve` takes symbols to base symbols.
  void write(ExplicitSystem& system, const std::function<Expr(Expr)>& resolve) const;

 private:
  struct Island {
    std::vector<CoordinateId> points;
    std::vector<ForceTermId> springs, frictions;
    std::uint32_t map_slot = 0, offset_slot = 0;
    bool bound = false;
    FrictionGroup group;                                                  // of a bound island
    std::uint32_t given_slot = 0, hold_slot = kNoIndex, static_slot = 0;  // likewise
    std::uint32_t creep_hold_slot = kNoIndex;                             // where some creep
    SeriesStresses stresses;                                              // where G varies
    std::vector<Expr> solved;                                             // likewise: its forces
  };
  struct Place {
    std::size_t island = 0;
    std::uint32_t index = 0;  // among the island's points, springs or frictions
  };

  void place(std::size_t island);
  static void number_series(ExplicitSystem& system, Island& island, ExplicitSettleIsland& out);
  [[nodiscard]] Expr result(const Island& island, std::uint32_t row) const;
  [[nodiscard]] Expr balancing_force(const Island& island, std::uint32_t friction) const;
  [[nodiscard]] Expr force_by_tables(const Island& island, std::uint32_t friction,
                                     const std::function<Expr(ForceTermId)>& slip,
                                     const std::function<Expr(ForceTermId)>& rate) const;
  [[nodiscard]] Expr own_bound(ForceTermId id, Expr bound) const;
  [[nodiscard]] Expr load(CoordinateId point) const;
  [[nodiscard]] Expr known_part(const LinearForm& form) const;
  [[nodiscard]] Expr mode(std::uint32_t slot) const;
  [[nodiscard]] bool is_linear(const ForceTerm& spring) const;

  ExprPool& pool_;
  const Mechanism& mechanism_;
  std::vector<Island> islands_;
  std::uint32_t last_slot_ = 0;  // beyond those of the islands
  std::map<CoordinateId, Place> points_;
  std::map<ForceTermId, Place> springs_, frictions_;
  std::map<ForceTermId, std::uint32_t> zone_slots_;
  std::map<CoordinateId, std::vector<std::pair<ForceTermId, Expr>>> loads_;
};

}  // namespace luztar
