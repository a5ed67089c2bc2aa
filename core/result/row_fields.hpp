#pragma once
#include <type_traits>

#include "core/json/archive.hpp"
#include "core/model/name_parser.hpp"
#include "core/result/row.hpp"

/// The keys of the measured rows: ceilings, curves, points.
namespace gable {

template <class A, SameStruct<Types> S>
void fields(A& a, S& s) {
  a.field("a", s.a);
  a.field("b", s.b);
  a.field("out", s.out);
  a.field("accumulate", s.accumulate);
  a.field("compute", s.compute);
}

template <class A, SameStruct<UnitWork> S>
void fields(A& a, S& s) {
  a.field("execution_unit", s.unit);
  a.field("operations", s.operations);
}

template <class A, SameStruct<LevelBytes> S>
void fields(A& a, S& s) {
  a.field("level", s.level);
  a.field("bytes", s.bytes);
}

template <class A, SameStruct<Stage> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("work", s.work);
  a.field("bytes_read", s.bytes_read);
  a.field("bytes_written", s.bytes_written);
  a.field("bytes_updated", s.bytes_updated);
  a.field("working_set_bytes", s.working_set);
  a.field("launches", s.launches);
  a.field("inner", s.inner);
}

template <class A, SameStruct<Disturbance> S>
void fields(A& a, S& s) {
  a.field("involuntary_switches", s.involuntary_switches);
  a.field("sentinel_slowdown", s.sentinel_slowdown);
  a.unusual_field("throughput_slowdown", s.throughput_slowdown, 1.0);
  a.unusual_field("preemption_slowdown", s.preemption_slowdown, 1.0);
  a.field("disturbed_blocks", s.disturbed_blocks);
  a.field("stolen_s", s.stolen_s);
}

template <class A, SameStruct<Block> S>
void fields(A& a, S& s) {
  a.field("round", s.round);
  a.field("figure", s.figure);
  a.field("batches", s.batches);
  a.unusual_field("switches", s.involuntary_switches, 0.0);
  a.unusual_field("sentinel_s", s.sentinel_s, 0.0);
  a.unusual_field("throughput_s", s.throughput_s, 0.0);
  a.unusual_field("preemption", s.preemption, 1.0);
  a.field("stolen_s", s.stolen_s);
  a.field("clock_hz", s.clock_hz);
  a.unusual_field("at_s", s.at_s, 0.0);
}

template <class A, SameStruct<Conditions> S>
void fields(A& a, S& s) {
  a.field("clock_hz", s.clock_hz);
  a.field("clock_source", s.clock_source);
  a.field("power_w", s.power_w);
  a.field("temperature_c", s.temperature_c);
  a.field("clock_limits", s.clock_limits);
  a.field("huge_page_fraction", s.huge_page_fraction);
}

/// Keys of the figures of an Estimate: a ceiling's stand beside its "unit", a point's carry "_s".
struct EstimateKeys {
  const char *value, *ci_low, *ci_high, *median, *median_ci_low, *median_ci_high, *samples;
};
inline constexpr EstimateKeys ceiling_keys{"value",         "ci_low",         "ci_high", "median",
                                           "median_ci_low", "median_ci_high", "samples"};
inline constexpr EstimateKeys point_keys{"time_s",          "ci_low_s",         "ci_high_s", "median_s",
                                         "median_ci_low_s", "median_ci_high_s", "samples_s"};

template <class A, SameStruct<Estimate> S>
void estimate_fields(A& a, S& s, const EstimateKeys& keys) {
  a.field(keys.value, s.value);
  a.field(keys.ci_low, s.ci_low);
  a.field(keys.ci_high, s.ci_high);
  a.field(keys.median, s.median);
  a.field(keys.median_ci_low, s.median_ci_low);
  a.field(keys.median_ci_high, s.median_ci_high);
  a.field("estimator", s.estimator);
  a.field("blocks", s.blocks);
  a.field("used_blocks", s.used_blocks);
  a.field(keys.samples, s.samples);
  a.unusual_field("sample_rounds", s.rounds, {});
  a.unusual_field("rounds_ended_s", s.ended_s, {});
  a.unusual_field("disturbed_samples", s.disturbed_samples, {});
  a.unusual_field("used_rounds", s.used_rounds, {});
  a.unusual_field("taken", s.taken, {});
  a.field("stop", s.stop);
  a.field("seen", s.seen);
}

