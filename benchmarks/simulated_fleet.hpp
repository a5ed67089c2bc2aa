#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/questions/campaign/flag_rule.hpp"

/// Fleets of which it is known who is slow, judged by the rule.
namespace gable::bench {

using campaign::FleetFigure, campaign::FleetSpread, campaign::NodeVerdict;

/// One quantity, a rate, over all nodes; normal spread, no intervals.
struct FleetCase {
  std::size_t nodes{};
  double mad{};          ///< of healthy nodes, as a part of the median
  double slow_by{};      ///< loss of the slow nodes
  std::size_t slow{};    ///< how many they are
  bool drifting{false};  ///< one half of the nodes runs 1 % faster than the other: clocks of two batches of processors
};

struct Found {
  double detection{};    ///< part of the slow nodes' rows that are flagged or to be measured again
  double false_in_60{};  ///< healthy nodes' rows called slow in 60 quantities of one fleet
};

/// `fleets` quantities of such fleets. The same seed gives the same figures.
inline Found judge(const FleetCase& fleet, int fleets, std::uint64_t seed = 1) {
  // the median absolute deviation of normal values is 0.6745 of their standard deviation
  const double deviation = fleet.mad * 1.4826;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, deviation);
  std::size_t found = 0, wrong = 0;
  for (int i = 0; i < fleets; ++i) {
    std::vector<FleetFigure> figures(fleet.nodes);
    for (std::size_t n = 0; n < fleet.nodes; ++n) {
      const double of_batch = fleet.drifting && n % 2 == 1 ? 1.01 : 1.0;
      figures[n].value = of_batch * (1 + noise(random)) * (n < fleet.slow ? 1 - fleet.slow_by : 1);
    }
    const FleetSpread spread = spread_of(figures);
    for (std::size_t n = 0; n < fleet.nodes; ++n) {
      if (judge_by_fleet(figures[n], spread, true) < NodeVerdict::retest) continue;
      ++(n < fleet.slow ? found : wrong);
    }
  }
  const double all_slow = static_cast<double>(fleet.slow) * fleets;
  return {all_slow > 0 ? static_cast<double>(found) / all_slow : 0, 60.0 * static_cast<double>(wrong) / fleets};
}

}  // namespace gable::bench
