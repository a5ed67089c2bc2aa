#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What the tools for applications share. It needs the C++ library alone, as it is loaded into programs of others.
namespace gable::tool {

/// What was timed under one name.
enum class Kind { parallel_for, parallel_reduce, parallel_scan, deep_copy, region };
std::string_view to_string(Kind kind);

/// Work of one call of every kernel whose name fits `label`, where * stands for any text.
struct Declaration {
  std::string label;
  double flops{}, bytes{};
  std::string dtype{"fp64"}, unit{"vector"};
};

/// Lines "label,flops,bytes[,dtype[,unit]]" below a line with these names. Throws std::runtime_error "FILE:LINE: …",
/// also for a type or a unit that `gable report --points` would not know.
std::vector<Declaration> read_declarations(const std::string& file);

/// All calls of one thing.
struct Record {
  std::uint64_t calls{};
  double total_s{}, least_s{}, most_s{};
  double flops{}, bytes{};        ///< of all calls; of a deep copy what was copied, else what was stated or declared
  bool work{};                    ///< whether they are known
  bool launches{};                ///< times are, or hold, those of launches: the work went on behind them
  const Declaration* declared{};  ///< of a kernel
};

/// Times by name and region. Safe to use from several threads; each has regions of its own.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins something; the answer is for end(). `launch`: what ends is its launch, not its work.
  std::uint64_t begin(Kind kind, std::string_view name, bool launch = false);
  void end(std::uint64_t id);
  /// Begins a deep copy of so many bytes; end_last() ends it.
  void begin_copy(std::string_view name, double bytes);
  /// What the calling thread began last and has not ended, of this kind; nothing happens where there is none.
  void end_last(Kind kind);

  /// A region of the calling thread; what is begun inside carries its path.
  void push_region(std::string_view name);
  void pop_region();
  /// Adds work to the region of that name that the calling thread is in, else to the one region of that name that
  /// there has been.
  void add_work(std::string_view name, double flops, double bytes);

  void allocated(std::string_view space, std::uint64_t bytes);
  void freed(std::string_view space, std::uint64_t bytes);

  /// Before the first kernel begins.
  void declare(std::vector<Declaration> declarations) { declarations_ = std::move(declarations); }

  /// Writes `prefix`.kernels.csv, everything, and, where work and time are known, `prefix`.points.csv for `gable report
  /// --points`; one of an earlier run is removed where there are none. The answer is one line about both and about what
  /// was left out. Throws std::runtime_error naming the file that cannot be written.
  std::string write(const std::string& prefix) const;

 private:
  struct Key {
    Kind kind{};
    std::string region, name;
    auto operator<=>(const Key&) const = default;
  };
  using Entry = std::map<Key, Record>::value_type;
  struct Running {
    Entry* entry{};
    Clock::time_point since{};
  };
  struct Space {
    std::uint64_t now{}, most{};
  };

  Entry& entry(Kind kind, std::string_view region, std::string_view name);
  std::string kernels() const;
  /// What `points` are made of, and why other work is left out.
  struct Points {
    std::string text;
    std::size_t count{}, launches{}, without_bytes{}, never_ended{};
  };
  Points points() const;

  mutable std::mutex mutex_;
  std::map<Key, Record> records_;
  std::vector<Running> running_;
  std::vector<std::uint64_t> free_;
  std::map<std::string, Space, std::less<>> spaces_;
  std::vector<Declaration> declarations_;
};

/// Value of an environment variable; `otherwise` if it is not set or empty.
std::string variable(const char* name, const std::string& otherwise);

/// Where this process writes: what the variable says, with its number behind it where it is one of several tasks of MPI
/// or Slurm, and with that of the process where it was forked off `begun_in`; without the variable TOOL-HOST-PROCESS.
std::string output_prefix(const char* name, const std::string& tool, int begun_in);

}  // namespace gable::tool
