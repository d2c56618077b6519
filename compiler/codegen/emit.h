// LLVM IR for a planned program. Includes LLVM headers: private to this folder.
#pragma once

#include <llvm/IR/Module.h>

#include "compiler/codegen/functions.h"

namespace luztar {

/// Emits every function of `program` into `module`.
///   post:   symbols "prepare", "prepare_mode", "jets", "evaluate_outputs" and "assertions" with
///   the
///           types of System; the mathematical library's functions and recurrences are external
///   cost:   about one instruction for each step of the plan
void emit(const Program& program, llvm::Module& module);

}  // namespace luztar
