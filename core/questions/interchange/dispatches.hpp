#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/questions/interchange/format.hpp"

namespace gable::interchange {

/// One run of a kernel on a GPU as a line of a file has it.
struct DispatchLine {
  std::string_view process, gpu, id, kernel;  ///< as texts; empty where the file does not tell them
  std::string_view start, end;                ///< timestamps as texts; empty where the file has none
  std::optional<double> seconds{};            ///< nothing where the file does not tell it
  double work_items{};                        ///< of the grid; 0 where the file does not tell it
  bool before_dispatch{};                     ///< it begins before it was dispatched, and so has no time
  int line{};
};

/// The dispatches of a file of AMD's profilers. What stands twice is counted once; what several passes of one program
/// counted of a dispatch is joined, its time and counters of several passes are means of theirs.
class Dispatches {
 public:
  /// What lines of one dispatch with other times are: passes of it, in files with a line a counter, or further
  /// dispatches, in files with a line a dispatch.
  enum class OtherTimes { another_pass, another_dispatch };
  explicit Dispatches(OtherTimes meaning) : meaning_(meaning) {}

  /// Takes a dispatch or another pass of one, to which count() adds then.
  void take(const DispatchLine& line);
  /// What was counted in that pass; counters that work_of_amd_counters() does not look at are left out. Throws Error
  /// "line N: …" where the pass has another figure of this counter. Of GRBM_COUNT, the cycles of the GPU's clock, no
  /// more is taken than whether the time can be right.
  void count(std::string_view counter, double value, int line);
  /// Throws Error where the last pass has fewer counters than others that begin with the same one: of a file with a
  /// line a counter.
  void refuse_cut_end() const;

  /// The sums by kernel. Dispatches without a time are left out, with a note; where none has one, the kernels have 0
  /// runs and Contents::untimed says why. Throws Error for dispatches of several GPUs.
  Contents contents();

 private:
  struct Pass {
    std::uint64_t times{};
    std::optional<double> seconds;
    std::size_t lines{};
    std::uint64_t first_counter{};
  };
  struct Value {
    std::size_t counter{}, pass{};  ///< the pass that counted it last
    double last{}, sum{};
    int passes{};
  };
  struct Dispatch {
    std::uint64_t process{}, in_any_process{};  ///< the latter is the same in the passes of a program
    std::size_t kernel{};
    double work_items{};
    std::vector<Pass> passes;
    std::vector<Value> values;
    bool joined{};  ///< to one of another process
  };

  void note_times(const DispatchLine& line);
  void join_processes();
  std::string why_untimed() const;

  OtherTimes meaning_;
  KernelTable table_;
  std::vector<Dispatch> dispatches_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::unordered_map<std::uint64_t, std::size_t> pass_at_;  ///< of dispatches with several
  std::set<std::string, std::less<>> gpus_;
  std::size_t at_{}, pass_{}, repeated_{};
  std::string rounded_;     ///< a timestamp that lost its last digits
  int rounded_line_{};      ///< and its line
  int before_dispatch_{};   ///< the first such line
  std::string slow_clock_;  ///< what shows that the times are none
  bool has_timestamps_{};
};

/// A kernel's name without AMD's mark of its descriptor (".kd"), which some versions of a tool write and others do not.
std::string_view without_descriptor(std::string_view kernel);
/// Whether it names a call of an interface on the host, a copy, a fill, a barrier or a sum of all kernels: no kernel.
bool is_host_call(std::string_view name);
/// Whether work_of_amd_counters() looks at it.
bool is_amd_counter(std::string_view name);
/// What a file without any of these counters rests on: the sum of its kernels' times, s.
inline constexpr std::string_view time_of_dispatches = "time of dispatches";

}  // namespace gable::interchange
