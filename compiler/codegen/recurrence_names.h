// The recurrence of each nonlinear operation by name, for code that calls it.
#pragma once

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/tape.h"

namespace luztar {

[[nodiscard]] inline const char* recurrence_name(TapeOp op) {
  switch (op) {
    case TapeOp::kMul:
      return "jet_multiply";
    case TapeOp::kDiv:
      return "jet_divide";
    case TapeOp::kSqrt:
      return "jet_sqrt";
    case TapeOp::kAbs:
      return "jet_abs";
    case TapeOp::kSign:
      return "jet_sign";
    case TapeOp::kFloor:
      return "jet_floor";
    case TapeOp::kCeil:
      return "jet_ceil";
    case TapeOp::kMin:
      return "jet_min";
    case TapeOp::kMax:
      return "jet_max";
    case TapeOp::kLess:
      return "jet_less";
    case TapeOp::kLessEqual:
      return "jet_less_equal";
    case TapeOp::kAnd:
      return "jet_and";
    case TapeOp::kOr:
      return "jet_or";
    case TapeOp::kNot:
      return "jet_not";
    case TapeOp::kSelect:
      return "jet_select";
    case TapeOp::kAboveEdge:
      return "jet_above_edge";
    case TapeOp::kPow:
      return "jet_pow";
    case TapeOp::kExp:
      return "jet_exp";
    case TapeOp::kLog:
      return "jet_log";
    case TapeOp::kLog10:
      return "jet_log10";
    case TapeOp::kSin:
      return "jet_sin";
    case TapeOp::kCos:
      return "jet_cos";
    case TapeOp::kAsin:
      return "jet_asin";
    case TapeOp::kAcos:
      return "jet_acos";
    case TapeOp::kAtan:
      return "jet_atan";
    case TapeOp::kFallingBalance:
      return "jet_falling_balance";
    case TapeOp::kFallingEnd:
      return "jet_falling_end";
    case TapeOp::kFallingSpeed:
      return "jet_falling_speed";
    case TapeOp::kFallingSpeedEnd:
      return "jet_falling_speed_end";
    case TapeOp::kFallingSpeedBeside:
      return "jet_falling_speed_beside";
    case TapeOp::kFallingSpeedEndBeside:
      return "jet_falling_speed_end_beside";
    case TapeOp::kAtan2:
      return "jet_atan2";
    case TapeOp::kSinh:
      return "jet_sinh";
    case TapeOp::kCosh:
      return "jet_cosh";
    case TapeOp::kTanh:
      return "jet_tanh";
    default:
      throw InternalError("codegen", "an operation without recurrence");
  }
}

}  // namespace luztar
