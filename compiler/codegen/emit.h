// LLVM IR for a planned program. Includes LLVM headers: private to this folder.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/codegen/functions.h"

namespace luztar {

/// Emits every function of `program` into `module`.
///   post:   symbols "prepare", "prepare_mode", "jets", "evaluate_outputs" and "assertions" with
///   the
///           types of System; the mathematical library's functions and recurrences are external
///   cost:   about one instruction for each step of the plan, and one number of a table for each
///           place of a loop's round that does not follow a line
void emit(const Program& program, llvm::Module& module);

}  // namespace luztar
