#include "backends/kokkos/tool/loaded.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

namespace gable::tool {
namespace {

/// The number of this process among several tasks of MPI or Slurm; empty where it is alone.
std::string task_of_several() {
  for (const auto& [number, count] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"},
        std::pair{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    std::string task = variable(number, "");
    if (!task.empty() && variable(count, "1") != "1" && task.find_first_not_of("0123456789") == std::string::npos)
      return task;
  }
  return "";
}

}  // namespace

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string output_prefix(const char* name, const std::string& tool, int begun_in) {
  const std::string process = std::to_string(::getpid());
  std::string prefix = variable(name, "");
  if (prefix.empty()) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return tool + '-' + host + '-' + process;
  }
  if (const std::string task = task_of_several(); !task.empty()) prefix += '.' + task;
  return ::getpid() == begun_in ? prefix : prefix + '.' + process;
}

WithoutWriteSignals::WithoutWriteSignals() {
  sigset_t pending;  // those before are the program's
  ::sigpending(&pending);
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    if (!sigismember(&pending, signal)) sigaddset(&held_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

WithoutWriteSignals::~WithoutWriteSignals() {
  constexpr timespec now{};
  while (::sigtimedwait(&held_, nullptr, &now) > 0) continue;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void say(const char* library, const std::string& text) {
  const WithoutWriteSignals held;
  std::fprintf(stderr, "%s: %s\n", library, text.c_str());
}

bool in_several_tasks() { return !task_of_several().empty(); }

namespace {
Loaded::Writes writes_at_exit;
std::atomic<Recorder*>* recorder_of_process;
bool* is_child;
}  // namespace

Loaded::Loaded(Writes at_exit) : recorder_(new Recorder) {
  writes_at_exit = at_exit, recorder_of_process = &recorder_, is_child = &in_child_;
  std::atexit([] {
    if (!Recorder::is_inside_a_call()) return writes_at_exit();
    const WithoutWriteSignals held;
    static constexpr char told[] = "gable: the program was ended inside a call: its times are not written\n";
    [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, told, sizeof told - 1);
  });
  ::pthread_atfork(nullptr, nullptr, [] {
    Recorder::forget_thread();
    *is_child = true;
    static auto* const of_parents = new std::vector<Recorder*>;  // so that they are no leaks
    of_parents->push_back(recorder_of_process->exchange(new Recorder));
  });
}

}  // namespace gable::tool
