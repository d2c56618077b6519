#include "compiler/mechanics/force_terms.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "compiler/mechanics/constraint_errors.h"
#include "compiler/mechanics/inertia_matrix.h"
#include "compiler/mechanics/law_atoms.h"
#include "compiler/mechanics/law_owners.h"
#include "compiler/mechanics/parameter_point.h"
#include "compiler/mechanics/part_names.h"
#include "compiler/mechanics/set_valued_errors.h"
#include "compiler/symbolic/operations.h"

namespace luztar {
namespace {

using Lever = std::map<CoordinateId, Expr>;

// What makes two atoms the same force element: the part and the law up to a constant factor.
struct ElementKey {
  PartId part;
  AtomKind kind = AtomKind::kLoad;
  std::vector<std::pair<CoordinateId, Expr>> row;
  std::vector<Expr> rest;  // offset and half width, or the load or friction node
  friend auto operator<=>(const ElementKey&, const ElementKey&) = default;
};

struct Element {
  ElementKey key;
  Atom atom;
  LinearForm argument;
  Lever participation;  // sum of lever * coefficient
  Lever unit;           // the same in units of the coefficient
  Lever lent;           // of it, what laws of other parts take
  Expr coefficient;     // of the first atom; invalid when those of others are no multiples of it
  Span span;
  Expr scale;  // lambda: participation = lambda * argument row; force F = lambda * atom
  ForceTermId term;
};

class Splitter {
 public:
  Splitter(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
           const Definitions& definitions, const PositionSolution& positions,
           const ForceSystem& forces, Mechanism& mechanism, PartErrors& errors)
      : pool_(pool),
        flat_(flat),
        classes_(classes),
        constraints_(definitions.constraints),
        positions_(positions),
        forces_(forces),
        mechanism_(mechanism),
        errors_(errors),
        identity_(pool, flat),
        motion_(pool, classes, positions),
        inertia_(pool, identity_),
        owner_(pool, flat, motion_, forces.laws),
        set_valued_(pool, flat, errors) {}

  void run() {
    for (const FlowLaw& law : forces_.laws) collect(law);
    for (Element& element : elements_) make_term(element);
    inertia_.write(mechanism_, errors_);
    for (const FlowLaw& law : forces_.laws) write_flow_equation(law);
    rewrite_definitions();
  }

 private:
  const LinearForm* lever_of(VariableId flow) const {
    const auto it = forces_.lever.find(flow);
    return it == forces_.lever.end() ? nullptr : &it->second;
  }

  void collect(const FlowLaw& law) {
    LawSplit split = split_law(pool_, motion_, law.known);
    if (split.nonlinear_acceleration) {
      errors_.error(Code::kUnsupportedEquation, law.part, law.span,
                    "accelerations must enter the laws of forces linearly");
      return;
    }
    for (const auto& [p, c] : split.accelerations) {
      if (identity_.nominal().is_parametric(c) && identity_.nominal().value(c) == 0) {
        mechanism_.limits.insert(c);
      } else if (const LinearForm* lever = lever_of(law.flow)) {
        inertia_.add(law, motion_(c), *lever, motion_.form(p));
      }
    }
    for (const Atom& atom : split.atoms) {
      const auto [index, sign] = find_or_add(law.part, atom, law.span);
      const Expr share = share_of(elements_[index], atom.coefficient);
      if (const LinearForm* lever = lever_of(law.flow)) {
        for (const auto& [q, s] : lever->terms) {
          const Expr unit = pool_.mul(pool_.constant(sign), s);
          if (share.valid()) accumulate(elements_[index].unit, q, pool_.mul(share, unit));
          const Expr share_of_law = pool_.mul(atom.coefficient, unit);
          accumulate(elements_[index].participation, q, share_of_law);
          if (elements_[index].key.part != law.part)
            accumulate(elements_[index].lent, q, share_of_law);
        }
      }
    }
  }

  // The coefficient in units of the element's own. It stays finite where they are infinite, which
  // keeps the sum of an element's forces free of inf - inf; without such a unit the element has
  // none.
  Expr share_of(Element& element, Expr coefficient) {
    if (!element.coefficient.valid() || element.coefficient == coefficient) return pool_.one();
    const Expr share = pool_.div(coefficient, element.coefficient);
    if (identity_.nominal().is_parametric(share) &&
        std::isfinite(identity_.nominal().value(share))) {
      return share;
    }
    element.coefficient = {};
    return {};
  }

