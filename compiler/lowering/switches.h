// Edges of the right-hand side as switches.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "compiler/lowering/explicit_system.h"
#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/print.h"

namespace luztar {

/// Writes expressions as they are inside one mode: luz, nas, abs, sign, min, max, floor, ceil, mod,
/// tables and comparisons that vary become smooth expressions of mode symbols, each watched
/// quantity once. The absolute value and the sign of a friction's slip, and its comparison with
/// zero, take the friction's own direction. Arguments of noEvent stay as they are.
class SwitchRewriter {
 public:
  /// `system` holds the frictions already, and receives slots and switches. `names` of states and
  /// parameters.
  SwitchRewriter(ExprPool& pool, ExplicitSystem& system, SymbolNames names);

  /// e in a mode. With `create` new edges become switches; without, they stay as they are and need
  /// no event (results only).
  ///   cost: linear in the nodes not seen before
  [[nodiscard]] Expr rewrite(Expr e, bool create);

 private:
  using Memo = PoolMap<Expr>;
  enum class Varies : std::uint8_t { kUnknown, kNo, kYes };
  Expr node(Expr e, std::vector<Expr> args, bool create);
  struct SplineSwitches;
  Expr mode_of(SwitchKind kind, Expr watched, Expr half_width, bool create);
  [[nodiscard]] Expr direction_of(Expr e);
  Expr compare(SwitchKind kind, Expr e, const std::vector<Expr>& args, bool create);
  Expr sign_of(Expr e, Expr x, bool create);
  Expr table(const std::vector<Expr>& args);
  Expr positive(Expr x);
  [[nodiscard]] bool varies(Expr e);

  ExprPool& pool_;
  ExplicitSystem& system_;
  SymbolNames names_;
  Memo created_, existing_;
  PoolMap<Varies> varies_;
  NodeMap<std::pair<std::uint32_t, double>> slip_;  // slip velocity: friction and sign
  // by kind, watched and width: in what was written so far
  std::map<std::tuple<SwitchKind, Expr, Expr>, std::uint32_t> index_;
};

}  // namespace luztar
