#include "backends/kokkos/tool/loaded.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

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

/// Which file of times is there: another one has another number or time.
std::string written_now(const std::string& prefix) {
  struct stat file {};
  if (::stat((prefix + ".kernels.csv").c_str(), &file) != 0) return "";
  return std::to_string(file.st_ino) + ' ' + std::to_string(file.st_mtim.tv_sec) + ' ' +
         std::to_string(file.st_mtim.tv_nsec);
}

Loaded* of_this_process;

}  // namespace

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

bool in_several_tasks() { return !task_of_several().empty(); }

HeldBack::HeldBack() {
  std::feholdexcept(&arithmetic_);
  ::sigemptyset(&signals_);
  sigset_t pending;  // those before are the program's
  ::sigpending(&pending);
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    if (!sigismember(&pending, signal)) ::sigaddset(&signals_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

HeldBack::~HeldBack() {
  const std::timespec at_once{};
  while (::sigtimedwait(&signals_, nullptr, &at_once) > 0) continue;
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  std::fesetenv(&arithmetic_);
}

constinit thread_local volatile bool Loaded::is_inside_a_call = false;

Loaded::Loaded(const char* tool, const char* output, Writes at_exit)
    : tool_(tool), output_(output), at_exit_(at_exit), recorder_(nullptr), start_(nullptr), process_(::getpid()) {
  if (::getauxval(AT_SECURE) != 0) return;
  std::error_code unknown;
  start_ = new Start{std::filesystem::current_path(unknown).string(), "", "", ::fcntl(STDERR_FILENO, F_GETFD) != -1};
  start_->files = own_files();
  start_->written = written_now(start_->files);
  recorder_ = new Recorder;
  of_this_process = this;
  std::atexit([] {
    Loaded& self = *of_this_process;
    if (self.process_ != ::getpid()) return;  // a copy that pthread_atfork() was not told of
    if (self.record(self.at_exit_) || self.recorder_ == nullptr || !self.start_->can_say) return;
    const HeldBack held;
    static constexpr char told[] = "gable: the program was ended inside a call: its times are not written\n";
    [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, told, sizeof told - 1);
  });
  ::pthread_atfork(nullptr, nullptr, [] {
    Loaded& self = *of_this_process;
    self.in_child_ = true;
    self.process_ = ::getpid();
    is_inside_a_call = false;
    Recorder::forget_thread();
    auto* const own = new (std::nothrow) Recorder;  // without memory the child records nothing
    const Recorder* const of_parent = self.recorder_.exchange(own);
    if (own != nullptr) own->of_parent = of_parent;
  });
}

void Loaded::say(const std::string& text) const {
  if (!start_->can_say) return;
  std::string line = std::string(tool_) + ": " + text;
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, ' ');
  line += '\n';
  const HeldBack held;
  [[maybe_unused]] const auto wrote = ::write(STDERR_FILENO, line.data(), line.size());
}

std::string Loaded::own_files() const {
  std::string name = variable(output_, "");
  if (name.empty()) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    name = std::string(tool_) + '-' + host + '-' + std::to_string(process_);
  } else if (const std::string task = task_of_several(); !task.empty()) {
    name += '.' + task;
  }
  return (std::filesystem::path(start_->folder) / name).string();
}

std::string Loaded::prefix(const std::string& part) const {
  const std::string files = own_files();
  const bool is_named = !variable(output_, "").empty();
  const bool others = part.empty() && files == start_->files && written_now(files) != start_->written;
  return (is_named && (in_child_ || others) ? files + '.' + std::to_string(process_) : files) + part;
}

}  // namespace gable::tool
