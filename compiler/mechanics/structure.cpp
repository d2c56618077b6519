#include "compiler/mechanics/structure.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "compiler/mechanics/matching.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/union_find.h"
#include "compiler/mechanics/variable_classes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Indices = std::vector<std::uint32_t>;

class StructureAnalysis {
 public:
  StructureAnalysis(const ExprPool& pool, const FlatModel& flat)
      : flat_(flat), signals_(flat.variables.size()) {
    for (const FlatConnection& connection : flat.connections) {
      const FlatConnector& a = flat.connectors[connection.a];
      const FlatConnector& b = flat.connectors[connection.b];
      for (std::size_t i = 0; i < std::min(a.signals.size(), b.signals.size()); ++i) {
        signals_.unite(a.signals[i].value, b.signals[i].value);
      }
    }
    speaker_.resize(flat.variables.size());
    for (const VariableId v : flat.variables.ids()) {
      VariableId& speaker = speaker_[column(v.value)];
      const bool better = speaker.valid() && flat.variables[speaker].input;
      if (!speaker.valid() || (better && !flat.variables[v].input)) speaker = v;
    }
    for (const FlatEquation& equation : flat.equations) add_equation(pool, equation);
    add_environment();
  }

  Structure run() {
    const Incidence whole = incidence(rows_, flat_.variables.size());
    const Matching matching = maximum_matching(whole);
    find_surplus(whole, matching);
    find_deficits(whole, matching);
    return std::move(result_);
  }

 private:
  static Incidence incidence(const std::vector<Indices>& rows, std::size_t columns) {
    Incidence result(columns);
    for (const Indices& row : rows) result.add_row(row);
    return result;
  }

  // Connected signals are one unknown.
  [[nodiscard]] std::uint32_t column(std::uint32_t variable) {
    return static_cast<std::uint32_t>(signals_.find(variable));
  }

  // The part whose equations have to determine the unknown.
  [[nodiscard]] PartId part_of(std::uint32_t column) const {
    const FlatVariable& variable = flat_.variables[speaker_[column]];
    const PartId parent = flat_.parts[variable.part].parent;
    return variable.input && parent.valid() ? parent : variable.part;
  }
  [[nodiscard]] bool is_potential(std::uint32_t column) const {
    return flat_.variables[VariableId{column}].role == VariableRole::kPotential;
  }

  void add_equation(const ExprPool& pool, const FlatEquation& equation) {
    std::set<std::uint32_t> columns;
    if (equation.left == equation.right) {  // says nothing
      rows_.emplace_back();
      return;
    }
    for (const Expr side : {equation.left, equation.right}) {
      for (const Symbol s : symbols_of(pool, side)) {
        // What a part receives is known in it.
        if (s.kind != SymbolKind::kVariable) continue;
        if (is_received(flat_, equation.part, VariableId{s.index})) continue;
        columns.insert(column(s.index));
      }
    }
    rows_.emplace_back(columns.begin(), columns.end());
  }

  // Every side of a connector that something may be joined to brings one relation.
  void add_environment() {
    std::vector<char> inside(flat_.connectors.size(), 0);
    for (const FlatConnection& connection : flat_.connections) {
      for (const ConnectorId end : {connection.a, connection.b}) {
        if (flat_.connectors[end].part == connection.scope) inside[end.value] = 1;
      }
    }
    for (const ConnectorId id : flat_.connectors.ids()) {
      const FlatConnector& connector = flat_.connectors[id];
      const std::size_t count = std::max(connector.potentials.size(), connector.flows.size());
      for (std::size_t k = 0; k < count; ++k) {
        Indices row;
        if (k < connector.potentials.size()) row.push_back(connector.potentials[k].value);
        if (k < connector.flows.size()) row.push_back(connector.flows[k].value);
        if (inside[id.value]) rows_.push_back(row);
        rows_.push_back(std::move(row));
      }
    }
  }

