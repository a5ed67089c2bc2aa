#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/analysis/row_weights.hpp"
#include "core/analysis/subject.hpp"

namespace gable::analysis {

/// Where the power of a device under load comes from.
enum class PowerBasis {
  stated,
  measured,  ///< mean of what was read during the rows that count, each with its share of the weights
  tdp,       ///< nobody read it: the product's thermal design power
};
std::string_view to_string(PowerBasis basis);

/// The power of one device under load.
struct DevicePower {
  double watt{};
  PowerBasis basis{};
  std::size_t rows{};  ///< in so many rows it was read
};

/// Mean of the powers that were read on subject i during these rows, W, each with its row's share. Nothing where none
/// was read in a row that has a share.
std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights);

/// Of subject i: what is stated, else what was measured, else the TDP of the product. Throws Error where there is none.
DevicePower device_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
                         std::optional<double> stated);

}  // namespace gable::analysis
