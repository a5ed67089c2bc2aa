#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gable::worker {

/// A whole line of the child's standard output, without its newline.
struct OutputLine {
  std::string text;
};
/// Nothing came in time.
struct TimedOut {};
/// The child closed its output: it ended, or crashed.
struct Closed {};
/// A signal asked this program to stop (see interrupted()).
struct Interrupted {};
using ReadResult = std::variant<OutputLine, TimedOut, Closed, Interrupted>;

/// A child process that is spoken to line by line. The only user of Boost.Process (its v1 interface). Killed by the
/// destructor if it still runs.
class Process {
 public:
  /// What kill() ends: the program alone; or, of programs of others, all that it started, too, in whatever session,
  /// which ends at the latest with the program or with Gable, and speaks the C locale.
  enum class Ends { itself, descendants };

  /// Starts the program, without a shell; throws std::runtime_error, of programs of others Error, if it cannot be
  /// started at all.
  explicit Process(const std::filesystem::path& program, const std::vector<std::string>& arguments = {},
                   Ends ends = Ends::itself);
  ~Process();
  Process(Process&&) noexcept;
  Process& operator=(Process&&) noexcept;

  /// Writes the line and a newline; false if the child no longer reads.
  bool send(std::string_view line);
  /// Waits at most timeout_s for a line.
  ReadResult read(double timeout_s);
  void kill();
  /// How it ended, after Closed or kill(): "exit code 3", "signal 4 (Illegal instruction)".
  std::string ending();
  /// Exit code after Closed; 128 + n for signal n.
  int exit_code();
  /// Last line it wrote to standard error, for the reason of a failed row.
  std::string last_error_line() const;
  /// The end of what it wrote to standard error, 16 KiB at least.
  const std::string& errors() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A program as a shell finds it: by its path, or by PATH where the name has no slash. Empty where it is not there.
std::filesystem::path find_program(const std::string& name);

/// From here on SIGINT, SIGTERM and, unless it is ignored, SIGHUP only set a flag, that read() returns on as
/// Interrupted.
void watch_interrupts();
bool interrupted();

}  // namespace gable::worker
