#include "core/worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/error.hpp"
#include "core/text/posix_file.hpp"

// Boost 1.86 moved the interface used here into a namespace of its own.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/env.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/extend.hpp>
#include <boost/process/v1/io.hpp>
#include <boost/process/v1/pipe.hpp>
#include <boost/process/v1/search_path.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/pipe.hpp>
#include <boost/process/search_path.hpp>
namespace bp = boost::process;
#endif

namespace gable::worker {
namespace {

volatile sig_atomic_t interrupt_signal = 0;

void on_signal(int signal) { interrupt_signal = signal; }

/// Text of a stream as it comes, cut into lines.
struct LineBuffer {
  std::string pending;

  std::size_t searched{};  ///< so far no line feed was found: a long line is not looked through again and again

  bool take(std::string& line) {
    const auto end = pending.find('\n', searched);
    searched = end == std::string::npos ? pending.size() : 0;
    if (end == std::string::npos) return false;
    line = pending.substr(0, end);
    pending.erase(0, end + 1);
    return true;
  }
};

/// Ends all children of this process, and whom it is given as they end, within 2 s: another user's cannot be ended.
void end_children() {
  for (int i = 0; i < 400; ++i) {
    std::array<char, 4096> text;
    const Descriptor list(::open("/proc/thread-self/children", O_RDONLY));
    const ssize_t got = ::read(list.get(), text.data(), text.size());
    pid_t child = 0;
    for (const char c : std::string_view(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)))) {
      if (c == ' ' && child > 0) ::kill(child, SIGKILL);  // a number cut off has no space behind it
      child = c == ' ' ? 0 : 10 * child + (c - '0');
    }
    while ((child = ::waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (child < 0) return;
    ::usleep(5000);
  }
}

/// In a new child: returns in a child of its own, which becomes the program. The first is its keeper, who is given
/// whatever the program started and left, in sessions of their own, too. It ends them all when the program or Gable
/// has ended or SIGTERM comes, and then ends as the program did. Only calls that are safe in a fork of threads.
void keep_program() {
  sigset_t wanted, before;
  sigfillset(&wanted);
  sigprocmask(SIG_SETMASK, &wanted, &before);
  ::signal(SIGCHLD, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t program = ::fork();
  if (program == 0) {
    ::setpgid(0, 0);  // what it sends its group meets neither its keeper nor Gable
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  if (program < 0) ::_exit(EXIT_FAILURE);
  ::close(STDIN_FILENO);  // its output stays open until all have ended
  for (long fd = std::min(::sysconf(_SC_OPEN_MAX), 65536L); fd > STDERR_FILENO; --fd) ::close(static_cast<int>(fd));
  sigemptyset(&wanted);
  for (const int signal : {SIGTERM, SIGCHLD}) sigaddset(&wanted, signal);
  int status = 0, signal = 0;
  for (pid_t ended = 0; ended != program; ended = ::waitpid(-1, &status, WNOHANG)) {
    if (ended == 0) sigwait(&wanted, &signal);
    if (signal == SIGTERM) ::kill(program, SIGKILL);
  }
  end_children();
  if (WIFSIGNALED(status)) {
    ::prctl(PR_SET_DUMPABLE, 0);  // one core file is enough
    ::signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&before);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WEXITSTATUS(status));
}

}  // namespace

struct Process::Impl {
  bp::pipe in, out, err;
  bp::child child;
  LineBuffer lines;
  std::string errors;  // tail of standard error
  bool out_open{true}, err_open{true}, waited{false};
  bool kept{false};

