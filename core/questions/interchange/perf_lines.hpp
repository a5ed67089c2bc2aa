#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What `perf stat` writes, in its forms: text, with a separator (-x), JSON (-j); of each the whole run or its sockets,
/// dies, cores or processors (--per-socket …, -A).
namespace gable::interchange {

/// One event that was counted or not.
struct PerfLine {
  std::string place;  ///< "S0", "CPU3"; empty of the whole run
  std::string value;  ///< as written; "<not counted>"
  std::string unit, event;
  std::string share;  ///< of the time in percent in which it was counted; empty where the text does not say
  int number{};
};

/// One run of a program.
struct PerfRun {
  std::string command;    ///< empty where the form does not tell it
  std::string elapsed_s;  ///< "seconds time elapsed"; empty where the form does not tell it
  int elapsed_line{};
  std::vector<PerfLine> lines;
};

bool is_perf_stat(std::string_view text);
/// Throws Error "line N: …" for what has another form: intervals (-I).
std::vector<PerfRun> perf_runs(std::string_view text);

}  // namespace gable::interchange
