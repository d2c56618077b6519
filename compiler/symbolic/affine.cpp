// Affine forms by weights from the root down: each node is visited once and nothing is multiplied
// out.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "compiler/symbolic/node_map.h"
#include "compiler/symbolic/operations.h"
#include "compiler/symbolic/short_vector.h"

namespace luztar {
namespace {

class AffineWalk {
 public:
  AffineWalk(ExprPool& pool, const std::function<bool(Symbol)>& is_unknown)
      : pool_(pool), is_unknown_(is_unknown) {}

  bool run(Expr e, AffineForm& form) {
    find_unknown(e);
    if (!unknown_[e]) {
      form.rest = e;
      return true;
    }
    // Branches keep apart: `if k > 0 then x/k else 0` has the coefficient `if k > 0 then 1/k else
    // 0`, which a product of a 0/1 weight with 1/k is not at k = 0. Inner branches come first in
    // the order.
    bool branches = false;
    for (const Expr node : unknown_order_) {
      if (!is_branching(pool_[node].op)) continue;
      branches = true;
      std::optional<AffineForm> branch = branch_form(node);
      if (!branch) return false;
      branches_.insert(node, std::move(*branch));
    }
    const std::span<const Expr> order(unknown_order_.data(), unknown_order_.size());
    return branches ? collect(e, form) : collect(e, order, form);
  }

 private:
  /// A sum that has one term nearly always.
  struct Weight {
    Expr first;
    std::vector<Expr> more;

    void add(Expr term) {
      if (first.valid()) {
        more.push_back(term);
      } else {
        first = term;
      }
    }
  };

  /// Nodes that hold an unknown, arguments first.
  void find_unknown(Expr root) {
    std::vector<std::pair<Expr, std::uint32_t>> stack{{root, 0}};  // node, next argument
    unknown_.insert(root, 0);
    while (!stack.empty()) {
      auto& [e, next] = stack.back();
      if (next < pool_[e].count) {
        const Expr arg = pool_.arg(e, next++);
        if (unknown_.insert(arg, 0)) stack.emplace_back(arg, 0);
        continue;
      }
      const Expr node = e;
      stack.pop_back();
      bool unknown = pool_.is_symbol(node) && is_unknown_(pool_[node].symbol);
      for (const Expr arg : pool_.args(node)) unknown = unknown || unknown_[arg];
      if (!unknown) continue;
      *unknown_.find(node) = 1;
      unknown_order_.push_back(node);
    }
  }

  static bool is_branching(Op op) { return op == Op::kIf || op == Op::kNoEvent; }

  std::optional<AffineForm> branch_form(Expr node) {
    AffineForm result;
    if (pool_[node].op == Op::kNoEvent) {
      if (!collect(pool_.arg(node, 0), result)) return std::nullopt;
      for (auto& [symbol, c] : result.coefficients) c = pool_.call(Op::kNoEvent, {c});
      result.rest = pool_.call(Op::kNoEvent, {result.rest});
      return result;
    }
    const Expr condition = pool_.arg(node, 0);
    if (unknown_[condition]) return std::nullopt;
    AffineForm yes, no;
    if (!collect(pool_.arg(node, 1), yes) || !collect(pool_.arg(node, 2), no)) return std::nullopt;
    auto y = yes.coefficients.begin();
    auto n = no.coefficients.begin();
    while (y != yes.coefficients.end() || n != no.coefficients.end()) {
      const bool has_yes =
          y != yes.coefficients.end() && (n == no.coefficients.end() || y->first <= n->first);
      const bool has_no =
          n != no.coefficients.end() && (y == yes.coefficients.end() || n->first <= y->first);
      const Symbol symbol = has_yes ? y->first : n->first;
      const Expr c = pool_.if_then_else(condition, has_yes ? y->second : pool_.zero(),
                                        has_no ? n->second : pool_.zero());
      result.coefficients.emplace_back(symbol, c);
      if (has_yes) ++y;
      if (has_no) ++n;
    }
    result.rest = pool_.if_then_else(condition, yes.rest, no.rest);
    return result;
  }

