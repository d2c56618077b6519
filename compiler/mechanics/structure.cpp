#include "compiler/mechanics/structure.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "compiler/mechanics/dependent_equations.h"
#include "compiler/mechanics/matching.h"
#include "compiler/mechanics/union_find.h"
#include "compiler/mechanics/variable_classes.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Indices = std::vector<std::uint32_t>;

constexpr std::size_t kMostWalks = 30;  // through all equations; more than there may be errors

class StructureAnalysis {
 public:
  StructureAnalysis(ExprPool& pool, const FlatModel& flat)
      : pool_(pool),
        flat_(flat),
        signals_(flat.variables.size()),
        in_chain_(flat.variables.size(), 0),
        is_rate_(in_chain_),
        has_flange_(flat.parts.size(), 0) {
    for (const FlatConnector& connector : flat.connectors) {
      if (!connector.flows.empty()) has_flange_[connector.part.value] = 1;
    }
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
    for (const FlatEquation& equation : flat.equations) add_derivatives(equation);
    for (const FlatEquation& equation : flat.equations) add_equation(equation);
    add_environment();
  }

  Structure run() {
    const Incidence whole = incidence(rows_, flat_.variables.size());
    const Matching matching = match(whole);
    users_ = whole.transposed();
    find_surplus(whole, matching);
    find_deficits(whole, matching);
    return std::move(result_);
  }

 private:
  // Equations that give a rate determine it where nothing else does, and so do equations of a part
  // on variables of others.
  Matching match(const Incidence& whole) const {
    if (excused_.empty() && foreign_.empty()) return maximum_matching(whole);
    std::vector<Indices> others = rows_;
    for (const std::uint32_t r : excused_) others[r].clear();
    for (const std::uint32_t r : foreign_) others[r].clear();
    return maximum_matching(whole, maximum_matching(incidence(others, whole.columns())));
  }

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

  // v in v = der(x), if the equation is one.
  [[nodiscard]] std::optional<std::uint32_t> rate_in(const FlatEquation& equation) const {
    if (pool_[equation.right].op == Op::kDer) return pool_.variable_of(equation.left);
    if (pool_[equation.left].op == Op::kDer) return pool_.variable_of(equation.right);
    return std::nullopt;
  }

  void add_derivatives(const FlatEquation& equation) {
    const Expr sides[] = {equation.left, equation.right};
    if (!contains(pool_, sides[0], Op::kDer) && !contains(pool_, sides[1], Op::kDer)) return;
    for (const Expr e : topological_order(pool_, sides)) {
      if (pool_[e].op != Op::kDer) continue;
      for (const Symbol s : symbols_of(pool_, e)) {
        if (s.kind == SymbolKind::kVariable) in_chain_[column(s.index)] = 1;
      }
    }
    const auto rate = rate_in(equation);
    if (!rate) return;
    in_chain_[column(*rate)] = 1;
    const bool left = pool_[equation.left].op == Op::kDer;
    const auto base = pool_.variable_of(pool_.arg(left ? equation.left : equation.right, 0));
    const bool own = base && !is_received(flat_, equation.part, VariableId{*base});
    if (own) is_rate_[column(*rate)] = 1;
  }

  void add_equation(const FlatEquation& equation) {
    std::set<std::uint32_t> columns;
    if (equation.left == equation.right) {
      excused_.push_back(static_cast<std::uint32_t>(rows_.size()));  // says nothing
      rows_.emplace_back();
      return;
    }
    for (const Expr side : {equation.left, equation.right}) {
      for (const Symbol s : symbols_of(pool_, side)) {
        // What a part receives is known in it.
        if (s.kind != SymbolKind::kVariable) continue;
        if (is_received(flat_, equation.part, VariableId{s.index})) continue;
        columns.insert(column(s.index));
      }
    }
    if (columns.size() == 1 && is_rate_[*columns.begin()] != 0 && !rate_in(equation) &&
        part_of(*columns.begin()) == equation.part) {
      excused_.push_back(static_cast<std::uint32_t>(rows_.size()));
    }
    const bool foreign = !columns.empty() &&
                         std::none_of(columns.begin(), columns.end(),
                                      [&](std::uint32_t c) { return part_of(c) == equation.part; });
    if (foreign) foreign_.push_back(static_cast<std::uint32_t>(rows_.size()));
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
    std::vector<char> excused(whole.rows(), 0);
    for (const std::uint32_t r : excused_) excused[r] = 1;
    AlternatingPaths paths(whole, matching.row_of);
    std::set<std::uint32_t> taken;
    std::size_t looked_at = 0;
    for (std::uint32_t r = 0; r < whole.rows(); ++r) {
      if (matching.column_of[r] != kUnmatched || excused[r] != 0) continue;
      if (std::binary_search(foreign_.begin(), foreign_.end(), r)) {
        Surplus surplus{place(r), laws_of_foreign(r), {}, SurplusKind::kIncidence};
        result_.surplus.push_back(std::move(surplus));
        taken.insert(r);
        continue;
      }
      const Indices rows = paths.from(r);
      add_surplus(rows, matching, taken);
      looked_at += rows.size();
      if (looked_at > kMostWalks * whole.rows()) return;  // they have much in common
    }
  }

