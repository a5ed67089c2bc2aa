#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/enum_names.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

namespace gable::questions {

/// Name of the outermost memory level in a key, whatever a machine calls it (DRAM, HBM3).
inline constexpr const char* main_memory_role = "memory";

/// What the low and high of a figure are.
enum class Spread {
  none,          ///< there are none: one run of fewer than 6 blocks
  stated,        ///< a datasheet's figure: low and high are the figure itself
  within_run,    ///< one run: its 95 % interval, which does not speak for other runs
  between_runs,  ///< several runs: everything from the lowest to the highest of them and of their own intervals
};
constexpr auto names_of(Spread) {
  return names_up_to<Spread::between_runs>("none", "stated", "within_run", "between_runs");
}

/// What a time is: measured, or a bound at an efficiency under roofs of its own kind (reached); a bound of measured
/// roofs or of a datasheet; a bound of one of these at an efficiency under the other. Only like is comparable.
enum class Scale { reached, measured, datasheet, datasheet_at_measured, measured_at_datasheet };

/// The part of a bound that is assumed to be reached, of the operators of one subject: the same for all that assume it.
struct AssumedPart {
  double median{};                        ///< what the figure was divided by
  std::optional<double> least{}, most{};  ///< of the operator itself its interval, else of enough_runs operators
  std::size_t of{};                       ///< index of that subject
};

/// One quantity of one subject, over all its runs.
struct Figure {
  double value{};  ///< one run: its estimate; several: the median of theirs
  std::optional<double> low{}, high{};
  Spread spread{Spread::none};
  int runs{1};
  std::string unit;  ///< flop/s, op/s, byte/s, s, flop/byte
  bool higher_is_better{true};
  double smallest{}, largest{};  ///< of the runs' estimates
  bool bound{};                  ///< by roofs: nobody measured it
  Scale scale{};
  std::optional<AssumedPart> part{};  ///< of a bound at an efficiency
};

/// What a ceiling is, independent of the machine and of how it was reached.
struct CeilingKey {
  CeilingKind kind{};
  std::string name;  ///< as in Ceiling, but main_memory_role for bandwidth and latency of the outermost level
  std::optional<DType> dtype, accumulate;
  Access access{Access::none};
  Stores stores{Stores::none};
  OperatingPoint at{OperatingPoint::none};
  std::string variant;
  Scope scope{Scope::node};
  auto operator<=>(const CeilingKey&) const = default;
};
CeilingKey key_of(const Ceiling& row, const DeviceInfo& device);
/// The main memory's triad over the whole node, or what a datasheet states of it.
bool is_main_stream(const CeilingKey& key);
/// "vector fp32", "matrix fp16->fp32, isa:…", "memory triad (non-temporal)": everything but operating point and scope.
std::string label_of(const CeilingKey& key);

/// What an operator's measurement is, independent of the machine and of the implementation.
struct PointKey {
  std::string op, params;
  Types types;
  bool cold{};
  int launches{1};
  bool graph{};
  Scope scope{Scope::node};
  std::string kernel{};  ///< full name of another tool's kernel: short ones may be alike
  auto operator<=>(const PointKey&) const = default;
};
PointKey key_of(const Point& row);
/// "gemm fp16 m=16,n=4096,k=4096 (cold)": everything but the scope; "dot fp32->fp64 …" where a type accumulates or
/// computes in another than it usually does.
std::string label_of(const PointKey& key);

/// label_of() with operating point and scope, omitted when default: "vector fp32 burst (core)".
std::string place_of(const CeilingKey& key);
std::string place_of(const PointKey& key);

/// A roof that an answer rests on: of two measurements of one quantity the faster.
struct UsedRoof {
  std::string label;
  double rate{};
  std::string unit;
  OperatingPoint at{OperatingPoint::none};
  bool stated{};  ///< a datasheet's
};

struct CeilingQuantity {
  CeilingKey key;
  std::string own_name;  ///< what this machine calls the level
  std::string implementation;
  Figure figure;
  std::vector<Ceiling> rows;  ///< behind the figure: one of each run that has it
};

/// The figure is a time of one run of the operator, s.
struct PointQuantity {
  PointKey key;
  std::string implementation;
  Figure figure;
  std::vector<Point> rows;  ///< behind the figure: one of each run that has it
};

/// Of several runs the median of their estimates, and an interval that holds every run's estimate and interval; of one,
/// the estimate itself. Throws Error if there are none.
Figure figure_of(const std::vector<const Estimate*>& runs, std::string unit, bool higher_is_better);

/// Puts a figure and its interval into the estimate of a row.
void set_figure(Estimate& estimate, const Figure& figure);

/// The median power read while the rows of a quantity were measured, W; nothing where no row has one, and of less than
/// the whole node: the power is the whole device's.
std::optional<double> power_of(const CeilingQuantity& quantity);
std::optional<double> power_of(const PointQuantity& quantity);

}  // namespace gable::questions
