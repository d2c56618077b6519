#include "compiler/codegen/jit.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cmath>
#include <utility>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/emit.h"
#include "compiler/codegen/functions.h"
#include "runtime/jets/recurrences.h"
#include "runtime/pwl/falling_arguments.h"

namespace luztar {

struct JitProgram::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  System system;
};

namespace {

[[noreturn]] void fail(llvm::Error error) {
  throw InternalError("codegen", llvm::toString(std::move(error)));
}

template <class T>
T checked(llvm::Expected<T> value) {
  if (!value) fail(value.takeError());
  return std::move(*value);
}

void check(llvm::Error error) {
  if (error) fail(std::move(error));
}

/// Memory for what compiled code keeps between its pieces.
double* take_scratch(std::int64_t count) { return new double[static_cast<std::size_t>(count)]; }
void give_scratch_back(double* scratch) { delete[] scratch; }

/// One call where compiled code needs both.
void sine_and_cosine(double x, double* sine, double* cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

void verify(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyModule(module, &out)) throw InternalError("codegen", text);
}

/// The code that `compile` makes of a system, to be printed.
void emit_verified(const ExprPool& pool, const ExplicitSystem& explicit_system,
                   llvm::Module& module) {
  const Program program = plan_program(pool, explicit_system, {});
  emit(program, module);
  verify(module);
}

/// The functions of the mathematical library that compiled code may call, by address: no search
/// through the process.
void define_library(llvm::orc::LLJIT& jit) {
  using Unary = double (*)(double);
  using Binary = double (*)(double, double);
  llvm::orc::SymbolMap symbols;
  const auto add = [&](const char* name, auto* function) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  add("exp", static_cast<Unary>(std::exp));
  add("log", static_cast<Unary>(std::log));
  add("log10", static_cast<Unary>(std::log10));
  add("sin", static_cast<Unary>(std::sin));
  add("cos", static_cast<Unary>(std::cos));
  add("asin", static_cast<Unary>(std::asin));
  add("acos", static_cast<Unary>(std::acos));
  add("atan", static_cast<Unary>(std::atan));
  add("sinh", static_cast<Unary>(std::sinh));
  add("cosh", static_cast<Unary>(std::cosh));
  add("tanh", static_cast<Unary>(std::tanh));
  add("floor", static_cast<Unary>(std::floor));  // on processors that have no instruction for it
  add("ceil", static_cast<Unary>(std::ceil));
  add("pow", static_cast<Binary>(std::pow));
  add("atan2", static_cast<Binary>(std::atan2));
  add("falling_balance", falling_balance_of);
  add("falling_end", falling_end_of);
  add("falling_speed", falling_speed_of);
  add("falling_speed_end", falling_speed_end_of);
  add("jet_multiply", jet_multiply);
  add("jet_divide", jet_divide);
  add("jet_sqrt", jet_sqrt);
  add("jet_abs", jet_abs);
  add("jet_sign", jet_sign);
  add("jet_floor", jet_floor);
  add("jet_ceil", jet_ceil);
  add("jet_min", jet_min);
  add("jet_max", jet_max);
  add("jet_less", jet_less);
  add("jet_less_equal", jet_less_equal);
  add("jet_and", jet_and);
  add("jet_or", jet_or);
  add("jet_not", jet_not);
  add("jet_select", jet_select);
  add("jet_above_edge", jet_above_edge);
  add("jet_pow", jet_pow);
  add("jet_falling_balance", jet_falling_balance);
  add("jet_falling_end", jet_falling_end);
  add("jet_falling_speed", jet_falling_speed);
  add("jet_falling_speed_end", jet_falling_speed_end);
  add("jet_falling_speed_beside", jet_falling_speed_beside);
  add("jet_falling_speed_end_beside", jet_falling_speed_end_beside);
  add("jet_exp", jet_exp);
  add("jet_log", jet_log);
  add("jet_log10", jet_log10);
  add("jet_sin", jet_sin);
  add("jet_cos", jet_cos);
  add("jet_asin", jet_asin);
  add("jet_acos", jet_acos);
  add("jet_atan", jet_atan);
  add("jet_atan2", jet_atan2);
  add("jet_sinh", jet_sinh);
  add("jet_cosh", jet_cosh);
  add("jet_tanh", jet_tanh);
  add("sine_and_cosine", sine_and_cosine);
  add("take_scratch", take_scratch);
  add("give_scratch_back", give_scratch_back);
  check(jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
}

llvm::orc::JITTargetMachineBuilder this_machine() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto machine = checked(llvm::orc::JITTargetMachineBuilder::detectHost());
  machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  return machine;
}

std::unique_ptr<llvm::orc::LLJIT> make_jit() {
  auto jit = checked(llvm::orc::LLJITBuilder()
                         .setJITTargetMachineBuilder(this_machine())
                         .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                         .setLinkProcessSymbolsByDefault(false)
                         .create());
  define_library(*jit);
  return jit;
}

template <class Function>
void find(llvm::orc::LLJIT& jit, const char* name, Function& function) {
  function = checked(jit.lookup(name)).toPtr<Function>();
}

/// Sizes and names, which need no machine code.
System describe(const FlatModel& flat, const ExplicitSystem& explicit_system,
                const Program& program) {
  System system;
  system.state_count = explicit_system.states.size();
  system.parameter_count = flat.parameters.size();
  system.slip_state_count = explicit_system.slip_states;
  system.row_count = program.row_count;
  system.slot_count = explicit_system.slots;
  system.constant_count = program.constant_count;
  system.mode_constants = program.mode_constants;
  system.exponents = program.exponents;
  system.operations = program.operations;
  system.recurrences = program.recurrences;
  system.switches = program.switches;
  system.result_switches = explicit_system.result_switches;
  system.frictions = program.frictions;
  system.stops = program.stops;
  system.islands = program.islands;
  system.settle_springs = program.settle_springs;
  system.settle_islands = program.settle_islands;
  for (const ExplicitState& state : explicit_system.states) {
    system.state_names.push_back(state.name);
  }
  for (const ExplicitOutput& output : explicit_system.outputs) {
    system.outputs.push_back({output.name, output.unit, output.kind != OutputKind::kVariable});
  }
  for (const ExplicitAssertion& assertion : explicit_system.assertions) {
    system.assertion_messages.push_back(assertion.message);
  }
  if (explicit_system.energy) {
    for (const auto& [part, power] : explicit_system.energy->dissipated) {
      system.dissipators.push_back(part);
    }
  }
  for (const FlatParameter& parameter : flat.parameters) {
    system.parameters.push_back(parameter.value);
  }
  return system;
}

}  // namespace

