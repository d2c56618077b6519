#include "compiler/codegen/functions.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "compiler/base/diagnostics.h"
#include "compiler/codegen/repeats.h"
#include "compiler/codegen/statements.h"

namespace luztar {
namespace {

/// More sines of lines than this are computed like all other operations, in loops where they
/// repeat; their own code comes straight at the beginning of a function.
constexpr std::size_t kMostSines = 100;

/// One output array of a function: root k goes to place k.
using OutputArray = std::vector<TapeId>;

bool is_sine_of_line(const Program& program, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  const bool sine = node.op == TapeOp::kSin || node.op == TapeOp::kCos;
  return sine && node.variability == Variability::kTime && program.line[node.operands[0]];
}

std::size_t count_sines(const Program& program) {
  std::size_t count = 0;
  for (TapeId id = 0; id < program.tape.nodes.size(); ++id) {
    if (is_sine_of_line(program, id)) ++count;
  }
  return count;
}

bool is_leaf(const Program& program, const FunctionPlan& plan, TapeId id) {
  const TapeNode& node = program.tape.nodes[id];
  return operand_count(node.op) == 0 || node.variability < plan.level ||
         (plan.taylor && is_sine_of_line(program, id));
}

/// Steps of a function in the order of a depth-first walk, so that a value is used soon after it is
/// computed.
std::vector<PlanStep> order_steps(const Program& program, const FunctionPlan& plan,
                                  const std::vector<OutputArray>& arrays,
                                  std::vector<bool>& visited) {
  std::vector<PlanStep> steps;
  std::vector<std::pair<TapeId, std::size_t>> stack;  // node, operands already entered
  for (std::uint32_t array = 0; array < arrays.size(); ++array) {
    for (std::uint32_t index = 0; index < arrays[array].size(); ++index) {
      const TapeId root = arrays[array][index];
      if (!visited[root] && !is_leaf(program, plan, root)) {
        visited[root] = true;
        stack.emplace_back(root, 0);
      }
      while (!stack.empty()) {
        auto& [id, entered] = stack.back();
        const TapeNode& node = program.tape.nodes[id];
        if (entered < operand_count(node.op)) {
          const TapeId operand = node.operands[entered++];
          if (!visited[operand] && !is_leaf(program, plan, operand)) {
            visited[operand] = true;
            stack.emplace_back(operand, 0);
          }
        } else {
          steps.push_back({false, id, 0, 0});
          stack.pop_back();
        }
      }
      steps.push_back({true, root, array, index});
    }
  }
  for (const PlanStep& step : steps) visited[step.node] = false;  // ready for the next function
  return steps;
}

/// Calls visit(operand) for every operand of a step that is no leaf.
template <class Visit>
void for_each_operand(const Program& program, const FunctionPlan& plan, const PlanStep& step,
                      Visit visit) {
  if (step.store) {
    if (!is_leaf(program, plan, step.node)) visit(step.node);
    return;
  }
  const TapeNode& node = program.tape.nodes[step.node];
  for (std::size_t i = 0; i < operand_count(node.op); ++i) {
    if (!is_leaf(program, plan, node.operands[i])) visit(node.operands[i]);
  }
}

/// Visits the steps of loops first, so that what they number follows each other in memory.
template <class Visit>
void for_each_step_loops_first(const FunctionPlan& plan, Visit visit) {
  for (const bool loops : {true, false}) {
    for (const PlanChunk& chunk : plan.chunks) {
      if ((chunk.rounds > 1) != loops) continue;
      for (const PlanStep& step : chunk.steps) visit(step);
    }
  }
}

/// Numbers pieces of code that share registers: straight-line chunks, and rounds of loops.
template <class Visit>
void for_each_step(const FunctionPlan& plan, Visit visit) {
  std::uint32_t piece = 0;
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    const PlanChunk& chunk = plan.chunks[c];
    for (std::size_t i = 0; i < chunk.steps.size(); ++i) {
      if (i > 0 && i % chunk.steps_of_round() == 0) ++piece;
      visit(c, piece, chunk.steps[i]);
    }
    ++piece;
  }
}

/// State shared by the functions of one program, so that each costs what it contains.
struct Workspace {
  std::vector<bool> visited, crosses;
  std::vector<std::uint32_t> home, last_use;

  explicit Workspace(std::size_t nodes)
      : visited(nodes), crosses(nodes), home(nodes), last_use(nodes) {}
};

/// Slots of scratch memory, of which those that were given back are used again. Values of a loop
/// get a block, so that rounds follow each other in memory.
class Slots {
 public:
  explicit Slots(std::uint32_t& size) : size_(size) {}

