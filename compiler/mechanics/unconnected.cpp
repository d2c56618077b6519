#include "compiler/mechanics/unconnected.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

struct Flanges {
  std::vector<VariableId> open, joined;  // flows
};

class OpenFlanges {
 public:
  OpenFlanges(const ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
              const ForceSystem& forces, PartErrors& errors)
      : pool_(pool), flat_(flat), classes_(classes), errors_(errors) {
    for (const FlowLaw& law : forces.laws) laws_.emplace(law.flow, &law);
    const SymbolValues parameters = generic_values(pool, flat, 1);
    for (std::size_t i = 0; i < points_.size(); ++i) {
      // Signals may begin at any time, and zones end at any distance.
      const double far = std::pow(2.0, static_cast<double>(i));
      points_[i] = [parameters, far, others = generic_values(pool, flat, i + 1)](Symbol s) {
        if (s.kind == SymbolKind::kTime) return 0.37 * far;
        return s.kind == SymbolKind::kParameter ? parameters(s) : far * others(s);
      };
    }
  }

  void check(const ConnectionSets& connections) {
    std::map<PartId, Flanges> parts;
    for (const FlowBalance& balance : connections.balances) {
      for (const auto& [flow, sign] : balance.flows) {
        Flanges& flanges = parts[flat_.variables[flow].part];
        (balance.flows.size() == 1 ? flanges.open : flanges.joined).push_back(flow);
      }
      check_short_circuit(balance);
    }
    for (const auto& [part, flanges] : parts) {
      if (flanges.open.empty() || part == PartId{0} || errors_.is_silent(part)) continue;
      flanges.joined.empty() ? check_source(part, flanges) : check_carrier(part, flanges);
    }
  }

 private:
  static constexpr std::size_t kPoints = 12;  // generic ones
  using Values = std::array<double, kPoints>;

  [[nodiscard]] const FlowLaw* law_of(VariableId flow) const {
    const auto it = laws_.find(classes_.representative[flow.value]);
    return it == laws_.end() ? nullptr : it->second;
  }

  // The flow by its law; one that no law gives is what it wants to be.
  [[nodiscard]] Values values_of(VariableId flow) const {
    const FlowLaw* law = law_of(flow);
    Values result{};
    for (std::size_t i = 0; i < result.size(); ++i) {
      const auto free = [&](VariableId g) { return points_[i]({SymbolKind::kVariable, g.value}); };
      if (law == nullptr) {
        result[i] = free(classes_.representative[flow.value]);
        continue;
      }
      result[i] = evaluate(pool_, law->known, points_[i]);
      for (const auto& [g, c] : law->free) result[i] += evaluate(pool_, c, points_[i]) * free(g);
    }
    return result;
  }

  [[nodiscard]] std::string connector_of(VariableId flow) const {
    return flat_.connectors[flat_.variables[flow].connector].name;
  }

  // Seen from outside, sign +1, two flanges of one part in one set.
  void check_short_circuit(const FlowBalance& balance) {
    if (balance.flows.size() < 2) return;
    std::map<PartId, VariableId> first;
    for (const auto& [flow, sign] : balance.flows) {
      const PartId part = flat_.variables[flow].part;
      if (sign < 0 || part == PartId{0} || errors_.is_silent(part)) continue;
      const auto [it, fresh] = first.emplace(part, flow);
      if (fresh || flat_.variables[flow].connector == flat_.variables[it->second].connector) {
        continue;
      }
      errors_.diagnostics()
          .warning(Code::kShortCircuit, flat_.parts[part].span,
                   "'" + connector_of(it->second) + "' and '" + connector_of(flow) +
                       "' are connected to each other: " + part_name(flat_, part) +
                       " joins nothing")
          .with_note("a part between two others has a flange connected to each of them");
    }
  }

  void check_source(PartId part, const Flanges& flanges) {
    for (const VariableId flow : flanges.open) {
      const FlowLaw* law = law_of(flow);
      if (law == nullptr || !law->free.empty()) continue;
      const bool reacts = depends_on(pool_, law->known, [&](Symbol s) {
        return s.kind == SymbolKind::kVelocity || s.kind == SymbolKind::kAcceleration ||
               (s.kind == SymbolKind::kVariable && classes_.position[s.index]);
      });
      if (reacts || pool_.is_zero(law->known)) continue;
      errors_
          .error(Code::kUnconnected, part, law->span,
                 "nothing is connected to '" + connector_of(flow) + "': " + part_name(flat_, part) +
                     " pushes on nothing")
          .with_note("connect '" + connector_of(flow) + "' to the body that it is to move");
      return;
    }
  }

  // An open flange has no force; where all forces of the part are proportional, it has none at all.
  void check_carrier(PartId part, const Flanges& flanges) {
    const Values open = values_of(flanges.open.front());
    const bool idle =
        std::all_of(flanges.joined.begin(), flanges.joined.end(),
                    [&](VariableId flow) { return proportional(values_of(flow), open); });
    if (!idle) return;
    const std::string name = connector_of(flanges.open.front());
    const FlatPart& declared = flat_.parts[part];
    errors_.diagnostics()
        .warning(Code::kUnconnected, declared.span,
                 "nothing is connected to '" + name + "', so " + part_name(flat_, part) +
                     " can carry no force")
        .with_note("connect '" + name + "', or leave " + part_name(flat_, part) + " out");
  }

