#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "compiler/base/diagnostics.h"
#include "compiler/driver/options.h"
#include "compiler/driver/pipeline.h"
#include "runtime/results/file_output.h"

namespace luztar {
namespace {

ExitCode print_text(const TextRequest& request) {
  const std::string reason = write_file("-", request.text);
  if (reason.empty()) return ExitCode::kDone;
  std::fprintf(stderr, "ltc: standard output cannot be written: %s\n", reason.c_str());
  return ExitCode::kFile;
}

ExitCode run_command(const std::vector<std::string>& arguments) {
  const CommandLine line = parse_command_line(arguments);
  if (const auto* request = std::get_if<TextRequest>(&line)) return print_text(*request);
  if (const auto* error = std::get_if<UsageError>(&line)) {
    report_usage(*error);
    return ExitCode::kUsage;
  }
  return run(std::get<Options>(line));
}

}  // namespace
}  // namespace luztar

int main(int argc, char** argv) {
  // A reader that went away is a write error with exit code 5, not a death by signal.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return static_cast<int>(
        luztar::run_command(std::vector<std::string>(argv + 1, argv + (argc > 0 ? argc : 1))));
  } catch (const luztar::InternalError& error) {
    std::fprintf(
        stderr,
        "ltc: internal error in %s\n"
        "This is a bug in ltc, not in the model: please report it together with the model.\n",
        error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "ltc: out of memory\n");
  } catch (const std::exception& error) {
    std::fprintf(
        stderr,
        "ltc: internal error: %s\n"
        "This is a bug in ltc, not in the model: please report it together with the model.\n",
        error.what());
  }
  return static_cast<int>(luztar::ExitCode::kInternal);
}
