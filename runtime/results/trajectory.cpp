#include "runtime/results/trajectory.h"

#include <utility>

namespace luztar {

Trajectory::Trajectory(const std::vector<OutputColumn>& outputs,
                       std::vector<std::uint32_t> selected)
    : selected_(std::move(selected)) {
  columns_.push_back({"time", "s", false});
  for (const std::uint32_t index : selected_) columns_.push_back(outputs[index]);
}

void Trajectory::row(double time, std::span<const double> outputs) {
  values_.push_back(time);
  for (const std::uint32_t index : selected_) values_.push_back(outputs[index]);
}

}  // namespace luztar
