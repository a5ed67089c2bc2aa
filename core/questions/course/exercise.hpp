#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// What an answer is worked out from: they are graded apart.
enum class ExerciseKind {
  predict,  ///< the figures in the question and the model
  measure,  ///< a report, or a run of one's own
  why,      ///< what the textbook says and the machine does not: the figure that shows the reason
};
constexpr auto names_of(ExerciseKind) { return names_up_to<ExerciseKind::why>("predict", "measure", "why"); }
using gable::to_string;

/// A wrong answer that has a known way to it.
struct Mistake {
  std::string name;  ///< "bits for bytes"
  double answer{};
  double credit{};  ///< of a point
};
/// Credit of a slip in units, where the way was right, and of a wrong way.
inline constexpr double slip_credit = 0.5, wrong_way_credit = 0.25;

struct Exercise {
  std::string id;        ///< "ridge/A/fp64": the letter is the device's in a report
  std::string question;  ///< with every figure that the answer needs, unless it is to be measured
  std::string unit;      ///< of the answer: "flop/byte", "GFLOP/s", "times as fast"
  double answer{};
  double tolerance{};   ///< a part of 1, on both sides
  std::string working;  ///< how it comes about
  ExerciseKind kind{ExerciseKind::predict};
  std::vector<Mistake> mistakes{};
};

/// "within a factor of 1.05", of a tolerance of 0.05: both ways from the answer.
std::string tolerance_text(double tolerance);

/// What a lab is about.
enum class Topic {
  all,
  machine,  ///< one machine: its roofs, what operators do under them, and what its parts give
  gpu,      ///< a processor and what a GPU does better, and what worse
};
constexpr auto names_of(Topic) { return names_up_to<Topic::gpu>("all", "machine", "gpu"); }

/// A device that exercises ask about, as a report shows it: figures of other scopes are not set beside these.
struct ExerciseDevice {
  std::string letter{};          ///< "A"
  std::string name{};            ///< for people
  std::string id{};              ///< of its rows; empty of a datasheet
  std::optional<Scope> scope{};  ///< of its rows; none of a datasheet
  MachineModel machine{};
  bool processor{};                         ///< it runs programs itself, others are handed work over a link
  std::optional<double> link_byte_per_s{};  ///< from the host, one way
  std::string link_name{};                  ///< "PCIe 5.0 x16, by its standard"
};

/// Byte/s of sixteen lanes of a PCIe generation, one way; nothing of generations without 128b/130b coding (3 to 5 have
/// it): 8 GT/s x 2^(generation - 3) x 16 lanes x 128/130 / 8 bit.
std::optional<double> pcie_byte_per_s(int generation);

/// Predictions first, then what is to be measured, then contradictions. Those whose figures are not there, or do not
/// bear out within their intervals what the exercise teaches, are left out.
std::vector<Exercise> exercises(const Result& result, std::span<const ExerciseDevice> devices, Operators operators,
                                Topic topic = Topic::all);

}  // namespace gable::questions
