#pragma once
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gable::interchange {

/// What a tool counted of one kernel, region or loop: sums over its calls.
struct Kernel {
  std::string name;  ///< as the file has it
  /// Of a framework's operator, whose name is these two: what it is called, and the shapes and types of its inputs.
  std::string op{}, operands{};
  double calls{};
  double seconds{};
  double shortest_s{std::numeric_limits<double>::infinity()};  ///< call; 0 or infinity: unknown
  double longest_s{};
  std::vector<double> sums;       ///< of the table's counters; those behind its end and NaN were not counted
  std::vector<double> counted{};  ///< how many figures are in each sum
  double
      launches{};  ///< how many figures there must be, of formats that have one a launch; 0: a figure is of all calls
  int runs{1};     ///< of the program that `seconds` is the mean of; 0: its file tells no times
  double work_items{};  ///< over all calls, of formats that tell sizes; 0: unknown
  double capability{};  ///< of an NVIDIA chip, 9.0: where the file tells it

  void add_call(double time_s) { add_calls(1, time_s, time_s, time_s); }
  /// So many that took so long together. Where the shortest or longest of them is unknown (0) so is the kernel's.
  void add_calls(double count, double time_s, double shortest = 0, double longest = 0);
  bool has_spread() const { return calls > 1 && shortest_s > 0 && longest_s >= shortest_s; }
};

/// The kernels of a file and what was counted of them.
class KernelTable {
 public:
  /// Index of a counter, which becomes one of the table's.
  std::size_t counter(std::string_view name);
  /// Index of the kernel of that name, which becomes one of the table's.
  std::size_t kernel_index(std::string_view name);
  Kernel& kernel(std::string_view name) { return kernels_[kernel_index(name)]; }
  void add(Kernel& kernel, std::size_t counter, double value);
  void add(Kernel& kernel, std::string_view counter_name, double value) { add(kernel, counter(counter_name), value); }
  /// Leaves out the kernels without a time. Returns how many they were.
  std::size_t drop_untimed();

  const std::vector<std::string>& counters() const { return counters_; }
  std::vector<Kernel>& kernels() { return kernels_; }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  std::optional<std::size_t> find_counter(std::string_view name) const;
  const Kernel* find(std::string_view name) const;

  /// Takes in what another run of the same program counted, as profilers that cannot count all at once write it: where
  /// every kernel of one file is in the other as often and of the same size, and each file has counters that the other
  /// has not. Times, and counters that stand in both, become means of both; the latter must agree within a tenth where
  /// no sizes tell that the runs are alike. Returns whether it did.
  bool join(const KernelTable& other);

 private:
  bool is_run_of(const KernelTable& other) const;
  /// Finds names without a copy of them: every kernel is asked for some sixty counters.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  using Index = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;

  std::vector<std::string> counters_;
  std::vector<Kernel> kernels_;
  Index counter_at_, kernel_at_;
};

/// The counters of one kernel, which notes those that were asked for and are there.
class Counted {
 public:
  Counted(const KernelTable& table, const Kernel& kernel) : table_(table), kernel_(kernel) {}
  /// The sum over all calls; nothing where it was not counted, or not in every launch.
  std::optional<double> find(std::string_view counter);
  /// Of the first of these that was counted.
  std::optional<double> first_of(std::initializer_list<std::string_view> counters);
  /// Names of the counters that were found, each once, in the order of the questions.
  const std::vector<std::string>& used() const { return used_; }
  std::vector<std::string> take_used() { return std::move(used_); }
  const Kernel& kernel() const { return kernel_; }
  /// Of a sum over all calls the part of one, as texts have it.
  double a_call(double sum) const { return sum / kernel_.calls; }

 private:
  const KernelTable& table_;
  const Kernel& kernel_;
  std::vector<std::string> used_;
};

}  // namespace gable::interchange
