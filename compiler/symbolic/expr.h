// Hash-consed symbolic expressions in which luz, tar and dry friction are first-class.
//
// An ExprPool owns all nodes of a model; an Expr is an id into it, equal ids mean equal
// expressions. Construction simplifies: constants fold, sums and products flatten, like terms and
// powers collect, R2-R4 of the luz/tar calculus are applied where they make an expression smaller.
// Pools only grow, so an Expr stays valid.
//
// Arguments have smaller ids than their users. Terms and factors stand in order of creation. Sums
// and products copy what they hold: one of more than 32 terms or 64 factors enters a further one as
// a single term or factor, so that what n parts add to, one after the other, costs n and not n^2.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/ids.h"
#include "compiler/symbolic/short_vector.h"

namespace luztar {

using Expr = Id<struct ExprTag>;

enum class Op : std::uint8_t {
  kConstant,  // value
  kSymbol,    // symbol
  kAdd,       // n-ary
  kMul,       // n-ary
  kPow,       // base, exponent
  kDer,       // time derivative of the argument
  kAbs,
  kSign,
  kExp,
  kLog,
  kLog10,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kFloor,
  kCeil,  // unary functions
  kAtan2,
  kMin,
  kMax,
  kMod,      // binary functions
  kLuz,      // luz(x, a): dead zone of half width a >= 0
  kNas,      // nas(x, a) = x - luz(x, a): saturation
  kOutside,  // 1 where |x| > a, else 0: d luz(x, a) / dx
  /// aboveedge(x, e): x that a mode does not let fall below zero, for roots: exactly 0 where
  /// rounding or a trial step took it below, and for e = 1, as it is at its edge; for e > 1 it
  /// stays there.
  kAboveEdge,
  /// fallingbalance(y, w1, c1, k1, w2, ...): x with x + sum of w exp(-(c + k x)) = y, and
  /// fallingend(w1, c1, k1, w2, ...): where it ends for the first (runtime/pwl/falling_balance.h).
  kFallingBalance,
  kFallingEnd,
  /// fallingspeed(b, n, y_1 .. y_n, b1, c1, k1, w11 .. w1n, b2, ...): the same for n bodies, x_b,
  /// where a force is of body b1 and acts by w11 .. w1n; b, n and b1 are numbers, from 0 on.
  /// fallingspeedend(j, b, n, ...): x_b where slip j ends as its own y changes, or that for b = n
  /// (runtime/pwl/falling_speeds.h).
  kFallingSpeed,
  kFallingSpeedEnd,
  kDry,     // dryfriction(w, kinetic, static): set-valued at w = 0
  kStop,    // hardstop(x, a, e): force of rigid stops at -a and a with restitution e
  kTable,   // table(x, x1, y1, x2, y2, ...): piecewise linear, held constant outside
  kSpline,  // spline(x, n, x1, y1, ...): n-th derivative of the natural cubic spline
  kLess,
  kLessEqual,  // 1 or 0 (a > b is b < a)
  kAnd,
  kOr,
  kNot,
  kIf,       // condition, then, else
  kNoEvent,  // argument whose switching raises no event
  /// evaluated(x): x, as a number of its own: sums that it is a term of do not take x apart.
  kEvaluated,
};

/// What a symbol stands for; the index is an id of that kind's table.
enum class SymbolKind : std::uint8_t {
  kTime,          // index 0
  kParameter,     // ParameterId of the flat model
  kVariable,      // VariableId of the flat model
  kCoordinate,    // CoordinateId: q
  kVelocity,      // CoordinateId: dq/dt
  kAcceleration,  // CoordinateId: d2q/dt2
  kForce,         // ForceTermId: scalar force or torque of one term of the mechanism
  kState,         // index of an entry of the explicit system's state vector
  kMode,          // index of a friction of the explicit system: -1, 0, +1
};

struct Symbol {
  SymbolKind kind = SymbolKind::kTime;
  std::uint32_t index = 0;
  friend constexpr auto operator<=>(const Symbol&, const Symbol&) = default;
};

/// How symbols print.
using SymbolNames = std::function<std::string(Symbol)>;
/// Numerical values of symbols.
using SymbolValues = std::function<double(Symbol)>;
/// Replacement of symbols; an invalid Expr keeps the symbol.
using SymbolMap = std::function<Expr(Symbol)>;

class ExprPool {
 public:
  ExprPool();

  struct Node {
    union {
      double value = 0;  // kConstant
      Symbol symbol;     // kSymbol
    };
    std::uint32_t first = 0, count = 0;  // arguments: where they begin, see room_for
    Op op = Op::kConstant;
  };

