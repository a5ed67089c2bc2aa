#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/model/dtype.hpp"
#include "core/model/work.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

using gable::machine_of;  // of a datasheet, of a result
/// Roofs that somebody states. At least one of peak and bandwidth; what is not stated bounds nothing.
struct StatedRoofs {
  std::optional<double> flop_per_s;  ///< of every unit
  std::optional<double> byte_per_s;  ///< of main memory
  std::optional<double> launch_s;    ///< of one launch, hidden behind longer work
};
/// For work in these types. Throws Error if neither peak nor bandwidth is stated.
MachineModel machine_of(const StatedRoofs& roofs, std::span<const Types> all_types);

/// Bounds that differ by less decide nothing: nobody reaches them.
inline constexpr double level_part = 0.01;

/// The bound of some work, and how far it is from the ridge.
struct Prediction {
  double flop{}, bytes{};
  int launches{};
  std::optional<double> intensity;  ///< flop / byte; nothing where no byte moves
  std::optional<double> peak;       ///< highest roof of its arithmetic, flop/s
  std::optional<double> ridge;      ///< peak / bandwidth at the mix of reads and writes, flop/byte
  /// Flop under `peak` / least time, flop/s; nothing where nothing is computed, or it is open.
  std::optional<double> attainable;
  Bound bound;
  std::vector<std::string> missing;  ///< roofs that the bound was made without
  /// Whether the roofs that it was made without, or what is not known of the work (Work::unknown), leave it open what
  /// decides: then it is a least time, and no regime, no rate and no ratio rests on it. Vendors print no roofs for
  /// exponentials and conversions: these leave nothing open.
  bool open{};
  double working_set{};            ///< byte that the largest stage touches, each once
  std::optional<double> capacity;  ///< byte, of the level that is named; nothing where none is, or it has no bound
  std::optional<double> told_capacity{};  ///< what the system says of it, where `capacity` was measured

  bool fits() const { return !capacity || working_set <= *capacity; }
};

/// Work whose data come from main memory (or, not cold, from where they stay between runs), or, where a level of the
/// machine is named, stay in it, whether they fit or not (Prediction::fits()). Throws Error if the machine has no roof
/// at all for it, no such level, or a figure that is not finite comes out.
Prediction predict(const MachineModel& machine, std::span<const Stage> stages, const Types& types,
                   const std::string& level = {}, bool cold = true);

/// The unit that most of the arithmetic needs; nothing if nothing is computed. Exponentials and conversions do not
/// count.
std::optional<Unit> main_unit(std::span<const Stage> stages);

/// Smallest number in [1, most] with a property that, once true, stays true. Doubles until it holds, then bisects.
/// Nothing if none that was tried has it.
template <class Has>
std::optional<std::int64_t> smallest(std::int64_t most, Has&& has) {
  std::int64_t low = 0, high = 1;
  while (!has(high)) {
    if (high >= most) return {};
    low = high;
    high = high > most / 2 ? most : 2 * high;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (has(middle) ? high : low) = middle;
  }
  return high;
}

/// Says so where a machine has no roof for products of a type, as it is stored, and they are counted at the roof of a
/// wider one that holds its values: "no figure of a unit for products of bf16: they are counted as products of fp32 on
/// the vector unit, which holds every value of it". Empty where nothing is widened, or no roof is there.
std::string widening_note(const MachineModel& machine, const Types& types);

/// The same fp8 in the other flavour, AMD's fnuz of OCP's and OCP's of that; other types themselves.
DType other_flavour(DType type);
/// The flavour of fp8 that the machine multiplies in place of this one; the same where it has this one or none.
DType flavour_of(DType type, const MachineModel& machine);
/// "fp8_e4m3 is taken as fp8_e4m3fnuz, which this device multiplies"
std::string flavour_note(DType asked, DType taken);

/// The machine with what its units sustain in place of their bursts, where both were measured: what work that lasts
/// gets. Nothing where that changes nothing.
std::optional<MachineModel> sustained(const MachineModel& machine);

/// A time in s, with its 95 % interval where there is one.
struct Timed {
  double value{};
  std::optional<double> low{}, high{};

  Timed times(double factor) const;
  Timed at_least(double least) const;
};

/// Some work on a machine, fp8 in its flavour: one row of `gable predict`.
struct Predicted {
  Work work;
  std::string machine, basis;
  std::string level;  ///< that its data stay in; empty where none is named
  Prediction prediction;
  std::optional<double> sustained_s{};  ///< least time on the machine as sustained(); nothing where it is the same
  std::string note{};                   ///< of types that the machine has no unit for
  bool sized{true};                     ///< false: only an intensity is given; no amount and no time belongs to it
  std::optional<Timed> measured{};      ///< of the point that all rows start from; in its own row
  /// In the others: at the fraction of the bound that the point reached, if that is known.
  std::optional<Timed> expected{};
};

Predicted predict(const Work& work, const MachineModel& machine, const std::string& level);
/// The same for a measured point under its own roofs.
Predicted predict_measured(const Point& point, const MachineModel& machine);
/// Sets the expected time: the row's bound times the point's ratio of measured time to bound, at least 1. Nothing where
/// a roof is missing, or what decides is open.
void expect(Predicted& row, const Predicted& point);

/// Rows of `gable predict`, the first of which is what factors refer to. `items`: results that the work yields.
/// Throws Error where a figure is not finite: quotients of finite figures need not be.
Answer prediction_answer(std::span<const Predicted> rows, std::optional<double> items, bool formulas);

/// Where a size reaches the ridge; nothing where it does not.
struct Reach {
  std::string op, dtype, machine, size;
  std::optional<std::int64_t> from;
  double intensity{}, ridge{};  ///< flop/byte there; where it does not, at the largest size that was tried
};
/// Smallest value of a size at which the operator's intensity is the ridge's. Throws Error where there is no ridge.
Reach reach_of(const OperatorSpec& spec, const Params& given, const std::string& size, DType dtype,
               const MachineModel& machine);
Answer reach_answer(std::span<const Reach> reaches);

}  // namespace gable::questions