  void drain_errors() {
    for (int i = 0; err_open && i < 100; ++i) {  // a child that never ceases to write does not hold its reader up
      pollfd ready{err.native_source(), POLLIN, 0};
      if (::poll(&ready, 1, 0) <= 0) return;
      err_open = read_some(err.native_source(), errors);
      if (errors.size() > 65536) errors.erase(0, errors.size() - 16384);
    }
  }
  void wait() {
    if (waited) return;
    std::error_code ignored;
    child.wait(ignored);
    waited = true;
    drain_errors();
  }
};

Process::Process(const std::filesystem::path& program, const std::vector<std::string>& arguments, Ends ends)
    : impl_(std::make_unique<Impl>()) {
  ::signal(SIGPIPE, SIG_IGN);  // a dead worker is found by send() and read(), not by a signal
  std::error_code error;
  impl_->kept = ends == Ends::descendants;
  const auto start = [&](auto&... more) {
    impl_->child = bp::child(bp::exe = program.string(), bp::args = arguments,
                             bp::std_in<impl_->in, bp::std_out> impl_->out, bp::std_err > impl_->err, error, more...);
  };
  // Boost closes the parent's copies of the child's ends; its own must not leak into any child.
  for (const int fd : {impl_->in.native_sink(), impl_->out.native_source(), impl_->err.native_source()}) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  if (impl_->kept) {
    auto plain = bp::env["LC_ALL"] = "C";
    auto keeper = bp::extend::on_exec_setup = [](auto&) { keep_program(); };
    start(plain, keeper);
    impl_->in.close();  // nothing is sent to programs of others
  } else {
    start();
  }
  const std::string why = fmt::format("cannot start {}: {}", program.string(), error.message());
  if (error && impl_->kept) throw Error(why);  // whoever named it
  if (error) throw std::runtime_error(why);
}

Process::~Process() {
  if (impl_ && !impl_->waited) kill();
}
Process::Process(Process&&) noexcept = default;
Process& Process::operator=(Process&&) noexcept = default;

bool Process::send(std::string_view line) { return write_all(impl_->in.native_sink(), std::string(line) + '\n'); }

ReadResult Process::read(double timeout_s) {
  using clock = std::chrono::steady_clock;
  const auto deadline =
      clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(timeout_s));
  for (;;) {
    if (OutputLine line; impl_->lines.take(line.text)) return line;
    if (interrupted()) return Interrupted{};
    if (!impl_->out_open) return Closed{};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return TimedOut{};
    std::array<pollfd, 2> ready{{{impl_->out.native_source(), POLLIN, 0}, {impl_->err.native_source(), POLLIN, 0}}};
    if (!impl_->err_open) ready[1].fd = -1;
    const int count = ::poll(ready.data(), ready.size(), static_cast<int>(std::min<long long>(left, 1000)));
    if (count <= 0) continue;
    if (ready[1].revents != 0) impl_->drain_errors();
    if (ready[0].revents != 0) impl_->out_open = read_some(ready[0].fd, impl_->lines.pending);
    constexpr std::size_t longest = std::size_t{64} << 20;  // of programs of others
    if (impl_->kept && impl_->lines.pending.size() > longest) {
      kill();
      impl_->errors += "\na line of its output is longer than 64 MiB\n";
      impl_->out_open = false;
    }
  }
}

void Process::kill() {
  if (!impl_->waited && impl_->child.valid()) {
    const pid_t id = impl_->child.id();
    ::kill(id, impl_->kept ? SIGTERM : SIGKILL);
    siginfo_t ended{};  // a keeper can be stopped by whom it keeps, until it ends
    while (impl_->kept && ::waitid(P_PID, id, &ended, WEXITED | WNOWAIT | WNOHANG) == 0 && ended.si_pid == 0) {
      ::kill(id, SIGCONT);
      ::usleep(1000);
    }
  }
  impl_->wait();
}

std::string Process::ending() {
  impl_->wait();
  const int status = impl_->child.native_exit_code();
  if (WIFSIGNALED(status)) return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

int Process::exit_code() {
  impl_->wait();
  const int status = impl_->child.native_exit_code();
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string Process::last_error_line() const {
  impl_->drain_errors();
  const auto end = impl_->errors.find_last_not_of("\n ");
  if (end == std::string::npos) return {};
  const auto begin = impl_->errors.rfind('\n', end) + 1;  // 0 behind npos
  return impl_->errors.substr(begin, end - begin + 1);
}

const std::string& Process::errors() const {
  impl_->drain_errors();
  return impl_->errors;
}

std::filesystem::path find_program(const std::string& name) {
  std::error_code error;
  if (name.find('/') == std::string::npos) return bp::search_path(name).string();
  return ::access(name.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(name, error) ? name : "";
}

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: poll() must return
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)  // which nohup asks for
    ::sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return interrupt_signal != 0; }

}  // namespace gable::worker
