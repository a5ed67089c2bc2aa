#pragma once

#include "core/json/archive.hpp"
#include "core/model/figure_limits.hpp"
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
  number(a, "operations", s.operations, operation_limits.needed());
}

template <class A, SameStruct<LevelBytes> S>
void fields(A& a, S& s) {
  a.field("level", s.level);
  number(a, "bytes", s.bytes, traffic_limits);
}

template <class A, SameStruct<Stage> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("work", s.work);
  number(a, "bytes_read", s.bytes_read, traffic_limits.needed());
  number(a, "bytes_written", s.bytes_written, traffic_limits.needed());
  number(a, "bytes_updated", s.bytes_updated, traffic_limits.needed());
  number(a, "working_set_bytes", s.working_set, traffic_limits.needed());
  number(a, "launches", s.launches, count_limits);
  a.field("inner", s.inner);
  unusual_number(a, "random_lines", s.random_lines, 0.0, operation_limits);
  unusual_number(a, "random_span_bytes", s.random_span, 0.0, traffic_limits);
}

template <class A, SameStruct<Disturbance> S>
void fields(A& a, S& s) {
  number(a, "involuntary_switches", s.involuntary_switches, count_limits);
  number(a, "sentinel_slowdown", s.sentinel_slowdown, slowdown_limits);
  unusual_number(a, "throughput_slowdown", s.throughput_slowdown, 1.0, slowdown_limits);
  unusual_number(a, "preemption_slowdown", s.preemption_slowdown, 1.0, slowdown_limits);
  unusual_number(a, "most_preemption", s.most_preemption, 1.0, slowdown_limits);
  number(a, "disturbed_blocks", s.disturbed_blocks, part_limits);
  number(a, "stolen_s", s.stolen_s, cpu_time_limits.beside());
  unusual_number(a, "throttled_s", s.throttled_s, 0.0, cpu_time_limits);
  unusual_number(a, "moved_blocks", s.moved_blocks, 0, part_limits);
  unusual_number(a, "waiting_share", s.waiting_share, 0.0, part_of_whole_limits);
}

template <class A, SameStruct<Block> S>
void fields(A& a, S& s) {
  number(a, "round", s.round, count_limits);
  number(a, "figure", s.figure, limits_of_row);
  number(a, "batches", s.batches, count_limits);
  unusual_number(a, "switches", s.involuntary_switches, 0.0, count_limits);
  unusual_number(a, "sentinel_s", s.sentinel_s, 0.0, time_limits);
  unusual_number(a, "throughput_s", s.throughput_s, 0.0, time_limits);
  unusual_number(a, "preemption", s.preemption, 1.0, slowdown_limits);
  unusual_number(a, "most_preemption", s.most_preemption, 1.0, slowdown_limits);
  number(a, "stolen_s", s.stolen_s, cpu_time_limits.beside());
  number(a, "clock_hz", s.clock_hz, clock_limits.beside());
  unusual_number(a, "at_s", s.at_s, 0.0, moment_limits);
  unusual_number(a, "throttled_s", s.throttled_s, 0.0, cpu_time_limits);
  unusual_number(a, "moved", s.moved, 0, count_limits);
  unusual_number(a, "waiting_share", s.waiting_share, 0.0, part_of_whole_limits);
}

template <class A, SameStruct<Conditions> S>
void fields(A& a, S& s) {
  number(a, "clock_hz", s.clock_hz, clock_limits.beside());
  a.field("clock_source", s.clock_source);
  number(a, "power_w", s.power_w, power_limits.beside());
  number(a, "temperature_c", s.temperature_c, temperature_limits.beside());
  a.field("clock_limits", s.clock_limits);
  number(a, "huge_page_fraction", s.huge_page_fraction, part_of_whole_limits.beside());
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
  number(a, keys.value, s.value, limits_of_row.needed());
  number(a, keys.ci_low, s.ci_low, limits_of_row);
  number(a, keys.ci_high, s.ci_high, limits_of_row);
  number(a, keys.median, s.median, limits_of_row);
  number(a, keys.median_ci_low, s.median_ci_low, limits_of_row);
  number(a, keys.median_ci_high, s.median_ci_high, limits_of_row);
  a.field("estimator", s.estimator);
  number(a, "blocks", s.blocks, part_limits);
  number(a, "used_blocks", s.used_blocks, part_limits);
  number(a, keys.samples, s.samples, limits_of_row);
  unusual_number(a, "sample_rounds", s.rounds, {}, count_limits);
  unusual_number(a, "rounds_ended_s", s.ended_s, {}, moment_limits);
  unusual_number(a, "disturbed_samples", s.disturbed_samples, {}, part_limits);
  unusual_number(a, "sample_sentinel_s", s.sentinel_s, {}, time_limits);
  unusual_number(a, "sample_throughput_s", s.throughput_s, {}, time_limits);
  unusual_number(a, "sample_preemption", s.preemption, {}, slowdown_limits);
  unusual_number(a, "interrupted_samples", s.interrupted_samples, {}, part_limits);
  unusual_number(a, "used_rounds", s.used_rounds, {}, count_limits);
  a.unusual_field("taken", s.taken, {});
  a.field("stop", s.stop);
  a.field("seen", s.seen);
}

