#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/prediction.hpp"
#include "core/analysis/what_if.hpp"
#include "core/model/answer.hpp"

namespace gable::analysis {

/// A time in s, with its 95 % interval where there is one.
struct Timed {
  double value{};
  std::optional<double> low{}, high{};

  Timed times(double factor) const;
  Timed at_least(double least) const;
};

/// Some work on a machine: one row of `gable predict`.
struct Predicted {
  Work work;
  std::string machine, basis;
  std::string level;  ///< that its data stay in; empty where none is named
  Prediction prediction;
  std::string note{};               ///< of types that the machine has no unit for
  bool sized{true};                 ///< false: only an intensity is given; no amount and no time belongs to it
  std::optional<Timed> measured{};  ///< of the point that all rows start from; in its own row
  /// In the others: at the fraction of the bound that the point reached, if that is known.
  std::optional<Timed> expected{};
};

Predicted predict(const Work& work, const Machine& machine, const std::string& level);
/// The same for a measured point under its own roofs.
Predicted predict_measured(const Point& point, const Machine& machine);
/// Sets what is expected of a row: the point's distance to its bound, which is at least its bound, stays as it is.
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
               const Machine& machine);
Answer reach_answer(std::span<const Reach> reaches);

}  // namespace gable::analysis