  [[nodiscard]] const Node& operator[](Expr e) const { return nodes_[e.value]; }
  /// Arguments of a node: they stay where they are as long as the pool lives.
  [[nodiscard]] std::span<const Expr> args(Expr e) const;
  [[nodiscard]] Expr arg(Expr e, std::size_t i) const { return args(e)[i]; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// Of all nodes together: what they hold besides themselves.
  [[nodiscard]] std::size_t argument_count() const { return argument_count_; }

  /// Any double; -0.0 becomes 0.
  [[nodiscard]] Expr constant(double value);
  [[nodiscard]] Expr symbol(Symbol symbol);
  [[nodiscard]] Expr symbol(SymbolKind kind, std::uint32_t index) {
    return symbol(Symbol{kind, index});
  }
  [[nodiscard]] Expr time() { return symbol(SymbolKind::kTime, 0); }
  [[nodiscard]] Expr zero() const { return zero_; }
  [[nodiscard]] Expr one() const { return one_; }

  /// Lists of terms, factors and arguments must not be those of a node of the pool.
  [[nodiscard]] Expr add(std::span<const Expr> terms);
  [[nodiscard]] Expr add(std::initializer_list<Expr> terms) { return add(std::span(terms)); }
  [[nodiscard]] Expr add(Expr a, Expr b) { return add({a, b}); }
  [[nodiscard]] Expr sub(Expr a, Expr b) { return add(a, neg(b)); }
  [[nodiscard]] Expr neg(Expr a);
  [[nodiscard]] Expr mul(std::span<const Expr> factors);
  [[nodiscard]] Expr mul(std::initializer_list<Expr> factors) { return mul(std::span(factors)); }
  [[nodiscard]] Expr mul(Expr a, Expr b) { return mul({a, b}); }
  /// a * b^-1; literal divisors divide exactly as in floating point.
  [[nodiscard]] Expr div(Expr a, Expr b);
  [[nodiscard]] Expr pow(Expr base, Expr exponent);
  [[nodiscard]] Expr sqrt(Expr a) { return pow(a, constant(0.5)); }
  [[nodiscard]] Expr luz(Expr x, Expr half_width);
  [[nodiscard]] Expr nas(Expr x, Expr half_width);
  [[nodiscard]] Expr dry(Expr w, Expr kinetic, Expr static_bound);
  /// tar(x, a) = x + dryfriction(x, a, a)
  [[nodiscard]] Expr tar(Expr x, Expr a) { return add(x, dry(x, a, a)); }
  [[nodiscard]] Expr if_then_else(Expr condition, Expr then_value, Expr else_value);
  /// Any operation but kConstant and kSymbol, with the simplifications of that operation; `args` in
  /// the order given at Op. A wrong number of arguments throws InternalError.
  [[nodiscard]] Expr call(Op op, std::span<const Expr> args);
  [[nodiscard]] Expr call(Op op, std::initializer_list<Expr> args) {
    return call(op, std::span(args));
  }

  [[nodiscard]] bool is_constant(Expr e) const { return nodes_[e.value].op == Op::kConstant; }
  [[nodiscard]] bool is_zero(Expr e) const { return e == zero_; }
  [[nodiscard]] bool is_symbol(Expr e) const { return nodes_[e.value].op == Op::kSymbol; }
  /// The index of the variable that e is; none when e is anything else.
  [[nodiscard]] std::optional<std::uint32_t> variable_of(Expr e) const {
    const Node& node = nodes_[e.value];
    if (node.op != Op::kSymbol || node.symbol.kind != SymbolKind::kVariable) return std::nullopt;
    return node.symbol.index;
  }
  /// Splits e into a numeric factor and the rest: e = factor * rest.
  [[nodiscard]] std::pair<double, Expr> numeric_factor(Expr e);

 private:
  static constexpr std::uint32_t kLongestSum = 32, kLongestProduct = 64;
  static constexpr std::uint32_t kBlock = 1U << 14;  // arguments

  /// A term of a sum: coefficient * expression, or a factor of a product: expression ^ exponent.
  using Weighted = std::pair<Expr, double>;

  Expr intern(Op op, double value, Symbol symbol, std::span<const Expr> args);
  Expr intern(Op op, std::span<const Expr> args) { return intern(op, 0, {}, args); }
  void grow_index();
  /// Where `count` arguments that follow each other are kept: block * kBlock + place in it.
  std::uint32_t room_for(std::size_t count);
  [[nodiscard]] Expr* arguments_at(std::uint32_t first) const {
    return blocks_[first / kBlock].get() + first % kBlock;
  }
  [[nodiscard]] bool same(Expr e, Op op, double value, Symbol symbol,
                          std::span<const Expr> args) const;

  /// A sum or product that is a single term or factor of others.
  [[nodiscard]] bool is_long(Expr e) const {
    const Node& node = nodes_[e.value];
    return node.count > (node.op == Op::kAdd ? kLongestSum : kLongestProduct);
  }
  /// inf - inf or 0*inf of literals: a node that is never evaluated, flattened or collected.
  [[nodiscard]] bool is_indeterminate(Expr e) const;
  Expr indeterminate_sum();
  Expr indeterminate_product();

  [[nodiscard]] bool leads_negative(Expr e) const;
  [[nodiscard]] double coefficient(Expr term) const;
  Expr scaled(double factor, Expr rest);
  Expr attach_factor(double factor, Expr rest);
  Expr divide_sum(Expr sum, double divisor);
  [[nodiscard]] double content(Expr sum) const;
  using Weights = ShortVector<Weighted>;
  Expr add_sorted(const Weights& terms, double constant_part);
  Expr multiply_out(double constant_part, const Weights& powers);
  Expr fold_or_intern(Op op, std::span<const Expr> args);
  Expr base_of_root(Expr e);
  Expr unary(Op op, Expr x);
  Expr binary(Op op, Expr a, Expr b);
  Expr outside(Expr x, Expr half_width);

  std::vector<Node> nodes_;
  std::vector<std::unique_ptr<Expr[]>> blocks_;  // arguments; one that needs more has its own
  std::uint32_t block_used_ = kBlock;            // of the last one
  std::size_t argument_count_ = 0;
  // Open addressing with linear probing. The hash beside the id avoids most comparisons, each a
  // miss of the cache in a large pool. Nothing depends on the order of the slots.
  struct Slot {
    std::uint32_t id, hash;
  };
  std::vector<Slot> slots_;
  Expr zero_, one_;
};

}  // namespace luztar
