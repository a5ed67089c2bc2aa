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

/// y[t,:] = table[id[t],:]; table: [vocabulary,d], id: [tokens] (int32, pseudo-random and fixed), y: [tokens,d].
/// flop 0; bytes: read 4 tokens of ids and ds for each row that is asked for at all, in expectation vocabulary
/// (1 - (1 - 1/vocabulary)^tokens) rows; write tokens d s. Lines at random: the first of each row, in the table; the
/// others follow it.
struct Embedding {
  static constexpr std::string_view name = "embedding";
  static constexpr std::string_view summary = "y[tokens,d] = table[id[tokens],d]";
  struct Params {
    Index tokens, vocabulary, d;
  };
  static constexpr std::array fields{Field{"tokens", &Params::tokens, "rows to gather"},
                                     Field{"vocabulary", &Params::vocabulary, "rows of the table"},
                                     Field{"d", &Params::d, "length of a row"}};

  static std::vector<Types> types() { return floating_types(); }
  /// Twice as many rows in the table as are gathered: one token in five asks for a row that another one has asked for.
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    constexpr Index d = 4096;
    return for_working_sets<Params>(device, [&](double bytes) {
      const Index tokens = units_in(bytes, d * 2 * size_bytes(types.a));
      return Params{tokens, 2 * tokens, d};
    });
  }
  static std::vector<Params> conformance_params() {
    return {{1, 1, 1}, {5, 7, 3}, {64, 16, 32}, {33, 100, 1001}, {300, 1000, 128}};
  }
  static void check(const Params& p) { operators::demand_int32(name, "vocabulary", p.vocabulary, "ids"); }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double tokens = static_cast<double>(p.tokens);
    const double row = static_cast<double>(p.d) * size_bytes(types.a);
    Stage stage;
    stage.name = "run";
    stage.bytes_read = expected_distinct(static_cast<double>(p.vocabulary), tokens) * row + 4 * tokens;
    stage.bytes_written = tokens * row;
    stage.working_set = bytes(stage);
    stage.random_lines = tokens;
    stage.random_span = static_cast<double>(p.vocabulary) * row;
    return {stage};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    const auto id = [vocabulary = p.vocabulary](Index i) { return static_cast<double>(pseudo_random(i, vocabulary)); };
    return {{"table", p.vocabulary * p.d, types.a, Role::input},
            {"id", p.tokens, DType::int32, Role::input, 0, static_cast<double>(p.vocabulary), id},
            {"y", p.tokens * p.d, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index t = 0; t < p.tokens; ++t) {
      const Index row = static_cast<Index>(static_cast<double>(in[1][t]));
      for (Index j = 0; j < p.d; ++j) out[0][t * p.d + j] = in[0][row * p.d + j];
    }
  }
  static double tolerance(const Params&, const Types&) { return 0; }
};

}  // namespace gable::operators
