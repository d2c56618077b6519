#include "compiler/base/source.h"

#include <algorithm>

namespace luztar {

FileId SourceMap::add(std::string path, std::string text) {
  File file{std::move(path), std::move(text), {0}};
  for (std::size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  return files_.push_back(std::move(file));
}

const std::string& SourceMap::path(FileId file) const { return files_[file].path; }

const std::string& SourceMap::text(FileId file) const { return files_[file].text; }

std::string_view SourceMap::text(Span span) const {
  return std::string_view(files_[span.file].text).substr(span.begin, span.end - span.begin);
}

LineColumn SourceMap::position(FileId file, std::uint32_t offset) const {
  const File& f = files_[file];
  const auto it = std::upper_bound(f.line_starts.begin(), f.line_starts.end(), offset);
  const auto line = static_cast<std::uint32_t>(it - f.line_starts.begin());
  std::uint32_t column = 1;
  const std::size_t end = std::min<std::size_t>(offset, f.text.size());
  for (std::size_t i = f.line_starts[line - 1]; i < end; ++i) {
    // Continuation bytes of UTF-8 belong to the character before.
    if ((static_cast<unsigned char>(f.text[i]) & 0xC0U) != 0x80U) ++column;
  }
  return {line, column};
}

std::string_view SourceMap::line(FileId file, std::uint32_t line) const {
  const File& f = files_[file];
  if (line == 0 || line > f.line_starts.size()) return {};
  const std::size_t begin = f.line_starts[line - 1];
  std::size_t end = line < f.line_starts.size() ? f.line_starts[line] - 1 : f.text.size();
  if (end > begin && f.text[end - 1] == '\r') --end;
  return std::string_view(f.text).substr(begin, end - begin);
}

}  // namespace luztar
