#include "compiler/mechanics/structure_errors.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "compiler/mechanics/connection_sets.h"
#include "compiler/mechanics/variable_classes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

std::string number_of_equations(std::size_t n) {
  if (n == 0) return "no equation";
  return n == 1 ? "one equation" : std::to_string(n) + " equations";
}

Diagnostic& report_deficit(const ExprPool& pool, const FlatModel& flat, const Deficit& deficit,
                           Diagnostics& diagnostics) {
  const std::string part = part_name(flat, deficit.part);
  std::vector<std::string> names;
  bool flows = false;
  Span declared;
  for (const VariableId v : deficit.unknowns) {
    const FlatVariable& variable = flat.variables[v];
    names.push_back(variable.name);
    flows = flows || variable.role == VariableRole::kFlow;
    if (declared.valid()) continue;
    const bool of_connector = variable.connector.valid() && variable.role != VariableRole::kSignal;
    declared = of_connector ? flat.connectors[variable.connector].span : variable.span;
  }
  const Span at = deficit.part == PartId{0} ? declared : Span{};
  const bool one = names.size() == 1;
  const std::string message = one ? "no equation of " + part + " determines '" + names[0] + "'"
                                  : part + " has " + number_of_equations(deficit.equations.size()) +
                                        " for " + std::to_string(names.size()) +
                                        " unknowns: " + quoted_list(names);
  Diagnostic& error =
      part_error(diagnostics, flat, Code::kUnderdetermined, deficit.part, at, message);
  if (one && !at.valid()) error.with_note("it is declared here", declared);
  note_equations(error, pool, flat, deficit.equations, "");
  const std::string missing = number_of_equations(deficit.missing);
  error.with_note(deficit.missing == 1 ? missing + " is missing" : missing + " are missing");
  if (flows && deficit.equations.empty()) {
    return error.with_note(
        "no equation holds it, and inside the part its connector is joined to nothing: connect "
        "it, or write the law of the force (= 0 when the part takes none)");
  }
  return error.with_note(
      flows ? "a part needs, besides one equation for each variable of its own, one for each of "
              "its flanges: a law of the force, or a tie between positions"
            : "every variable of a part needs one equation; inputs get theirs by connect");
}

/// Reports of one mistake in a class that is used several times: the first one speaks for all.
template <class Case, class SameMistake>
std::vector<std::vector<const Case*>> grouped(const std::vector<Case>& cases,
                                              const SameMistake& key) {
  std::map<decltype(key(cases.front())), std::size_t> place;
  std::vector<std::vector<const Case*>> groups;
  for (const Case& one : cases) {
    const auto [it, fresh] = place.emplace(key(one), groups.size());
    if (fresh) groups.emplace_back();
    groups[it->second].push_back(&one);
  }
  return groups;
}

void note_others(Diagnostic& error, const FlatModel& flat, const std::vector<PartId>& parts) {
  std::vector<std::string> names;
  std::set<PartId> seen{parts.front()};
  std::size_t again = 0;  // in the same part, by a loop
  for (const PartId part : parts) {
    again += part == parts.front() ? 1 : 0;
    if (seen.insert(part).second) names.push_back(flat.parts[part].name);
  }
  if (again > 1) error.with_note("the same is wrong " + std::to_string(again) + " times here");
  if (!names.empty()) error.with_note("the same is wrong in " + quoted_list(names));
}

class SurplusReport {
 public:
  SurplusReport(ExprPool& pool, const FlatModel& flat, PartErrors& errors)
      : pool_(pool),
        flat_(flat),
        classes_(classify_variables(pool, flat, connection_sets(flat))),
        errors_(errors) {}

  void report(const std::vector<const Surplus*>& group) {
    const Surplus& surplus = *group.front();
    const std::vector<PartId> bound = bound_parts(surplus);
    Diagnostic& error = bound.empty() ? report_equations(surplus) : report_tie(surplus, bound);
    std::vector<PartId> parts;
    for (const Surplus* one : group) {
      parts.push_back(one->equation.part);
      errors_.involve(one->equation);
      for (const EquationPlace& other : one->others) errors_.involve(other);
    }
    note_others(error, flat_, parts);
  }

