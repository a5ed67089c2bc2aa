#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "core/questions/compare/row_weights.hpp"
#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// Where the power of a device under load comes from.
enum class PowerBasis {
  stated,
  measured,    ///< mean of what was read during the rows that count, each with its share of the weights
  other_rows,  ///< none was read in a row that counts: the median over all operators, compute units and bandwidths
  tdp,         ///< nobody read it: the product's thermal design power
  power_cap,   ///< nobody read it, and the file has a cap below the TDP
};
std::string_view to_string(PowerBasis basis);

/// What stands behind a power: not all of them hold the same parts of a machine.
enum class PowerMeter {
  none,      ///< the buyer states it
  packages,  ///< of a CPU: its packages' counters, without memory modules and the rest of the host
  board,     ///< of a GPU: its management library, with its memory
  vendor,    ///< a figure of the catalogue, not measured under load
};
std::string_view to_string(PowerMeter meter);

/// The power of one device under load.
struct DevicePower {
  double watt{};
  PowerBasis basis{};
  PowerMeter meter{};
  std::size_t rows{}, of_rows{};              ///< it was read in so many of the rows that count, or of the others
  std::optional<double> least_w{}, most_w{};  ///< of the readings behind a measured one
};

/// Mean of the powers that were read on subject i during these rows, W, each with its row's share. Nothing where none
/// was read in a row that has a share.
std::optional<double> weighted_power(std::size_t i, const std::vector<RowWeight>& weights);

/// The cap that the files of a subject tell of, W, all packages together; the highest of several runs. Nothing if none
/// does.
std::optional<double> power_cap_w(const Subject& subject);

/// Of subject i: what is stated, else what was measured, else the TDP of the product or the power cap, whichever is
/// less. Throws Error where there is none.
DevicePower device_power(const Subject& subject, std::size_t i, const std::vector<RowWeight>& weights,
                         std::optional<double> stated);

}  // namespace gable::questions
