#include "compiler/codegen/tape.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "compiler/base/diagnostics.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/spline.h"

namespace luztar {
namespace {

/// Integer powers up to this size become multiplications.
constexpr int kLongestPowerChain = 32;

std::uint64_t hash_node(const TapeNode& node, std::span<const TapeId> operands) {
  constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15ULL;
  std::uint64_t h = static_cast<std::uint64_t>(node.op) + kMix;
  const auto mix = [&h](std::uint64_t part) {
    h = (h ^ part) * kMix;
    h ^= h >> 29;
  };
  mix(std::bit_cast<std::uint64_t>(node.value));
  mix(node.symbol);
  for (const TapeId operand : operands) mix(operand);
  return h;
}

/// The tape under construction.
struct Builder {
  const ExprPool& pool;
  Tape tape;
  std::vector<TapeId> lowered;                                       // by expression
  std::vector<TapeId> slots = std::vector<TapeId>(1024, kNoTapeId);  // open addressing, of nodes

  /// A node with these operands, which need not be in the list yet.
  TapeId intern(TapeNode node, std::span<const TapeId> operands) {
    const std::size_t slot = find_slot(node, operands);
    if (slots[slot] != kNoTapeId) return slots[slot];
    if (node.op == TapeOp::kMode) node.variability = Variability::kMode;
    if (node.op == TapeOp::kTime || node.op == TapeOp::kState)
      node.variability = Variability::kTime;
    for (const TapeId operand : operands) {
      node.variability = std::max(node.variability, variability(operand));
    }
    node.first_operand = static_cast<std::uint32_t>(tape.operand_list.size());
    node.operand_count = static_cast<std::uint32_t>(operands.size());
    tape.operand_list.insert(tape.operand_list.end(), operands.begin(), operands.end());
    const auto created = static_cast<TapeId>(tape.nodes.size());
    slots[slot] = created;
    tape.nodes.push_back(node);
    if (2 * tape.nodes.size() > slots.size()) grow();
    return created;
  }
  /// Where the node is, or an empty slot for it.
  [[nodiscard]] std::size_t find_slot(const TapeNode& node,
                                      std::span<const TapeId> operands) const {
    const auto same = [&](TapeId id) {
      const TapeNode& other = tape.nodes[id];
      return other.op == node.op && other.symbol == node.symbol &&
             std::ranges::equal(tape.operands(id), operands) &&
             std::bit_cast<std::uint64_t>(other.value) == std::bit_cast<std::uint64_t>(node.value);
    };
    const std::size_t mask = slots.size() - 1;
    std::size_t slot = hash_node(node, operands) & mask;
    while (slots[slot] != kNoTapeId && !same(slots[slot])) slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots.assign(4 * slots.size(), kNoTapeId);
    for (TapeId id = 0; id < tape.nodes.size(); ++id) {
      slots[find_slot(tape.nodes[id], tape.operands(id))] = id;
    }
  }
  TapeId constant(double value) { return intern({.op = TapeOp::kConstant, .value = value}, {}); }
  TapeId symbol(TapeOp op, std::uint32_t index) { return intern({.op = op, .symbol = index}, {}); }
  TapeId make(TapeOp op, std::span<const TapeId> operands) { return intern({.op = op}, operands); }
  template <class... Operands>
  TapeId make(TapeOp op, TapeId first, Operands... others) {
    return make(op, std::array{first, TapeId{others}...});
  }
  TapeId clamp(TapeId x, TapeId bound) {
    // x is the second operand of both, so that not-a-number passes through.
    const TapeId below = make(TapeOp::kMin, bound, x);
    return make(TapeOp::kMax, make(TapeOp::kNeg, bound), below);
  }
  [[nodiscard]] Variability variability(TapeId id) const { return tape.nodes[id].variability; }
  [[nodiscard]] TapeId of(Expr e) const { return lowered[e.value]; }
};

/// Operands in the order of their variability, each group in its order.
std::vector<Expr> steady_first(const Builder& b, std::span<const Expr> args) {
  std::vector<Expr> sorted(args.begin(), args.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&b](Expr x, Expr y) {
    return b.variability(b.of(x)) < b.variability(b.of(y));
  });
  return sorted;
}

TapeId lower_sum(Builder& b, std::span<const Expr> args) {
  TapeId sum = kNoTapeId;
  for (const Expr arg : steady_first(b, args)) {
    const TapeId term = b.of(arg);
    const TapeNode& node = b.tape.nodes[term];
    if (sum == kNoTapeId) {
      sum = term;
    } else if (node.op == TapeOp::kNeg) {
      sum = b.make(TapeOp::kSub, sum, b.tape.operands(term)[0]);
    } else if (b.tape.nodes[sum].op == TapeOp::kNeg) {
      sum = b.make(TapeOp::kSub, term, b.tape.operands(sum)[0]);
    } else {
      sum = b.make(TapeOp::kAdd, sum, term);
    }
  }
  return sum == kNoTapeId ? b.constant(0.0) : sum;
}

/// The base when e is base^(-1), so that it becomes a division.
bool is_reciprocal(const Builder& b, Expr e) {
  const ExprPool::Node& node = b.pool[e];
  if (node.op != Op::kPow) return false;
  const ExprPool::Node& exponent = b.pool[b.pool.arg(e, 1)];
  return exponent.op == Op::kConstant && exponent.value == -1.0;
}

/// Product of `factors`; reciprocals divide.
TapeId product(Builder& b, std::span<const Expr> factors) {
  bool negative = false;
  TapeId result = kNoTapeId;
  for (const Expr factor : factors) {
    if (is_reciprocal(b, factor)) continue;
    const TapeId id = b.of(factor);
    const TapeNode& node = b.tape.nodes[id];
    if (node.op == TapeOp::kConstant && node.value == -1.0) {
      negative = !negative;
    } else {
      result = result == kNoTapeId ? id : b.make(TapeOp::kMul, result, id);
    }
  }
  for (const Expr factor : factors) {
    if (!is_reciprocal(b, factor)) continue;
    if (result == kNoTapeId) result = b.constant(negative ? -1.0 : 1.0), negative = false;
    result = b.make(TapeOp::kDiv, result, b.of(b.pool.arg(factor, 0)));
  }
  if (result == kNoTapeId) result = b.constant(1.0);
  return negative ? b.make(TapeOp::kNeg, result) : result;
}

/// factor * rest, where one of them may be missing.
TapeId scale(Builder& b, TapeId factor, TapeId rest) {
  if (factor == kNoTapeId || rest == kNoTapeId) return factor == kNoTapeId ? rest : factor;
  const TapeNode& node = b.tape.nodes[factor];
  if (node.op == TapeOp::kConstant && node.value == 1.0) return rest;
  if (node.op == TapeOp::kConstant && node.value == -1.0) return b.make(TapeOp::kNeg, rest);
  return b.make(TapeOp::kMul, factor, rest);
}

TapeId lower_product(Builder& b, std::span<const Expr> args) {
  TapeId result = kNoTapeId;
  for (const Variability group :
       {Variability::kParameters, Variability::kMode, Variability::kTime}) {
    std::vector<Expr> factors;
    for (const Expr arg : args) {
      if (b.variability(b.of(arg)) == group) factors.push_back(arg);
    }
    if (!factors.empty()) result = scale(b, result, product(b, factors));
  }
  return result;
}

/// x^n by repeated squaring, n >= 1.
TapeId power_chain(Builder& b, TapeId x, int n) {
  TapeId result = kNoTapeId;
  for (TapeId square = x; n > 0; n >>= 1) {
    if ((n & 1) != 0) result = result == kNoTapeId ? square : b.make(TapeOp::kMul, result, square);
    if (n > 1) square = b.make(TapeOp::kMul, square, square);
  }
  return result;
}

TapeId lower_power(Builder& b, TapeId base, TapeId exponent) {
  const TapeNode& node = b.tape.nodes[exponent];
  const double n = node.value;
  if (node.op != TapeOp::kConstant || std::fabs(n) > kLongestPowerChain ||
      2 * n != std::floor(2 * n)) {
    return b.make(TapeOp::kPow, base, exponent);
  }
  if (n == 0) return b.constant(1.0);
  const double magnitude = std::fabs(n);
  const int whole = static_cast<int>(magnitude);
  TapeId result = kNoTapeId;
  if (magnitude != whole) result = b.make(TapeOp::kSqrt, base);
  if (whole > 0) {
    const TapeId chain = power_chain(b, base, whole);
    result = result == kNoTapeId ? chain : b.make(TapeOp::kMul, chain, result);
  }
  return n > 0 ? result : b.make(TapeOp::kDiv, b.constant(1.0), result);
}

/// table(x, x1, y1, x2, y2, ...): the segment of x picked by comparisons, held constant outside. At
/// a doubled knot the second value counts; the segment between the two is never picked.
TapeId lower_table(Builder& b, std::span<const Expr> args) {
  if (args.size() < 3 || args.size() % 2 == 0)
    throw InternalError("codegen", "table without points");
  const TapeId x = b.of(args[0]);
  TapeId result = b.of(args[2]);
  for (std::size_t i = 1; i + 3 < args.size(); i += 2) {
    const TapeId x0 = b.of(args[i]), y0 = b.of(args[i + 1]);
    const TapeId x1 = b.of(args[i + 2]), y1 = b.of(args[i + 3]);
    const TapeId slope =
        b.make(TapeOp::kDiv, b.make(TapeOp::kSub, y1, y0), b.make(TapeOp::kSub, x1, x0));
    const TapeId rise = b.make(TapeOp::kMul, slope, b.make(TapeOp::kSub, x, x0));
    const TapeId line = b.make(TapeOp::kAdd, y0, rise);
    result = b.make(TapeOp::kSelect, b.make(TapeOp::kLessEqual, x0, x), line, result);
  }
  const TapeId last_x = b.of(args[args.size() - 2]), last_y = b.of(args[args.size() - 1]);
  return b.make(TapeOp::kSelect, b.make(TapeOp::kLessEqual, last_x, x), last_y, result);
}

/// Splines in operations of the tape.
struct TapeArithmetic {
  using Value = TapeId;
  Builder& b;
  TapeId number(double x) { return b.constant(x); }
  TapeId add(TapeId x, TapeId y) { return b.make(TapeOp::kAdd, x, y); }
  TapeId sub(TapeId x, TapeId y) { return b.make(TapeOp::kSub, x, y); }
  TapeId mul(TapeId x, TapeId y) { return b.make(TapeOp::kMul, x, y); }
  TapeId div(TapeId x, TapeId y) { return b.make(TapeOp::kDiv, x, y); }
  TapeId choose(TapeId x, TapeId knot, TapeId left, TapeId right) {
    return b.make(TapeOp::kSelect, b.make(TapeOp::kLess, x, knot), left, right);
  }
};

TapeId lower_symbol(Builder& b, Symbol symbol) {
  switch (symbol.kind) {
    case SymbolKind::kTime:
      return b.symbol(TapeOp::kTime, 0);
    case SymbolKind::kParameter:
      return b.symbol(TapeOp::kParameter, symbol.index);
    case SymbolKind::kState:
      return b.symbol(TapeOp::kState, symbol.index);
    case SymbolKind::kMode:
      return b.symbol(TapeOp::kMode, symbol.index);
    default:
      throw InternalError("codegen", "symbol of kind " +
                                         std::to_string(static_cast<int>(symbol.kind)) +
                                         " in the explicit system");
  }
}

TapeOp same_operation(Op op) {
  switch (op) {
    case Op::kAbs:
      return TapeOp::kAbs;
    case Op::kSign:
      return TapeOp::kSign;
    case Op::kExp:
      return TapeOp::kExp;
    case Op::kLog:
      return TapeOp::kLog;
    case Op::kLog10:
      return TapeOp::kLog10;
    case Op::kSin:
      return TapeOp::kSin;
    case Op::kCos:
      return TapeOp::kCos;
    case Op::kAsin:
      return TapeOp::kAsin;
    case Op::kAcos:
      return TapeOp::kAcos;
    case Op::kAtan:
      return TapeOp::kAtan;
    case Op::kSinh:
      return TapeOp::kSinh;
    case Op::kCosh:
      return TapeOp::kCosh;
    case Op::kTanh:
      return TapeOp::kTanh;
    case Op::kFloor:
      return TapeOp::kFloor;
    case Op::kCeil:
      return TapeOp::kCeil;
    case Op::kAboveEdge:
      return TapeOp::kAboveEdge;
    case Op::kAtan2:
      return TapeOp::kAtan2;
    case Op::kFallingBalance:
      return TapeOp::kFallingBalance;
    case Op::kFallingEnd:
      return TapeOp::kFallingEnd;
    case Op::kLess:
      return TapeOp::kLess;
    case Op::kLessEqual:
      return TapeOp::kLessEqual;
    case Op::kNot:
      return TapeOp::kNot;
    default:
      throw InternalError("codegen", "operation " + std::to_string(static_cast<int>(op)) +
                                         " in the explicit system");
  }
}

/// a op b op c ... from the left
TapeId chain(Builder& b, TapeOp op, std::span<const Expr> args) {
  TapeId result = b.of(args[0]);
  for (const Expr arg : args.subspan(1)) result = b.make(op, result, b.of(arg));
  return result;
}

/// What is asked of a network, the operand `asked`: `first` in an operation that finds all, and
/// what else there is beside it.
TapeId lower_falling(Builder& b, TapeOp all, TapeOp beside, std::vector<TapeId> operands,
                     std::size_t asked, TapeId first) {
  std::vector<TapeId> of_first = operands;
  of_first[asked] = first;
  const TapeId found = b.make(all, of_first);
  if (operands[asked] == first) return found;
  operands.insert(operands.begin(), found);
  return b.make(beside, operands);
}

TapeId lower_node(Builder& b, Expr e) {
  const ExprPool::Node& node = b.pool[e];
  const std::span<const Expr> args = b.pool.args(e);
  switch (node.op) {
    case Op::kConstant:
      return b.constant(node.value);
    case Op::kSymbol:
      return lower_symbol(b, node.symbol);
    case Op::kAdd:
      return lower_sum(b, args);
    case Op::kMul:
      return lower_product(b, args);
    case Op::kPow:
      return lower_power(b, b.of(args[0]), b.of(args[1]));
    case Op::kMin:
      return chain(b, TapeOp::kMin, args);
    case Op::kMax:
      return chain(b, TapeOp::kMax, args);
    case Op::kAnd:
      return chain(b, TapeOp::kAnd, args);
    case Op::kOr:
      return chain(b, TapeOp::kOr, args);
    case Op::kTan: {  // a division: its poles are zeros of the divisor
      const TapeId x = b.of(args[0]), sine = b.make(TapeOp::kSin, x);
      return b.make(TapeOp::kDiv, sine, b.make(TapeOp::kCos, x));
    }
    case Op::kMod: {  // Modelica 3.6, 3.7.2: x - floor(x/y)*y
      const TapeId x = b.of(args[0]), y = b.of(args[1]);
      const TapeId quotient = b.make(TapeOp::kFloor, b.make(TapeOp::kDiv, x, y));
      return b.make(TapeOp::kSub, x, b.make(TapeOp::kMul, quotient, y));
    }
    case Op::kLuz: {  // exactly 0 in the dead zone, and for an infinite one
      const TapeId x = b.of(args[0]);
      return b.make(TapeOp::kSub, x, b.clamp(x, b.of(args[1])));
    }
    case Op::kNas:
      return b.clamp(b.of(args[0]), b.of(args[1]));
    case Op::kOutside:
      return b.make(TapeOp::kLess, b.of(args[1]), b.make(TapeOp::kAbs, b.of(args[0])));
    case Op::kIf:
      return b.make(TapeOp::kSelect, b.of(args[0]), b.of(args[1]), b.of(args[2]));
    case Op::kNoEvent:
    case Op::kEvaluated:
      return b.of(args[0]);
    case Op::kTable:
      return lower_table(b, args);
    case Op::kSpline: {
      TapeArithmetic arithmetic{b};
      const int order = static_cast<int>(b.pool[args[1]].value);
      return spline_of(arithmetic, args, order, [&](Expr arg) { return b.of(arg); });
    }
    default: {
      std::vector<TapeId> operands;
      for (const Expr arg : args) operands.push_back(b.of(arg));
      if (node.op == Op::kFallingSpeed) {
        return lower_falling(b, TapeOp::kFallingSpeed, TapeOp::kFallingSpeedBeside,
                             std::move(operands), 0, b.constant(0));
      }
      if (node.op == Op::kFallingSpeedEnd) {
        const TapeId bodies = operands[2];
        return lower_falling(b, TapeOp::kFallingSpeedEnd, TapeOp::kFallingSpeedEndBeside,
                             std::move(operands), 1, bodies);
      }
      return b.make(same_operation(node.op), operands);
    }
  }
}

/// Of an operation on speeds of several: a constant among its operands.
std::uint32_t falling_bodies(const Tape& tape, TapeId id) {
  const std::size_t place = tape.nodes[id].op == TapeOp::kFallingSpeed ? 1 : 2;
  return static_cast<std::uint32_t>(tape.nodes[tape.operands(id)[place]].value);
}

}  // namespace

