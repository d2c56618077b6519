#include "compiler/codegen/functions.h"

#include <algorithm>

#include "compiler/codegen/places.h"
#include "compiler/codegen/plan_function.h"

namespace luztar {
namespace {

/// More sines of lines than this are computed like all other operations, in loops where they
/// repeat; their own code comes straight at the beginning of a function.
constexpr std::size_t kMostSines = 100;

std::size_t count_sines(const Program& program) {
  std::size_t count = 0;
  for (TapeId id = 0; id < program.tape.nodes.size(); ++id) {
    if (is_sine_of_line(program, id)) ++count;
  }
  return count;
}

/// Steady values that functions load: those of the parameters, then those of the mode.
class Constants {
 public:
  explicit Constants(Program& program) : program_(program) {
    program.constant_of.assign(program.tape.nodes.size(), kNoTapeId);
  }

  /// A constant also when it is a number.
  void take(TapeId id) {
    if (program_.constant_of[id] != kNoTapeId) return;
    program_.constant_of[id] = 0;
    const bool mode = program_.tape.nodes[id].variability == Variability::kMode;
    (mode ? modes_ : parameters_).push_back(id);
  }
  /// What the steps of a function load.
  void take_operands(const FunctionPlan& plan) {
    for_each_step_loops_first(plan, [&](const PlanStep& step) {
      if (step.store) return take_leaf(plan, step.node);
      for (const TapeId operand : program_.tape.operands(step.node)) take_leaf(plan, operand);
    });
  }
  /// What the argument of a sine of time loads.
  void take_line(TapeId sine) {
    std::vector<TapeId> stack{program_.tape.operands(sine)[0]};
    while (!stack.empty()) {
      const TapeNode& node = program_.tape.nodes[stack.back()];
      const TapeId id = stack.back();
      stack.pop_back();
      if (node.op == TapeOp::kConstant) continue;
      if (node.variability < Variability::kTime) {
        take(id);
        continue;
      }
      for (const TapeId operand : program_.tape.operands(id)) stack.push_back(operand);
    }
  }
  void number() {
    std::uint32_t next = 0;
    for (const TapeId id : parameters_) program_.constant_of[id] = next++;
    program_.mode_constants = next;
    for (const TapeId id : modes_) program_.constant_of[id] = next++;
    program_.constant_count = next;
  }
  [[nodiscard]] const OutputArray& of_parameters() const { return parameters_; }
  [[nodiscard]] const OutputArray& of_modes() const { return modes_; }

 private:
  void take_leaf(const FunctionPlan& plan, TapeId id) {
    const TapeNode& node = program_.tape.nodes[id];
    if (node.variability < plan.level && node.op != TapeOp::kConstant) take(id);
  }