  void accumulate(Lever& row, CoordinateId q, Expr c) {
    const auto [it, fresh] = row.emplace(q, c);
    if (!fresh) it->second = pool_.add(it->second, c);
  }

  // The element of an atom and the sign with which the atom is the element.
  std::pair<std::size_t, double> find_or_add(PartId part, const Atom& atom, Span span) {
    double sign = 1;
    LinearForm argument;
    const ElementKey key = key_of(part, atom, argument, sign);
    const auto [it, fresh] = index_.emplace(key, elements_.size());
    if (fresh) {
      elements_.push_back({key, atom, argument, {}, {}, {}, atom.coefficient, span, {}, {}});
    }
    return {it->second, sign};
  }

  std::optional<std::pair<std::size_t, double>> find(PartId part, const Atom& atom) {
    double sign = 1;
    LinearForm argument;
    const auto it = index_.find(key_of(part, atom, argument, sign));
    if (it == index_.end()) return std::nullopt;
    return std::pair{it->second, sign};
  }

  ElementKey key_of(PartId part, const Atom& atom, LinearForm& argument, double& sign) {
    ElementKey key{owner_(part, atom), atom.kind, {}, {}};
    if (atom.kind == AtomKind::kLoad) {
      key.rest = {atom.node};
      return key;
    }
    argument = linear_form(atom.argument);
    if (is_set_valued(atom.kind)) {
      key.rest = {atom.node};
      return key;
    }
    // luz, linear springs and dampers are odd: normalise the sign of the leading coefficient.
    if (!argument.terms.empty() && identity_.sample(argument.terms[0].second) < 0) {
      sign = -1;
      for (auto& [q, c] : argument.terms) c = pool_.neg(c);
      argument.offset = pool_.neg(argument.offset);
    }
    key.row = argument.terms;
    key.rest = {argument.offset, atom.half_width};
    return key;
  }

  // An affine expression in positions or velocities of potentials as a form in coordinates.
  LinearForm linear_form(const AffineForm& form) {
    Lever row;
    Expr offset = form.rest;
    for (const auto& [symbol, c] : form.coefficients) {
      const bool velocity = symbol.kind == SymbolKind::kVelocity;
      const LinearForm& position = motion_.form(symbol.index);
      for (const auto& [q, s] : position.terms) accumulate(row, q, pool_.mul(c, s));
      if (!velocity) offset = pool_.add(offset, pool_.mul(c, position.offset));
    }
    LinearForm result{{}, offset};
    for (const auto& [q, c] : row) {
      if (!identity_.is_zero(c)) result.terms.emplace_back(q, c);
    }
    return result;
  }

  void make_term(Element& element) {
    for (Lever* lever : {&element.participation, &element.unit}) {
      std::erase_if(*lever, [&](const auto& entry) { return identity_.is_zero(entry.second); });
    }
    ForceTerm term;
    term.part = element.key.part;
    term.span = element.span;
    term.coefficient = pool_.one();
    term.half_freeplay = pool_.zero();
    element.scale = pool_.one();
    const std::optional<Expr> scale = proportionality(element);
    if (is_set_valued(element.atom.kind)) {
      make_set_valued(element, term, scale);
    } else if (element.atom.kind == AtomKind::kLoad || !scale) {
      term.kind = TermKind::kLoad;
      if (is_set_valued(pool_, element.atom.node)) {
        set_valued_.report(element.key.part, element.span, element.atom.node);
      }
      term.value = motion_(element.atom.node);
      if (element.atom.kind != AtomKind::kLoad) term.value = atom_value(element);
      term.participation = {{element.participation.begin(), element.participation.end()},
                            pool_.zero()};
    } else {
      element.scale = *scale;
      term.kind = element.atom.kind == AtomKind::kDamper ? TermKind::kDamper : TermKind::kSpring;
      term.coefficient = *scale;
      term.argument = element.argument;
      term.half_freeplay = element.atom.half_width;
      term.more_play = element.atom.more_play;
      if (term.kind == TermKind::kSpring) check_loop(element, *scale);
      term.participation = {element.argument.terms, pool_.zero()};
    }
    term.origin = term.kind;
    term.reversed = is_reversed(term);
    term.name = term_name(term);
    element.term = mechanism_.terms.push_back(std::move(term));
  }

