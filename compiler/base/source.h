// Source texts and places in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/base/ids.h"

namespace luztar {

using FileId = Id<struct FileTag>;

/// Half-open byte range [begin, end) of one file; an invalid file id means "no place".
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  [[nodiscard]] bool valid() const { return file.valid(); }
};

/// Line and column, both counted from 1; the column counts UTF-8 characters.
struct LineColumn {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Owns the text of every file read in one run.
class SourceMap {
 public:
  /// Registers `text` under the name shown in diagnostics.
  FileId add(std::string path, std::string text);

  [[nodiscard]] const std::string& path(FileId file) const;
  [[nodiscard]] const std::string& text(FileId file) const;
  [[nodiscard]] std::string_view text(Span span) const;
  [[nodiscard]] LineColumn position(FileId file, std::uint32_t offset) const;
  /// The line with number `line` (from 1) without its line ending.
  [[nodiscard]] std::string_view line(FileId file, std::uint32_t line) const;

 private:
  struct File {
    std::string path;
    std::string text;
    std::vector<std::uint32_t> line_starts;
  };
  Table<FileId, File> files_;
};

}  // namespace luztar
