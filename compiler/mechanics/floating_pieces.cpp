#include "compiler/mechanics/floating_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/mechanics/equation_names.h"
#include "compiler/mechanics/matching.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = static_cast<Index>(-1);
constexpr std::size_t kLargePiece = 200;  // positions

/// Unknowns up to a constant ratio.
class Ratios {
 public:
  explicit Ratios(std::size_t count) : parent_(count), ratio_(count, 1.0) {
    for (Index i = 0; i < count; ++i) parent_[i] = i;
  }

  /// The root r of i and x_i / x_r.
  std::pair<Index, double> find(Index i) {
    std::vector<Index> path;
    while (parent_[i] != i) {
      path.push_back(i);
      i = parent_[i];
    }
    double ratio = 1;
    for (auto it = path.rbegin(); it != path.rend(); ++it) {
      ratio *= ratio_[*it];
      parent_[*it] = i;
      ratio_[*it] = ratio;
    }
    return {i, ratio};
  }

  /// x_a = ratio x_b; false when that leaves both only zero.
  bool tie(Index a, Index b, double ratio) {
    const auto [root_a, of_a] = find(a);
    const auto [root_b, of_b] = find(b);
    const double between = ratio * of_b / of_a;  // x_root_a / x_root_b
    if (!std::isfinite(between) || between == 0) return false;
    if (root_a == root_b) return std::abs(between - 1) <= 1e-9;
    parent_[root_a] = root_b;
    ratio_[root_a] = between;
    return true;
  }

 private:
  std::vector<Index> parent_;
  std::vector<double> ratio_;  // to the parent
};

/// How much each variable that is no flow may be shifted: a variable by s(t), its derivative by
/// s'(t), and so on. Derivatives have the unknown of what they are derivatives of.
class Shifts {
 public:
  Shifts(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes)
      : pool_(pool),
        flat_(flat),
        nominal_(pool, flat),
        classes_(classes),
        unknown_(classes.count(), kNone),
        held_(classes.count(), 0),
        variables_(classes.count()),
        rows_(classes.count()),
        ratios_(classes.count()) {
    for (Index i = 0; i < classes.count(); ++i) {
      if (classes.representative[i].value != i || classes.integral[i].valid()) continue;
      bool moves = true;  // a flow is not shifted, nor is what it is the derivative of
      for (VariableId v{i}; v.valid(); v = classes.derivative[v.value]) {
        if (unknown_[v.value] == i) break;  // equal variables have closed the chain
        moves = moves && !classes.flow[v.value];
        unknown_[v.value] = i;
      }
      held_[i] = moves ? 0 : 1;
    }
    std::vector<char> rubs(flat.parts.size(), 0);
    for (const WorkEquation& equation : classes.equations) {
      if (add_row(equation.residual)) rubs[equation.part.value] = 1;
    }
    users_ = rows_.transposed();
    for (Index r = 0; r < rows_.rows(); ++r) {
      if (rubs[classes.equations[r].part.value] == 0) continue;
      for (const Index x : rows_.row(r)) hold(x);
    }
    solve();
  }

  /// What the shifts of unknowns that nothing holds are multiples of, by unknown.
  [[nodiscard]] Index piece(Index unknown) {
    return held_[unknown] != 0 ? kNone : ratios_.find(unknown).first;
  }
  /// The unknowns of each equation.
  [[nodiscard]] const Incidence& rows() const { return rows_; }

