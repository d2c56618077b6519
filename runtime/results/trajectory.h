// Rows of output values in order of time: what solvers produce and writers consume.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/system.h"

namespace luztar {

/// Receives the rows of a simulation in order of time.
class RowSink {
 public:
  virtual ~RowSink() = default;
  /// `outputs` has one value for each System::outputs, valid during the call.
  virtual void row(double time, std::span<const double> outputs) = 0;
};

/// Keeps selected output columns of all rows; column 0 is the time.
class Trajectory final : public RowSink {
 public:
  /// `selected`: indices into `outputs`, in the order of the columns.
  Trajectory(const std::vector<OutputColumn>& outputs, std::vector<std::uint32_t> selected);

  void row(double time, std::span<const double> outputs) override;

  [[nodiscard]] const std::vector<OutputColumn>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::span<const double> row(std::size_t index) const {
    const std::vector<double>& block = blocks_[index / rows_per_block_];
    return {block.data() + index % rows_per_block_ * columns_.size(), columns_.size()};
  }

 private:
  std::vector<OutputColumn> columns_;
  std::vector<std::uint32_t> selected_;
  // Row by row, in blocks that never move: 8 bytes a value, while one growing vector would take up
  // to three times as much whenever it grows.
  std::vector<std::vector<double>> blocks_;
  std::size_t rows_ = 0, rows_per_block_ = 1;
};

}  // namespace luztar
