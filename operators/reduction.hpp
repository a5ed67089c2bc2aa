#pragma once
#include <cmath>

#include "operators/common.hpp"

namespace gable::operators {

/// What sum and dot share. r = sum over i of x[i], or of x[i] y[i] with two inputs; x, y: [n], r: [1], left on the
/// device. The order of the additions depends on n and the number of threads only, so that a run repeats to the last
/// bit. flop: n additions, as the sum begins at 0, and with two inputs n products; bytes: read ns an input, write s.
template <int inputs>
struct ReductionOf : StreamOperator<inputs> {
  using Params = ArrayOperator::Params;
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each input"}};

  static std::vector<Types> types() { return wide_types(); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    return {streaming_stage(inputs * n, 0, inputs * n, 1, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    std::vector<BufferSpec> list{{"x", p.n, types.a, Role::input}};
    if (inputs == 2) list.push_back({"y", p.n, types.b, Role::input});
    list.push_back({"r", 1, types.out, Role::output});
    return list;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    S total = 0.0;
    for (Index i = 0; i < p.n; ++i) {
      if constexpr (inputs == 2) {
        total += in[0][i] * in[1][i];
      } else {
        total += in[0][i];
      }
    }
    out[0][0] = total;
  }
  /// Roundings of either sign add up like the square root of their number.
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, std::sqrt(static_cast<double>(p.n)));
  }
};

/// r = sum over i of x[i]; x: [n], r: [1].
/// flop n; bytes: read ns, write s.
struct Sum : ReductionOf<1> {
  static constexpr std::string_view name = "sum";
  static constexpr std::string_view summary = "r = sum over i of x[i]; x: [n]";
};

/// r = sum over i of x[i] y[i]; x, y: [n], r: [1].
/// flop 2n; bytes: read 2ns, write s.
struct Dot : ReductionOf<2> {
  static constexpr std::string_view name = "dot";
  static constexpr std::string_view summary = "r = sum over i of x[i] y[i]; x, y: [n]";
};

}  // namespace gable::operators
