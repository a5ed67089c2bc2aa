#include "benchmarks/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"

namespace gable::bench {
namespace {

/// Both ends of a pipe; the child inherits the writing end as its output only.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe: out of file descriptors");
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  std::string read_all() const {
    std::string text;
    std::array<char, 4096> part;
    for (;;) {
      const ssize_t got = ::read(ends_[0], part.data(), part.size());
      if (got > 0) text.append(part.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

pid_t spawn(const std::vector<std::string>& command, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t child{};
  const int failed = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw Error(fmt::format("cannot start '{}': {}", command[0], std::strerror(failed)));
  return child;
}

}  // namespace

Finished run_child(const std::vector<std::string>& command) {
  Finished finished;
  Pipe pipe;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = spawn(command, pipe.writing());
  pipe.close_writing();
  finished.output = pipe.read_all();
  int status{};
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  finished.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  finished.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  finished.peak_rss_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return finished;
}

std::string own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path().string(); }

namespace fs = std::filesystem;

Scratch::Scratch() : path_((fs::temp_directory_path() / "gable-bench-XXXXXX").string()) {
  if (!::mkdtemp(path_.data()))
    throw Error(fmt::format("cannot make a folder in '{}'", fs::temp_directory_path().string()));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gable::bench
