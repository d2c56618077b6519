#include "runtime/results/file_output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>

namespace luztar {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

/// Writes all of `text`: 0 or errno.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Writes the blocks of `text` up to the first that fails: 0 or errno.
int write_all(int descriptor, const BlockSource& text) {
  int error = 0;
  text([&](std::string_view block) {
    if (error == 0) error = write_all(descriptor, block);
    return error == 0;
  });
  return error;
}

/// The file a path finally means: symbolic links are followed, so that a link stays a link.
std::string resolve(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

enum class Kind { kAbsent, kRegular, kDirectory, kOther };

Kind kind_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return Kind::kAbsent;
  if (S_ISREG(status.st_mode)) return Kind::kRegular;
  return S_ISDIR(status.st_mode) ? Kind::kDirectory : Kind::kOther;
}

/// A temporary file in the folder of `path`; its descriptor, or -1 with errno.
int open_temporary(const std::string& path, std::string& name) {
  const std::size_t slash = path.rfind('/');
  const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
  if (base == path.size()) {
    errno = EISDIR;
    return -1;
  }
  // A leading dot, and not the whole name: that may already be as long as a name can be.
  name = path.substr(0, base) + ".ltc-XXXXXX";
  return ::mkstemp(name.data());
}

int write_direct(const std::string& path, const BlockSource& text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = write_all(descriptor, text);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  return error;
}

int write_renamed(const std::string& path, const BlockSource& text) {
  std::string name;
  const int descriptor = open_temporary(path, name);
  if (descriptor < 0) return errno;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = write_all(descriptor, text);
  // mkstemp makes files private to the user; a result is an ordinary file.
  if (error == 0 && ::fchmod(descriptor, 0666 & ~mask) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(name.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(name.c_str());
  return error;
}

}  // namespace

std::string why_not_writable(const std::string& path) {
  if (path == "-") return "";
  if (path.empty()) return reason(ENOENT);
  const std::string target = resolve(path);
  const Kind kind = kind_of(target);
  if (kind == Kind::kDirectory) return reason(EISDIR);
  if (kind != Kind::kAbsent && ::access(target.c_str(), W_OK) != 0) return reason(errno);
  if (kind == Kind::kOther) return "";
  std::string name;
  const int descriptor = open_temporary(target, name);
  if (descriptor < 0) return reason(errno);
  ::close(descriptor);
  ::unlink(name.c_str());
  const std::size_t slash = target.rfind('/');
  const std::size_t length = target.size() - (slash == std::string::npos ? 0 : slash + 1);
  constexpr std::size_t kLongestName = 255;  // NAME_MAX of every file system in common use
  return length > kLongestName ? reason(ENAMETOOLONG) : "";
}

std::string write_file(const std::string& path, const BlockSource& text) {
  int error = 0;
  if (path == "-") {
    error = write_all(STDOUT_FILENO, text);
  } else {
    const std::string target = resolve(path);
    const Kind kind = kind_of(target);
    if (kind == Kind::kDirectory) return reason(EISDIR);
    error = kind == Kind::kOther ? write_direct(target, text) : write_renamed(target, text);
  }
  return error == 0 ? "" : reason(error);
}

std::string write_file(const std::string& path, std::string_view text) {
  return write_file(path, [text](const BlockSink& sink) { sink(text); });
}

}  // namespace luztar
