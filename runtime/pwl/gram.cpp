#include "runtime/pwl/gram.h"

#include <algorithm>
#include <cmath>

namespace luztar {

Gram::Gram(Index n, std::span<const Entry> entries) {
  first_.resize(static_cast<std::size_t>(n));
  last_.resize(first_.size());
  for (Index j = 0; j < n; ++j) {
    first_[static_cast<std::size_t>(j)] = last_[static_cast<std::size_t>(j)] = j;
  }
  const auto reach = [this](Index i, Index j) {
    const auto c = static_cast<std::size_t>(j);
    first_[c] = std::min(first_[c], i);
    last_[c] = std::max(last_[c], i);
  };
  for (const Entry& entry : entries) {
    reach(entry.i, entry.j);
    reach(entry.j, entry.i);
  }
  allocate();
  for (const Entry& entry : entries) set(entry.i, entry.j, entry.value);
}

Gram::Gram(const Eigen::MatrixXd& matrix) {
  const Index n = matrix.rows();
  first_.resize(static_cast<std::size_t>(n));
  last_.resize(first_.size());
  for (Index j = 0; j < n; ++j) {
    const auto c = static_cast<std::size_t>(j);
    first_[c] = last_[c] = j;
    for (Index i = 0; i < n; ++i) {
      if (matrix(i, j) == 0) continue;
      first_[c] = std::min(first_[c], i);
      last_[c] = std::max(last_[c], i);
    }
  }
  allocate();
  for (Index j = 0; j < n; ++j) {
    for (Index i = begin(j); i < end(j); ++i) values_[place(i, j)] = matrix(i, j);
  }
}

void Gram::allocate() {
  offset_.resize(first_.size() + 1);
  offset_[0] = 0;
  for (std::size_t c = 0; c < first_.size(); ++c) {
    offset_[c + 1] = offset_[c] + last_[c] - first_[c] + 1;
  }
  values_.assign(static_cast<std::size_t>(offset_.back()), 0.0);
}

void Gram::set(Index i, Index j, double value) {
  values_[place(i, j)] = value;
  values_[place(j, i)] = value;
}

void Gram::take_principal(const Gram& G, std::span<const Index> members) {
  position_.assign(static_cast<std::size_t>(G.size()), -1);
  for (std::size_t p = 0; p < members.size(); ++p) {
    position_[static_cast<std::size_t>(members[p])] = static_cast<Index>(p);
  }
  first_.resize(members.size());
  last_.resize(members.size());
  const auto for_each_row = [&](std::size_t c, const auto& visit) {
    const Index j = members[c];
    for (Index i = G.begin(j); i < G.end(j); ++i) {
      const Index p = position_[static_cast<std::size_t>(i)];
      if (p >= 0) visit(p, i, j);
    }
  };
  for (std::size_t c = 0; c < members.size(); ++c) {
    first_[c] = last_[c] = static_cast<Index>(c);
    for_each_row(c, [&](Index p, Index, Index) {
      first_[c] = std::min(first_[c], p);
      last_[c] = std::max(last_[c], p);
    });
  }
  allocate();
  for (std::size_t c = 0; c < members.size(); ++c) {
    for_each_row(c, [&](Index p, Index i, Index j) {
      values_[place(p, static_cast<Index>(c))] = G.values_[G.place(i, j)];
    });
  }
}

Gram Gram::principal(std::span<const Index> members) const {
  Gram out;
  out.take_principal(*this, members);
  return out;
}

Eigen::MatrixXd Gram::dense() const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(size(), size());
  for (Index j = 0; j < size(); ++j) out.col(j).segment(begin(j), end(j) - begin(j)) = column(j);
  return out;
}

bool Gram::all_finite() const {
  return std::all_of(values_.begin(), values_.end(), [](double v) { return std::isfinite(v); });
}

void Gram::add_product(const Eigen::VectorXd& x, double factor, Eigen::VectorXd& result) const {
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] != 0) result.segment(begin(j), end(j) - begin(j)) += (factor * x[j]) * column(j);
  }
}

void Gram::add_sizes(const Eigen::VectorXd& x, Eigen::VectorXd& result) const {
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] == 0) continue;
    result.segment(begin(j), end(j) - begin(j)) += std::fabs(x[j]) * column(j).cwiseAbs();
  }
}

Eigen::MatrixXd sum_at_scale(Eigen::MatrixXd first,
                             std::initializer_list<const Eigen::MatrixXd*> others) {
  const double unit = first.diagonal().maxCoeff();
  for (const Eigen::MatrixXd* other : others) {
    if (other->size() == 0) continue;
    const double size = other->diagonal().maxCoeff();
    first += *other * (unit > 0 && size > 0 ? unit / size : 1.0);
  }
  return first;
}

}  // namespace luztar
