#pragma once
#include <signal.h>

#include <atomic>
#include <string>

#include "backends/kokkos/tool/recorder.hpp"

/// What a library that is loaded into a program of somebody else knows of its process.
namespace gable::tool {

/// Value of an environment variable; `otherwise` if it is not set or empty.
std::string variable(const char* name, const std::string& otherwise);

/// Whether this process is one of several tasks of MPI or Slurm.
bool in_several_tasks();

/// Where this process writes: what the variable says, with its number behind it where it is one of several tasks of MPI
/// or Slurm, and with that of the process where it was forked off `begun_in`; without the variable TOOL-HOST-PROCESS.
std::string output_prefix(const char* name, const std::string& tool, int begun_in);

/// While it lives, a pipe that nobody reads and a limit of files' size are errors of what this thread writes, and no
/// signals that end the program.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals();
  ~WithoutWriteSignals();
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  WithoutWriteSignals& operator=(const WithoutWriteSignals&) = delete;

 private:
  sigset_t held_{}, before_{};
};

/// One line on standard error, if somebody reads it.
void say(const char* library, const std::string& text);

/// The recorder of a library that is loaded into a program of somebody else: a forked child, in which a thread that is
/// gone may have held the old one, has an empty one.
class Loaded {
 public:
  using Writes = void (*)();
  /// `at_exit` is called as the program ends, but not where a handler of a signal ends it inside a call of the library.
  explicit Loaded(Writes at_exit);
  Recorder& operator*() const { return *recorder_.load(); }
  Recorder* operator->() const { return recorder_.load(); }
  bool in_child() const { return in_child_; }

 private:
  std::atomic<Recorder*> recorder_;  ///< never deleted: it outlives whatever the program ends in
  bool in_child_{};
};

/// Work for a program of somebody else, into which nothing is thrown: without memory nothing is recorded.
template <class Work>
void unharmed(Work&& work) noexcept {
  try {
    work();
  } catch (...) {
  }
}

}  // namespace gable::tool