  std::uint32_t take(std::uint32_t count) {
    std::vector<std::uint32_t>& unused = free_[count];
    if (unused.empty()) {
      size_ += count;
      return size_ - count;
    }
    const std::uint32_t first = unused.back();
    unused.pop_back();
    return first;
  }
  void give_back(std::uint32_t first, std::uint32_t count) { free_[count].push_back(first); }

 private:
  std::uint32_t& size_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> free_;  // first slots, by size of the block
};

/// Gives every value that crosses pieces a slot; a slot is used again once its value has been read
/// for the last time.
void assign_scratch(const Program& program, FunctionPlan& plan, Workspace& w) {
  for_each_step(plan, [&](std::uint32_t c, std::uint32_t piece, const PlanStep& step) {
    if (!step.store) {
      w.home[step.node] = piece;
      w.last_use[step.node] = c;
      w.crosses[step.node] = false;
    }
    for_each_operand(program, plan, step, [&](TapeId operand) {
      w.last_use[operand] = c;
      if (w.home[operand] != piece) w.crosses[operand] = true;
    });
  });
  struct Block {
    std::uint32_t first = 0, count = 0;
  };
  std::vector<std::vector<Block>> ends(plan.chunks.size());  // blocks free after a chunk
  Slots slots(plan.scratch_size);
  for (std::uint32_t c = 0; c < plan.chunks.size(); ++c) {
    for (const Block& block : c > 0 ? ends[c - 1] : std::vector<Block>{}) {
      slots.give_back(block.first, block.count);
    }
    const PlanChunk& chunk = plan.chunks[c];
    std::vector<TapeId> crossing;
    for (const PlanStep& step : chunk.steps) {
      if (!step.store && w.crosses[step.node]) crossing.push_back(step.node);
    }
    const auto size = chunk.rounds > 1 ? static_cast<std::uint32_t>(crossing.size()) : 1U;
    for (std::size_t begin = 0; begin < crossing.size(); begin += size) {
      const Block block{slots.take(size), size};
      std::uint32_t last = c;
      for (std::uint32_t i = 0; i < size; ++i) {
        plan.scratch.push_back({crossing[begin + i], block.first + i});
        last = std::max(last, w.last_use[crossing[begin + i]]);
      }
      ends[last].push_back(block);
    }
  }
  std::sort(plan.scratch.begin(), plan.scratch.end(),
            [](const ScratchSlot& a, const ScratchSlot& b) { return a.node < b.node; });
}

std::vector<PlanChunk> straight_chunks(std::span<const PlanStep> steps, std::size_t size) {
  std::vector<PlanChunk> chunks;
  for (std::size_t begin = 0; begin < steps.size(); begin += size) {
    const auto part = steps.subspan(begin, std::min(size, steps.size() - begin));
    chunks.push_back({{part.begin(), part.end()}, 1});
  }
  return chunks;
}

/// Calls visit(id) for results and operands of the function's recurrences.
template <class Visit>
void for_each_recurrence_row(const Tape& tape, std::span<const PlanStep> steps, Visit visit) {
  for (const PlanStep& step : steps) {
    if (step.store || !has_recurrence(tape, step.node)) continue;
    const TapeNode& node = tape.nodes[step.node];
    visit(step.node);
    for (std::size_t i = 0; i < operand_count(node.op); ++i) visit(node.operands[i]);
  }
}

/// Loops over what repeats, in place of the steps' own order.
std::vector<PlanChunk> find_loops(const Program& program, const FunctionPlan& plan,
                                  std::span<const PlanStep> steps, const PlanLimits& limits) {
  const Tape& tape = program.tape;
  const IsLeaf leaf = [&](TapeId id) { return is_leaf(program, plan, id); };
  const Statements statements = cut_statements(tape, steps, leaf);
  std::vector<bool> exported(tape.nodes.size()), in_row(tape.nodes.size());
  for (std::size_t s = 0; s < statements.size(); ++s) {
    for (const PlanStep& step : statements[s]) {
      for_each_operand(program, plan, step, [&](TapeId operand) {
        if (statements.of_node[operand] != s) exported[operand] = true;
      });
    }
  }
  if (plan.taylor) {
    for_each_recurrence_row(tape, steps, [&](TapeId id) { in_row[id] = true; });
  }
  const KindOf kind = [&](TapeId id) {
    const TapeNode& node = tape.nodes[id];
    const bool steady = node.variability < plan.level;
    const std::uint32_t symbol =
        steady || operand_count(node.op) > 0 ? 0U : 1U + static_cast<std::uint32_t>(node.op);
    return (leaf(id) ? 1U : 0U) | (steady ? 2U : 0U) | (exported[id] ? 4U : 0U) |
           (in_row[id] ? 8U : 0U) | symbol << 4U;
  };
  return schedule(tape, statements, shapes_of(tape, statements, kind), limits);
}

FunctionPlan plan_function(const Program& program, std::string_view name, Variability level,
                           const std::vector<OutputArray>& arrays, const PlanLimits& limits,
                           Workspace& workspace) {
  FunctionPlan plan;
  plan.name = name;
  plan.level = level;
  plan.taylor = name == "jets";
  const std::vector<PlanStep> steps = order_steps(program, plan, arrays, workspace.visited);
  plan.chunks = steps.size() > limits.loops_from ? find_loops(program, plan, steps, limits)
                                                 : straight_chunks(steps, limits.chunk);
  plan.short_recurrence = plan.taylor && program.state_count <= limits.short_recurrence &&
                          plan.chunks.size() == 1 && plan.chunks[0].rounds == 1;
  assign_scratch(program, plan, workspace);
  return plan;
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
      const TapeNode& node = program_.tape.nodes[step.node];
      if (step.store) return take_leaf(plan, step.node);
      for (std::size_t i = 0; i < operand_count(node.op); ++i) {
        take_leaf(plan, node.operands[i]);
      }
    });
  }
  /// What the argument of a sine of time loads.
  void take_line(TapeId sine) {
    std::vector<TapeId> stack{program_.tape.nodes[sine].operands[0]};
    while (!stack.empty()) {
      const TapeNode& node = program_.tape.nodes[stack.back()];
      const TapeId id = stack.back();
      stack.pop_back();
      if (node.op == TapeOp::kConstant) continue;
      if (node.variability < Variability::kTime) {
        take(id);
        continue;
      }
      for (std::size_t i = 0; i < operand_count(node.op); ++i) stack.push_back(node.operands[i]);
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
    take(id, recurrence_rows(TapeOp::kSin));
    program.sines.push_back(id);
  };
  for_each_step_loops_first(plan, [&](const PlanStep& step) {
    const TapeNode& node = tape.nodes[step.node];
    if (step.store) return take_sine(step.node);
    for (std::size_t i = 0; i < operand_count(node.op); ++i) take_sine(node.operands[i]);
    if (!has_recurrence(tape, step.node)) return;
    take(step.node, recurrence_rows(node.op));
    for (std::size_t i = 0; i < operand_count(node.op); ++i) take(node.operands[i], 1);
  });
}

