#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/kokkos/tool/counters.hpp"
#include "backends/kokkos/tool/declarations.hpp"
#include "backends/kokkos/tool/expression.hpp"

/// What the tools for applications share. It needs the C++ library alone, as it is loaded into programs of others.
namespace gable::tool {

/// What was timed under one name.
enum class Kind { parallel_for, parallel_reduce, parallel_scan, deep_copy, region };
std::string_view to_string(Kind kind);

/// Where something runs, and what its time is of.
enum class Place {
  host,   ///< the program's processor, whose counters see it
  gpu,    ///< a GPU that the program waits for
  launch  ///< a GPU: its time is that of the launch, and its work goes on behind
};

/// A sum over those calls in which it was counted.
struct Count {
  std::uint64_t calls{};
  double sum{};
  void add(const std::optional<double>& before, const std::optional<double>& after) {
    if (!before || !after) return;
    sum += *after - *before;
    ++calls;
  }
};

/// All calls of one thing.
struct Record {
  std::uint64_t calls{};
  double total_s{}, least_s{}, most_s{};
  double flops{}, bytes{};  ///< of all calls, as the program states them; of a deep copy what was copied
  bool stated{};            ///< whether it does
  bool launches{};          ///< times are, or hold, those of launches: the work went on behind them
  Count counted_flops{}, counted_bytes{};
  const Declaration* declared{};  ///< of a kernel
  Work declared_work{};           ///< of one call
};

/// What a program calls something; "(no name)" for null and for nothing, and only the start of very long ones.
std::string_view named(const char* name);

/// Times by name and region. Safe to use from several threads; each has regions of its own. What a program does without
/// end (regions that are never left, names that are made up at each call) is kept within bounds, and told.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_depth =
      100;  ///< of what a thread begins in each other; what is further in is not recorded
  static constexpr std::size_t most_names = 100'000;       ///< further ones are one, "(further names)"
  static constexpr std::size_t most_name_bytes = 1 << 26;  ///< of all names and the regions around them

  const Recorder* of_parent{};  ///< of the process that forked this one: kept, so that it is no leak
  /// In a forked child: the calling thread is in no region, and nothing has begun.
  static void forget_thread();

  /// Begins something; the answer is for end().
  std::uint64_t begin(Kind kind, std::string_view name, Place place = Place::host);
  void end(std::uint64_t id);
  /// Begins a deep copy of so many bytes; end_last() ends it.
  void begin_copy(std::string_view name, double bytes);
  /// What the calling thread began last and has not ended, of this kind; nothing happens where there is none.
  void end_last(Kind kind);

  /// A region of the calling thread; what is begun inside carries its path.
  void push_region(std::string_view name);
  void pop_region();
  /// Ends the innermost region if it has this name; false, and nothing ends, if it has another or there is none.
  bool pop_region(std::string_view name);
  /// Adds work to the region of that name that the calling thread is in, else to the one region of that name that
  /// there has been. Amounts that are no amount (not finite, negative) are left out and told.
  void add_work(std::string_view name, double flops, double bytes);
  /// Whether nothing was recorded.
  bool empty() const;

  void allocated(std::string_view space, std::uint64_t bytes);
  void freed(std::string_view space, std::uint64_t bytes);

  /// Before the first kernel begins. `parameters`: of those that neither a kernel's name nor its regions give.
  void declare(std::vector<Declaration> declarations, Parameters parameters = {}) {
    declarations_ = std::move(declarations);
    parameters_ = std::move(parameters);
  }
  /// Before the first kernel begins: what counts its work, flops of one type. Kernels on the host that run alone have
  /// what was counted in place of what is declared.
  void count(std::function<Counts()> counts, std::string dtype) {
    counts_ = std::move(counts);
    counted_dtype_ = std::move(dtype);
  }

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
    bool counts{};  ///< its work is counted
    bool alone{};   ///< and no other such kernel ran at the time
    Counts before;
    Clock::time_point since{};
  };
  struct Space {
    std::uint64_t now{}, most{};
  };

  Entry& entry(Kind kind, std::string_view region, std::string_view name);
  void declare(Entry& entry);
  /// What is known of all calls, and whence: "counted", "declared", "stated".
  struct Amounts {
    std::optional<double> flops, bytes;
    std::string_view flops_from, bytes_from;
  };
  Amounts amounts(const Record& record) const;
  std::string kernels() const;
  /// What `points` are made of, and why other work is left out.
  struct Points {
    std::string text;
    std::size_t count{}, launches{}, without_bytes{}, never_ended{}, half_known{};
  };
  Points points() const;

  mutable std::mutex mutex_;
  std::map<Key, Record> records_;
  std::vector<Running> running_;
  std::vector<std::uint64_t> free_;
  std::unordered_map<std::string, Entry*> ended_;  ///< regions by their names; null where several have one
  std::size_t name_bytes_{}, too_deep_{}, further_names_{}, no_amounts_{}, never_ended_{};
  std::map<std::string, Space, std::less<>> spaces_;
  std::vector<Declaration> declarations_;
  Parameters parameters_;
  std::size_t undeclared_{};    ///< kernels whose declaration has no value
  std::string why_undeclared_;  ///< the first
  std::function<Counts()> counts_;
  std::string counted_dtype_;
  int counting_{};  ///< kernels whose work is being counted
};

}  // namespace gable::tool