 private:
  [[nodiscard]] bool moves(VariableId v) const {
    for (VariableId x = classes_.representative[v.value]; x.valid();
         x = classes_.integral[x.value]) {
      if (classes_.position[x.value]) return !classes_.flow[x.value];
      if (classes_.integral[x.value] == x) return false;
    }
    return false;
  }

  // The parts whose motions the equation binds, if it holds no other variables.
  [[nodiscard]] std::vector<PartId> bound_parts(const Surplus& surplus) const {
    std::set<PartId> parts;
    const PartId own = surplus.equation.part;
    const auto look_at = [&](VariableId v) {
      if (!moves(v)) return false;
      for (const VariableId member : classes_.members[classes_.representative[v.value].value]) {
        const FlatVariable& variable = flat_.variables[member];
        if (variable.part == own || variable.role == VariableRole::kPotential) continue;
        parts.insert(variable.part);
        break;
      }
      if (flat_.variables[v].part != own) parts.insert(flat_.variables[v].part);
      return true;
    };
    for (const VariableId v : surplus.unknowns) {
      if (!look_at(v)) return {};
    }
    const FlatEquation& equation = flat_.equations[surplus.equation.equation];
    for (const Expr side : {equation.left, equation.right}) {
      for (const Symbol s : symbols_of(pool_, side)) {
        if (s.kind != SymbolKind::kVariable) continue;
        const VariableId v{s.index};
        if (!is_received(flat_, own, v) && !look_at(v)) return {};
      }
    }
    parts.erase(own);
    return {parts.begin(), parts.end()};
  }

  Diagnostic& report_tie(const Surplus& surplus, const std::vector<PartId>& parts) {
    std::vector<std::string> names;
    for (const PartId part : parts) names.push_back(flat_.parts[part].name);
    const bool one = names.size() == 1;
    const std::string text = equation_text(pool_, flat_, surplus.equation);
    Diagnostic& error = errors_.error(
        Code::kBoundMotion, surplus.equation,
        text + (one ? " binds a motion that " + quoted_list(names) + " already determines"
                    : " binds motions that " + quoted_list(names) + " already determine"));
    if (!surplus.unknowns.empty()) note_equations(error, pool_, flat_, surplus.others, "with ");
    error.with_note("a motion follows from forces, and no force belongs to this equation");
    error.with_note(
        one ? "connect a part that moves it and has the force for that, like Position, "
              "Speed or Move"
            : "let a part keep the motions together, which has the forces for that: connect them "
              "rigidly, by a gear (IdealGear, VariableGear) or by a part of your own "
              "with flanges");
    return error;
  }

  // A connection that joins what is inside the part to one of its own flanges.
  [[nodiscard]] const FlatConnection* connection_inside(VariableId flow) const {
    const FlatVariable& variable = flat_.variables[flow];
    if (variable.role != VariableRole::kFlow) return nullptr;
    for (const FlatConnection& connection : flat_.connections) {
      const bool joins = connection.a == variable.connector || connection.b == variable.connector;
      if (joins && connection.scope == variable.part) return &connection;
    }
    return nullptr;
  }

