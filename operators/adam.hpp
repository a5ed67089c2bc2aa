#pragma once
#include <cmath>

#include "operators/common.hpp"

namespace gable::operators {

/// A step of AdamW (Kingma, Ba, arXiv:1412.6980, with the bias corrections folded into constants as at the end of its
/// section 2; decoupled weight decay: Loshchilov, Hutter, arXiv:1711.05101), in mixed precision, in place:
///   m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g g,  w = (1 - lr decay) w - lr sqrt(c2)/c1 m / (sqrt(v) + eps
///   sqrt(c2))
/// with step 1000, b1 0.9, b2 0.999, eps 1e-8, lr 1e-3, decay 0.01; w, m, v: [n] in fp32; gradient g: [n] in fp32, fp16
/// or bf16; from a 2-byte gradient a copy of w in its type is written too: [n]. flop 13n (3, 4, and 6: root, sum,
/// quotient, product, decay, difference); bytes of a parameter: fp32 read 16, write 12, together 28; 2-byte read 14,
/// write 12 and the copy's 2, together 26 + 2.
struct Adam : ArrayOperator {
  static constexpr std::string_view name = "adam";
  static constexpr std::string_view summary = "w[n], m[n], v[n] in place by AdamW from g[n]; 2-byte g: a copy of w too";
  static constexpr std::array fields{Field{"n", &Params::n, "parameters of the model"}};

  static constexpr double b1 = 0.9, b2 = 0.999, eps = 1e-8, lr = 1e-3, decay = 0.01;
  /// sqrt(c2), c2 = 1 - b2^1000: the 1000th step; c1 = 1 - b1^1000 is 1 in fp64.
  static constexpr double root_c2 = 0.79517581403676757;
  static constexpr double kept = 1 - lr * decay;  ///< of a weight
  static constexpr double step = lr * root_c2;    ///< times m / (sqrt(v) + floor)
  static constexpr double floor = eps * root_c2;

  /// a, and out, is the gradient's type; b that of w, m and v.
  static constexpr Types types_for(DType gradient) {
    return {gradient, DType::fp32, gradient, DType::fp32, DType::fp32};
  }
  static std::vector<Types> types() { return {types_for(DType::fp32), types_for(DType::fp16), types_for(DType::bf16)}; }
  /// Bytes of the copy of a weight.
  static double copied(const Types& types) { return size_bytes(types.a) < 4 ? size_bytes(types.a) : 0; }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return elements_for_working_sets<Params>(device, 12 + size_bytes(types.a) + copied(types));
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    Stage stage;
    stage.name = "run";
    stage.work.push_back({Unit::vector, 13 * n});
    stage.work.push_back({Unit::divide, 2 * n});
    if (copied(types) > 0) stage.work.push_back({Unit::convert, 2 * n});
    stage.bytes_read = n * (12 + size_bytes(types.a));
    stage.bytes_written = n * (12 + copied(types));
    stage.bytes_updated = n * 12;
    stage.working_set = n * (12 + size_bytes(types.a) + copied(types));
    return {stage};
  }
  /// Ranges in which an error of m or v would show beside the rounding of the copy.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const double kept_exactly = rounding_tolerance(types_for(DType::fp32), 8);
    std::vector<BufferSpec> list{{"g", p.n, types.a, Role::input, -8.0, 8.0},
                                 {"w", p.n, types.b, Role::updated, -1.0, 1.0, {}, kept_exactly},
                                 {"m", p.n, types.b, Role::updated, -8.0, 8.0, {}, kept_exactly},
                                 {"v", p.n, types.b, Role::updated, 1.0, 64.0, {}, kept_exactly}};
    if (copied(types) > 0) list.push_back({"copy", p.n, types.out, Role::output});
    return list;
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    using std::sqrt;
    for (Index i = 0; i < p.n; ++i) {
      const S g = in[0][i];
      const S m = S(b1) * in[2][i] + S(1 - b1) * g;
      const S v = S(b2) * in[3][i] + S(1 - b2) * g * g;
      const S w = S(kept) * in[1][i] - S(step) * (m / (sqrt(v) + S(floor)));
      out[0][i] = w;
      out[1][i] = m;
      out[2][i] = v;
      if (out.size() > 3) out[3][i] = w;
    }
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 8); }
};

}  // namespace gable::operators