void require_parametric(const Program& program, TapeId id, const char* what) {
  if (program.tape.nodes[id].variability == Variability::kParameters) return;
  throw InternalError("codegen", std::string(what) + " depends on more than parameters");
}

/// The expressions of a system in a fixed order, and their nodes in the same order.
struct Roots {
  std::vector<Expr> exprs;
  std::vector<TapeId> nodes;
  std::size_t next = 0;

  void add(Expr e) { exprs.push_back(e); }
  TapeId take() { return nodes[next++]; }
  OutputArray take(std::size_t count) {
    OutputArray result;
    for (std::size_t i = 0; i < count; ++i) result.push_back(take());
    return result;
  }
};

Roots list_roots(const ExplicitSystem& system) {
  Roots roots;
  for (const ExplicitState& state : system.states) roots.add(state.start);
  for (const ExplicitState& state : system.states) roots.add(state.derivative);
  for (const ExplicitSwitch& s : system.switches) {
    roots.add(s.watched);
    if (s.kind == SwitchKind::kZone) roots.add(s.upper);
  }
  for (const ExplicitFriction& f : system.frictions) {
    for (const Expr e : {f.slip, f.free, f.reserve_below, f.reserve_above, f.kinetic}) {
      roots.add(e);
    }
    if (f.rate.valid()) roots.add(f.rate);
    for (const auto& [state, response] : f.varying_response) roots.add(response);
  }
  for (const ExplicitIsland& island : system.islands) {
    for (const ExplicitGramEntry& entry : island.varying_gram) roots.add(entry.value);
  }
  for (const ExplicitStop& stop : system.stops) {
    roots.add(stop.gap_below);
    roots.add(stop.gap_above);
  }
  for (const ExplicitSettleSpring& spring : system.settle_springs) {
    roots.add(spring.drive);
    if (!spring.edge_below.valid()) continue;
    roots.add(spring.edge_below);
    roots.add(spring.edge_above);
  }
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    for (const Expr load : island.loads) roots.add(load);
  }
  for (const ExplicitOutput& output : system.outputs) roots.add(output.value);
  for (const ExplicitAssertion& assertion : system.assertions) roots.add(assertion.condition);
  if (system.energy) {
    roots.add(system.energy->stored);
    roots.add(system.energy->supplied);
    for (const auto& [part, power] : system.energy->dissipated) roots.add(power);
  }
  for (const ExplicitFriction& friction : system.frictions) {
    for (const auto& [state, response] : friction.response) roots.add(response);
  }
  for (const ExplicitIsland& island : system.islands) {
    for (const Expr entry : island.gram) {
      if (entry.valid()) roots.add(entry);
    }
    for (const Expr entry : island.creep_gram) roots.add(entry);
    for (const Expr entry : island.drag) roots.add(entry);
  }
  for (const ExplicitStop& stop : system.stops) roots.add(stop.restitution);
  for (const ExplicitSettleSpring& spring : system.settle_springs) {
    roots.add(spring.stiffness);
    roots.add(spring.half_freeplay);
  }
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    for (const Expr entry : island.directions) roots.add(entry);
    for (const Expr start : island.starts) roots.add(start);
  }
  return roots;
}

