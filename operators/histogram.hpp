#pragma once
#include "core/error.hpp"
#include "operators/common.hpp"

namespace gable::operators {

/// count[b] = how many keys equal b; keys: [n], uniformly random in [0, bins), count: [bins], both int32.
/// flop n (integer additions); bytes: read 4n, write 4 bins.
struct Histogram {
  static constexpr std::string_view name = "histogram";
  static constexpr std::string_view summary = "count[bins] of keys[n], int32";
  struct Params {
    Index n, bins;
  };
  static constexpr Index most_bins = Index{1} << 20;
  static constexpr std::array fields{Field{"n", &Params::n, "keys"}, Field{"bins", &Params::bins, "values of a key"}};

  /// Integers.
  static constexpr NonFinite non_finite = NonFinite::undefined;
  static std::vector<Types> types() { return {uniform_types(DType::int32)}; }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return for_working_sets<Params>(device, [&](double bytes) {
      return Params{units_in(bytes, size_bytes(types.a)), 256};
    });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1}, {7, 3}, {64, 1000}, {1001, 17}, {100003, 256}, {50021, 40009}};
  }
  static void check(const Params& p) {
    operators::demand_int32(name, "n", p.n, "counts");
    if (p.bins > most_bins) throw Error("histogram: 'bins' is more than 2^20, and every thread has tables of its own");
  }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n);
    return {streaming_stage(n, 0, n, static_cast<double>(p.bins), types)};
  }
  /// Keys are rounded: the ends lie half a key beyond the first and the last one.
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"keys", p.n, types.a, Role::input, -0.499, static_cast<double>(p.bins) - 0.501},
            {"count", p.bins, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (S& count : out[0]) count = 0.0;
    for (Index i = 0; i < p.n; ++i) out[0][static_cast<std::size_t>(static_cast<double>(in[0][i]))] += S(1.0);
  }
  static double tolerance(const Params&, const Types&) { return 0.0; }
};

}  // namespace gable::operators
