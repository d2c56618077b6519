#include "runtime/results/csv.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/results/file_output.h"

namespace luztar {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, removed with everything in it.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "luztar-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string csv_text(const Trajectory& trajectory) {
  std::string text;
  write_csv(trajectory, [&](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

TEST_CASE("CSV: quoted names, shortest digits, integral columns") {
  Trajectory trajectory(
      {{"wheel.phi", "rad", false}, {"a \"b\", c", "", false}, {"f.mode", "", true}}, {0, 1, 2});
  trajectory.row(0.1, std::array{0.30000000000000004, -0.0, -1.0});
  trajectory.row(0.2, std::array{1e300, std::numeric_limits<double>::infinity(), 1.0});
  trajectory.row(3, std::array{-2.5, std::nan(""), 0.0});
  CHECK(csv_text(trajectory) ==
        "\"time\",\"wheel.phi\",\"a \"\"b\"\", c\",\"f.mode\"\n"
        "0.1,0.30000000000000004,0,-1\n"
        "0.2,1e+300,inf,1\n"
        "3,-2.5,nan,0\n");
}

TEST_CASE("CSV: only the selected columns") {
  Trajectory trajectory({{"a", "", false}, {"b", "", false}, {"c", "", false}}, {2, 0});
  trajectory.row(0, std::array{1.0, 2.0, 3.0});
  CHECK(csv_text(trajectory) == "\"time\",\"c\",\"a\"\n0,3,1\n");
}

TEST_CASE("CSV: numbers read back to the same double") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-300, 300);
  Trajectory trajectory({{"y", "", false}}, {0});
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) {
    values.push_back(std::ldexp(mantissa(random), exponent(random)));
    trajectory.row(i, std::array{values.back()});
  }
  std::istringstream in(csv_text(trajectory));
  std::string line;
  std::getline(in, line);
  for (const double value : values) {
    REQUIRE(std::getline(in, line));
    CHECK(std::strtod(line.substr(line.find(',') + 1).c_str(), nullptr) == value);
  }
}

TEST_CASE("CSV: blocks much smaller than the text, none after one that failed") {
  std::vector<OutputColumn> outputs(20000, OutputColumn{"column", "", false});
  std::vector<std::uint32_t> all(outputs.size());
  std::iota(all.begin(), all.end(), 0U);
  Trajectory trajectory(outputs, all);
  const std::vector<double> third(outputs.size(), 1.0 / 3);
  for (int i = 0; i < 10; ++i) trajectory.row(i, third);
  std::size_t size = 0, largest = 0;
  write_csv(trajectory, [&](std::string_view block) {
    size += block.size();
    largest = std::max(largest, block.size());
    return true;
  });
  CHECK(size == 6 + 20000 * 9 + 1 + 10 * (1 + 20000 * 19 + 1));  // "time" ,"column" 0 ,0.333...
  CHECK(largest <= 1 << 18);
  int blocks = 0;
  write_csv(trajectory, [&](std::string_view) { return ++blocks < 3; });
  CHECK(blocks == 3);
}

TEST_CASE("file output: whole files only") {
  const TemporaryFolder folder;
  const std::string file = folder.file("r.csv");
  CHECK(why_not_writable(file) == "");
  CHECK(folder.entries() == 0);  // asking leaves no trace
  CHECK(write_file(file, "one") == "");
  CHECK(content(file) == "one");
  CHECK(write_file(file, "two") == "");
  CHECK(content(file) == "two");
  CHECK(folder.entries() == 1);
  CHECK((fs::status(file).permissions() & fs::perms::owner_read) != fs::perms::none);
}

TEST_CASE("file output: a place that cannot be written is named before and after") {
  const TemporaryFolder folder;
  const std::string missing = folder.file("no/such/folder/r.csv");
  CHECK(why_not_writable(missing).find("No such file") != std::string::npos);
  CHECK(write_file(missing, "x").find("No such file") != std::string::npos);
  CHECK(why_not_writable(folder.path.string()).find("directory") != std::string::npos);
  CHECK(write_file(folder.path.string(), "x").find("directory") != std::string::npos);
  CHECK(write_file(folder.file("plain"), "x") == "");
  CHECK(why_not_writable(folder.file("plain/r.csv")) != "");
  CHECK(why_not_writable(folder.file(std::string(300, 'n'))) != "");
  CHECK(folder.entries() == 1);
}

TEST_CASE("file output: links stay links, devices stay devices") {
  const TemporaryFolder folder;
  CHECK(write_file(folder.file("target"), "old") == "");
  fs::create_symlink(folder.file("target"), folder.file("link"));
  CHECK(write_file(folder.file("link"), "new") == "");
  CHECK(fs::is_symlink(folder.file("link")));
  CHECK(content(folder.file("target")) == "new");
  CHECK(write_file("/dev/null", "x") == "");
  CHECK_FALSE(fs::is_regular_file("/dev/null"));
  CHECK(write_file("/dev/full", "x") != "");
}

}  // namespace
}  // namespace luztar
