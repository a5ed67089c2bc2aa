#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/machine.hpp"
#include "core/model/work.hpp"

namespace gable::analysis {

/// Roofs that somebody states. At least one of peak and bandwidth; what is not stated bounds nothing.
struct StatedRoofs {
  std::optional<double> flop_per_s;  ///< of every unit
  std::optional<double> byte_per_s;  ///< of main memory
  std::optional<double> launch_s;    ///< of one launch, hidden behind longer work
};
/// Throws Error if neither peak nor bandwidth is stated.
Machine machine_of(const StatedRoofs& roofs, const Types& types);
/// The same for work in several types.
Machine machine_of(const StatedRoofs& roofs, std::span<const Types> all_types);

/// The bound of some work, and how far it is from the ridge.
struct Prediction {
  double flop{}, bytes{};
  int launches{};
  std::optional<double> intensity;   ///< flop / byte; nothing where no byte moves
  std::optional<double> peak;        ///< highest roof of its arithmetic, flop/s
  std::optional<double> ridge;       ///< peak / bandwidth at the mix of reads and writes, flop/byte
  std::optional<double> attainable;  ///< flop / least time, flop/s; nothing where nothing is computed, or it is open
  Bound bound;
  std::vector<std::string> missing;  ///< roofs that the bound was made without
  /// Whether the roofs that it was made without leave it open what decides: then it is a least time, and no regime, no
  /// rate and no ratio rests on it. Vendors print no roofs for exponentials and conversions: these leave nothing open.
  bool open{};
  double working_set{};            ///< byte that the largest stage touches, each once
  std::optional<double> capacity;  ///< byte, of the level that is named; nothing where none is, or it has no bound

  bool fits() const { return !capacity || working_set <= *capacity; }
};

/// Work whose data come from main memory (or, not cold, from where they stay between runs), or, where a level of the
/// machine is named, stay in it, whether they fit or not (Prediction::fits()). Throws Error if the machine has no roof
/// at all for it, no such level, or a figure that is not finite comes out.
Prediction predict(const Machine& machine, std::span<const Stage> stages, const Types& types,
                   const std::string& level = {}, bool cold = true);

/// The unit that most of the arithmetic needs; nothing where nothing is computed. Exponentials and conversions are not
/// arithmetic.
std::optional<Unit> main_unit(std::span<const Stage> stages);

/// "memory-bound: DRAM read": the regime of a bound and the roof that decides it.
std::string verdict(const Limit& limit);
/// Its first part: "memory-bound"; "no roof" for none.
std::string_view bound_name(LimitKind kind);

}  // namespace gable::analysis