  [[nodiscard]] bool is_equation(std::uint32_t row) const { return row < flat_.equations.size(); }
  [[nodiscard]] PartId owner(std::uint32_t row) const {
    return flat_.equations[FlatEquationId{row}].part;
  }
  [[nodiscard]] EquationPlace place(std::uint32_t row) const {
    const FlatEquation& equation = flat_.equations[FlatEquationId{row}];
    return {equation.part, equation.span, FlatEquationId{row}};
  }

  [[nodiscard]] bool reaches_out(std::uint32_t row) const {
    return std::any_of(rows_[row].begin(), rows_[row].end(),
                       [&](std::uint32_t c) { return part_of(c) != owner(row); });
  }

  // The part with the most equations, less the unknowns among `columns`.
  template <class Better>
  PartId most(const Indices& rows, const Indices& columns, Better better) const {
    std::map<PartId, long> excess;
    for (const std::uint32_t r : rows) {
      if (is_equation(r)) ++excess[owner(r)];
    }
    for (const std::uint32_t c : columns) {
      // One of the two variables of a connector is given from outside.
      if (!is_potential(c)) --excess[part_of(c)];
    }
    const auto best =
        std::max_element(excess.begin(), excess.end(),
                         [&](const auto& a, const auto& b) { return better(a.second, b.second); });
    return best == excess.end() ? PartId{0} : best->first;
  }

  void find_surplus(const Incidence& whole, const Matching& matching) {
    std::vector<char> told(whole.rows(), 0);
    AlternatingPaths paths(whole, matching.row_of);
    for (std::uint32_t r = 0; r < whole.rows(); ++r) {
      if (matching.column_of[r] != kUnmatched || told[r]) continue;
      const Indices rows = paths.from(r);
      Indices columns;
      for (const std::uint32_t i : rows) {
        told[i] = 1;
        if (matching.column_of[i] != kUnmatched) columns.push_back(matching.column_of[i]);
      }
      Surplus surplus{most(rows, columns, [](long a, long b) { return a < b; }), {}, false};
      for (const std::uint32_t i : rows) {
        if (!is_equation(i) || owner(i) != surplus.part) continue;
        surplus.equations.push_back(place(i));
        surplus.reaches_out = surplus.reaches_out || reaches_out(i);
      }
      result_.surplus.push_back(std::move(surplus));
    }
  }

  void find_deficits(const Incidence& whole, const Matching& matching) {
    const Incidence users = whole.transposed();
    std::vector<char> told(whole.columns(), 0);
    AlternatingPaths paths(users, matching.column_of);
    for (std::uint32_t c = 0; c < whole.columns(); ++c) {
      if (matching.row_of[c] != kUnmatched || told[c] || column(c) != c) continue;
      const Indices columns = paths.from(c);
      for (const std::uint32_t i : columns) told[i] = 1;
      add_deficit(users, columns);
    }
  }

  // With the positions taken as known, which leaves out what the part is joined to, the set is
  // smaller.
  void add_deficit(const Incidence& users, const Indices& columns) {
    std::set<std::uint32_t> rows;
    std::map<std::uint32_t, std::uint32_t> unknown;
    Indices names;
    for (const std::uint32_t c : columns) {
      for (const std::uint32_t r : users.row(c)) rows.insert(r);
      if (is_potential(c)) continue;
      unknown.emplace(c, static_cast<std::uint32_t>(names.size()));
      names.push_back(c);
    }
    Incidence own(names.size());
    Indices equations;
    for (const std::uint32_t r : rows) {
      if (!is_equation(r)) continue;
      Indices row;
      for (const std::uint32_t c : rows_[r]) {
        if (const auto it = unknown.find(c); it != unknown.end()) row.push_back(it->second);
      }
      own.add_row(row);
      equations.push_back(r);
    }
    const Matching matching = maximum_matching(own);
    const Incidence own_users = own.transposed();
    const Indices all(rows.begin(), rows.end());
    Deficit deficit{most(all, columns, [](long a, long b) { return a > b; }), 0, {}, {}};
    Indices unmatched;
    for (std::uint32_t c = 0; c < names.size(); ++c) {
      if (matching.row_of[c] == kUnmatched) unmatched.push_back(c);
    }
    deficit.missing = unmatched.size();
    std::set<std::uint32_t> lacking, used;
    for (const std::uint32_t i : AlternatingPaths(own_users, matching.column_of).from(unmatched)) {
      lacking.insert(names[i]);
      for (const std::uint32_t r : own_users.row(i)) used.insert(equations[r]);
    }
    for (std::uint32_t r = 0; r < own.rows(); ++r) {  // ties between positions: their forces
      if (matching.column_of[r] != kUnmatched) continue;
      --deficit.missing;
      used.insert(equations[r]);
    }
    for (const std::uint32_t c : lacking) deficit.unknowns.push_back(speaker_[c]);
    for (const std::uint32_t r : used) deficit.equations.push_back(place(r));
    result_.deficits.push_back(std::move(deficit));
  }

