// Where classes are found on disk, loaded lazily: only what a model uses is parsed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/base/source.h"
#include "compiler/syntax/ast.h"

namespace luztar {

/// Finds and parses library files: `Rotational.Inertia` is DIR/Rotational/Inertia.ltm or a class nested in
/// DIR/Rotational.ltm, or in DIR/Rotational/package.ltm, for the first DIR of `roots` that has it. Each file is parsed at most once.
class ClassLibrary {
 public:
  ClassLibrary(SourceMap& sources, std::vector<std::filesystem::path> roots);

  /// The user's file, parsed; nothing when it cannot be read (LT7001) or parsed.
  const Ast* load_file(const std::filesystem::path& path, Diagnostics& diagnostics);

  // Further queries (package exists, class by qualified name, names in a package for "did you mean") are added by
  // the passes that need them.

 private:
  SourceMap& sources_;
  std::vector<std::filesystem::path> roots_;
  std::map<std::filesystem::path, std::optional<Ast>> files_;
};

}  // namespace luztar
