#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/prediction.hpp"
#include "core/analysis/what_if.hpp"

namespace gable::cli {

/// A time in s, with its 95 % interval where there is one.
struct Timed {
  double value{};
  std::optional<double> low{}, high{};

  Timed times(double factor) const;
  Timed at_least(double least) const;
};

/// One row: some work on a machine.
struct PredictedLine {
  analysis::Work work;
  std::string dtype, machine, basis;
  std::string level;  ///< that its data stay in; empty where none is named
  analysis::Prediction prediction;
  std::string note{};               ///< of types that the machine has no unit for
  bool sized{true};                 ///< false: only an intensity is given; no amount and no time belongs to it
  std::optional<Timed> measured{};  ///< of the point that all rows start from; in its own row
  /// In the others: at the fraction of the bound that the point reached, if that is known.
  std::optional<Timed> expected{};
};

/// Where a size reaches the ridge; nothing where it does not.
struct Reach {
  std::string op, dtype, machine, size;
  std::optional<std::int64_t> from;
  double intensity{}, ridge{};  ///< flop/byte there; where it does not, at the largest size that was tried
};

/// `items`: results that the work yields.
void print_predictions(const std::vector<PredictedLine>& lines, std::optional<double> items);
void print_predictions_json(const std::vector<PredictedLine>& lines, std::optional<double> items);
void print_prediction_formulas(const std::vector<PredictedLine>& lines);
void print_reach(const std::vector<Reach>& list, std::int64_t most, bool as_json);

}  // namespace gable::cli
