#include "compiler/mechanics/matching.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace luztar {
namespace {

constexpr std::uint32_t kFar = kUnmatched;

class HopcroftKarp {
 public:
  HopcroftKarp(const Incidence& incidence, Matching start)
      : incidence_(incidence), result_(std::move(start)) {
    result_.column_of.resize(incidence.rows(), kUnmatched);
    result_.row_of.resize(incidence.columns(), kUnmatched);
  }

  Matching run() {
    for (std::uint32_t r = 0; r < incidence_.rows(); ++r) {
      if (result_.column_of[r] != kUnmatched) continue;
      for (const std::uint32_t c : incidence_.row(r)) {
        if (result_.row_of[c] != kUnmatched) continue;
        match(r, c);
        break;
      }
    }
    while (find_layers()) {
      next_.assign(incidence_.rows(), 0);
      for (std::uint32_t r = 0; r < incidence_.rows(); ++r) {
        if (result_.column_of[r] == kUnmatched) augment(r);
      }
    }
    return std::move(result_);
  }

 private:
  void match(std::uint32_t r, std::uint32_t c) {
    result_.column_of[r] = c;
    result_.row_of[c] = r;
  }

  // Distances of rows from the unmatched ones; true when some unmatched column is in reach.
  bool find_layers() {
    layer_.assign(incidence_.rows(), kFar);
    std::deque<std::uint32_t> queue;
    for (std::uint32_t r = 0; r < incidence_.rows(); ++r) {
      if (result_.column_of[r] != kUnmatched) continue;
      layer_[r] = 0;
      queue.push_back(r);
    }
    bool found = false;
    while (!queue.empty()) {
      const std::uint32_t r = queue.front();
      queue.pop_front();
      for (const std::uint32_t c : incidence_.row(r)) {
        const std::uint32_t other = result_.row_of[c];
        if (other == kUnmatched) {
          found = true;
        } else if (layer_[other] == kFar) {
          layer_[other] = layer_[r] + 1;
          queue.push_back(other);
        }
      }
    }
    return found;
  }

  // A path along the layers to an unmatched column, with the rows on it as the stack.
  void augment(std::uint32_t root) {
    std::vector<std::uint32_t> path{root};
    while (!path.empty()) {
      const std::uint32_t r = path.back();
      const auto columns = incidence_.row(r);
      if (next_[r] == columns.size()) {
        path.pop_back();
        if (!path.empty()) ++next_[path.back()];
        continue;
      }
      const std::uint32_t other = result_.row_of[columns[next_[r]]];
      if (other == kUnmatched) {
        for (const std::uint32_t on_path : path) {
          match(on_path, incidence_.row(on_path)[next_[on_path]]);
        }
        for (const std::uint32_t on_path : path) {
          next_[on_path] = static_cast<std::uint32_t>(incidence_.row(on_path).size());
        }
        return;
      }
      if (layer_[other] == layer_[r] + 1) {
        path.push_back(other);
      } else {
        ++next_[r];
      }
    }
  }

  const Incidence& incidence_;
  Matching result_;
  std::vector<std::uint32_t> layer_, next_;  // by row
};

/// Tarjan's strong components with an explicit stack.
class StrongComponents {
 public:
  StrongComponents(const Incidence& incidence, const Matching& matching)
      : incidence_(incidence),
        matching_(matching),
        index_(incidence.rows(), kFar),
        low_(incidence.rows(), 0),
        next_(incidence.rows(), 0),
        open_(incidence.rows(), 0) {}

  std::vector<std::vector<std::uint32_t>> run() {
    for (std::uint32_t r = 0; r < incidence_.rows(); ++r) {
      if (matching_.column_of[r] != kUnmatched && index_[r] == kFar) visit(r);
    }
    return std::move(result_);
  }

 private:
  void enter(std::uint32_t r) {
    index_[r] = low_[r] = count_++;
    open_[r] = 1;
    stack_.push_back(r);
    path_.push_back(r);
  }

  void visit(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      const std::uint32_t r = path_.back();
      const auto columns = incidence_.row(r);
      if (next_[r] < columns.size()) {
        const std::uint32_t other = matching_.row_of[columns[next_[r]++]];
        if (other == kUnmatched || other == r) continue;
        if (index_[other] == kFar) {
          enter(other);
        } else if (open_[other]) {
          low_[r] = std::min(low_[r], index_[other]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back()] = std::min(low_[path_.back()], low_[r]);
      if (low_[r] == index_[r]) close(r);
    }
  }

  void close(std::uint32_t root) {
    std::vector<std::uint32_t> component;
    for (std::uint32_t r = kFar; r != root;) {
      r = stack_.back();
      stack_.pop_back();
      open_[r] = 0;
      component.push_back(r);
    }
    if (component.size() == 1) return;
    std::sort(component.begin(), component.end());
    result_.push_back(std::move(component));
  }

  const Incidence& incidence_;
  const Matching& matching_;
  std::vector<std::uint32_t> index_, low_, next_;
  std::vector<char> open_;
  std::vector<std::uint32_t> stack_, path_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> result_;
};

}  // namespace

Incidence Incidence::transposed() const {
  Incidence result(rows());
  result.first_.assign(columns_ + 1, 0);
  for (const std::uint32_t c : entries_) ++result.first_[c + 1];
  for (std::size_t c = 0; c < columns_; ++c) result.first_[c + 1] += result.first_[c];
  result.entries_.resize(entries_.size());
  std::vector<std::uint32_t> next(result.first_.begin(), result.first_.end() - 1);
  for (std::uint32_t r = 0; r < rows(); ++r) {
    for (const std::uint32_t c : row(r)) result.entries_[next[c]++] = r;
  }
  return result;
}

Matching maximum_matching(const Incidence& incidence, Matching start) {
  return HopcroftKarp(incidence, std::move(start)).run();
}

std::vector<std::uint32_t> AlternatingPaths::from(std::span<const std::uint32_t> unmatched) {
  std::vector<std::uint32_t> reached(unmatched.begin(), unmatched.end());
  for (const std::uint32_t r : reached) seen_[r] = 1;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const std::uint32_t c : incidence_.row(reached[i])) {
      const std::uint32_t other = owner_[c];
      if (other == kUnmatched || seen_[other]) continue;
      seen_[other] = 1;
      reached.push_back(other);
    }
  }
  for (const std::uint32_t r : reached) seen_[r] = 0;
  std::sort(reached.begin(), reached.end());
  return reached;
}

std::vector<std::vector<std::uint32_t>> circles(const Incidence& incidence,
                                                const Matching& matching) {
  return StrongComponents(incidence, matching).run();
}

}  // namespace luztar
