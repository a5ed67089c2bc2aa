#pragma once
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/point.hpp"
#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// A change to a point, and what the model says it gains.
struct Lever {
  std::string name;              ///< "lower precision"
  std::string change;            ///< what exactly: "fp16 instead of fp32"
  std::optional<double> factor;  ///< time now / time then; nothing where it cannot be judged
  std::string assumption;        ///< what the factor takes for granted; why there is none
  /// Of a factor that this file measured: from the 95 % intervals of both times, where both have one.
  std::optional<double> factor_low{}, factor_high{};
  std::string measured{};  ///< id of the row that shows the factor, or that it was not reached; empty without one
  bool other_stores{};     ///< non-temporal ones: the bound is one of ordinary stores
  bool narrower{};         ///< of a type of fewer bits
  bool fusion_measured{};  ///< a fused operator of this file did the work: listed whatever it gains
};

/// Of each work that a result measured, the fastest rows, and of each device and scope the machine: found once, however
/// many points are explained. The result must outlive it.
class FastestRuns {
 public:
  explicit FastestRuns(const Result& result);
  const Result& result() const { return result_; }
  const MachineModel& machine_of(const Point& point) const;
  /// The fastest other row that does the point's work in its manner by an operator of this name; null without one.
  const Point* of(const Point& point, std::string_view op) const;

 private:
  using Work = std::tuple<std::string_view, std::string_view, std::string_view, Scope, int, std::array<DType, 5>, bool,
                          int, bool>;
  static Work work_of(const Point& point, std::string_view op);

  const Result& result_;
  std::map<Work, std::array<const Point*, 2>> fastest_;
  mutable std::map<std::pair<std::string_view, Scope>, MachineModel> machines_;
};

/// What the levers of a point are judged with. The point is one of the result; machine: its own device, measured.
struct LeverInput {
  const FastestRuns& runs;
  const Point& point;
  const MachineModel& machine;
  const Bound& bound;  ///< of the point on the machine
  std::optional<DatasheetBound> datasheet;
  Operators operators;                  ///< for what depends on sizes and types
  std::span<const MachineModel> other;  ///< devices that might be had instead
  /// Where the point was compared with memory round by round: its time if memory had the speed that `bound` is by,
  /// bound over the share of the rounds.
  std::optional<double> at_speed_of_bound_s{};

  /// To hold beside `bound`.
  double time_s() const { return at_speed_of_bound_s.value_or(point.time.value); }
};

/// What the factor of a change starts from: the bound, or the measured time if that is shorter.
inline double start_s(const LeverInput& now, double bound_s) { return std::min(bound_s, now.time_s()); }

/// Gains below it are not worth a line.
inline constexpr double least_gain = 1.02;

/// The levers that gain at least `least_gain`, and a fusion that was measured whatever it gains, best first, of a point
/// in fp64 narrower types behind all others, then those that cannot be judged. A factor is least time now / least time
/// after the change and assumes the same distance to the bound; exceptions: closer to the roof, measured alternatives,
/// and points faster than their bound (measured time / least time after the change). Formulas: docs/explain.md.
std::vector<Lever> levers(const LeverInput& now);

/// Factor of processing more rows with the same weights, per row, at the smallest power of two times the rows beyond
/// which less than `least_gain` is left. Nothing if the operator is no matrix product; no factor without its spec.
std::optional<Lever> batch(const LeverInput& now);

/// Byte that a matrix product moves however many rows it works on at once: its weights. All other bytes and all
/// operations grow with the rows. Nothing of other operators.
std::optional<double> bytes_whatever_the_batch(const Point& point, Operators operators);

/// The narrower types that the operator takes and that the machine has roofs for: of each width the better one. Work of
/// an operator without a spec (the user's kernels) is taken to be of one type throughout.
std::vector<Lever> lower_precision(const LeverInput& now);

}  // namespace gable::questions
