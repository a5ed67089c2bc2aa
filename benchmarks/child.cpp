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
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/text/posix_file.hpp"

namespace gable::bench {
namespace {

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
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe: out of file descriptors");
  const Descriptor reading(ends[0]);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = [&] {
    const Descriptor writing(ends[1]);  // the child's alone as soon as it runs
    return spawn(command, writing.get());
  }();
  std::array<char, 4096> part{};
  for (ssize_t got = -1; got != 0;) {
    got = ::read(reading.get(), part.data(), part.size());
    if (got < 0 && errno != EINTR) break;
    if (got > 0) finished.output.append(part.data(), static_cast<std::size_t>(got));
  }
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

}  // namespace gable::bench