bool has_recurrence(const Tape& tape, TapeId id) {
  const TapeNode& node = tape.nodes[id];
  const auto steady = [&](std::size_t i) {
    return tape.nodes[tape.operands(id)[i]].variability < Variability::kTime;
  };
  switch (node.op) {
    case TapeOp::kAdd:
    case TapeOp::kSub:
    case TapeOp::kNeg:
      return false;
    case TapeOp::kMul:
      return !steady(0) && !steady(1);
    case TapeOp::kDiv:
      return !steady(1);
    case TapeOp::kSelect:
      return !steady(0);
    default:
      return node.operand_count > 0 && node.variability == Variability::kTime;
  }
}

std::uint32_t falling_forces(const Tape& tape, TapeId id) {
  const TapeNode& node = tape.nodes[id];
  switch (node.op) {
    case TapeOp::kFallingBalance:
    case TapeOp::kFallingEnd:
      return node.operand_count / 3;
    case TapeOp::kFallingSpeed:
    case TapeOp::kFallingSpeedEnd: {
      const std::uint32_t before = node.op == TapeOp::kFallingSpeed ? 1 : 2;
      const std::uint32_t n = falling_bodies(tape, id);
      return (node.operand_count - before - 1 - n) / (3 + n);
    }
    default:
      return 0;
  }
}

