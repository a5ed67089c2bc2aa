#pragma once
#include "operators/common.hpp"

namespace gable::operators {

/// y[i] = x[index[i]]; y, index: [n], x: [table], index uniformly random (int32).
/// flop 0; bytes: read 4n of indices and s for each element of x that is touched at all, in expectation
/// table (1 - (1 - 1/table)^n); write ns. Lines at random: n, in x.
struct Gather {
  static constexpr std::string_view name = "gather";
  static constexpr std::string_view summary = "y[n] = x[index[n]], x: [table], random indices";
  struct Params {
    Index n, table;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements gathered"},
                                     Field{"table", &Params::table, "elements of x"}};

  static std::vector<Types> types() { return wide_types(); }
  /// Half of the working set is x.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return for_working_sets<Params>(device, [s = size_bytes(types.a)](double bytes) {
      return Params{units_in(bytes / 2, s + 4), units_in(bytes / 2, s)};
    });
  }
  static std::vector<Params> conformance_params() { return {{1, 1}, {7, 3}, {64, 1000}, {1001, 64}, {100003, 40009}}; }
  static void check(const Params& p) { operators::demand_int32(name, "table", p.table, "indices"); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const auto n = static_cast<double>(p.n), table = static_cast<double>(p.table);
    Stage stage = moving_stage(expected_distinct(table, n), n, types);
    stage.bytes_read += 4 * n;
    stage.working_set += 4 * n;
    stage.random_lines = n;
    stage.random_span = table * size_bytes(types.a);
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const auto index = [table = p.table](Index i) { return static_cast<double>(random_below(table, i, 0)); };
    return {{"x", p.table, types.a, Role::input},
            {"index", p.n, DType::int32, Role::input, 0.0, 0.0, index},
            {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[0][static_cast<std::size_t>(static_cast<double>(in[1][i]))];
  }
  static double tolerance(const Params&, const Types&) { return 0.0; }
};

}  // namespace gable::operators
