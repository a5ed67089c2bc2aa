#include "core/text/environment.hpp"

#include <errno.h>  // program_invocation_name
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "core/text/parse_number.hpp"

namespace gable {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string set_variables(const std::vector<std::string>& names) {
  std::vector<std::string> settings;
  for (const std::string& name : names) {
    if (const char* value = std::getenv(name.c_str())) settings.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(settings, " and "));
}

std::filesystem::path this_program() {
  namespace fs = std::filesystem;
  const std::string called = program_invocation_name;
  if (called.find('/') != std::string::npos && access(called.c_str(), X_OK) == 0)
    return fs::absolute(called).lexically_normal();
  std::error_code error;
  fs::path file = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(called) : file;
}

std::string remark_on_timing(const std::vector<std::string>& names) {
  const std::string settings = set_variables(names);
  return settings.empty() ? "" : settings + " may change every time that is measured";
}

namespace {

constexpr int least = 40, usual = 160;

std::optional<int> stated_columns() {
  const auto columns = parse_number<int>(variable("COLUMNS"));
  return columns > 0 ? columns : std::nullopt;
}

}  // namespace

int output_width() {
  if (const auto columns = stated_columns()) return std::max(least, *columns);
  winsize size{};
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return terminal && size.ws_col > 0 ? std::max<int>(least, size.ws_col) : usual;
}

bool can_redraw() {
  const std::string kind = variable("TERM");
  return ::isatty(STDERR_FILENO) == 1 && !kind.empty() && kind != "dumb";
}

}  // namespace gable