template <class A, SameStruct<TypedWork> S>
void fields(A& a, S& s) {
  a.field("dtype", s.dtype);
  a.field("accumulate", s.accumulate);
  a.field("execution_unit", s.unit);
  number(a, "operations", s.operations, operation_limits);
}

template <class A, SameStruct<Imported> S>
void fields(A& a, S& s) {
  a.field("tool", s.tool);
  a.field("version", s.version);
  a.field("file", s.file);
  a.field("counters", s.counters);
  a.unusual_field("name", s.name, std::string{});
  number(a, "shortest_call_s", s.shortest_s, time_limits);
  number(a, "longest_call_s", s.longest_s, time_limits);
  a.field("operations", s.operations);
  a.field("unknown", s.unknown);
  a.unusual_field("stated", s.stated, {});
}

template <class A, SameStruct<Ceiling> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("device", s.device);
  a.field("scope", s.scope);
  number(a, "threads", s.threads, part_limits);
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
  number(a, "working_set_bytes", s.working_set_bytes, traffic_limits);
  number(a, "with_write_allocate_byte_per_s", s.with_write_allocate, byte_rate_limits);
  a.field("conditions", s.conditions);
  number(a, "datasheet", s.datasheet, limits_of_row.beside());
  a.field("datasheet_source", s.datasheet_source);
  number(a, "theory_at_clock", s.theory_at_clock, limits_of_row.beside());
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
  number(a, "threads", s.threads, part_limits);
  a.field("name", s.name);
  a.field("series", s.series);
  a.field("x_name", s.x_name);
  a.field("x_unit", s.x_unit);
  a.field("y_name", s.y_name);
  a.field("y_unit", s.y_unit);
  number(a, "x", s.x, limits_of_axis(s.x_unit));
  number(a, "y", s.y, limits_of_axis(s.y_unit));
  unusual_number(a, "y_of_rounds", s.of_rounds, {}, limits_of_axis(s.y_unit));
  a.field("status", s.status);
  a.field("reason", s.reason);
}

template <class A, SameStruct<Point> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("device", s.device);
  a.field("scope", s.scope);
  number(a, "threads", s.threads, part_limits);
  a.field("op", s.op);
  a.field("implementation", s.implementation);
  a.field("types", s.types);
  a.field("params", s.params);
  a.field("stages", s.stages);
  a.field("cold", s.cold);
  unusual_number(a, "launches", s.launches, 1, count_limits);
  a.unusual_field("graph", s.graph, false);
  number(a, "count", s.count, count_limits);
  a.unusual_field("label", s.label, std::string{});
  estimate_fields(a, s.time, point_keys);
  a.field("conditions", s.conditions);
  a.field("regime", s.regime);
  a.field("limit", s.limit);
  a.unusual_field("limit_kind", s.limit_kind, LimitKind::none);
  a.field("limit_unit", s.limit_unit);
  a.field("limit_dtype", s.limit_dtype);
  a.unusual_field("limit_level", s.limit_level, std::string{});
  unusual_number(a, "limit_stage", s.limit_stage, 0, count_limits);
  number(a, "bound_s", s.bound_s, bound_limits);
  number(a, "overhead_s", s.overhead_s, bound_limits);
  number(a, "fraction_of_limit", s.fraction_of_limit, fraction_limits);
  number(a, "fraction_low", s.fraction_low, fraction_limits);
  number(a, "fraction_high", s.fraction_high, fraction_limits);
  unusual_number(a, "compared_rounds", s.compared_rounds, 0, count_limits);
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