/// Switches and frictions with their rows, which begin after the states.
OutputArray place_watched(Program& program, const ExplicitSystem& system, Roots& roots) {
  OutputArray watched;
  const auto row = [&](std::size_t count) {
    const auto first = static_cast<std::uint32_t>(program.state_count + watched.size());
    for (std::size_t i = 0; i < count; ++i) watched.push_back(roots.take());
    return first;
  };
  for (const ExplicitSwitch& s : system.switches) {
    program.switches.push_back({s.kind, row(s.kind == SwitchKind::kZone ? 2 : 1), s.slot, s.name});
  }
  for (const ExplicitFriction& f : system.frictions) {
    Friction friction;
    friction.name = f.name;
    friction.slip_row = row(1);
    friction.free_row = row(1);
    friction.reserve_row = row(2);
    friction.kinetic_row = row(1);
    if (f.rate.valid()) friction.rate_row = row(1);
    for (const auto& [state, response] : f.varying_response) {
      friction.response.push_back({state, kNoIndex, row(1)});
    }
    friction.creep = f.creep;
    friction.slip_state = f.slip_state;
    friction.driven = f.driven;
    friction.velocity_state = f.velocity_state;
    friction.direction_slot = f.direction_slot;
    friction.moving_slot = f.moving_slot;
    friction.indeterminate_slot = f.indeterminate_slot;
    program.frictions.push_back(std::move(friction));
  }
  for (const ExplicitIsland& from : system.islands) {
    FrictionIsland& island = program.islands.emplace_back();
    for (const ExplicitGramEntry& entry : from.varying_gram) {
      island.varying_gram.push_back({entry.i, entry.j, row(1)});
    }
  }
  for (const ExplicitStop& stop : system.stops) {
    program.frictions[stop.friction].stop = static_cast<std::uint32_t>(program.stops.size());
    program.stops.push_back({stop.friction, row(2), 0});
  }
  for (const ExplicitSettleSpring& from : system.settle_springs) {
    SettleSpring spring;
    spring.name = from.name;
    spring.zone_slot = from.zone_slot;
    spring.drive_row = row(1);
    if (from.edge_below.valid()) spring.edge_row = row(2);
    program.settle_springs.push_back(std::move(spring));
  }
  for (const ExplicitSettleIsland& from : system.settle_islands) {
    SettleIsland island;
    island.count = static_cast<std::uint32_t>(from.starts.size());
    island.first_spring = from.first_spring;
    island.springs = from.springs;
    island.first_friction = from.first_friction;
    island.frictions = from.frictions;
    island.load_row = row(from.loads.size());
    island.map_slot = from.map_slot;
    island.offset_slot = from.offset_slot;
    program.settle_islands.push_back(std::move(island));
  }
  program.row_count = static_cast<std::uint32_t>(program.state_count + watched.size());
  return watched;
}

}  // namespace

