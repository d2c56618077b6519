#include "runtime/pwl/held_forces.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace luztar {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// An element of a null vector this small relative to its largest (in the matrix scaled to a unit
/// diagonal) belongs to a member that does not take part.
constexpr double kNotInvolved = 1e-12;

/// Marks the members of the null vector (-weights, 1) of row j, and keeps it when it is the first.
template <int kMax>
void take_null_vector(const Gram& G, const PrincipalCholesky<kMax>& factor, Index j,
                      const typename PrincipalCholesky<kMax>::Probe& probe, Dependence& out) {
  const auto size = [&](Index p) {
    const Index i = factor.member(p);
    const double weight = probe.weights[p];
    return weight == 0.0 ? 0.0 : weight * weight * G(i, i);
  };
  double largest = G(j, j);
  for (Index p = 0; p < factor.size(); ++p) largest = std::max(largest, size(p));
  const bool is_first = out.nullity == 0;
  if (is_first) out.null_vector = VectorXd::Zero(G.size());
  const auto take = [&](Index i, double entry) {
    out.shared[static_cast<std::size_t>(i)] = 1;
    if (is_first) out.null_vector[i] = entry;
  };
  take(j, 1.0);
  for (Index p = 0; p < factor.size(); ++p) {
    if (size(p) <= kNotInvolved * kNotInvolved * largest) continue;
    take(factor.member(p), -probe.weights[p]);
  }
  ++out.nullity;
}

std::vector<Index> all_of(const Gram& G) {
  std::vector<Index> all(static_cast<std::size_t>(G.size()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

Gram checked_principal(const Gram& G, std::span<const Index> held) {
  for (const Index i : held) {
    if (i < 0 || i >= G.size()) throw std::invalid_argument("hold_map: index out of range");
  }
  return G.principal(held);
}

}  // namespace

template <int kMax>
Dependence complete_basis(const Gram& G, std::span<const Index> rows,
                          PrincipalCholesky<kMax>& factor) {
  Dependence out;
  out.shared.assign(static_cast<std::size_t>(G.size()), 0);
  for (const Index j : rows) {
    if (factor.has(j)) continue;
    const auto probe = factor.probe(j);
    if (probe.dependent) {
      take_null_vector(G, factor, j, probe, out);
    } else {
      factor.append(j, probe);
    }
  }
  for (Index p = 0; p < factor.size(); ++p) out.basis.push_back(factor.member(p));
  return out;
}

template Dependence complete_basis(const Gram&, std::span<const Index>, PrincipalCholesky<4>&);
template Dependence complete_basis(const Gram&, std::span<const Index>,
                                   PrincipalCholesky<Eigen::Dynamic>&);

Dependence dependence_of(const Gram& G, std::span<const Index> rows) {
  PrincipalCholesky<Eigen::Dynamic> factor(G);
  return complete_basis(G, rows, factor);
}

bool depends_on_others(const Gram& G, std::vector<Index> others, Index own) {
  others.push_back(own);  // the last: it is in the basis unless it depends on the others
  const std::vector<Index> basis = dependence_of(G, others).basis;
  return basis.empty() || basis.back() != own;
}

HeldForces::HeldForces(const Gram& G, std::span<const Index> held)
    : gram_(std::make_shared<const Gram>(checked_principal(G, held))),
      held_(held.begin(), held.end()),
      factor_(*gram_),
      dependence_(complete_basis(*gram_, all_of(*gram_), factor_)) {
  if (dependence_.nullity == 0) return;
  const auto is_shared = [this](Index i) { return this->is_shared(static_cast<std::size_t>(i)); };
  std::vector<Index> members = all_of(*gram_), basis = dependence_.basis;
  std::erase_if(members, [&](Index i) { return !is_shared(i); });
  std::erase_if(basis, [&](Index i) { return !is_shared(i); });
  null_.emplace(*gram_, members, basis, VectorXd::Ones(gram_->size()));
}

std::vector<Index> HeldForces::basis() const {
  std::vector<Index> out;
  for (const Index i : dependence_.basis) out.push_back(held_[static_cast<std::size_t>(i)]);
  return out;
}

VectorXd HeldForces::in_range(VectorXd v) const {
  if (!null_) return v;
  v -= null_->onto(v);
  v -= null_->onto(v);
  return v;
}

/// G_BB^-1 on a basis B of the rows is a generalised inverse of G_HH; the projection onto the range
/// of G_HH from both sides makes it the pseudo-inverse.
VectorXd HeldForces::forces(const VectorXd& residual) const {
  const VectorXd right = in_range(residual);
  VectorXd basic(factor_.size());
  for (Index p = 0; p < basic.size(); ++p) basic[p] = right[factor_.member(p)];
  factor_.solve(basic);
  VectorXd out = VectorXd::Zero(residual.size());
  for (Index p = 0; p < basic.size(); ++p) out[factor_.member(p)] = basic[p];
  return in_range(std::move(out));
}

HoldMap hold_map(const Gram& G, std::span<const Index> held, std::span<const Index> others) {
  const HeldForces forces(G, held);
  const auto n = static_cast<Index>(held.size()), m = static_cast<Index>(others.size());
  HoldMap out;
  out.rank = forces.rank();
  out.from_residual.resize(n, n);
  for (Index c = 0; c < n; ++c) out.from_residual.col(c) = forces.forces(VectorXd::Unit(n, c));
  out.from_residual = (0.5 * (out.from_residual + out.from_residual.transpose())).eval();
  std::vector<Index> row_of(static_cast<std::size_t>(G.size()), -1);
  for (Index r = 0; r < n; ++r) {
    row_of[static_cast<std::size_t>(held[static_cast<std::size_t>(r)])] = r;
  }
  out.from_forces = MatrixXd::Zero(n, m);
  for (Index c = 0; c < m; ++c) {
    const Index j = others[static_cast<std::size_t>(c)];
    if (j < 0 || j >= G.size()) throw std::invalid_argument("hold_map: index out of range");
    for (Index i = G.begin(j); i < G.end(j); ++i) {
      const Index r = row_of[static_cast<std::size_t>(i)];
      if (r >= 0) out.from_forces.col(c) -= G(i, j) * out.from_residual.col(r);
    }
  }
  return out;
}

}  // namespace luztar
