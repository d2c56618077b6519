#include "compiler/mechanics/mechanism.h"

#include <algorithm>

#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/print.h"

namespace luztar {

const Expr* LinearForm::coefficient(CoordinateId id) const {
  const auto it = std::lower_bound(terms.begin(), terms.end(), id,
                                   [](const auto& term, CoordinateId q) { return term.first < q; });
  return it != terms.end() && it->first == id ? &it->second : nullptr;
}

bool acts_on_settled(const Mechanism& mechanism, const ForceTerm& term) {
  for (const auto& [q, c] : term.argument.terms) {
    if (is_settled(mechanism, q)) return true;
  }
  return false;
}

bool acts_on_creeping(const Mechanism& mechanism, const ForceTerm& term) {
  return std::any_of(term.argument.terms.begin(), term.argument.terms.end(),
                     [&](const auto& t) { return is_creep_kernel(mechanism, t.first); });
}

bool is_creep_kernel(const Mechanism& mechanism, CoordinateId q) {
  const Coordinate& c = mechanism.coordinates[q];
  return c.role == CoordinateRole::kCreep && !c.velocity.valid();
}

bool is_state(const Coordinate& c, MotionOrder order) {
  const bool position = order == MotionOrder::kPosition;
  switch (c.role) {
    case CoordinateRole::kInertial:
      return true;
    case CoordinateRole::kCreep:
      return position;
    case CoordinateRole::kSettled:
    case CoordinateRole::kEliminated:
    case CoordinateRole::kGuided:
      return false;
    case CoordinateRole::kPrescribed:
      return !c.position.valid() && (position || !c.velocity.valid());
  }
  return false;
}

SymbolMap motion_rates(ExprPool& pool) {
  return [&pool](Symbol s) {
    switch (s.kind) {
      case SymbolKind::kTime:
        return pool.one();
      case SymbolKind::kCoordinate:
        return pool.symbol(SymbolKind::kVelocity, s.index);
      case SymbolKind::kVelocity:
        return pool.symbol(SymbolKind::kAcceleration, s.index);
      default:
        return Expr{};
    }
  };
}

Expr rate_of_motion(ExprPool& pool, Expr e) { return time_derivative(pool, e, motion_rates(pool)); }

Expr to_expr(ExprPool& pool, const LinearForm& form, bool velocity) {
  std::vector<Expr> terms;
  terms.reserve(form.terms.size() + 1);
  const SymbolKind kind = velocity ? SymbolKind::kVelocity : SymbolKind::kCoordinate;
  for (const auto& [q, c] : form.terms) terms.push_back(pool.mul(c, pool.symbol(kind, q.value)));
  terms.push_back(form.offset);
  return pool.add(std::move(terms));
}

Expr strain(ExprPool& pool, const ForceTerm& spring) {
  const Expr x = to_expr(pool, spring.argument, false);
  if (spring.one_sided) return pool.call(Op::kMax, {x, pool.zero()});
  return pool.luz(x, spring.half_freeplay);
}

VariableId add_variable(Mechanism& mechanism) {
  const VariableId added{mechanism.representative.size()};
  mechanism.representative.push_back(added);
  mechanism.integral.emplace_back();
  mechanism.definitions.emplace_back();
  return added;
}

namespace {

// Rates that no variable of the model names are those of one; others are reduction's own.
std::string variable_name(const Mechanism& mechanism, const FlatModel& flat, std::uint32_t index) {
  std::string before, after;
  while (index >= flat.variables.size()) {
    if (!mechanism.integral[index].valid()) {
      return before + "way" + std::to_string(index - flat.variables.size() + 1) + after;
    }
    before += "der(";
    after += ")";
    index = mechanism.integral[index].value;
  }
  return before + flat.variables[VariableId{index}].name + after;
}

}  // namespace

SymbolNames symbol_names(const Mechanism& mechanism, const FlatModel& flat) {
  return [&mechanism, &flat](Symbol s) -> std::string {
    switch (s.kind) {
      case SymbolKind::kCoordinate:
        return mechanism.coordinates[CoordinateId{s.index}].name;
      case SymbolKind::kVelocity:
        return mechanism.coordinates[CoordinateId{s.index}].velocity_name;
      case SymbolKind::kAcceleration:
        return "der(" + mechanism.coordinates[CoordinateId{s.index}].velocity_name + ")";
      case SymbolKind::kForce:
        return "F" + std::to_string(s.index + 1);
      case SymbolKind::kVariable:
        return variable_name(mechanism, flat, s.index);
      default:
        return flat.symbol_name(s);
    }
  };
}

namespace {

std::string row_text(const ExprPool& pool, const LinearForm& form, const SymbolNames& names) {
  std::string text;
  for (const auto& [q, c] : form.terms) {
    if (!text.empty()) text += ", ";
    text += names({SymbolKind::kCoordinate, q.value}) + ": " + to_text(pool, c, names);
  }
  return text;
}

std::string argument_text(const ExprPool& pool, const ForceTerm& term, const SymbolNames& names) {
  const bool velocity = takes_velocity(term.kind);
  std::string text;
  for (const auto& [q, c] : term.argument.terms) {
    const std::string factor = to_text(pool, c, names);
    const SymbolKind kind = velocity ? SymbolKind::kVelocity : SymbolKind::kCoordinate;
    const std::string symbol = names({kind, q.value});
    const bool sum = pool[c].op == Op::kAdd;
    const bool negative = !sum && factor.starts_with('-');
    text += text.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    const std::string magnitude = negative ? factor.substr(1) : sum ? "(" + factor + ")" : factor;
    text += magnitude == "1" ? symbol : magnitude + "*" + symbol;
  }
  if (term.argument.offset.valid() && !pool.is_zero(term.argument.offset)) {
    text += (text.empty() ? "" : " + ") + to_text(pool, term.argument.offset, names);
  }
  return text;
}

std::string law_text(const ExprPool& pool, const ForceTerm& term, const SymbolNames& names) {
  if (term.status == TermStatus::kRigid) return "constraint force";
  if (term.status == TermStatus::kReplaced) {
    return term.value.valid() ? to_text(pool, term.value, names)
                              : "share of F" + std::to_string(term.merged_into.value + 1);
  }
  const auto text = [&](Expr e) { return to_text(pool, e, names); };
  const std::string x = argument_text(pool, term, names);
  switch (term.kind) {
    case TermKind::kSpring:
      if (term.one_sided) return text(term.coefficient) + "*max(" + x + ", 0)";
      return pool.is_zero(term.half_freeplay)
                 ? text(term.coefficient) + "*(" + x + ")"
                 : text(term.coefficient) + "*luz(" + x + ", " + text(term.half_freeplay) + ")";
    case TermKind::kDamper:
      return text(term.coefficient) + "*(" + x + ")";
    case TermKind::kFriction:
      return "dryfriction(" + x + ", " + text(term.kinetic) + ", " + text(term.static_bound) + ")";
    case TermKind::kStop:
      return "hardstop(" + x + ", " + text(term.half_freeplay) + ", " + text(term.restitution) +
             ")";
    case TermKind::kLoad:
      return text(term.value);
  }
  return {};
}

const char* kind_text(TermKind kind) {
  switch (kind) {
    case TermKind::kSpring:
      return "spring";
    case TermKind::kDamper:
      return "damper";
    case TermKind::kFriction:
      return "friction";
    case TermKind::kStop:
      return "stop";
    case TermKind::kLoad:
      return "load";
  }
  return "";
}

std::string prescribed_text(const ExprPool& pool, const Coordinate& c, const SymbolNames& names) {
  std::string text;
  const auto add = [&](const std::string& name, Expr value) {
    if (!value.valid()) return;
    text += (text.empty() ? "" : ", ") + name + " = " + to_text(pool, value, names);
  };
  add(c.name, c.position);
  add(c.velocity_name, c.velocity);
  add("der(" + c.velocity_name + ")", c.acceleration);
  return text;
}

}  // namespace

std::string print(const Mechanism& mechanism, const FlatModel& flat, const ExprPool& pool) {
  const SymbolNames names = symbol_names(mechanism, flat);
  std::string out = "coordinates\n";
  for (const CoordinateId q : mechanism.coordinates.ids()) {
    const Coordinate& c = mechanism.coordinates[q];
    out += "  " + c.name;
    switch (c.role) {
      case CoordinateRole::kInertial:
        break;
      case CoordinateRole::kCreep:
        out += "  first order: " + c.velocity_name;
        out += c.velocity.valid() ? " = " + to_text(pool, c.velocity, names) : " by kernel A";
        break;
      case CoordinateRole::kSettled:
        out += "  by kernel B";
        break;
      case CoordinateRole::kEliminated:
      case CoordinateRole::kGuided:
        out += " = " + to_text(pool, c.position, names);
        break;
      case CoordinateRole::kPrescribed:
        out += "  prescribed: " + prescribed_text(pool, c, names);
        break;
    }
    const bool velocity_state = is_state(c, MotionOrder::kVelocity);
    if (is_state(c, MotionOrder::kPosition) || c.role == CoordinateRole::kSettled) {
      out += "  start " + to_text(pool, c.start, names);
      if (velocity_state) {
        out += ", " + c.velocity_name + " start " + to_text(pool, c.start_velocity, names);
      }
    }
    out += "\n";
  }
  out += "inertia\n";
  for (const auto& [key, value] : mechanism.inertia) {
    out += "  M[" + mechanism.coordinates[key.first].name + ", " +
           mechanism.coordinates[key.second].name + "] = " + to_text(pool, value, names) + "\n";
  }
  out += "forces\n";
  for (const ForceTermId id : mechanism.terms.ids()) {
    const ForceTerm& term = mechanism.terms[id];
    out += "  F" + std::to_string(id.value + 1) + " = " + law_text(pool, term, names) + "  " +
           kind_text(term.kind) + " of " + term.name;
    if (term.status == TermStatus::kActive) {
      out += "  on " + row_text(pool, term.participation, names);
    }
    out += "\n";
  }
  if (!mechanism.signal_states.empty()) out += "signal states\n";
  for (const SignalState& state : mechanism.signal_states) {
    out += "  der(" + names({SymbolKind::kVariable, state.variable.value}) +
           ") = " + to_text(pool, state.derivative, names) + "  start " +
           to_text(pool, state.start, names) + "\n";
  }
  return out;
}

}  // namespace luztar
