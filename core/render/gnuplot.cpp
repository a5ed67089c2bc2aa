#include "core/render/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/result/store.hpp"
#include "core/text/lower.hpp"
#include "core/text/posix_file.hpp"

namespace gable::render {
namespace {

/// The environment with the C locale in place of the user's.
std::vector<std::string> plain_environment() {
  std::vector<std::string> all{"LC_ALL=C"};
  for (char** entry = environ; entry && *entry; ++entry) {
    if (std::strncmp(*entry, "LC_", 3) != 0 && std::strncmp(*entry, "LANG", 4) != 0) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

/// Where the child's streams go: nothing in, everything it says into a file.
class Streams {
 public:
  explicit Streams(const std::filesystem::path& errors) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  ~Streams() { posix_spawn_file_actions_destroy(&actions_); }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

/// Its last line that says anything; gnuplot first repeats the faulty line and marks the place.
std::string message_in(const std::filesystem::path& errors) {
  const std::string all = std::filesystem::exists(errors) ? read_text(errors) : std::string{};
  std::string last;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\n', at), all.size());
    const std::string line = all.substr(at, end - at);
    if (line.find_first_not_of(" \t^\r") != std::string::npos) last = line;
    at = end + 1;
  }
  return last.empty() ? "no message" : last.substr(last.find_first_not_of(" \t"));
}

/// Its exit status. One that takes longer than any picture is ended: Error.
int wait_for(pid_t child, const std::string& name, std::chrono::seconds limit) {
  const auto begin = std::chrono::steady_clock::now();
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR)
      throw Error(fmt::format("cannot wait for gnuplot: {}", std::generic_category().message(errno)));
    if (std::chrono::steady_clock::now() - begin > limit) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      throw Error(fmt::format("{} did not end within {} s", name, limit.count()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

void run_gnuplot(const std::filesystem::path& script, const std::filesystem::path& errors, std::chrono::seconds limit) {
  const char* named = std::getenv("GABLE_GNUPLOT");
  const bool chosen = named && *named;
  std::vector<std::string> arguments{chosen ? named : "gnuplot", "--default-settings", script.string()};
  std::vector<std::string> environment = plain_environment();
  const Streams streams(errors);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments.front().c_str(), streams.get(), nullptr,
                                    pointers(arguments).data(), pointers(environment).data());
  if (failed == ENOENT && !chosen)
    throw Error("gnuplot is not installed (Debian package gnuplot-nox); csv, json and txt need no gnuplot");
  if (failed != 0)
    throw Error(fmt::format("cannot start {}: {}{}", arguments.front(), std::generic_category().message(failed),
                            chosen ? " (GABLE_GNUPLOT)" : ""));
  const int status = wait_for(child, arguments.front(), limit);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw Error(fmt::format("{} failed: {}", arguments.front(), message_in(errors)));
}

Format format_of(const std::filesystem::path& output) {
  static constexpr std::array<std::pair<std::string_view, Format>, 7> known{{{".svg", Format::svg},
                                                                             {".png", Format::png},
                                                                             {".pdf", Format::pdf},
                                                                             {".csv", Format::csv},
                                                                             {".json", Format::json},
                                                                             {".txt", Format::txt},
                                                                             {".html", Format::html}}};
  const std::string ending = lower(output.extension().string());
  for (const auto& [text, format] : known) {
    if (ending != text) continue;
    const bool plot_data = format == Format::json && output.stem().string().ends_with("plot-data");
    return plot_data ? Format::plot_data : format;
  }
  throw Error(
      fmt::format("{}: the ending says the format, one of .svg .png .pdf .html .csv .json .txt", output.string()));
}

bool is_picture(Format format) { return format == Format::svg || format == Format::png || format == Format::pdf; }

std::string drawn_by_gnuplot(const std::function<std::string(const std::filesystem::path& output)>& script_of) {
  const TemporaryFolder folder("gable-plot");
  const auto picture = folder / "picture", script = folder / "plot.gp";
  result::write_file_atomically(script, script_of(picture));
  run_gnuplot(script, folder / "errors");
  std::string drawn = read_text(picture);
  if (drawn.empty()) throw Error("gnuplot drew nothing");
  return drawn;
}

}  // namespace gable::render
