// Where the classes that models use are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace luztar {

/// The library that comes with the command: beside the installed executable, else in the sources it
/// was built from.
[[nodiscard]] std::optional<std::filesystem::path> built_in_library();

/// The folder of the model's file, then `given` (--library), the folders of LTM_PATH, the built-in
/// library.
[[nodiscard]] std::vector<std::filesystem::path> library_roots(
    const std::filesystem::path& model, const std::vector<std::string>& given);

}  // namespace luztar
