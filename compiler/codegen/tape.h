// Expressions as a tape of primitive operations: what one machine instruction or library call can
// do.
//   contract: operands stand before their users; equal operations occur once; n-ary sums and
//   products are chains in which everything that depends on parameters alone comes first, then what
//   depends on the mode, so that it can be computed in advance.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "compiler/symbolic/expr.h"

namespace luztar {

enum class TapeOp : std::uint8_t {
  kConstant,  // value
  kTime,
  kParameter,
  kState,
  kMode,  // `symbol` is its index
  kAdd,
  kSub,
  kMul,
  kDiv,
  kNeg,
  kSqrt,
  kAbs,
  kSign,
  kFloor,
  kCeil,
  kMin,
  kMax,  // the second operand where they cannot be compared (not a number)
  kLess,
  kLessEqual,
  kAnd,
  kOr,
  kNot,        // 1 or 0
  kSelect,     // condition, value where it is not 0, value where it is 0
  kAboveEdge,  // 0 where the first operand is below 0 or the second is not 0, else the first
  kPow,
  kFallingBalance,  // these: operands as those of Op
  kFallingEnd,
  kFallingSpeed,
  kFallingSpeedEnd,
  kFallingSpeedBeside,  // another result of the first operand, a kFallingSpeed; then its operands
  kFallingSpeedEndBeside,  // of a kFallingSpeedEnd
  kExp,
  kLog,
  kLog10,
  kSin,
  kCos,
  kAsin,
  kAcos,
  kAtan,
  kAtan2,
  kSinh,
  kCosh,
  kTanh,
};

using TapeId = std::uint32_t;
inline constexpr TapeId kNoTapeId = std::numeric_limits<TapeId>::max();

/// What the value of a node depends on; each includes those before it.
enum class Variability : std::uint8_t {
  kParameters,  // constant in a run
  kMode,        // constant in a mode
  kTime,        // time and state
};

struct TapeNode {
  TapeOp op = TapeOp::kConstant;
  Variability variability = Variability::kParameters;
  double value = 0;
  std::uint32_t symbol = 0;
  std::uint32_t first_operand = 0, operand_count = 0;  // of Tape::operand_list
};

struct Tape {
  std::vector<TapeNode> nodes;
  std::vector<TapeId> operand_list;
  std::vector<TapeId> roots;  // one for each root expression, in the order given

  /// None of constants and symbols.
  [[nodiscard]] std::span<const TapeId> operands(TapeId id) const {
    const TapeNode& node = nodes[id];
    return std::span(operand_list).subspan(node.first_operand, node.operand_count);
  }
};

/// Lowers `roots` to a tape.
///   pre:    symbols are of kind kTime, kParameter, kState and kMode; neither kDer nor kDry occurs
///   errors: InternalError when that does not hold
///   cost:   linear in the nodes reachable from the roots
[[nodiscard]] Tape lower_to_tape(const ExprPool& pool, std::span<const Expr> roots);

/// True when Taylor coefficients of the node need a recurrence over lower orders or a decision at
/// order 0; false when they are the same operation on the operands' coefficients.
[[nodiscard]] bool has_recurrence(const Tape& tape, TapeId id);
/// Forces of an operation on frictions that fall exponentially; else 0. E and z of each are the
/// rows from the third one on of its recurrence.
[[nodiscard]] std::uint32_t falling_forces(const Tape& tape, TapeId id);
/// Rows that the recurrence of an operation needs for its result and what it carries along.
[[nodiscard]] std::uint32_t recurrence_rows(const Tape& tape, TapeId id);

}  // namespace luztar
