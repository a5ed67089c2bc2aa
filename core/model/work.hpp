#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/dtype.hpp"

namespace gable {

/// Which execution unit a count of operations needs. Ceilings beside those of arithmetic, which elementwise operators
/// meet: `exp`, exponentials; `convert`, conversions between a 2-byte storage type and fp32; `divide`, divisions and
/// square roots, which one divider does on CPUs (a root takes it at least as long as a division), and for which GPUs
/// need an estimate of their special function unit. `multiply_add` is work only, never a ceiling: products that any
/// unit may do, vector or matrix, whichever is the faster for the types.
enum class Unit { scalar, vector, matrix, exp, convert, divide, multiply_add };
constexpr auto names_of(Unit) {
  return names_up_to<Unit::multiply_add>("scalar", "vector", "matrix", "exp", "convert", "divide", "multiply_add");
}
inline std::optional<Unit> parse_unit(std::string_view text) { return parse_name<Unit>(text); }

/// Whether the operations of a unit are flops: all but those of exp, convert and divide, which are counted in elements.
bool is_flop(Unit unit);
/// The same of a unit that works on this type: operations on integers are no flops.
bool is_flop(Unit unit, DType dtype);
/// What is counted: "flop", else "op".
std::string_view operation_name(Unit unit, DType dtype);
/// The unit of its rate in files: "flop/s", else "op/s".
std::string_view rate_unit(Unit unit, DType dtype);
/// The type of the roof that work of these types meets on a unit.
DType type_on(Unit unit, const Types& types);

/// Operations of one stage that one unit must do. An FMA counts 2, max and compare count 1; `exp`, `convert`
/// and `divide` count elements. All others are flops.
struct UnitWork {
  Unit unit{Unit::vector};
  double operations{};
};

/// Bytes that move between a named inner level and the next inner one, where a model or a counter gives them.
struct LevelBytes {
  std::string level;
  double bytes{};
};

/// One launch (or one fused group of launches) of an operator: compulsory work, each input read once and each output
/// written once.
struct Stage {
  std::string name;
  std::vector<UnitWork> work;
  double bytes_read{};     ///< byte
  double bytes_written{};  ///< byte
  double working_set{};    ///< byte touched, each once; decides which level the data can be hot in
  int launches{1};
  std::vector<LevelBytes> inner;  ///< traffic of inner levels; empty: inner roofs are drawn, not applied
  double bytes_updated{};  ///< byte; of those written, the ones read from the same place: no cache has to fetch their
                           ///< lines
  double random_lines{};   ///< reads of single lines in an order that nothing foretells, each of them counted
  double random_span{};    ///< byte that these lie in, each line as likely as another
};

/// What a random read moves at least, byte.
inline constexpr double line_bytes = 64;

/// How many of n different things are among `draws` uniformly random ones, in expectation: n (1 - (1 - 1/n)^draws).
double expected_distinct(double n, double draws);
/// All bytes of a stage times a factor, on each level.
void scale_bytes(Stage& stage, double factor);
/// The stages of so many runs, each on arrays of its own.
std::vector<Stage> repeated(std::vector<Stage> stages, int runs);
/// flop of one stage: all operations of units that is_flop() names.
double flops(const Stage& stage);
/// byte of one stage: read + written.
double bytes(const Stage& stage);
/// Which bytes a stage moves: what roofs of bandwidth differ by.
struct Traffic {
  double read_fraction{1};  ///< reads among all bytes
  double in_place{};        ///< bytes that are read and written in place (both counted) among all bytes

  /// Reads among the bytes that do not move in place. Not to be asked where all do.
  double read_fraction_of_rest() const { return (read_fraction - in_place / 2) / (1 - in_place); }
};
/// Two reads a write.
inline constexpr Traffic triad_traffic{2.0 / 3.0, 0};
/// Reads only where no byte moves.
Traffic traffic_of(const Stage& stage);
double flops(const std::vector<Stage>& stages);
double bytes(const std::vector<Stage>& stages);
/// flop/byte over all stages; 0 when nothing is computed. Throws Error when no byte moves.
double intensity(const std::vector<Stage>& stages);

}  // namespace gable
