#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/roofline.hpp"
#include "core/operator.hpp"

namespace gable::bench {

/// What a goal is about: a ratio of figures of one round, the higher the better.
enum class Figure {
  bound,    ///< least time by the round's roofs / time
  streams,  ///< least time by the round's ordinary streams alone / time
  vendor,   ///< time of the vendor's library / time
  time,     ///< time of another operator / time
  rate,     ///< flop/s / flop/s of another operator
};

/// Where the data of an operator are between runs.
enum class Residence { any, cache, memory };

/// One speed goal. The operator "*" stands for every one without a goal by its own name for the same figure.
struct Goal {
  std::string_view op;
  std::string_view params;  ///< every one of these: "l=2048,d=64"; empty: all sizes
  std::string_view dtypes;  ///< storage types of `a`, separated by blanks; empty: all
  Residence where{Residence::any};
  Figure figure{};
  double least{};                   ///< 0: none, and none for all applies either
  std::string_view other{};         ///< time, rate: the operator beside
  std::string_view other_params{};  ///< empty: the same as ours
  std::string_view other_dtype{};   ///< empty: the same types as ours
};

/// All goals of the catalogue.
std::span<const Goal> speed_goals();

/// One operator at one size in one type.
struct Subject {
  std::string_view op;
  const Params& params;
  const Types& types;
  Residence where{};
};

/// The goals that apply to it, at most one of each figure and other operator: the first by its own name, else the first
/// for all, but none for all where the vendor's library is the measure. Which of them are for the roof that limits is
/// said by counts_for().
std::vector<Goal> goals_for(std::span<const Goal> goals, const Subject& subject);

/// Sizes of an operator that goals name whole, every parameter of it, in the order of `goals`, each once.
std::vector<Params> goal_sizes(std::span<const Goal> goals, const OperatorSpec& spec, const Types& types);

/// Whether a goal for Figure::bound holds where this limits: bandwidth, launches, exponentials and conversions. What
/// plain arithmetic limits has no general goal.
bool counts_for(const Limit& limit, const Roofline& roofline);

/// cache or memory: memory if more than half of what the stages move must come from the outermost of the levels.
Residence residence(std::span<const Stage> stages, std::span<const Level> levels);

}  // namespace gable::bench