JitProgram::JitProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JitProgram::JitProgram(JitProgram&&) noexcept = default;
JitProgram& JitProgram::operator=(JitProgram&&) noexcept = default;
JitProgram::~JitProgram() = default;

const System& JitProgram::system() const { return impl_->system; }

JitProgram compile(const ExprPool& pool, const FlatModel& flat,
                   const ExplicitSystem& explicit_system, const PlanLimits& limits) {
  const Program program = plan_program(pool, explicit_system, limits);
  auto impl = std::make_unique<JitProgram::Impl>();
  impl->jit = make_jit();

  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiscardValueNames(true);
  auto module = std::make_unique<llvm::Module>(flat.name, *context);
  module->setDataLayout(impl->jit->getDataLayout());
  emit(program, *module);
#ifndef NDEBUG
  verify(*module);
#endif
  check(impl->jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));

  System& system = impl->system;
  system = describe(flat, explicit_system, program);
  find(*impl->jit, "prepare", system.prepare);
  find(*impl->jit, "prepare_mode", system.prepare_mode);
  find(*impl->jit, "jets", system.jets);
  find(*impl->jit, "evaluate_outputs", system.evaluate_outputs);
  if (explicit_system.energy) find(*impl->jit, "energy", system.energy);
  find(*impl->jit, "assertions", system.assertions);
  return JitProgram(std::move(impl));
}

std::string llvm_text(const ExprPool& pool, const FlatModel& flat,
                      const ExplicitSystem& explicit_system) {
  llvm::LLVMContext context;
  llvm::Module module(flat.name, context);
  emit_verified(pool, explicit_system, module);
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

std::string assembly_text(const ExprPool& pool, const FlatModel& flat,
                          const ExplicitSystem& explicit_system) {
  llvm::LLVMContext context;
  llvm::Module module(flat.name, context);
  emit_verified(pool, explicit_system, module);
  const std::unique_ptr<llvm::TargetMachine> machine =
      checked(this_machine().createTargetMachine());
  module.setTargetTriple(machine->getTargetTriple().str());
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    throw InternalError("codegen", "this machine has no assembly language");
  }
  passes.run(module);
  return std::string(text);
}

}  // namespace luztar