std::uint32_t recurrence_rows(const Tape& tape, TapeId id) {
  const TapeNode& node = tape.nodes[id];
  const std::uint32_t of_forces = 2 + 2 * falling_forces(tape, id);
  switch (node.op) {
    case TapeOp::kSin:
    case TapeOp::kCos:
    case TapeOp::kAsin:
    case TapeOp::kAcos:
    case TapeOp::kAtan:
    case TapeOp::kSinh:
    case TapeOp::kCosh:
    case TapeOp::kTanh:
    case TapeOp::kAtan2:
      return 2;
    case TapeOp::kPow:
      return 3;
    case TapeOp::kFallingBalance:
    case TapeOp::kFallingEnd:
      return of_forces;
    case TapeOp::kFallingSpeed:
      return of_forces + falling_bodies(tape, id);
    case TapeOp::kFallingSpeedEnd:
      return of_forces + 2 * falling_bodies(tape, id) + falling_forces(tape, id);
    default:
      return 1;
  }
}

Tape lower_to_tape(const ExprPool& pool, std::span<const Expr> roots) {
  Builder builder{pool, {}, std::vector<TapeId>(pool.size(), kNoTapeId)};
  for (const Expr e : topological_order(pool, roots)) {
    builder.lowered[e.value] = lower_node(builder, e);
  }
  builder.tape.roots.reserve(roots.size());
  for (const Expr root : roots) builder.tape.roots.push_back(builder.of(root));
  return std::move(builder.tape);
}

}  // namespace luztar