  Program& program_;
  OutputArray parameters_, modes_;
};

void count_operations(Program& program) {
  for (const PlanChunk& chunk : program.jets.chunks) {
    program.operations += chunk.steps.size();
    program.recurrences += static_cast<std::size_t>(
        std::count_if(chunk.steps.begin(), chunk.steps.end(), [&](const PlanStep& step) {
          return !step.store && has_recurrence(program.tape, step.node);
        }));
  }
}

/// The exponents of a recurrence whose coefficients have exponentials for factors.
std::vector<Exponent> exponents_of(const Program& program, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  const std::span<const TapeId> operands = program.tape.operands(id);
  const std::uint32_t own = program.row_of[id], operand = program.row_of[operands[0]];
  const std::uint32_t last = own + recurrence_rows(program.tape, id) - 1;
  switch (node.op) {
    case TapeOp::kExp:
      return {{operand, Exponent::Of::kExp}};
    case TapeOp::kTanh:
      return {{operand, Exponent::Of::kTanh}};
    case TapeOp::kSinh:
    case TapeOp::kCosh:
      return {{operand, Exponent::Of::kHyperbolic}};
    case TapeOp::kPow:  // that of exp(b log a) is the last of its rows; of a root it has its zero
      if (program.tape.nodes[operands[0]].variability == Variability::kTime) return {};
      return {{last, Exponent::Of::kExp}};
    case TapeOp::kDiv:
      return {{program.row_of[operands[1]], Exponent::Of::kDivisor}};
    case TapeOp::kAtan:  // the divisor of its rate is the last of its rows
    case TapeOp::kAtan2:
      return {{last, Exponent::Of::kDivisor}};
    case TapeOp::kFallingBalance:
    case TapeOp::kFallingEnd:
    case TapeOp::kFallingSpeed:
    case TapeOp::kFallingSpeedEnd: {
      std::vector<Exponent> exponents;
      for (std::uint32_t j = 0; j < falling_forces(program.tape, id); ++j) {
        exponents.push_back({own + 3 + 2 * j, Exponent::Of::kDecay});
      }
      return exponents;
    }
    default:
      return {};
  }
}

void list_exponents(Program& program) {
  for (const PlanChunk& chunk : program.jets.chunks) {
    for (const PlanStep& step : chunk.steps) {
      if (step.store || !has_recurrence(program.tape, step.node)) continue;
      const std::vector<Exponent> own = exponents_of(program, step.node);
      program.exponents.insert(program.exponents.end(), own.begin(), own.end());
    }
  }
}

/// Rows for what recurrences look back at: their results and operands.
void assign_rows(Program& program, const FunctionPlan& plan) {
  const Tape& tape = program.tape;
  const auto take = [&program](TapeId id, std::uint32_t count) {
    if (program.row_of[id] != kNoTapeId) return;
    program.row_of[id] = program.row_count;
    program.row_count += count;
  };
  const auto take_sine = [&](TapeId id) {
    if (!is_sine_of_line(program, id) || program.row_of[id] != kNoTapeId) return;
    take(id, recurrence_rows(tape, id));
    program.sines.push_back(id);
  };
  for_each_step_loops_first(plan, [&](const PlanStep& step) {
    if (step.store) return take_sine(step.node);
    const std::span<const TapeId> operands = tape.operands(step.node);
    for (const TapeId operand : operands) take_sine(operand);
    if (!has_recurrence(tape, step.node)) return;
    take(step.node, recurrence_rows(tape, step.node));
    for (const TapeId operand : operands) {
      take(operand, has_recurrence(tape, operand) ? recurrence_rows(tape, operand) : 1);
    }
  });
}

}  // namespace

std::vector<bool> lines_in_time(const Tape& tape) {
  std::vector<bool> line(tape.nodes.size());
  for (std::size_t id = 0; id < tape.nodes.size(); ++id) {
    const TapeNode& node = tape.nodes[id];
    const std::span<const TapeId> operands = tape.operands(static_cast<TapeId>(id));
    const auto is_line = [&](std::size_t i) { return line[operands[i]]; };
    const auto is_steady = [&](std::size_t i) {
      return tape.nodes[operands[i]].variability < Variability::kTime;
    };
    if (node.variability < Variability::kTime) {
      line[id] = true;
    } else if (node.op == TapeOp::kAdd || node.op == TapeOp::kSub) {
      line[id] = is_line(0) && is_line(1);
    } else if (node.op == TapeOp::kMul) {
      line[id] = (is_steady(0) && is_line(1)) || (is_line(0) && is_steady(1));
    } else if (node.op == TapeOp::kDiv) {
      line[id] = is_line(0) && is_steady(1);
    } else if (node.op == TapeOp::kNeg) {
      line[id] = is_line(0);
    } else {
      line[id] = node.op == TapeOp::kTime;
    }
  }
  return line;
}

Program plan_program(const ExprPool& pool, const ExplicitSystem& system, const PlanLimits& limits) {
  Roots roots = list_roots(system);
  Program program;
  program.tape = lower_to_tape(pool, roots.exprs);
  program.line = lines_in_time(program.tape);
  if (count_sines(program) > kMostSines) program.line.assign(program.line.size(), false);
  roots.nodes = program.tape.roots;
  program.state_count = static_cast<std::uint32_t>(system.states.size());
  const OutputArray starts = roots.take(system.states.size());
  for (const TapeId id : starts) require_parametric(program, id, "a start value");
  const OutputArray derivatives = roots.take(system.states.size());
  const OutputArray watched = place_watched(program, system, roots);
  const OutputArray outputs = roots.take(system.outputs.size());
  const OutputArray assertions = roots.take(system.assertions.size());
  const OutputArray energy =
      roots.take(system.energy ? 2 + system.energy->dissipated.size() : std::size_t{0});

  const std::size_t size = program.tape.nodes.size();
  PlanWorkspace workspace(size);
  const auto plan = [&](std::string_view name, Variability level,
                        const std::vector<OutputArray>& arrays) {
    return plan_function(program, name, level, arrays, limits, workspace);
  };
  program.jets = plan("jets", Variability::kTime, {derivatives, watched});
  program.outputs = plan("evaluate_outputs", Variability::kTime, {outputs});
  program.outputs.hot = false;
  program.energy = plan("energy", Variability::kTime, {energy});
  program.energy.hot = false;
  program.assertions = plan("assertions", Variability::kTime, {assertions});
  program.assertions.hot = false;
  program.row_of.assign(size, kNoTapeId);
  for (std::size_t id = 0; id < size; ++id) {
    const TapeNode& node = program.tape.nodes[id];
    if (node.op == TapeOp::kState) program.row_of[id] = node.symbol;
  }
  assign_rows(program, program.jets);
  count_operations(program);
  list_exponents(program);

  Constants constants(program);
  for (const FunctionPlan* f :
       {&program.jets, &program.outputs, &program.energy, &program.assertions}) {
    constants.take_operands(*f);
  }
  for (const TapeId sine : program.sines) constants.take_line(sine);
  const SteadyRoots steady =
      take_steady(program, system, roots, [&](TapeId id) { constants.take(id); });
  program.prepare_mode = plan("prepare_mode", Variability::kMode, {constants.of_modes()});
  program.prepare_mode.hot = false;
  constants.take_operands(program.prepare_mode);
  constants.number();
  program.prepare = plan("prepare", Variability::kParameters, {constants.of_parameters(), starts});
  program.prepare.hot = false;
  place_constants(program, system, steady);
  return program;
}

}  // namespace luztar
