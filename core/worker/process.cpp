#include "core/worker/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "core/text/posix_file.hpp"

// Boost 1.86 moved the interface used here into a namespace of its own.
#if __has_include(<boost/process/v1/child.hpp>)
#include <boost/process/v1/args.hpp>
#include <boost/process/v1/child.hpp>
#include <boost/process/v1/exe.hpp>
#include <boost/process/v1/group.hpp>
#include <boost/process/v1/io.hpp>
#include <boost/process/v1/pipe.hpp>
#include <boost/process/v1/search_path.hpp>
namespace bp = boost::process::v1;
#else
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/group.hpp>
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

/// Appends what can be read now; false at the end of the stream.
bool read_some(int fd, std::string& into) {
  std::array<char, 4096> chunk;
  const ssize_t got = ::read(fd, chunk.data(), chunk.size());
  if (got > 0) into.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace

struct Process::Impl {
  bp::pipe in, out, err;
  bp::child child;
  LineBuffer lines;
  std::string errors;  // tail of standard error
  bool out_open{true}, err_open{true}, waited{false};
  bool leads_group{false};

  void drain_errors() {
    for (int i = 0; err_open && i < 100; ++i) {  // a child that never ceases to write does not hold its reader up
      pollfd ready{err.native_source(), POLLIN, 0};
      if (::poll(&ready, 1, 0) <= 0) return;
      err_open = read_some(err.native_source(), errors);
      if (errors.size() > 65536) errors.erase(0, errors.size() - 16384);
    }
  }
  /// Whether the program itself has ended; of a group, what it left behind ends then, too.
  bool ended(int options) {
    if (waited) return true;
    siginfo_t info{};
    const int waits = ::waitid(P_PID, static_cast<id_t>(child.id()), &info, WEXITED | WNOWAIT | options);
    if (waits != 0) return errno == ECHILD;  // SIGCHLD is ignored: the system has taken it away
    const bool gone = info.si_pid != 0;      // not waited for: nobody else can get its number, which is the group's
    if (gone && leads_group) ::kill(-child.id(), SIGKILL);
    return gone;
  }
  void wait() {
    if (waited) return;
    std::error_code ignored;
    while (leads_group && !ended(0) && errno == EINTR) continue;
    child.wait(ignored);
    waited = true;
    drain_errors();
  }
};

Process::Process(const std::filesystem::path& program, const std::vector<std::string>& arguments, Ends ends)
    : impl_(std::make_unique<Impl>()) {
  ::signal(SIGPIPE, SIG_IGN);  // a dead worker is found by send() and read(), not by a signal
  std::error_code error;
  impl_->leads_group = ends == Ends::descendants;
  const auto start = [&](auto&... more) {
    impl_->child = bp::child(bp::exe = program.string(), bp::args = arguments,
                             bp::std_in<impl_->in, bp::std_out> impl_->out, bp::std_err > impl_->err, error, more...);
  };
  if (impl_->leads_group) {
    bp::group group;
    start(group);
    group.detach();  // it ends with kill(), not with this object
  } else {
    start();
  }
  if (error) throw std::runtime_error(fmt::format("cannot start {}: {}", program.string(), error.message()));
  // The parent's copies of the child's ends are closed by Boost; its own ends must not leak into the next child.
  for (const int fd : {impl_->in.native_sink(), impl_->out.native_source(), impl_->err.native_source()}) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
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
    if (!impl_->out_open && (!impl_->leads_group || impl_->ended(WNOHANG))) return Closed{};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    if (left <= 0) return TimedOut{};
    std::array<pollfd, 2> ready{{{impl_->out.native_source(), POLLIN, 0}, {impl_->err.native_source(), POLLIN, 0}}};
    if (!impl_->out_open) ready[0].fd = -1;
    if (!impl_->err_open) ready[1].fd = -1;
    const long long look_ms = impl_->out_open ? 1000 : 10;
    const int count = ::poll(ready.data(), ready.size(), static_cast<int>(std::min<long long>(left, look_ms)));
    if (count == 0 && impl_->leads_group && impl_->ended(WNOHANG)) impl_->out_open = false;  // others hold its output
    if (count <= 0) continue;
    if (ready[1].revents != 0) impl_->drain_errors();
    if (ready[0].revents != 0) impl_->out_open = read_some(ready[0].fd, impl_->lines.pending);
    constexpr std::size_t longest = std::size_t{64} << 20;  // of programs of others
    if (impl_->leads_group && impl_->lines.pending.size() > longest) {
      kill();
      impl_->errors += "\na line of its output is longer than 64 MiB\n";
      impl_->out_open = false;
    }
  }
}

void Process::kill() {
  const pid_t leader = impl_->child.id();
  if (!impl_->waited && impl_->child.valid()) ::kill(impl_->leads_group ? -leader : leader, SIGKILL);
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