  // A force of zero may be one of a zone, or another limit, at these points alone.
  static bool proportional(const Values& a, const Values& b) {
    std::size_t first = 0;
    while (first < b.size() && (a[first] == 0 || b[first] == 0)) ++first;
    if (first == b.size()) return false;
    const double ratio = a[first] / b[first];
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!(std::abs(a[i] - ratio * b[i]) <= 1e-9 * std::max(std::abs(a[i]), std::abs(b[i])))) {
        return false;
      }
    }
    return true;
  }

  const ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  PartErrors& errors_;
  std::map<VariableId, const FlowLaw*> laws_;
  std::array<SymbolValues, kPoints> points_;
};

// What acts on nodes without inertia: loads alone hold nothing.
void check_nodes(const ExprPool& pool, const FlatModel& flat, const Mechanism& mechanism,
                 PartErrors& errors) {
  std::vector<char> held(mechanism.coordinates.size(), 0);
  std::set<std::uint32_t> states;
  for (const SignalState& z : mechanism.signal_states) states.insert(z.variable.value);
  const auto reacts = [&](Symbol s) {
    return s.kind != SymbolKind::kTime && s.kind != SymbolKind::kParameter &&
           !(s.kind == SymbolKind::kVariable && states.contains(s.index));
  };
  std::vector<std::vector<std::string>> loads(mechanism.coordinates.size());
  for (const auto& [pair, m] : mechanism.inertia) {
    held[pair.first.value] = held[pair.second.value] = 1;
  }
  for (const ForceTerm& term : mechanism.terms) {
    const bool load = term.kind == TermKind::kLoad && !depends_on(pool, term.value, reacts);
    for (const auto& [q, c] : term.participation.terms) {
      if (!load) held[q.value] = 1;
      const std::string& part = flat.parts[term.part].name;
      std::vector<std::string>& names = loads[q.value];
      if (std::find(names.begin(), names.end(), part) == names.end()) names.push_back(part);
    }
  }
  for (const Coordinate& c : mechanism.coordinates) {  // linkages bring in what they hold
    if (c.role != CoordinateRole::kGuided) continue;
    for (const Symbol s : symbols_of(pool, c.position)) {
      if (s.kind == SymbolKind::kCoordinate) held[s.index] = 1;
    }
  }
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const Coordinate& node = mechanism.coordinates[q];
    if (held[q.value] == 0 && node.role == CoordinateRole::kInertial) {
      report_floating_node(flat, node, loads[q.value], errors);
    }
  }
}

}  // namespace

void check_given_forces(const ExprPool& pool, const FlatModel& flat,
                        const ConnectionSets& connections, PartErrors& errors) {
  std::vector<char> open(flat.variables.size(), 0);
  for (const FlowBalance& balance : connections.balances) {
    if (balance.flows.size() == 1) open[balance.flows.front().first.value] = 1;
  }
  for (const FlatEquationId id : flat.equations.ids()) {
    const FlatEquation& equation = flat.equations[id];
    VariableId given;
    // One with a variable of its own part, or an input, may be there for that.
    bool reads = false;
    for (const Expr side : {equation.left, equation.right}) {
      for (const Symbol s : symbols_of(pool, side)) {
        if (s.kind != SymbolKind::kVariable) continue;
        const FlatVariable& variable = flat.variables[VariableId{s.index}];
        reads = reads || variable.part == equation.part || variable.input;
        if (!given.valid() && open[s.index] != 0) given = VariableId{s.index};
      }
    }
    if (reads || !given.valid()) continue;
    const FlatVariable& flow = flat.variables[given];
    const std::string connector = flat.connectors[flow.connector].name;
    errors
        .error(Code::kUnconnected, EquationPlace{equation.part, equation.span, id},
               "nothing is connected to '" + connector + "', so '" + flow.name + "' is zero")
        .with_label("no equation can give it another value")
        .with_note("connect '" + connector + "' to a part with this law");
    errors.involve(given);
  }
}

void check_connected(const ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                     const ConnectionSets& connections, const ForceSystem& forces,
                     const Mechanism& mechanism, PartErrors& errors) {
  OpenFlanges(pool, flat, classes, forces, errors).check(connections);
  errors.next_pass();
  check_nodes(pool, flat, mechanism, errors);
}

void report_floating_node(const FlatModel& flat, const Coordinate& node,
                          const std::vector<std::string>& loads, PartErrors& errors) {
  errors
      .error(Code::kFloatingNode, node.part, {},
             loads.empty() ? "'" + node.name + "' has no inertia and no force acts on it"
                           : "'" + node.name + "' has no inertia, and nothing but the load of " +
                                 quoted_list(loads) + " acts on it")
      .with_note("nothing determines its motion: connect " + part_name(flat, node.part) +
                 " to something that holds or moves it, or give it an inertia");
}

}  // namespace luztar