  // A rigid connection of positions to which the constraints leave one motion: it would stop that.
  void check_loop(const Element& element, Expr stiffness) {
    if (element.argument.terms.size() != 1 || element.atom.kind != AtomKind::kSpring) return;
    if (positions_.is_prescribed(element.argument.terms[0].first)) return;
    const bool rigid = identity_.nominal().is_parametric(stiffness) &&
                       std::isinf(identity_.nominal().value(stiffness)) &&
                       identity_.nominal().value(element.atom.half_width) == 0;
    if (!rigid || identity_.vanishes(element.argument.terms[0].second)) return;
    const auto moving = std::count_if(
        element.atom.argument.coefficients.begin(), element.atom.argument.coefficients.end(),
        [&](const auto& entry) { return !motion_.form(entry.first.index).terms.empty(); });
    if (moving < 2) return;
    std::vector<NumberRow> rows = constraint_rows(pool_, flat_, classes_, constraints_);
    NumberRow& row = rows.emplace_back();
    for (const auto& [s, c] : element.atom.argument.coefficients) {
      row.emplace_back(s.index, identity_.nominal().value(c));
    }
    const PartId part = element.key.part;
    Diagnostic& error = errors_.error(
        Code::kContradictoryConstraints, part, element.span,
        "the rigid connection " + part_name(flat_, part) + " contradicts the loop that it closes");
    std::vector<EquationPlace> loop;
    for (const std::size_t i : rows_that_lock(rows, rows.size() - 1)) {
      if (i < constraints_.size()) loop.push_back(constraints_[i].place());
    }
    note_equations(error, pool_, flat_, loop, "the loop passes ");
    error.with_note("the ratios around the loop allow no motion; check them and their signs");
  }

  // Arguments are stored up to sign; what the part itself calls its deflection or slip decides how
  // modes and zones read.
  bool is_reversed(const ForceTerm& term) {
    if (term.kind == TermKind::kDamper || term.kind == TermKind::kLoad) return false;
    if (locals_.empty()) {
      locals_.resize(flat_.parts.size());
      for (const VariableId v : flat_.variables.ids()) {
        if (flat_.variables[v].role == VariableRole::kLocal) {
          locals_[flat_.variables[v].part.value].push_back(v);
        }
      }
    }
    const Expr argument = to_expr(pool_, term.argument, term.kind == TermKind::kFriction);
    const Expr reverse = pool_.neg(argument);
    std::vector<Expr> values;
    for (const VariableId v : locals_[term.part.value]) {
      const Expr value = mechanism_.definitions[mechanism_.representative[v.value].value];
      if (!value.valid()) continue;
      values.push_back(motion_(value));
      if (values.back() == argument) return false;
      if (values.back() == reverse) return true;
    }
    // Written otherwise: a gear ratio makes (1 - i) w of one, -((i - 1) w) of the other.
    for (const Expr value : values) {
      if (identity_.equal(value, argument)) return false;
      if (identity_.equal(value, reverse)) return true;
    }
    return false;
  }

  Expr atom_value(const Element& element) {
    const Expr x = to_expr(pool_, element.argument, element.atom.kind == AtomKind::kDamper);
    return pool_.luz(x, element.atom.half_width);
  }

  // The law is written outside of the part whose forces it gives.
  [[nodiscard]] bool acts_elsewhere(const Element& element) const {
    return std::any_of(elements_.begin(), elements_.end(), [&](const Element& other) {
      return other.atom.node == element.atom.node && !other.participation.empty();
    });
  }

