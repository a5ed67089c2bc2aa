#pragma once
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/numbers.hpp"

namespace gable::interchange {

/// What a metric of Nsight Compute is, by its name and unit.
enum class NcuQuantity {
  none,      ///< nothing that a roofline needs
  time,      ///< of the launch
  shortest,  ///< of several launches, the time of that
  longest,
  cycles,      ///< of the launch; with `frequency` of the same name they tell its time
  frequency,   ///< cycles a second
  count,       ///< bytes, sectors, instructions or operations of the launch
  per_second,  ///< the same, a second
  per_cycle    ///< the same, a cycle
};

/// A metric of a file in its unit.
struct NcuMetric {
  NcuQuantity quantity{NcuQuantity::none};
  double factor{1};  ///< of figures, to s, cycles, byte, instructions and those a second or a cycle
};
/// Throws Error "line N: …" for a metric that is used, in a unit that is not known.
NcuMetric ncu_metric(std::string_view name, std::string_view unit, int line);

/// Collects the launches of a file of Nsight Compute, whose lines come in several forms.
class NcuLaunches {
 public:
  /// Index of a metric by its name.
  std::size_t metric(const std::string& name, NcuQuantity quantity);
  /// A launch, or several of one kernel whose figures are means.
  std::size_t launch(const std::string& kernel, double count = 1);
  /// The same where lines may come back to it: by its key, until the next table begins.
  std::size_t launch_of(const std::string& key, const std::string& kernel, double count = 1);
  void begin_table() { launch_at_.clear(); }
  /// Whether this metric of the launch was added.
  bool has(std::size_t launch, std::size_t metric) const;
  void add(std::size_t launch, std::size_t metric, double factor, std::string text, int line);
  void see(std::string_view text, int line) { numbers_.see(text, line); }
  /// A number by itself, such as how often a kernel was launched; nothing where it is none.
  std::optional<double> number(std::string_view text, int line) const { return numbers_.value(text, line); }
  /// The GPU that a line is of, and its compute capability, "9.0".
  void on_device(std::string_view device, int line);
  void of_capability(std::string_view text);

  /// The kernels, each with the sums over its launches. Throws Error for files without kernels, metrics or times, and
  /// for one that was cut off between two lines.
  Contents take();

 private:
  /// A figure as the file has it: what the separators mean is known only when all of the file was seen.
  struct Figure {
    std::size_t launch, metric;  ///< their indices
    double factor;
    int line;
    std::string text;
  };
  struct Launch {
    std::size_t kernel;  ///< index of its name
    double count;
  };
  struct Metric {
    std::string name;
    NcuQuantity quantity;
  };

  const std::string& kernel_name(std::size_t launch) const { return names_[launches_[launch].kernel]; }
  void refuse_cut_file() const;
  /// What was counted, launch by launch and in each in the order of the metrics; NaN where nothing was.
  std::vector<double> values_by_launch() const;
  /// Of the metrics of one launch.
  double seconds_of(const double* values) const;
  /// The first metric of this kind; NaN without one.
  double first_of(NcuQuantity quantity, const double* values) const;
  double cycles_a_second(const double* values) const;
  void add_to_kernel(const Launch& launch, const double* values, double seconds);

  Contents contents_;
  Numbers numbers_;
  std::map<std::string, std::size_t, std::less<>> metric_at_, launch_at_, name_at_;
  std::vector<std::string> names_;  ///< of kernels: one without a time does not become one of the contents
  std::vector<Metric> metrics_;
  std::vector<Launch> launches_;
  std::deque<Figure> figures_;
  std::string device_;
  double capability_{};
};

}  // namespace gable::interchange
