#include "runtime/results/csv.h"

#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace luztar {
namespace {

/// The longest shortest-round-trip double has 24 characters: -2.2250738585072014e-308.
constexpr std::size_t kLongestNumber = 32;

char* put_number(char* place, double value, bool integral) {
  if (value == 0) {  // minus zero is rounding's, not the model's
    *place = '0';
    return place + 1;
  }
  char* const end = place + kLongestNumber;
  if (integral) return std::to_chars(place, end, static_cast<long>(value)).ptr;
  return std::to_chars(place, end, value).ptr;
}

constexpr std::size_t kBlock = std::size_t{1} << 18;

/// Collects small pieces into blocks for a sink.
class Blocks {
 public:
  explicit Blocks(const BlockSink& sink) : sink_(sink), buffer_(kBlock) {}

  void put(char c) {
    if (used_ == kBlock) flush();
    buffer_[used_++] = c;
  }
  void put(double value, bool integral) {
    if (kBlock - used_ < kLongestNumber) flush();
    char* const place = buffer_.data() + used_;
    used_ += static_cast<std::size_t>(put_number(place, value, integral) - place);
  }
  void put_quoted(std::string_view name) {
    put('"');
    for (const char c : name) {
      if (c == '"') put('"');
      put(c);
    }
    put('"');
  }
  void flush() {
    good_ = good_ && sink_({buffer_.data(), used_});
    used_ = 0;
  }
  /// False when a block could not be stored.
  [[nodiscard]] bool good() const { return good_; }

 private:
  const BlockSink& sink_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
  bool good_ = true;
};

}  // namespace

void write_csv(const Trajectory& trajectory, const BlockSink& sink) {
  const auto& columns = trajectory.columns();
  Blocks blocks(sink);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) blocks.put(',');
    blocks.put_quoted(columns[i].name);
  }
  blocks.put('\n');
  for (std::size_t r = 0; r < trajectory.rows() && blocks.good(); ++r) {
    const std::span<const double> row = trajectory.row(r);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) blocks.put(',');
      blocks.put(row[i], columns[i].integral);
    }
    blocks.put('\n');
  }
  blocks.flush();
}

}  // namespace luztar