  /// The affine form of e given those of the branching nodes below it.
  bool collect(Expr root, AffineForm& form) {
    if (!unknown_[root]) {
      form.rest = root;
      return true;
    }
    std::vector<Expr> order;  // nodes with unknowns above the branches, arguments first
    reach(root, order);
    return collect(root, order, form);
  }

  bool collect(Expr root, std::span<const Expr> order, AffineForm& form) {
    NodeMap<Weight> weights;
    ShortVector<Expr> rest;
    for (const Expr node : order) weights.insert(node, {});
    weights.find(root)->first = pool_.one();
    ShortVector<std::pair<Symbol, Expr>> found;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const Expr node = *it;
      const Op op = pool_[node].op;
      const Expr weight = total(*weights.find(node));
      const auto pass = [&](Expr to, Expr w) {
        if (unknown_[to]) {
          weights.find(to)->add(w);
        } else {
          rest.push_back(w == pool_.one() ? to : pool_.mul(w, to));
        }
      };
      if (op == Op::kSymbol) {
        found.emplace_back(pool_[node].symbol, weight);
      } else if (is_branching(op)) {
        const AffineForm& branch = branches_[node];
        for (const auto& [symbol, c] : branch.coefficients) {
          found.emplace_back(symbol, pool_.mul(weight, c));
        }
        rest.push_back(pool_.mul(weight, branch.rest));
      } else if (op == Op::kAdd) {
        for (std::uint32_t i = 0; i < pool_[node].count; ++i) pass(pool_.arg(node, i), weight);
      } else if (op == Op::kMul) {
        ShortVector<Expr> others;
        others.push_back(weight);
        Expr factor;
        for (const Expr arg : pool_.args(node)) {
          if (!unknown_[arg]) {
            others.push_back(arg);
          } else if (factor.valid()) {
            return false;
          } else {
            factor = arg;
          }
        }
        pass(factor, pool_.mul(span_of(others)));
      } else {
        return false;
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    ShortVector<Expr> terms;
    for (std::size_t i = 0; i < found.size();) {
      terms.clear();
      const Symbol symbol = found[i].first;
      for (; i < found.size() && found[i].first == symbol; ++i) terms.push_back(found[i].second);
      const Expr c = pool_.add(span_of(terms));
      if (!pool_.is_zero(c)) form.coefficients.emplace_back(symbol, c);
    }
    form.rest = pool_.add(span_of(rest));
    return true;
  }

  static std::span<const Expr> span_of(const ShortVector<Expr>& list) {
    return {list.data(), list.size()};
  }

  Expr total(Weight& weight) {
    if (weight.more.empty()) return weight.first;
    weight.more.insert(weight.more.begin(), weight.first);
    return pool_.add(weight.more);
  }

  /// Nodes with unknowns reached from root without entering branches, arguments before users.
  void reach(Expr root, std::vector<Expr>& order) const {
    NodeMap<char> seen;
    std::vector<std::pair<Expr, std::uint32_t>> stack{{root, 0}};
    seen.insert(root, 0);
    while (!stack.empty()) {
      auto& [e, next] = stack.back();
      if (next == pool_[e].count || is_branching(pool_[e].op)) {
        order.push_back(e);
        stack.pop_back();
        continue;
      }
      const Expr arg = pool_.arg(e, next++);
      if (unknown_[arg] && seen.insert(arg, 0)) stack.emplace_back(arg, 0);
    }
  }

  ExprPool& pool_;
  const std::function<bool(Symbol)>& is_unknown_;
  NodeMap<char> unknown_;  // does the node contain an unknown
  ShortVector<Expr> unknown_order_;
  NodeMap<AffineForm> branches_;
};

}  // namespace

bool affine_form(ExprPool& pool, Expr e, const std::function<bool(Symbol)>& is_unknown,
                 AffineForm& form) {
  form = {};
  return AffineWalk(pool, is_unknown).run(e, form);
}

}  // namespace luztar
