// Edges of the right-hand side as switches.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/lowering/explicit_system.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/print.h"

namespace luztar {

/// What becomes of the edges of an expression.
enum class Edges : std::uint8_t {
  kOfMotion,  // switches: inside a mode the expression is smooth
  kKnown,     // the values of switches that are there already; no event for others
  /// Switches that no motion depends on, for events with a value before and one after them. What
  /// jumps there takes the value of its mode. What bends is evaluated as it is: next to an event
  /// rounding would make |x| = m x negative.
  kOfResult,
};

/// Writes expressions as they are inside one mode: luz, nas, abs, sign, min, max, floor, ceil, mod,
/// tables and comparisons that vary become smooth expressions of mode symbols, each watched
/// quantity once. What a root or power sees at such an edge is exactly zero there, and not negative
/// in the mode; the power itself is watched, too. The absolute value and the sign of a friction's
/// slip, and its comparison with zero, take the friction's own direction. Arguments of noEvent stay
/// as they are in what moves, and know of no other switches in results.
class SwitchRewriter {
 public:
  /// `system` holds the frictions already, and receives slots and switches. `names` of states and
  /// parameters. `nominal`, too, outlives this.
  SwitchRewriter(ExprPool& pool, ExplicitSystem& system, const NominalPoint& nominal,
                 SymbolNames names);

  /// e in a mode.
  ///   pre:  nothing of the motion is rewritten after a result
  ///   cost: linear in the nodes not seen before
  [[nodiscard]] Expr rewrite(Expr e, Edges edges);
  /// The operation of e has edges at which its value jumps.
  [[nodiscard]] bool jumps(Expr e) const;

 private:
  using Memo = PoolMap<Expr>;
  /// Where an expression is: at an edge the base of a power is to be exactly zero, and a divisor of
  /// the sign that it has.
  enum class Place : std::uint8_t { kAnywhere, kInBase, kInDivisor };
  enum class Varies : std::uint8_t { kUnknown, kNo, kYes };
  void watch(Expr e);
  [[nodiscard]] bool bends(Expr e) const;
  [[nodiscard]] bool is_never_negative(Expr e) const;
  [[nodiscard]] Memo& memo_of(Edges edges, Place place);
  Expr rewrite_in(Expr e, Edges edges, Place place = Place::kAnywhere);
  [[nodiscard]] std::vector<Expr> anywhere(Expr e, Edges edges);
  Expr beside_infinity(Expr e, const std::vector<Expr>& args);
  Expr side_beyond(Expr nas, const std::vector<Expr>& watched, Edges edges);
  Expr node(Expr e, std::vector<Expr> args, Edges edges, Place place);
  Expr power(Expr e, const std::vector<Expr>& args, Edges edges);
  Expr product(Expr e, std::vector<Expr> args, Edges edges);
  Expr known_sign(Expr x, Expr watched, Edges edges);
  Expr extreme(Op op, const std::vector<Expr>& args, Expr mode);
  Expr extreme_in_base(Op op, std::vector<Expr> args, Expr mode, Edges edges);
  Expr above_edge(Expr x, Expr mode, Edges edges);
  Expr above_whole(Expr part, Expr mode, Expr x, Edges edges);
  struct SplineSwitches;
  /// named: what is watched, in the model's words; `watched` itself by default
  Expr mode_of(SwitchKind kind, Expr watched, Expr half_width, Edges edges, Expr named = {});
  [[nodiscard]] Expr direction_of(Expr e, Expr x, Edges edges);
  void note_relation(Expr slip, Edges edges);
  Expr compare(SwitchKind kind, Expr e, const std::vector<Expr>& args, Edges edges);
  Expr sign_of(Expr e, Expr x, Edges edges);
  Expr sign_of_luz(Expr x, Expr a, Edges edges);
  Expr sign_by_switches(Expr x, Expr named, Edges edges);
  Expr table(const std::vector<Expr>& args);
  Expr above(SwitchKind kind, Expr x);
  Expr relation(SwitchKind kind, Expr x);
  [[nodiscard]] bool may_jump(Expr table) const;
  [[nodiscard]] bool varies(Expr e);

  ExprPool& pool_;
  ExplicitSystem& system_;
  const NominalPoint& nominal_;
  SymbolNames names_;
  Memo smooth_, known_, results_;
  Memo smooth_bases_, known_bases_, result_bases_;
  Memo smooth_divisors_, known_divisors_, result_divisors_;
  PoolMap<Varies> varies_;
  static constexpr std::uint8_t kUnseen = 0;
  PoolMap<std::uint8_t> depth_;  // 1 + edges above each other that only results have
  NodeMap<std::pair<std::uint32_t, double>> slip_;  // slip velocity: friction and sign
  // by kind, watched and width: in what was written so far
  std::map<std::tuple<SwitchKind, Expr, Expr>, std::uint32_t> index_;
};

}  // namespace luztar