  Diagnostic& report_equations(const Surplus& surplus) {
    const std::string text = equation_text(pool_, flat_, surplus.equation);
    const std::string whose = part_name(flat_, surplus.equation.part);
    const auto said = [&](const std::string& what) -> Diagnostic& {
      return errors_.error(Code::kOverdetermined, surplus.equation, text + what);
    };
    const auto with_others = [&](Diagnostic& error, const std::string& lead) -> Diagnostic& {
      note_equations(error, pool_, flat_, surplus.others, lead);
      return error.with_note("take one of these equations away");
    };
    switch (surplus.kind) {
      case SurplusKind::kTwice:
        return said(" is written twice")
            .with_note("the other one is here", surplus.others.front().span)
            .with_note(whose + " has one equation more than unknowns: take one of them away");
      case SurplusKind::kFollows:
        return with_others(said(" is one equation too many: it says nothing new"),
                           "it follows from ");
      case SurplusKind::kContradicts:
        return with_others(said(" is one equation too many"), "it contradicts ");
      case SurplusKind::kIncidence:
        break;
    }
    Diagnostic& error = said(" is one equation too many");
    if (surplus.unknowns.empty()) {
      note_equations(error, pool_, flat_, surplus.others, "what it holds is determined with ");
      const FlatEquation& equation = flat_.equations[surplus.equation.equation];
      const auto is_force = [&](Symbol s) {
        return s.kind == SymbolKind::kVariable &&
               classes_.flow[classes_.representative[s.index].value] != 0;
      };
      const bool force =
          depends_on(pool_, equation.left, is_force) || depends_on(pool_, equation.right, is_force);
      return error.with_note(
          std::string("its variables are determined by other equations and by connect: ") +
          (force ? "a law of a force stands in a part that is connected to what it acts on; "
                 : "") +
          "take this equation away");
    }
    for (const VariableId v : surplus.unknowns) {
      const FlatConnection* inner = connection_inside(v);
      if (inner == nullptr) continue;
      error.with_note(
          "a connection inside the part already hands on '" + flat_.variables[v].name + "'",
          inner->span);
      return error.with_note(
          "connect what is inside to a part of its own, not to the flange with the law");
    }
    std::vector<std::string> names;
    for (const VariableId v : surplus.unknowns) names.push_back(flat_.variables[v].name);
    const std::string count = std::to_string(surplus.others.size() + 1) + " equations";
    const bool flows =
        std::any_of(surplus.unknowns.begin(), surplus.unknowns.end(),
                    [&](VariableId v) { return flat_.variables[v].role == VariableRole::kFlow; });
    if (flows) {
      error.with_note(
          "a part has one equation for each variable of its own and one for each of its "
          "flanges: a law of the force, or a tie between positions");
    }
    return with_others(error.with_note("there are " + count + " for " + quoted_list(names) +
                                       (names.size() == 1 ? " alone" : "")),
                       "with ");
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  VariableClasses classes_;
  PartErrors& errors_;
};

}  // namespace

void report_deficits(const ExprPool& pool, const FlatModel& flat, const Structure& structure,
                     PartErrors& errors) {
  if (structure.deficits.empty()) return;
  const auto mistake = [&](const Deficit& deficit) {
    const Span at = deficit.unknowns.empty() ? Span{} : flat.variables[deficit.unknowns[0]].span;
    return std::tuple(flat.parts[deficit.part].class_name, at.file, at.begin,
                      deficit.unknowns.size(), deficit.equations.size());
  };
  for (const auto& group : grouped(structure.deficits, mistake)) {
    Diagnostic& error = report_deficit(pool, flat, *group.front(), errors.diagnostics());
    std::vector<PartId> parts;
    for (const Deficit* one : group) {
      parts.push_back(one->part);
      for (const VariableId v : one->unknowns) errors.involve(v);
      for (const EquationPlace& place : one->equations) errors.involve(place);
    }
    note_others(error, flat, parts);
  }
}

void report_surplus(ExprPool& pool, const FlatModel& flat, const Structure& structure,
                    PartErrors& errors) {
  if (structure.surplus.empty()) return;
  SurplusReport report(pool, flat, errors);
  const auto mistake = [](const Surplus& surplus) {
    const Span& at = surplus.equation.span;
    return std::tuple(at.file, at.begin, at.end, surplus.kind);
  };
  for (const auto& group : grouped(structure.surplus, mistake)) report.report(group);
}

}  // namespace luztar
