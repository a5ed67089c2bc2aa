#pragma once
#include "cli/options.hpp"
#include "core/result/point_choice.hpp"

namespace gable::cli {

/// Adds --only and --top, for commands that show the points of a result.
inline void offer_point_choice(po::options_description& options) {
  auto add = options.add_options();
  add("only", many("PATTERN"),
      "show only operators and kernels whose id or name the pattern fits, with * ? [] as shells have them; may be "
      "repeated");
  add("top", one("N"), "show only the N that take most time, all their runs together");
}

inline bool chooses_points(const Options& values) { return values.has("only") || values.has("top"); }

/// What they ask for. Throws Error naming the option.
inline PointChoice point_choice(const Options& values) {
  PointChoice choice{.only = texts(values, "only")};
  if (values.has("top")) choice.top = positive_number<int>("top", values.text("top"));
  return choice;
}

}  // namespace gable::cli