  // `rows` are one more than their columns. Those of one part that are so by themselves, with the
  // motions or at least the positions taken as known, are fewer.
  void add_surplus(const Indices& rows, const Matching& matching, std::set<std::uint32_t>& taken) {
    Indices columns, all, own;
    for (const std::uint32_t r : rows) {
      if (matching.column_of[r] != kUnmatched) columns.push_back(matching.column_of[r]);
      if (is_equation(r)) all.push_back(r);
    }
    const PartId part = most(rows, columns, [](long a, long b) { return a < b; });
    for (const std::uint32_t r : all) {
      if (owner(r) == part && !taken.contains(r)) own.push_back(r);
    }
    if (own.empty()) own = all;
    std::uint32_t last = own.back();
    const bool moves = has_flange_[part.value] != 0;  // else what it differentiates is its own
    const auto known_motion = [&](std::uint32_t c) {
      return is_potential(c) || (moves && in_chain_[c] != 0) || part_of(c) != part;
    };
    const auto known_position = [&](std::uint32_t c) { return is_potential(c); };
    Indices set = dependent_among(own, last, known_motion);
    std::function<bool(std::uint32_t)> known = known_motion;
    if (set.empty()) {
      known = known_position;
      set = dependent_among(own, last, known);
      if (std::find(set.begin(), set.end(), last) == set.end()) {
        known = [](std::uint32_t) { return false; };
        set = all;
      }
    }
    if (std::find(set.begin(), set.end(), last) == set.end()) last = set.back();
    taken.insert(last);
    Surplus surplus = explain(set, last, known);
    if (surplus.unknowns.empty()) surplus.others = laws_of_foreign(last);
    result_.surplus.push_back(std::move(surplus));
  }

  // Of each force or signal that row r takes from another part, the equation of that part that
  // holds least besides, the last of several.
  std::vector<EquationPlace> laws_of_foreign(std::uint32_t r) const {
    std::vector<EquationPlace> result;
    for (const std::uint32_t c : rows_[r]) {
      if (is_potential(c) || in_chain_[c] != 0) continue;
      std::uint32_t law = kUnmatched;
      for (const std::uint32_t i : users_.row(c)) {
        if (i == r || !is_equation(i) || owner(i) != part_of(c)) continue;
        if (law == kUnmatched || rows_[i].size() <= rows_[law].size()) law = i;
      }
      if (law != kUnmatched) result.push_back(place(law));
    }
    return result;
  }

  // Rows that are one more than the columns that are not known, `wanted` among them if possible.
  Indices dependent_among(const Indices& rows, std::uint32_t wanted,
                          const std::function<bool(std::uint32_t)>& known) const {
    std::map<std::uint32_t, std::uint32_t> place;
    std::vector<Indices> own;
    Indices equations;
    for (const std::uint32_t r : rows) {
      Indices row;
      for (const std::uint32_t c : rows_[r]) {
        if (known(c)) continue;
        row.push_back(place.emplace(c, static_cast<std::uint32_t>(place.size())).first->second);
      }
      if (row.empty() && !reaches_out(r)) continue;  // ties positions of its part, or their rates
      own.push_back(std::move(row));
      equations.push_back(r);
    }
    const Incidence incident = incidence(own, place.size());
    const Matching matching = maximum_matching(incident);
    AlternatingPaths paths(incident, matching.row_of);
    Indices result;
    for (std::uint32_t r = 0; r < incident.rows(); ++r) {
      if (matching.column_of[r] != kUnmatched) continue;
      Indices set;
      for (const std::uint32_t i : paths.from(r)) set.push_back(equations[i]);
      if (std::find(set.begin(), set.end(), wanted) != set.end()) return set;
      if (result.empty()) result = std::move(set);
    }
    return result;
  }