template <class A, SameStruct<TypedWork> S>
void fields(A& a, S& s) {
  a.field("dtype", s.dtype);
  a.field("accumulate", s.accumulate);
  a.field("execution_unit", s.unit);
  a.field("operations", s.operations);
}

template <class A, SameStruct<Imported> S>
void fields(A& a, S& s) {
  a.field("tool", s.tool);
  a.field("version", s.version);
  a.field("file", s.file);
  a.field("counters", s.counters);
  a.unusual_field("name", s.name, std::string{});
  a.field("operations", s.operations);
  a.field("unknown", s.unknown);
}

template <class A, SameStruct<Ceiling> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("device", s.device);
  a.field("scope", s.scope);
  a.field("threads", s.threads);
  a.field("kind", s.kind);
  a.field("name", s.name);
  a.field("dtype", s.dtype);
  a.field("accumulate", s.accumulate);
  a.field("access", s.access);
  a.field("stores", s.stores);
  a.field("at", s.at);
  a.field("implementation", s.implementation);
  a.field("variant", s.variant);
  a.field("algorithm", s.algorithm);
  a.field("data_pattern", s.data_pattern);
  a.field("unit", s.unit);
  estimate_fields(a, s.value, ceiling_keys);
  a.field("working_set_bytes", s.working_set_bytes);
  a.field("with_write_allocate_byte_per_s", s.with_write_allocate);
  a.field("conditions", s.conditions);
  a.field("datasheet", s.datasheet);
  a.field("datasheet_source", s.datasheet_source);
  a.field("theory_at_clock", s.theory_at_clock);
  a.derived("percent_of_datasheet", percent_of_datasheet(s));
  a.derived("percent_at_clock", percent_at_clock(s));
  a.field("imported", s.imported);
  a.field("status", s.status);
  a.field("reason", s.reason);
}

template <class A, SameStruct<Curve> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("device", s.device);
  a.field("scope", s.scope);
  a.field("threads", s.threads);
  a.field("name", s.name);
  a.field("series", s.series);
  a.field("x_name", s.x_name);
  a.field("x_unit", s.x_unit);
  a.field("y_name", s.y_name);
  a.field("y_unit", s.y_unit);
  a.field("x", s.x);
  a.field("y", s.y);
  a.field("status", s.status);
  a.field("reason", s.reason);
}

template <class A, SameStruct<Point> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("device", s.device);
  a.field("scope", s.scope);
  a.field("threads", s.threads);
  a.field("op", s.op);
  a.field("implementation", s.implementation);
  a.field("types", s.types);
  a.field("params", s.params);
  a.field("stages", s.stages);
  a.field("cold", s.cold);
  a.unusual_field("launches", s.launches, 1);
  a.unusual_field("graph", s.graph, false);
  a.field("count", s.count);
  a.unusual_field("label", s.label, std::string{});
  estimate_fields(a, s.time, point_keys);
  a.field("conditions", s.conditions);
  a.field("regime", s.regime);
  a.field("limit", s.limit);
  a.unusual_field("limit_kind", s.limit_kind, LimitKind::none);
  a.field("limit_unit", s.limit_unit);
  a.field("limit_dtype", s.limit_dtype);
  a.unusual_field("limit_level", s.limit_level, std::string{});
  a.unusual_field("limit_stage", s.limit_stage, 0);
  a.field("bound_s", s.bound_s);
  a.field("overhead_s", s.overhead_s);
  a.field("fraction_of_limit", s.fraction_of_limit);
  a.field("fraction_low", s.fraction_low);
  a.field("fraction_high", s.fraction_high);
  a.unusual_field("compared_rounds", s.compared_rounds, 0);
  a.unusual_field("missing", s.missing, {});
  a.field("imported", s.imported);
  a.field("status", s.status);
  a.field("reason", s.reason);
}

/// A row of any kind among others: "row" says of which kind it is.
inline void fields(JsonWriter& a, const Row& row) {
  std::visit(
      [&](const auto& one) {
        fields(a, one);
        a.field("row", kind_of(one));
      },
      row);
}

inline void fields(const JsonReader& a, Row& row) {
  RowKind kind{};
  a.field("row", kind);
  row = blank_row(kind);
  std::visit([&](auto& one) { fields(a, one); }, row);
}

}  // namespace gable
