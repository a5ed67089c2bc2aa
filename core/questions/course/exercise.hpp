#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// Something to predict before looking: the answer follows from roofs by the formulas of docs/method.md, or is a
/// quotient of two measured figures.
struct Exercise {
  std::string id;        ///< "ridge/A/fp64": the letter is the device's in a report
  std::string question;  ///< with every figure that the answer needs
  std::string unit;      ///< of the answer: "flop/byte", "GFLOP/s", "times as fast"
  double answer{};
  double tolerance{};   ///< a part of 1, on both sides
  std::string working;  ///< how it comes about, and what was measured
};

/// "within a factor of 1.05", of a tolerance of 0.05: both ways from the answer.
std::string tolerance_text(double tolerance);

enum class Grade {
  right,  ///< within the tolerance
  near,   ///< within three times of it, as factors
  wrong,
  missing,  ///< no answer was given
};
std::string_view to_string(Grade grade);
/// Factors count alike in both directions: half the answer is as wrong as twice of it.
Grade grade(const Exercise& exercise, std::optional<double> answer);

/// A device that exercises ask about, as a report shows it: figures of other scopes are not set beside these.
struct ExerciseDevice {
  std::string letter;            ///< "A"
  std::string name;              ///< for people
  std::string id{};              ///< of its rows; empty of a datasheet
  std::optional<Scope> scope{};  ///< of its rows; none of a datasheet
  MachineModel machine;
  bool processor{};                         ///< it runs programs itself, others are handed work over a link
  std::optional<double> link_byte_per_s{};  ///< from the host, one way
  std::string link_name{};                  ///< "PCIe 5.0 x16, by its standard"
};

/// Byte/s of sixteen lanes of a PCIe generation, one way; nothing of generations without 128b/130b coding (3 to 5 have
/// it): 8 GT/s x 2^(generation - 3) x 16 lanes x 128/130 / 8 bit.
std::optional<double> pcie_byte_per_s(int generation);

/// Ridges; where operators land; what twice the bandwidth gives; vectors, fused multiply-add and cores taken away;
/// stores past the caches; fusion; another device; from which size on a device behind a link beats the processor. Those
/// whose figures are not there are left out.
std::vector<Exercise> exercises(const Result& result, std::span<const ExerciseDevice> devices, Operators operators);

}  // namespace gable::questions