 private:
  // True when the equation has a dry friction or stop that reacts to the shifts.
  bool add_row(Expr residual) {
    std::vector<Index> variables, row;
    bool limit = false;
    for (const Symbol s : symbols_of(pool_, residual)) {
      limit = limit || (s.kind == SymbolKind::kParameter &&
                        flat_.parameters[ParameterId{s.index}].value == 0);
      // Of a variable that is the derivative of itself nothing is known but that it may be zero.
      if (s.kind != SymbolKind::kVariable || unknown_[s.index] == kNone) continue;
      if (held_[unknown_[s.index]] != 0) continue;
      variables.push_back(s.index);
      row.push_back(unknown_[s.index]);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    limit_.push_back(limit ? 1 : 0);
    open_.push_back(row.size());
    if (row.size() == 1) single_.push_back(static_cast<Index>(rows_.rows()));
    variables_.add_row(variables);
    rows_.add_row(row);
    return !row.empty() && is_set_valued(pool_, residual);
  }

  void solve() {
    settle();
    std::vector<char> tied(rows_.rows(), 0);
    for (const bool all : {false, true}) {  // first the rows that tie two
      for (Index r = 0; r < rows_.rows(); ++r) {
        if (tied[r] != 0) continue;
        if (open_[r] == 2) {
          tie(r);
          tied[r] = 1;
        } else if (all && open_[r] > 2 && !follows(r)) {
          for (const Index x : rows_.row(r)) hold(x);
        }
        settle();
      }
    }
  }

  void hold(Index unknown) {
    if (held_[unknown] != 0) return;
    held_[unknown] = 1;
    for (const Index r : users_.row(unknown)) {
      if (--open_[r] == 1) single_.push_back(r);
    }
  }

  // An equation that holds one unknown alone leaves no shift of it, unless a mass is zero.
  void settle() {
    while (!single_.empty()) {
      const Index r = single_.back();
      single_.pop_back();
      if (limit_[r] != 0 && is_free(shifts_in(r))) continue;
      for (const Index x : rows_.row(r)) hold(x);
    }
  }

  struct Shift {
    Index unknown, level;  // how often it is differentiated
    double coefficient;    // NaN: it varies, or there is none
  };

  // Of the variables in the equation that may be shifted.
  [[nodiscard]] std::vector<Shift> shifts_in(Index r) {
    std::vector<Shift> result;
    const auto is_open = [&](Symbol s) {
      return s.kind == SymbolKind::kVariable && unknown_[s.index] != kNone &&
             held_[unknown_[s.index]] == 0;
    };
    AffineForm form;
    if (affine_form(pool_, classes_.equations[r].residual, is_open, form)) {
      for (const auto& [s, c] : form.coefficients) {
        const double value = nominal_.is_parametric(c) ? nominal_.value(c) : std::nan("");
        result.push_back({unknown_[s.index], level(s.index), value});
      }
      return result;
    }
    for (const Index v : variables_.row(r)) {
      if (held_[unknown_[v]] == 0) result.push_back({unknown_[v], level(v), std::nan("")});
    }
    return result;
  }

  static bool is_free(const std::vector<Shift>& shifts) {
    return std::all_of(shifts.begin(), shifts.end(),
                       [](const Shift& s) { return s.coefficient == 0; });
  }

  [[nodiscard]] Index level(Index variable) const {
    Index result = 0;
    for (VariableId v{variable}; v.value != unknown_[variable]; v = classes_.integral[v.value]) {
      ++result;
    }
    return result;
  }

  // Each level of derivatives has a shift of its own: a x + b y must vanish on all.
  void tie(Index r) {
    std::array<Index, 2> pair{};
    std::size_t count = 0;
    bool hangs = false;  // on a position that is held, like the wheels of a differential
    for (const Index x : rows_.row(r)) {
      if (held_[x] == 0) pair.at(count++) = x;
      hangs = hangs || (held_[x] != 0 && classes_.position[x]);
    }
    std::map<Index, std::array<double, 2>> levels;
    for (const Shift& s : shifts_in(r)) {
      levels[s.level][s.unknown == pair[0] ? 0 : 1] += s.coefficient;
    }
    for (const auto& [level, c] : levels) {
      if (c[0] == 0 && c[1] == 0) continue;
      if (!hangs && ratios_.tie(pair[0], pair[1], -c[1] / c[0])) continue;
      hold(pair[0]);
      hold(pair[1]);
      return;
    }
  }

  // The ties found make the equation hold.
  [[nodiscard]] bool follows(Index r) {
    std::map<std::pair<Index, Index>, std::pair<double, double>> sums;  // and sums of sizes
    for (const Shift& s : shifts_in(r)) {
      const auto [root, ratio] = ratios_.find(s.unknown);
      auto& [sum, size] = sums[{root, s.level}];
      sum += s.coefficient * ratio;
      size += std::abs(s.coefficient * ratio);
    }
    return std::all_of(sums.begin(), sums.end(), [](const auto& entry) {
      const auto& [sum, size] = entry.second;
      return std::abs(sum) <= 1e-9 * size;
    });
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  NominalPoint nominal_;
  const VariableClasses& classes_;
  std::vector<Index> unknown_;             // by class
  std::vector<char> held_;                 // by unknown
  Incidence variables_, rows_, users_{0};  // variables and unknowns by equation, and the reverse
  std::vector<char> limit_;                // by equation: one of its parameters is zero
  std::vector<std::size_t> open_;          // unknowns that nothing holds, by equation
  std::vector<Index> single_;              // equations with one left
  Ratios ratios_;
};

struct Piece {
  std::size_t positions = 0;
  std::set<PartId> parts;
  std::vector<std::string> open;  // connectors that nothing is connected to
};

void report(const FlatModel& flat, const Piece& piece, PartErrors& errors) {
  std::vector<std::string> names;
  for (const PartId part : piece.parts) {
    if (!flat.parts[part].name.empty()) names.push_back(flat.parts[part].name);
  }
  const bool one = names.size() == 1;
  const std::string who = names.empty() ? "the model" : quoted_list(names);
  const std::string what = one || names.empty()
                               ? who + " has no inertia, and nothing holds or moves it"
                               : who + " have no inertia, and nothing holds or moves them";
  Diagnostic& error = errors.error(Code::kFloatingNode, *piece.parts.begin(), {}, what);
  const std::string them = one ? "it" : "one of them";
  error.with_note("nothing determines " + std::string(one ? "its" : "their common") +
                  " motion: connect " + them + " to something that holds or moves it, or to an " +
                  "inertia");
  if (!piece.open.empty()) error.with_note("nothing is connected to " + quoted_list(piece.open));
}

}  // namespace

bool check_floating_pieces(ExprPool& pool, const FlatModel& flat, const ConnectionSets& connections,
                           const VariableClasses& classes, PartErrors& errors) {
  Shifts shifts(pool, flat, classes);
  std::map<Index, Piece> pieces;
  for (Index i = 0; i < classes.count(); ++i) {
    const bool own = classes.representative[i].value == i && classes.position[i];
    if (!own || classes.integral[i].valid() || shifts.piece(i) == kNone) continue;
    ++pieces[shifts.piece(i)].positions;
  }
  std::erase_if(pieces, [](const auto& entry) { return entry.second.positions < 2; });
  if (pieces.empty()) return true;
  const auto piece_of = [&](Index unknown) -> Piece* {
    const auto it = pieces.find(shifts.piece(unknown));
    return it == pieces.end() ? nullptr : &it->second;
  };
  for (Index r = 0; r < shifts.rows().rows(); ++r) {
    for (const Index x : shifts.rows().row(r)) {
      if (Piece* piece = piece_of(x)) piece->parts.insert(classes.equations[r].part);
    }
  }
  for (const FlowBalance& balance : connections.balances) {
    const FlatVariable& flow = flat.variables[balance.flows.front().first];
    if (balance.flows.size() != 1 || !flow.conjugate.valid()) continue;
    if (Piece* piece = piece_of(classes.representative[flow.conjugate.value].value)) {
      piece->open.push_back(flat.connectors[flow.connector].name);
    }
  }
  bool small = true;
  for (const auto& [root, piece] : pieces) {
    report(flat, piece, errors);
    for (const PartId part : piece.parts) errors.involve(part);
    small = small && piece.positions <= kLargePiece;
  }
  return small;
}

}  // namespace luztar
