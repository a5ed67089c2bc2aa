#pragma once
#include <cmath>
#include <cstddef>

#include "operators/activation.hpp"
#include "operators/gemm.hpp"

namespace gable::operators {

/// What the ways of computing a transformer's feed-forward block share: y = gelu(x W1 + b1) W2 + b2; x, y: [m,d], W1:
/// [d,h], b1: [h], W2: [h,d], b2: [d]. flop 4mdh for both products, 10mh (a sum and GeluFormula) and md; exponentials
/// mh.
struct Mlp {
  struct Params {
    Index m, d, h;
    MatrixProduct::Params up() const { return {m, h, d}; }
    MatrixProduct::Params down() const { return {m, d, h}; }
  };
  static constexpr std::array fields{Field{"m", &Params::m, "tokens"}, Field{"d", &Params::d, "width of the model"},
                                     Field{"h", &Params::h, "width of the hidden layer"}};

  /// The kernels' exponential clamps its argument: inputs must be finite.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Params> default_params(const DeviceInfo&, const Types&) {
    return {{128, 512, 2048}, {512, 1024, 4096}};
  }
  /// Smaller than a tile, odd, whole tiles, more than one block of each size; 100 blocks for warpgroups, of
  /// five panels, and few blocks of depths that they multiply in parts (MatrixProduct).
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1},        {3, 5, 7},      {64, 32, 128},   {33, 67, 271},  {130, 72, 264},
            {6344, 264, 272}, {7, 300, 1100}, {66, 1104, 264}, {66, 264, 1104}};
  }
  /// The hidden layer.
  static double workspace_bytes(const Params& p, const Types& types) {
    return static_cast<double>(p.m) * static_cast<double>(p.h) * size_bytes(types.a);
  }
  /// Weights that keep what they are multiplied with at its size.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const double up = 1 / std::sqrt(static_cast<double>(p.d)), down = 1 / std::sqrt(static_cast<double>(p.h));
    return {{"x", p.m * p.d, types.a, Role::input}, {"w1", p.d * p.h, types.b, Role::input, -up, up},
            {"b1", p.h, types.b, Role::input},      {"w2", p.h * p.d, types.b, Role::input, -down, down},
            {"b2", p.d, types.b, Role::input},      {"y", p.m * p.d, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    std::vector<S> hidden(static_cast<std::size_t>(p.m * p.h));
    set_product<false, false>(p.up(), in[0].data(), in[1].data(), hidden.data());
    for (Index i = 0; i < p.m * p.h; ++i) hidden[i] = GeluFormula::value(hidden[i] + in[2][i % p.h]);
    set_product<false, false>(p.down(), hidden.data(), in[3].data(), out[0].data());
    for (Index i = 0; i < p.m * p.d; ++i) out[0][i] += in[4][i % p.d];
  }
  /// `stored` counts the roundings to the storage type, of values up to about 2.
  static double tolerance(const Params& p, const Types& types, double stored) {
    return 2 * stored * rounding_tolerance(types, 0) +
           2 * rounding_tolerance(types, static_cast<double>(p.d + p.h) + GeluFormula::flops);
  }
};

/// A transformer's feed-forward block, y = gelu(x W1 + b1) W2 + b2, in two launches: biases and activation are added
/// where the products' sums are in registers, the hidden layer goes through memory. x, y: [m,d], W1: [d,h], b1: [h],
/// W2: [h,d], b2: [d]. flop 4mdh + 10mh + md; exponentials mh; bytes: read (md + dh + h)s, write mh s; read (mh + hd +
/// d)s, write md s.
struct MlpFused : Mlp {
  static constexpr std::string_view name = "mlp_fused";
  static constexpr std::string_view summary = "y[m,d] = gelu(x[m,d] W1[d,h] + b1[h]) W2[h,d] + b2[d] in two launches";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), d = static_cast<double>(p.d), h = static_cast<double>(p.h);
    Stage up = product_stage(2 * m * d * h, m * d + d * h + h, m * h, types);
    up.name = "up";
    up.work.push_back({Unit::vector, (1 + GeluFormula::flops) * m * h});
    up.work.push_back({Unit::exp, m * h});
    Stage down = product_stage(2 * m * d * h, m * h + h * d + d, m * d, types);
    down.name = "down";
    down.work.push_back({Unit::vector, m * d});
    return {up, down};
  }
  static double tolerance(const Params& p, const Types& types) { return Mlp::tolerance(p, types, 2); }
};

/// The same as mlp_fused in four launches (product, bias and gelu, product, bias), what lies between them in memory in
/// the storage type. flop and exponentials as mlp_fused; bytes: read (md + dh)s, write mh s; read (mh + h)s, write mh
/// s; read (mh + hd)s, write md s; read (md + d)s, write md s.
struct MlpUnfused : Mlp {
  static constexpr std::string_view name = "mlp_unfused";
  static constexpr std::string_view fused = "mlp_fused";
  static constexpr std::string_view summary = "y[m,d] = gelu(x[m,d] W1[d,h] + b1[h]) W2[h,d] + b2[d] in four launches";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto m = static_cast<double>(p.m), d = static_cast<double>(p.d), h = static_cast<double>(p.h);
    std::vector<Stage> stages{product_stage(2 * m * d * h, m * d + d * h, m * h, types),
                              streaming_stage((1 + GeluFormula::flops) * m * h, m * h, m * h + h, m * h, types),
                              product_stage(2 * m * d * h, m * h + h * d, m * d, types),
                              streaming_stage(m * d, 0, m * d + d, m * d, types)};
    stages[0].name = "up";
    stages[1].name = "gelu";
    stages[2].name = "down";
    stages[3].name = "bias";
    for (const std::size_t pass : {1, 3}) update_in_place(stages[pass]);
    return stages;
  }
  static double tolerance(const Params& p, const Types& types) { return Mlp::tolerance(p, types, 4); }

 private:
  /// The passes behind the products read and write one array.
  static void update_in_place(Stage& stage) {
    stage.bytes_updated = stage.bytes_written;
    stage.working_set -= stage.bytes_written;
  }
};

}  // namespace gable::operators
