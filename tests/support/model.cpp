#include "tests/support/model.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "compiler/lowering/lower.h"
#include "compiler/mechanics/assemble.h"
#include "compiler/symbolic/operations.h"
#include "compiler/syntax/parse.h"
#include "runtime/events/modes.h"
#include "runtime/events/switch_value.h"
#include "tests/support/csv_table.h"

namespace luztar::test {
namespace {

template <class Names>
std::size_t index_of(const Names& existing, std::initializer_list<std::string_view> wanted,
                     std::string_view kind) {
  for (const std::string_view name : wanted) {
    const auto found = std::find(existing.begin(), existing.end(), name);
    if (found != existing.end()) return static_cast<std::size_t>(found - existing.begin());
  }
  std::string message =
      "no " + std::string(kind) + " '" + std::string(*wanted.begin()) + "'; there are:";
  for (const auto& name : existing) message += " " + std::string(name);
  throw std::runtime_error(message);
}

}  // namespace

std::string Stages::messages() const {
  Diagnostics sorted = diagnostics;
  sorted.sort_by_source();
  std::string text;
  for (const Diagnostic& diagnostic : sorted.all()) text += render_text(diagnostic, sources, false);
  return text;
}

std::filesystem::path project_dir() { return LUZTAR_PROJECT_DIR; }

std::unique_ptr<Stages> run_stages(const std::string& name, const std::string& text, Stage last,
                                   const std::vector<Setting>& settings,
                                   const std::string& class_name) {
  // Relative paths, so that messages do not depend on where the project lies.
  std::filesystem::current_path(project_dir());
  auto stages = std::make_unique<Stages>();
  Stages& s = *stages;
  try {
    ClassLibrary library(s.sources, {"library", "library/examples"});
    s.ast = parse(s.sources, s.sources.add(name, text), s.diagnostics);
    if (!s.ast || s.diagnostics.has_errors() || last == Stage::kSyntax) return stages;
    s.flat = flatten(*s.ast, class_name, settings, library, s.sources, s.pool, s.diagnostics);
    if (!s.flat || s.diagnostics.has_errors() || last == Stage::kFlat) return stages;
    s.mechanism = assemble(s.pool, *s.flat, s.diagnostics);
    if (!s.mechanism || s.diagnostics.has_errors() || last == Stage::kMechanism) return stages;
    s.reduced = reduce(s.pool, *s.flat, *s.mechanism, s.diagnostics);
    if (!s.reduced || s.diagnostics.has_errors() || last == Stage::kReduced) return stages;
    s.explicit_system = lower(s.pool, *s.flat, *s.reduced, s.diagnostics);
    if (!s.explicit_system || s.diagnostics.has_errors() || last == Stage::kExplicit) return stages;
    s.program = compile(s.pool, *s.flat, *s.explicit_system);
  } catch (const TooManyErrors&) {
    // The diagnostics collected so far are the result.
  }
  return stages;
}

Model::Model(const std::string& name, const std::string& text, const std::vector<Setting>& settings,
             const std::string& class_name)
    : Model(run_stages(name, text, Stage::kProgram, settings, class_name)) {}

Model::Model(std::unique_ptr<Stages> stages) : stages_(std::move(stages)) {
  if (!stages_->program)
    throw std::runtime_error("the model does not compile\n" + stages_->messages());
  parameters_ = system().parameters;
  constants_.resize(system().constant_count);
  start_.resize(system().state_count);
  set({});
}

std::size_t Model::state(std::initializer_list<std::string_view> names) const {
  return index_of(system().state_names, names, "state");
}

std::size_t Model::friction(std::initializer_list<std::string_view> names) const {
  std::vector<std::string> existing;
  for (const Friction& friction : system().frictions) existing.push_back(friction.name);
  return index_of(existing, names, "friction");
}

std::size_t Model::output(std::string_view name) const {
  std::vector<std::string> names;
  for (const OutputColumn& column : system().outputs) names.push_back(column.name);
  return index_of(names, {name}, "output");
}

std::size_t Model::parameter(std::string_view name) const {
  std::vector<std::string> names;
  for (const FlatParameter& entry : stages_->flat->parameters) names.push_back(entry.name);
  return index_of(names, {name}, "parameter");
}

void Model::set(const std::vector<std::pair<std::string, double>>& values) {
  std::vector<bool> given(parameters_.size(), false);
  for (const auto& [name, value] : values) {
    const std::size_t index = parameter(name);
    const std::vector<ParameterId>& structural = stages_->reduced->structural;
    const ParameterId id{static_cast<std::uint32_t>(index)};
    if (std::find(structural.begin(), structural.end(), id) != structural.end()) {
      throw std::runtime_error("the structure of the model follows from '" + name +
                               "': compile it anew");
    }
    parameters_[index] = value;
    given[index] = true;
  }
  // Bindings may refer to parameters declared later: repeat until nothing changes. The depth of
  // such references bounds the number of rounds.
  const FlatModel& flat = *stages_->flat;
  const SymbolValues value_of = [&](Symbol symbol) { return parameters_[symbol.index]; };
  for (bool changed = true; changed;) {
    changed = false;
    for (const ParameterId id : flat.parameters.ids()) {
      const Expr binding = flat.parameters[id].binding;
      if (given[id.value] || !binding.valid() || stages_->pool.is_constant(binding)) continue;
      const double value = luztar::evaluate(stages_->pool, binding, value_of);
      if (value == parameters_[id.value]) continue;
      parameters_[id.value] = value;
      changed = true;
    }
  }
  system().prepare(parameters_.data(), constants_.data(), start_.data());
}

namespace {

/// Rows of order 0 and 1 with the switches that follow from the values.
Coefficients rows(const System& system, Modes& modes, double time,
                  const std::vector<double>& state) {
  Coefficients J(system, 0);
  for (bool changed = true; changed; changed = modes.apply()) {
    modes.expand(time, state, J);
    for (std::size_t i = 0; i < system.switches.size(); ++i) {
      modes.set_value(i, value_after(system.switches[i], J, {}));
    }
  }
  return J;
}

}  // namespace

std::vector<double> Model::slips(double time, const std::vector<double>& state) const {
  std::vector<double> start(system().state_count), result;
  Modes modes(system(), parameters_, start);
  const Coefficients J = rows(system(), modes, time, state);
  for (const Friction& friction : system().frictions) result.push_back(J[friction.slip_row]);
  return result;
}

void Model::stop_slips(double time, std::vector<double>& state, std::size_t island,
                       const std::vector<std::uint32_t>& frictions) const {
  std::vector<double> start(system().state_count);
  Modes modes(system(), parameters_, start);
  const Coefficients J = rows(system(), modes, time, state);
  std::vector<Eigen::Index> members;
  Eigen::VectorXd slip(static_cast<Eigen::Index>(frictions.size()));
  for (const std::uint32_t i : frictions) {
    slip[static_cast<Eigen::Index>(members.size())] = J[system().frictions[i].slip_row];
    members.push_back(i - system().islands[island].first);
  }
  const Eigen::VectorXd impulse = modes.rest_impulse(island, members, slip);
  for (std::size_t r = 0; r < frictions.size(); ++r) {
    for (const ResponseEntry& entry : system().frictions[frictions[r]].response) {
      state[entry.state] -= impulse[static_cast<Eigen::Index>(r)] * modes.response(entry, J);
    }
  }
}

Model::Evaluation Model::evaluate(double time, const std::vector<double>& state,
                                  const std::vector<std::int32_t>& directions) const {
  std::vector<double> start(system().state_count);
  Modes modes(system(), parameters_, start);
  std::vector<FrictionHint> hints(directions.size());
  std::vector<std::uint32_t> zeros(directions.size());
  for (std::size_t i = 0; i < directions.size(); ++i) {
    modes.set_friction(i, {static_cast<std::int8_t>(directions[i]), 0, false});
    hints[i].at_rest = directions[i] == 0;
  }
  // Forces of one island may drive another.
  Coefficients J = rows(system(), modes, time, state);
  bool changed = true;
  for (int round = 0; changed; ++round) {
    if (round == 100) throw std::runtime_error("no consistent mode");
    for (std::size_t i = 0; i < system().islands.size(); ++i) {
      modes.decide(i, J, hints, zeros);
    }
    changed = modes.apply();
    J = rows(system(), modes, time, state);
  }
  Evaluation result;
  result.derivatives.assign(J.order(1), J.order(1) + system().state_count);
  result.outputs.resize(system().outputs.size());
  system().evaluate_outputs(time, state.data(), modes.constants(), result.outputs.data());
  return result;
}

std::size_t own_states(const Model& model) {
  return model.system().state_count - model.system().slip_state_count;
}

std::string example_text(const std::string& file_name) {
  return read_text(project_dir() / "library" / "examples" / file_name);
}

Model load_example(const std::string& file_name, const std::vector<Setting>& settings) {
  return {"library/examples/" + file_name, example_text(file_name), settings};
}

}  // namespace luztar::test
