#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/report/plot_data.hpp"

namespace gable::report {

/// The flat roofs of one type and unit that share a label in the right margin.
struct RoofGroup {
  std::string name;
  std::map<OperatingPoint, double> rates;  ///< flop/s
  double top{};                            ///< highest of them
  unsigned colour{};

  /// Name and highest rate.
  std::string first_line() const;
  /// The other operating points; empty if there is but one.
  std::string second_line() const;
};

std::vector<RoofGroup> roof_groups(const PlotData& data);

/// Those of one device and unit whose lines lie on each other as one: "A fp32/fp16 vector". Groups of several operating
/// points stay as they are. `several_devices`: names begin with a letter.
std::vector<RoofGroup> merged(const std::vector<RoofGroup>& groups, bool several_devices);

}  // namespace gable::report
