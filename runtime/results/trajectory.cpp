#include "runtime/results/trajectory.h"

#include <algorithm>
#include <utility>

namespace luztar {
namespace {

constexpr std::size_t kBlockValues = std::size_t{1} << 15;

}  // namespace

Trajectory::Trajectory(const std::vector<OutputColumn>& outputs,
                       std::vector<std::uint32_t> selected)
    : selected_(std::move(selected)) {
  columns_.push_back({"time", "s", false});
  for (const std::uint32_t index : selected_) columns_.push_back(outputs[index]);
  rows_per_block_ = std::max<std::size_t>(1, kBlockValues / columns_.size());
}

void Trajectory::row(double time, std::span<const double> outputs) {
  if (rows_++ % rows_per_block_ == 0) {
    blocks_.emplace_back().reserve(rows_per_block_ * columns_.size());
  }
  std::vector<double>& block = blocks_.back();
  block.push_back(time);
  for (const std::uint32_t index : selected_) block.push_back(outputs[index]);
}

}  // namespace luztar
