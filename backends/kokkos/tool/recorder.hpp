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

/// All calls of one thing.
struct Record {
  std::uint64_t calls{};
  double total_s{}, least_s{}, most_s{};
  double flops{}, bytes{};  ///< of all calls; of a deep copy what was copied, else what was stated or declared
  bool work{};              ///< whether they are known
};

/// Work of one call of every kernel whose name fits `label`, where * stands for any text.
struct Declaration {
  std::string label;
  double flops{}, bytes{};
  std::string dtype{"fp64"}, unit{"vector"};
};

/// Lines "label,flops,bytes[,dtype[,unit]]" below a line with these names. Throws std::runtime_error "FILE:LINE: …".
std::vector<Declaration> read_declarations(const std::string& file);

/// Times by name and region. Safe to use from several threads; each has regions of its own.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;

  /// Begins something; the answer is for end().
  std::uint64_t begin(Kind kind, std::string_view name);
  void end(std::uint64_t id);
  /// Begins a deep copy of so many bytes; end_last() ends it.
  void begin_copy(std::string_view name, double bytes);
  /// What the calling thread began last and has not ended, of this kind; nothing happens where there is none.
  void end_last(Kind kind);

  /// A region of the calling thread; what is begun inside carries its path.
  void push_region(std::string_view name);
  void pop_region();
  /// Adds work to the region of that name that the calling thread is in, else to that name without a region.
  void add_work(std::string_view name, double flops, double bytes);

  void allocated(std::string_view space, std::uint64_t bytes);
  void freed(std::string_view space, std::uint64_t bytes);

  void declare(std::vector<Declaration> declarations) { declarations_ = std::move(declarations); }

  /// Writes `prefix`.kernels.csv, everything, and, where work is known, `prefix`.points.csv for `gable report
  /// --points`. The answer is one line about both. Throws std::runtime_error naming the file that cannot be written.
  std::string write(const std::string& prefix, const std::string& remark) const;

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
  const Declaration* declared(std::string_view name) const;
  std::string kernels(const std::string& remark) const;
  std::string points(std::size_t& count) const;

  mutable std::mutex mutex_;
  std::map<Key, Record> records_;
  std::vector<Running> running_;
  std::vector<std::uint64_t> free_;
  std::map<std::string, Space, std::less<>> spaces_;
  std::vector<Declaration> declarations_;
};

/// Value of an environment variable; `otherwise` if it is not set or empty.
std::string variable(const char* name, const std::string& otherwise);

}  // namespace gable::tool
