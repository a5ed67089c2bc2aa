#pragma once
#include <map>
#include <string>

#include "core/questions/explain/explanation.hpp"

namespace gable::questions {

/// What the points of one device say together: which roof limits most of their time, and which lever saves most of it.
class TimeSpent {
 public:
  /// An invalid point is left out.
  void add(const Explanation& one);
  /// "63 % of the 1.2 s of 80 operators is memory-bound (DRAM); best lever: …"; empty without a point.
  std::string words() const;

 private:
  struct Saving {
    double s{}, most_s{};  ///< of all points it is the best lever of; of the one that saves most
    std::string most;      ///< what that is: "gemm fp32, 2x"
  };
  int points_{};
  double s_{};
  std::map<Regime, std::map<std::string, double>> limits_{};  ///< s by the roofs that limit them
  std::map<std::string, Saving> levers_{};                    ///< by name
};

}  // namespace gable::questions
