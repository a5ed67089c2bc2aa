#pragma once
#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <string>

#include "backends/kokkos/tool/recorder.hpp"

/// What a library that is loaded into a program of somebody else knows of its process.
namespace gable::tool {

/// Value of an environment variable; `otherwise` if it is not set or empty.
std::string variable(const char* name, const std::string& otherwise);

/// Whether this process is one of several tasks of MPI or Slurm.
bool in_several_tasks();

/// While it lives, what the program has set for itself does not end it: traps of arithmetic are off and signals of
/// writes that fail are held back. Then both are as before, and so are the flags of arithmetic.
class HeldBack {
 public:
  HeldBack();
  ~HeldBack();
  HeldBack(const HeldBack&) = delete;

 private:
  std::fenv_t arithmetic_{};
  sigset_t signals_{}, before_{};
};

/// The recorder of a library that is loaded into a program of somebody else. A forked child, in which a thread that is
/// gone may have held the old one, has an empty one; a program with rights of another user (setuid) has none.
class Loaded {
 public:
  using Writes = void (*)(Recorder&);
  /// `output` is the variable that names the files. `at_exit` is called as the program ends, but not where a handler of
  /// a signal ends it inside a call of the library.
  Loaded(const char* tool, const char* output, Writes at_exit);

  /// Calls `work` with the recorder, and harms no program: nothing is thrown into it, no thread is cancelled inside,
  /// errno stays. False where there is no recorder, or where a handler of a signal has interrupted such a call.
  template <class Work>
  bool record(Work&& work) {
    const int before = errno;
    int cancels = PTHREAD_CANCEL_ENABLE;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancels);
    const bool done = guarded(work);
    errno = before;
    ::pthread_setcancelstate(cancels, nullptr);  // a cancelled thread may end here
    return done;
  }

  /// One line to the standard error stream, if there was one as the library was loaded.
  void say(const std::string& text) const;

  /// What names of files begin with: what the variable says, seen from where the library was loaded, with the number of
  /// the task behind it where there are several of MPI or Slurm, and `part`; without the variable TOOL-HOST-PROCESS.
  /// The number of the process follows where it was forked, or where another one has written such files meanwhile.
  std::string prefix(const std::string& part = "") const;
  bool in_child() const { return in_child_; }

 private:
  template <class Work>
  [[gnu::noinline]] bool guarded(Work& work) noexcept {
    Recorder* const recorder = recorder_;
    if (recorder == nullptr || is_inside_a_call) return false;
    is_inside_a_call = true;
    try {
      work(*recorder);
    } catch (...) {  // as without memory
    }
    is_inside_a_call = false;
    return true;
  }
  std::string own_files() const;

  /// As the library was loaded.
  struct Start {
    std::string folder, files, written;  ///< where it was, own_files(), and which of these were there
    bool can_say;
  };

  static constinit thread_local volatile bool is_inside_a_call;
  const char *tool_, *output_;
  Writes at_exit_;
  std::atomic<Recorder*> recorder_;  ///< never deleted, as `start_`: it outlives whatever the program ends in
  Start* start_;
  pid_t process_;
  bool in_child_{};
};

}  // namespace gable::tool
