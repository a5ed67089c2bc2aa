#pragma once
#include <map>
#include <set>
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
    double s{}, most_s{};  ///< of all points; of the one that saves most
    double advised_s{};    ///< without points in fp64 of which a narrower type is not the best lever
    std::string most;      ///< which point that is: "gemm fp32, 2x"
  };
  std::set<std::string> operators_{};
  double s_{};
  std::map<Regime, std::map<std::string, double>> limits_{};  ///< s by the roofs that limit them
  std::map<std::string, Saving> levers_{};                    ///< by name
};

}  // namespace gable::questions