std::vector<bool> lines_in_time(const Tape& tape) {
  std::vector<bool> line(tape.nodes.size());
  for (std::size_t id = 0; id < tape.nodes.size(); ++id) {
    const TapeNode& node = tape.nodes[id];
    const auto is_line = [&](std::size_t i) { return line[node.operands[i]]; };
    const auto is_steady = [&](std::size_t i) {
      return tape.nodes[node.operands[i]].variability < Variability::kTime;
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
  Workspace workspace(size);
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
    if (node.op == TapeOp::kState) program.row_of[id] = node.operands[0];
  }
  assign_rows(program, program.jets);
  count_operations(program);

  Constants constants(program);
  for (const FunctionPlan* f :
       {&program.jets, &program.outputs, &program.energy, &program.assertions}) {
    constants.take_operands(*f);
  }
  for (const TapeId sine : program.sines) constants.take_line(sine);
  const auto take_parametric = [&](std::size_t count, const char* what) {
    OutputArray nodes = roots.take(count);
    for (const TapeId id : nodes) {
      require_parametric(program, id, what);
      constants.take(id);
    }
    return nodes;
  };
  std::vector<OutputArray> responses, grams, creep_grams, drags;
  for (const ExplicitFriction& f : system.frictions) {
    responses.push_back(take_parametric(f.response.size(), "a friction's response"));
  }
  for (const ExplicitIsland& island : system.islands) {
    const auto constant = std::count_if(island.gram.begin(), island.gram.end(),
                                        [](Expr entry) { return entry.valid(); });
    grams.push_back(take_parametric(static_cast<std::size_t>(constant), "an entry of G"));
    creep_grams.push_back(take_parametric(island.creep_gram.size(), "an entry of G"));
    drags.push_back(take_parametric(island.drag.size(), "an entry of G"));
  }
  const OutputArray restitutions = take_parametric(system.stops.size(), "a restitution");
  std::vector<OutputArray> springs, directions, points;
  for (std::size_t i = 0; i < system.settle_springs.size(); ++i) {
    springs.push_back(take_parametric(2, "a spring's stiffness or freeplay"));
  }
  for (const ExplicitSettleIsland& island : system.settle_islands) {
    directions.push_back(take_parametric(island.directions.size(), "a spring's direction"));
    points.push_back(take_parametric(island.starts.size(), "a start value"));
  }
  program.prepare_mode = plan("prepare_mode", Variability::kMode, {constants.of_modes()});
  program.prepare_mode.hot = false;
  constants.take_operands(program.prepare_mode);
  constants.number();
  program.prepare = plan("prepare", Variability::kParameters, {constants.of_parameters(), starts});
  program.prepare.hot = false;
  for (std::size_t i = 0; i < system.frictions.size(); ++i) {
    for (std::size_t k = 0; k < responses[i].size(); ++k) {
      program.frictions[i].response.push_back(
          {system.frictions[i].response[k].first, program.constant_of[responses[i][k]], kNoIndex});
    }
  }
  for (std::size_t i = 0; i < system.stops.size(); ++i) {
    program.stops[i].restitution = program.constant_of[restitutions[i]];
  }
  const auto constants_of = [&](const OutputArray& nodes) {
    std::vector<std::uint32_t> indices;
    for (const TapeId id : nodes) indices.push_back(program.constant_of[id]);
    return indices;
  };
  for (std::size_t i = 0; i < system.islands.size(); ++i) {
    const ExplicitIsland& from = system.islands[i];
    FrictionIsland& island = program.islands[i];
    island.bound = from.rate_hold_slot != kNoIndex;
    island.first = from.first;
    island.count = from.count;
    const std::vector<std::uint32_t> constant = constants_of(grams[i]);
    auto next = constant.begin();
    for (const Expr entry : from.gram) {
      island.gram.push_back(entry.valid() ? *next++ : kNoIndex);
    }
    island.creep_gram = constants_of(creep_grams[i]);
    island.drag = constants_of(drags[i]);
    island.rate_hold_slot = from.rate_hold_slot;
    island.hold_slot = from.hold_slot;
    island.kinetic_slot = from.kinetic_slot;
    island.static_slot = from.static_slot;
    island.share_slot = from.share_slot;
  }
  for (std::size_t i = 0; i < springs.size(); ++i) {
    program.settle_springs[i].stiffness = program.constant_of[springs[i][0]];
    program.settle_springs[i].half_freeplay = program.constant_of[springs[i][1]];
  }
  for (std::size_t i = 0; i < directions.size(); ++i) {
    program.settle_islands[i].directions = constants_of(directions[i]);
    program.settle_islands[i].starts = constants_of(points[i]);
  }
  return program;
}

}  // namespace luztar
