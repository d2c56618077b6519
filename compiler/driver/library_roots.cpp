#include "compiler/driver/library_roots.h"

#include <cstdlib>
#include <string_view>
#include <system_error>

#include "compiler/driver/version.h"

namespace luztar {
namespace {

namespace fs = std::filesystem;

bool is_library(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "Rotational", error);
}

}  // namespace

std::optional<fs::path> built_in_library() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = executable.parent_path();
    // A checkout that was moved after it was built: build/PRESET/ltc beside library/ and grammar/.
    const fs::path checkout = folder / "../..";
    for (const fs::path& candidate : {folder / kInstalledLibrary, checkout / "library"}) {
      if (candidate == checkout / "library" && !fs::exists(checkout / "grammar/LuzTar.g4", error)) {
        continue;
      }
      if (is_library(candidate)) return candidate.lexically_normal();
    }
  }
  if (is_library(kSourceLibrary)) return fs::path(kSourceLibrary);
  return std::nullopt;
}

std::vector<fs::path> library_roots(const fs::path& model, const std::vector<std::string>& given) {
  const fs::path folder = model.parent_path();
  std::vector<fs::path> roots{folder.empty() ? fs::path(".") : folder};
  roots.insert(roots.end(), given.begin(), given.end());
  if (const char* path = std::getenv("LTM_PATH"); path != nullptr) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t colon = rest.find(':');
      if (colon != 0) roots.emplace_back(rest.substr(0, colon));
      rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    }
  }
  if (auto library = built_in_library()) roots.push_back(*std::move(library));
  return roots;
}

}  // namespace luztar