  void make_set_valued(Element& element, ForceTerm& term, const std::optional<Expr>& scale) {
    const bool stop = element.atom.kind == AtomKind::kStop;
    if (!scale || element.argument.terms.empty()) {
      if (!element.participation.empty()) {
        errors_
            .error(Code::kSetValuedPlace, element.key.part, element.span,
                   stop ? "a hard stop must act between the flanges whose distance it limits"
                        : "dry friction must act between the flanges whose slip velocity it "
                          "depends on")
            .with_note("in " + part_name(flat_, element.key.part) + " the forces of the " +
                       (stop ? "stop do not belong to its distance"
                             : "friction do not belong to its slip velocity"));
      } else if (!element.argument.terms.empty() && !acts_elsewhere(element)) {
        errors_
            .error(Code::kSetValuedPlace, element.key.part, element.span,
                   stop ? "nothing feels the force of this hard stop"
                        : "nothing feels the force of this dry friction")
            .with_note(
                "other equations and connections make it zero: write the law in a part, and "
                "connect its flanges to what it acts on");
      }
      term.kind = TermKind::kLoad;
      term.value = pool_.zero();
      term.participation.offset = pool_.zero();
      return;
    }
    element.scale = *scale;
    term.argument = element.argument;
    term.participation = {element.argument.terms, pool_.zero()};
    if (identity_.nominal().is_parametric(*scale) && identity_.nominal().value(*scale) < 0) {
      errors_
          .error(Code::kSetValuedPlace, element.key.part, element.span,
                 stop ? "this hard stop pulls instead of pushing"
                      : "this dry friction pushes in the direction of the slip")
          .with_note("check the signs of the forces in " + part_name(flat_, element.key.part));
    }
    if (stop) {
      term.kind = TermKind::kStop;
      term.half_freeplay = pool_.arg(element.atom.node, 1);
      term.restitution = pool_.arg(element.atom.node, 2);
    } else {  // with the factor of the law folded in: c*tar(w, T/c) = c*w + T*sgh(w), c = 0 is fine
      term.kind = TermKind::kFriction;
      if (!set_valued_.has_known_bounds(element.atom.node, element.key.part, element.span)) {
        term.kind = TermKind::kLoad;
        term.value = pool_.zero();
        return;
      }
      term.kinetic = pool_.mul(*scale, motion_(pool_.arg(element.atom.node, 1)));
      term.static_bound = pool_.mul(*scale, motion_(pool_.arg(element.atom.node, 2)));
      if (!element.lent.empty()) {
        if (const auto lent = proportionality(element, element.lent)) {
          term.lent_share = pool_.div(*lent, *scale);
        }
      }
    }
  }

  // lambda with participation = lambda * argument row, or nothing.
  std::optional<Expr> proportionality(const Element& element) {
    if (element.atom.kind == AtomKind::kLoad) return std::nullopt;
    if (!element.coefficient.valid()) return proportionality(element, element.participation);
    // A common coefficient stays outside: the quotient of sums of infinite terms has no value.
    const std::optional<Expr> scale = proportionality(element, element.unit);
    if (!scale) return std::nullopt;
    return pool_.mul(element.coefficient, *scale);
  }

  std::optional<Expr> proportionality(const Element& element, const Lever& participation) {
    const auto& row = element.argument.terms;
    if (row.size() != participation.size()) return std::nullopt;
    std::optional<Expr> scale;
    for (const auto& [q, c] : row) {
      const auto it = participation.find(q);
      if (it == participation.end()) return std::nullopt;
      if (!scale || pool_.is_constant(c)) scale = pool_.div(it->second, c);
    }
    if (!scale) return pool_.one();
    for (const auto& [q, c] : row) {
      if (!identity_.equal(participation.at(q), pool_.mul(*scale, c))) return std::nullopt;
    }
    return scale;
  }

  std::string term_name(const ForceTerm& term) {
    std::string name = flat_.parts[term.part].name;
    if (name.empty()) name = flat_.name;
    const std::size_t count = ++name_count_[{term.part, term.kind}];
    if (count > 1) name += "." + std::to_string(count);
    return name;
  }

  Expr force_symbol(ForceTermId id) { return pool_.symbol(SymbolKind::kForce, id.value); }

