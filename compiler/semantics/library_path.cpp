#include "compiler/semantics/library_path.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "compiler/syntax/parse.h"

namespace luztar {
namespace {

namespace fs = std::filesystem;

/// One key per file, however it is reached.
fs::path key_of(const fs::path& path) {
  std::error_code error;
  fs::path key = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : key;
}

/// The text of a file, or the reason why it cannot be read.
std::optional<std::string> read_text(const fs::path& path, std::string& reason) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    reason = "it is a folder";
    return std::nullopt;
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) {
    // Inserting an empty buffer would set failbit.
    if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
    if (!in.bad()) return std::move(text).str();
  }
  reason = errno != 0 ? std::strerror(errno) : "it cannot be opened";
  return std::nullopt;
}

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

}  // namespace

ClassLibrary::ClassLibrary(SourceMap& sources, std::vector<fs::path> roots,
                           std::size_t most_components)
    : sources_(sources), roots_(std::move(roots)), most_components_(most_components) {}

const Ast* ClassLibrary::load_file(const fs::path& path, Diagnostics& diagnostics) {
  const auto [entry, fresh] = files_.try_emplace(key_of(path));
  if (fresh) {
    std::string reason;
    std::optional<std::string> text = read_text(path, reason);
    const std::string shown = path.lexically_normal().string();
    if (!text) {
      diagnostics.error(Code::kCannotRead, {}, "'" + shown + "' cannot be read: " + reason);
    } else {
      // Declarations of a file are not all of one model, and some are of variables.
      const std::size_t most = std::max(most_components_, kMostComponents);
      entry->second = parse(sources_, sources_.add(shown, std::move(*text)), diagnostics, most);
    }
  }
  return entry->second ? &*entry->second : nullptr;
}

LibraryFile ClassLibrary::find_file(std::size_t root, const std::string& relative,
                                    Diagnostics& diagnostics) {
  const fs::path path = roots_[root] / relative;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  return {true, load_file(path, diagnostics)};
}

bool ClassLibrary::has_folder(std::size_t root, const std::string& relative) const {
  std::error_code error;
  return fs::is_directory(roots_[root] / relative, error);
}

std::vector<std::string> ClassLibrary::names_in(std::size_t root,
                                                const std::string& relative) const {
  std::set<std::string> names;
  std::error_code error;
  fs::directory_iterator it(roots_[root] / relative, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code kind_error;
    const bool folder = it->is_directory(kind_error);
    if (!folder && path.extension() != ".ltm") continue;
    const std::string name = folder ? path.filename().string() : path.stem().string();
    if (is_identifier(name) && name != "package") names.insert(name);
  }
  return {names.begin(), names.end()};
}

}  // namespace luztar
