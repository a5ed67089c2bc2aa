#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = a[i] + b[i], a residual connection; a, b, y: [n].
/// flop n; bytes: read 2ns, write ns.
struct Add : StreamOperator<3> {
  static constexpr std::string_view name = "add";
  static constexpr std::string_view summary = "y[n] = a[n] + b[n]";
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(n, 0, 2 * n, n, types)};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"a", p.n, types.a, Role::input}, {"b", p.n, types.b, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[0][i] + in[1][i];
  }
  static double tolerance(const Params&, const Types& types) { return rounding_tolerance(types, 1); }
};

/// y[i] += a x[i] in place; x, y: [n]. a is 3 in the first run and changes its sign from run to run, so that y stays
/// bounded however often it runs (a captured graph repeats one sign, which lets y grow by 3 a run).
/// flop 2n; bytes: read 2ns, write ns, without write-allocate traffic: y is read anyway.
struct Axpy : StreamOperator<2> {
  static constexpr std::string_view name = "axpy";
  static constexpr std::string_view summary = "y[n] += a x[n], in place";
  static constexpr std::array fields{Field{"n", &Params::n, "elements of each array"}};
  static constexpr double a = 3.0;

  static std::vector<Types> types() { return wide_types(); }
  /// The working set is two arrays: y is one, read and written.
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    Stage stage = streaming_stage(2 * n, 0, 2 * n, n, types);
    stage.bytes_updated = n * size_bytes(types.out);
    stage.working_set = 2 * n * size_bytes(types.a);
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input}, {"y", p.n, types.out, Role::updated}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    const S factor = a;
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[1][i] + factor * in[0][i];
  }
  static double tolerance(const Params&, const Types& types) { return 4 * rounding_tolerance(types, 2); }
};

/// What chains of elementwise steps share, run step by step or fused: y[i] = x[i] after `stages` steps v -> a v + b;
/// x, y: [n]. The number of steps is known only when it runs, so no compiler folds them. flop 2 n stages.
struct ElementwiseChain {
  struct Params {
    Index n, stages;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}, Field{"stages", &Params::stages, "steps"}};
  static constexpr double a = 0.875, b = -0.125;  ///< exact in every type

  static constexpr bool in_place = true;
  static std::vector<Types> types() { return floating_types(); }
  /// In main memory y alone, all that an unfused step touches, is 4.5 times the caches: no step finds it there.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    const auto sets = working_sets(device);
    return {{static_cast<Index>(sets.front() / (2 * size_bytes(types.a))), 4},
            {static_cast<Index>(0.9 * sets.back() / size_bytes(types.a)), 4}};
  }
  static std::vector<Params> conformance_params() { return {{1, 1}, {7, 2}, {64, 3}, {1001, 8}, {100003, 5}}; }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) {
      S value = in[0][i];
      for (Index stage = 0; stage < p.stages; ++stage) value = S(a) * value + S(b);
      out[0][i] = value;
    }
  }
};

/// y[i] = x[i] after `stages` steps v -> a v + b in one launch, on values that stay in registers, in the accumulate
/// type; x, y: [n]. flop 2n stages; bytes: read ns, write ns.
struct ElementwiseChainFused : ElementwiseChain {
  static constexpr std::string_view name = "elementwise_chain_fused";
  static constexpr std::string_view summary = "y[n] = x after `stages` steps v -> a v + b, in one launch";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    return {streaming_stage(2 * n * static_cast<double>(p.stages), 0, n, n, types)};
  }
  static double tolerance(const Params& p, const Types& types) {
    return rounding_tolerance(types, 2 * static_cast<double>(p.stages));
  }
};

/// The same as elementwise_chain_fused with each step in a launch of its own, the values between them in memory, in the
/// storage type. flop 2n stages; bytes: read ns, write ns a step. The first reads x, the others change y in place.
struct ElementwiseChainUnfused : ElementwiseChain {
  static constexpr std::string_view name = "elementwise_chain_unfused";
  static constexpr std::string_view fused = "elementwise_chain_fused";
  static constexpr std::string_view summary = "y[n] = x after `stages` steps v -> a v + b, a launch each";

  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double n = static_cast<double>(p.n);
    Stage first = streaming_stage(2 * n, 0, n, n, types);
    first.name = "first";
    std::vector<Stage> stages{first};
    if (p.stages > 1) stages.push_back(later_steps(p, types));
    return stages;
  }
  static double tolerance(const Params& p, const Types& types) {
    return static_cast<double>(p.stages) * rounding_tolerance(types, 2);
  }

 private:
  /// The steps behind the first as one stage of as many launches.
  static Stage later_steps(const Params& p, const Types& types) {
    const double elements = static_cast<double>(p.n) * static_cast<double>(p.stages - 1);
    Stage stage = streaming_stage(2 * elements, 0, elements, elements, types);
    stage.name = "in_place";
    stage.bytes_updated = stage.bytes_written;
    stage.working_set = static_cast<double>(p.n) * size_bytes(types.out);
    stage.launches = static_cast<int>(p.stages - 1);
    return stage;
  }
};

}  // namespace gable::operators
