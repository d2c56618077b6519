#include "compiler/mechanics/signal_loops.h"

#include <algorithm>
#include <map>

#include "compiler/symbolic/operations.h"

namespace luztar {

SignalLoops::SignalLoops(const ExprPool& pool, const std::vector<WorkEquation>& equations,
                         const std::function<bool(Symbol)>& is_unknown)
    : incidence_(0), circle_of_(equations.size(), kNone) {
  std::map<std::uint32_t, std::uint32_t> column;
  std::vector<std::vector<std::uint32_t>> rows;
  for (const WorkEquation& equation : equations) {
    std::vector<std::uint32_t>& row = rows.emplace_back();
    for (const Symbol s : symbols_of(pool, equation.residual)) {
      if (!is_unknown(s)) continue;
      const auto [it, fresh] = column.emplace(s.index, static_cast<std::uint32_t>(names_.size()));
      if (fresh) names_.emplace_back(s.index);
      row.push_back(it->second);
    }
  }
  incidence_ = Incidence(names_.size());
  for (const auto& row : rows) incidence_.add_row(row);
  matching_ = maximum_matching(incidence_);
  circles_ = circles(incidence_, matching_);
  for (std::size_t i = 0; i < circles_.size(); ++i) {
    for (const std::uint32_t r : circles_[i]) circle_of_[r] = i;
  }
}

std::vector<VariableId> SignalLoops::unknowns(std::size_t circle) const {
  std::vector<VariableId> result;
  const Incidence users = incidence_.transposed();
  const std::vector<std::uint32_t>& rows = circles_[circle];
  std::vector<char> left(incidence_.rows(), 0);
  for (const std::uint32_t r : rows) left[r] = 1;
  const auto is_left = [&](std::uint32_t r) { return left[r] != 0; };
  auto first = rows.begin();  // of those that are left
  std::uint32_t row = rows.front();
  while (true) {
    left[row] = 0;
    const std::uint32_t column = matching_.column_of[row];
    result.push_back(names_[column]);
    first = std::find_if(first, rows.end(), is_left);
    if (first == rows.end()) return result;
    // On with an equation that uses the unknown; where the circle branches, with any other.
    const auto others = users.row(column);
    const auto user = std::find_if(others.begin(), others.end(), is_left);
    row = user == others.end() ? *first : *user;
  }
}

}  // namespace luztar