  Surplus explain(const Indices& set, std::uint32_t last,
                  const std::function<bool(std::uint32_t)>& known) {
    if (!identity_) identity_ = std::make_unique<IdentityTest>(pool_, flat_);
    std::vector<FlatEquationId> equations;
    for (const std::uint32_t r : set) equations.emplace_back(r);
    const auto unknown = [&](VariableId v) -> std::optional<std::uint32_t> {
      const std::uint32_t c = column(v.value);
      if (known(c)) return std::nullopt;
      return c;
    };
    const DependentEquations smallest =
        dependent_equations(pool_, flat_, *identity_, equations, FlatEquationId{last}, unknown);
    Surplus surplus{place(last), {}, {}, smallest.kind};
    std::set<VariableId> names;
    for (const FlatEquationId id : smallest.equations) {
      if (id.value != last) surplus.others.push_back(place(id.value));
      for (const std::uint32_t c : rows_[id.value]) {
        if (!known(c) && !is_potential(c)) names.insert(speaker_[c]);
      }
    }
    surplus.unknowns.assign(names.begin(), names.end());
    return surplus;
  }

  void find_deficits(const Incidence& whole, const Matching& matching) {
    std::vector<char> told(whole.columns(), 0);
    AlternatingPaths paths(users_, matching.column_of);
    for (std::uint32_t c = 0; c < whole.columns(); ++c) {
      if (matching.row_of[c] != kUnmatched || told[c] || column(c) != c) continue;
      const Indices columns = paths.from(c);
      for (const std::uint32_t i : columns) told[i] = 1;
      add_deficit(columns);
    }
  }

  // With the positions taken as known, which leaves out what the part is joined to, the set is
  // smaller.
  void add_deficit(const Indices& columns) {
    std::set<std::uint32_t> rows;
    std::map<std::uint32_t, std::uint32_t> unknown;
    Indices names;
    for (const std::uint32_t c : columns) {
      for (const std::uint32_t r : users_.row(c)) rows.insert(r);
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
    Deficit deficit{most(all, columns, [](long a, long b) { return a > b; }), 0, {}, {}, {}};
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
    const bool forces = std::any_of(lacking.begin(), lacking.end(), [&](std::uint32_t c) {
      return flat_.variables[VariableId{c}].role == VariableRole::kFlow;
    });
    for (const std::uint32_t i : unmatched) {
      if (!forces) deficit.open.push_back(speaker_[names[i]]);
    }
    for (const std::uint32_t c : lacking) deficit.unknowns.push_back(speaker_[c]);
    for (const std::uint32_t r : used) deficit.equations.push_back(place(r));
    result_.deficits.push_back(std::move(deficit));
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  UnionFind signals_;
  std::vector<char> in_chain_, is_rate_;  // by column: occurs in der(..), or is v = der(own)
  std::vector<char> has_flange_;          // by part
  std::vector<VariableId> speaker_;       // by column: the variable to name
  std::vector<Indices> rows_;             // equations first, then what connectors are joined to
  Incidence users_{0};                    // of columns
  Indices foreign_;                       // equations of a part that hold variables of others alone
  Indices excused_;  // equations that give a rate the value of a signal, or say nothing
  std::unique_ptr<IdentityTest> identity_;  // made when first asked for
  Structure result_;
};

}  // namespace

Structure analyze_structure(ExprPool& pool, const FlatModel& flat) {
  return StructureAnalysis(pool, flat).run();
}

FlatModel balanced(ExprPool& pool, const FlatModel& flat, const Structure& structure) {
  FlatModel result = flat;
  for (const Surplus& surplus : structure.surplus) {
    FlatEquation& equation = result.equations[surplus.equation.equation];
    equation.right = equation.left;  // ids stay what they are
  }
  for (const Deficit& deficit : structure.deficits) {
    for (const VariableId v : deficit.open) {
      const Expr value = pool.symbol(SymbolKind::kVariable, v.value);
      result.equations.push_back({value, pool.one(), deficit.part, {}});
    }
  }
  return result;
}

}  // namespace luztar