  const FlatModel& flat_;
  UnionFind signals_;
  std::vector<VariableId> speaker_;  // by column: the variable to name
  std::vector<Indices> rows_;        // equations first, then what connectors are joined to
  Structure result_;
};

std::string number_of_equations(std::size_t n) {
  if (n == 0) return "no equation";
  return n == 1 ? "one equation" : std::to_string(n) + " equations";
}

}  // namespace

Structure analyze_structure(const ExprPool& pool, const FlatModel& flat) {
  return StructureAnalysis(pool, flat).run();
}

void report_deficits(const ExprPool& pool, const FlatModel& flat, const Structure& structure,
                     PartErrors& errors) {
  for (const Deficit& deficit : structure.deficits) {
    const std::string part = part_name(flat, deficit.part);
    std::vector<std::string> names;
    bool flows = false;
    Span declared;
    for (const VariableId v : deficit.unknowns) {
      const FlatVariable& variable = flat.variables[v];
      names.push_back(variable.name);
      flows = flows || variable.role == VariableRole::kFlow;
      if (!declared.valid()) declared = variable.span;
    }
    const Span at = deficit.part == PartId{0} ? declared : Span{};
    Diagnostic& error =
        names.size() == 1
            ? errors.error(Code::kUnderdetermined, deficit.part, at,
                           "no equation of " + part + " determines '" + names[0] + "'")
            : errors.error(Code::kUnderdetermined, deficit.part, at,
                           part + " has " + number_of_equations(deficit.equations.size()) +
                               " for " + std::to_string(names.size()) +
                               " unknowns: " + quoted_list(names));
    if (names.size() == 1 && !at.valid()) error.with_note("it is declared here", declared);
    note_equations(error, pool, flat, deficit.equations, "");
    const std::string missing = number_of_equations(deficit.missing);
    error.with_note(deficit.missing == 1 ? missing + " is missing" : missing + " are missing");
    if (flows && deficit.equations.empty()) {
      error.with_note(
          "no equation holds it, and inside the part its connector is joined to nothing: connect "
          "it, or write the law of the force (= 0 when the part takes none)");
      continue;
    }
    error.with_note(flows ? "a part needs, besides one equation for each variable of its own, one "
                            "for each of its flanges: a law of the force, or a tie between "
                            "positions"
                          : "every variable of a part needs one equation; inputs get theirs by "
                            "connect");
  }
}

void report_surplus(const ExprPool& pool, const FlatModel& flat, const Surplus& surplus,
                    PartErrors& errors) {
  const EquationPlace last =
      surplus.equations.empty() ? EquationPlace{surplus.part, {}, {}} : surplus.equations.back();
  const std::string part = part_name(flat, surplus.part);
  Diagnostic& error = errors.error(
      Code::kOverdetermined, surplus.part, last.span,
      surplus.equations.size() == 1 ? equation_text(pool, flat, last) + " is one equation too many"
                                    : part + " has one equation more than unknowns");
  if (surplus.equations.size() > 1) {
    note_equations(error, pool, flat, surplus.equations, "one of them is too many: ");
  }
  error.with_note(
      "positions and forces of other parts are determined by those parts and by connect: an "
      "equation between positions needs a part with the forces that belong to it");
}

}  // namespace luztar