  // An expression over atoms as one over force symbols; unknown atoms stay as they are, and so do
  // accelerations, as symbols or as variables of the model.
  Expr by_forces(PartId part, Expr e, bool& complete, bool variables = false) {
    LawSplit split = split_law(pool_, motion_, e);
    complete = !split.nonlinear_acceleration;
    if (!complete) return e;
    std::vector<Expr> sum;
    for (const auto& [p, c] : split.accelerations) {
      if (identity_.nominal().is_parametric(c) && identity_.nominal().value(c) == 0) continue;
      const VariableId rate = classes_.derivative[p];
      sum.push_back(pool_.mul(
          c, variables ? pool_.symbol(SymbolKind::kVariable, classes_.derivative[rate.value].value)
                       : pool_.symbol(SymbolKind::kAcceleration, p)));
    }
    for (const Atom& atom : split.atoms) {
      const auto found = find(part, atom);
      if (!found) {
        sum.push_back(pool_.mul(atom.coefficient, atom.node));
        continue;
      }
      const Element& element = elements_[found->first];
      const Expr factor =
          pool_.div(pool_.mul(pool_.constant(found->second), atom.coefficient), element.scale);
      sum.push_back(pool_.mul(factor, force_symbol(element.term)));
    }
    return pool_.add(std::move(sum));
  }

  void write_flow_equation(const FlowLaw& law) {
    bool complete = true;
    // With accelerations as variables: their values, in a train of gears, are long products.
    Expr value = motion_(by_forces(law.part, law.known, complete, true));
    for (const auto& [g, c] : law.free) {
      value = pool_.add(value, pool_.mul(c, pool_.symbol(SymbolKind::kVariable, g.value)));
    }
    mechanism_.flow_equations.push_back({law.flow, value, law.part});
  }

  [[nodiscard]] bool needs_forces(Expr e) const {
    return is_set_valued(pool_, e) || holds_infinity(pool_, flat_, e);
  }

  void rewrite_definitions() {
    const auto rewrite = [&](std::size_t variable, Expr e) {
      const bool named = variable < flat_.variables.size();
      const PartId part = named ? flat_.variables[VariableId{variable}].part : PartId{0};
      bool complete = true;
      if (needs_forces(e)) e = by_forces(part, e, complete);
      e = replace_frictions(e, part, named ? flat_.variables[VariableId{variable}].span : Span{});
      return motion_(e);
    };
    for (std::size_t i = 0; i < mechanism_.definitions.size(); ++i) {
      Expr& value = mechanism_.definitions[i];
      if (value.valid()) value = rewrite(i, value);
    }
    for (DeferredDefinition& definition : mechanism_.deferred) {
      definition.value = rewrite(definition.variable.value, definition.value);
    }
  }

  // Friction and stop laws below other operations: their value is the force of the term they belong
  // to.
  Expr replace_frictions(Expr root, PartId part, Span span) {
    if (!is_set_valued(pool_, root)) return root;
    std::unordered_map<Expr, Expr> frictions;
    for (const Element& element : elements_) {
      if (is_set_valued(element.atom.kind)) {
        frictions.emplace(element.atom.node, pool_.div(force_symbol(element.term), element.scale));
      }
    }
    std::unordered_map<Expr, Expr> done;
    const Expr roots[] = {root};
    for (const Expr e : topological_order(pool_, roots)) {
      std::vector<Expr> args;
      for (const Expr a : pool_.args(e)) args.push_back(done.at(a));
      Expr result = args.empty() ? e : pool_.call(pool_[e].op, args);
      if (pool_[e].op == Op::kDry || pool_[e].op == Op::kStop) {
        const auto it = frictions.find(e);
        if (it == frictions.end()) {
          set_valued_.report(part, span);
          return pool_.zero();
        }
        result = it->second;
      }
      done.emplace(e, result);
    }
    return done.at(root);
  }

  ExprPool& pool_;
  const FlatModel& flat_;
  const VariableClasses& classes_;
  const std::vector<WorkEquation>& constraints_;
  const PositionSolution& positions_;
  const ForceSystem& forces_;
  Mechanism& mechanism_;
  PartErrors& errors_;
  IdentityTest identity_;
  MotionMap motion_;
  InertiaMatrix inertia_;
  LawOwners owner_;
  SetValuedErrors set_valued_;
  std::vector<Element> elements_;
  std::map<ElementKey, std::size_t> index_;
  std::map<std::pair<PartId, TermKind>, std::size_t> name_count_;
  std::vector<std::vector<VariableId>> locals_;  // by part
};

}  // namespace

void split_laws(ExprPool& pool, const FlatModel& flat, const VariableClasses& classes,
                const Definitions& definitions, const PositionSolution& positions,
                const ForceSystem& forces, Mechanism& mechanism, PartErrors& errors) {
  Splitter(pool, flat, classes, definitions, positions, forces, mechanism, errors).run();
}

}  // namespace luztar
