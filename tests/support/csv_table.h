// Numeric CSV files: reference solutions and results of runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace luztar::test {

struct CsvTable {
  std::vector<std::string> names;            // the first line, quotes removed
  std::vector<std::vector<double>> columns;  // by name, all of the same length

  [[nodiscard]] std::size_t row_count() const {
    return columns.empty() ? 0 : columns.front().size();
  }
  /// The column of that name; throws std::runtime_error when there is none.
  [[nodiscard]] const std::vector<double>& column(const std::string& name) const;
};

/// Reads a file; throws std::runtime_error when it cannot be read or a cell is not a number.
[[nodiscard]] CsvTable read_csv(const std::filesystem::path& path);

/// The whole file; throws std::runtime_error when it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace luztar::test
