#include "tests/support/csv_table.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace luztar::test {
namespace {

std::string unquoted(std::string cell) {
  if (!cell.empty() && cell.back() == '\r') cell.pop_back();
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
    cell = cell.substr(1, cell.size() - 2);
  }
  return cell;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) result.push_back(unquoted(cell));
  return result;
}

double number(const std::string& text, const std::filesystem::path& path) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error(path.string() + ": '" + text + "' is not a number");
  }
  return value;
}

}  // namespace

const std::vector<double>& CsvTable::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::runtime_error("no column '" + name + "'");
  return columns[static_cast<std::size_t>(found - names.begin())];
}

CsvTable read_csv(const std::filesystem::path& path) {
  std::istringstream stream(read_text(path));
  std::string line;
  if (!std::getline(stream, line)) throw std::runtime_error(path.string() + " is empty");
  CsvTable table;
  table.names = cells(line);
  table.columns.resize(table.names.size());
  while (std::getline(stream, line)) {
    const std::vector<std::string> row = cells(line);
    if (row.size() != table.names.size())
      throw std::runtime_error(path.string() + ": bad row " + line);
    for (std::size_t i = 0; i < row.size(); ++i) table.columns[i].push_back(number(row[i], path));
  }
  return table;
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace luztar::test
