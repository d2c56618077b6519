// Explicit system to machine code through LLVM ORC.
#pragma once

#include <memory>
#include <string>

#include "compiler/codegen/plan.h"
#include "compiler/lowering/explicit_system.h"
#include "runtime/system.h"

namespace luztar {

/// Machine code of one explicit system; the functions of system() live as long as this object.
class JitProgram {
 public:
  struct Impl;
  explicit JitProgram(std::unique_ptr<Impl> impl);
  JitProgram(JitProgram&&) noexcept;
  JitProgram& operator=(JitProgram&&) noexcept;
  ~JitProgram();

  [[nodiscard]] const System& system() const;

 private:
  std::unique_ptr<Impl> impl_;
};

/// Compiles `explicit_system`, whose expressions live in `pool`. `flat` gives the parameters (their
/// order is that of p).
///   cost: one IR instruction per expression node, in large models one per node of a repeated part;
///   subexpressions of parameters alone move to `prepare`
[[nodiscard]] JitProgram compile(const ExprPool& pool, const FlatModel& flat,
                                 const ExplicitSystem& explicit_system,
                                 const PlanLimits& limits = {});

/// The LLVM IR that `compile` hands to the JIT, as text.
[[nodiscard]] std::string llvm_text(const ExprPool& pool, const FlatModel& flat,
                                    const ExplicitSystem& explicit_system);

/// The machine code of that, as assembly language of this machine.
[[nodiscard]] std::string assembly_text(const ExprPool& pool, const FlatModel& flat,
                                        const ExplicitSystem& explicit_system);

}  // namespace luztar
