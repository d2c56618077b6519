// Where classes are found on disk, loaded lazily: only what a model uses is parsed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/component_limit.h"
#include "compiler/base/diagnostics.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace luztar {

/// A file below a library root.
struct LibraryFile {
  bool exists = false;
  const Ast* ast = nullptr;  // null: there is none, or it does not parse and that has been reported
};

/// Finds and parses library files: `Rotational.Inertia` is DIR/Rotational/Inertia.ltm or a class
/// nested in DIR/Rotational.ltm, or in DIR/Rotational/package.ltm, for the first DIR of `roots`
/// that has it. Each file is parsed at most once. Trees stay where they are as long as the library
/// lives.
class ClassLibrary {
 public:
  /// `most_components`: of a model, and of what one file declares where that is more than usual.
  ClassLibrary(SourceMap& sources, std::vector<std::filesystem::path> roots,
               std::size_t most_components = kMostComponents);

  /// The user's file, parsed; nothing when it cannot be read (LT7001) or parsed.
  const Ast* load_file(const std::filesystem::path& path, Diagnostics& diagnostics);

  [[nodiscard]] std::size_t most_components() const { return most_components_; }
  [[nodiscard]] std::size_t root_count() const { return roots_.size(); }
  /// The file `relative` ("Rotational/Inertia.ltm") below a root, parsed.
  LibraryFile find_file(std::size_t root, const std::string& relative, Diagnostics& diagnostics);
  /// True when `relative` ("Rotational/Interfaces") is a folder below a root.
  [[nodiscard]] bool has_folder(std::size_t root, const std::string& relative) const;
  /// Names of the classes and packages in a folder below a root, sorted; "" is the root itself.
  [[nodiscard]] std::vector<std::string> names_in(std::size_t root,
                                                  const std::string& relative) const;

 private:
  SourceMap& sources_;
  std::vector<std::filesystem::path> roots_;
  std::size_t most_components_;
  std::map<std::filesystem::path, std::optional<Ast>> files_;
};

}  // namespace luztar
