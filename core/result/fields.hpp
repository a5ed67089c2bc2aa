#pragma once
#include "core/json/archive.hpp"
#include "core/model/figure_limits.hpp"
#include "core/result/result.hpp"
#include "core/sequence.hpp"

/// The keys of the result format, one function a struct. docs/result-format.md and data/result.schema.json say the
/// same.
namespace gable {

/// A named string of a list of pairs, e.g. a library and its version.
struct NamedVersion {
  std::string name, version;
};
struct NamedBuild {
  std::string name;
  Build build;
};

template <class A, SameStruct<NamedVersion> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("version", s.version);
}

/// A list of pairs is an array of objects, so that its order and repeated names survive.
template <class Entry, class Second>
std::vector<Entry> entries_of(const std::vector<std::pair<std::string, Second>>& pairs) {
  return mapped(pairs, [](const auto& pair) { return Entry{pair.first, pair.second}; });
}

template <class Entry, class Second>
void pairs_field(JsonWriter& a, const char* key, const std::vector<std::pair<std::string, Second>>& pairs) {
  a.field(key, entries_of<Entry>(pairs));
}

template <class Entry, class Second>
void pairs_field(const JsonReader& a, const char* key, std::vector<std::pair<std::string, Second>>& pairs) {
  std::vector<Entry> entries;
  a.field(key, entries);
  pairs.clear();
  for (auto& [first, second] : entries) pairs.emplace_back(std::move(first), std::move(second));
}

template <class A, SameStruct<Build> S>
void fields(A& a, S& s) {
  a.field("version", s.version);
  a.field("commit", s.commit);
  a.field("dirty", s.dirty);
  a.field("compiler", s.compiler);
  a.field("flags", s.flags);
  a.field("target", s.target);
  a.field("build_type", s.build_type);
  pairs_field<NamedVersion>(a, "libraries", s.libraries);
}

template <class A, SameStruct<NamedBuild> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("build", s.build);
}

template <class A, SameStruct<Fact> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("value", s.value);
  a.field("source", s.source);
}

/// Parameters are written as on the command line.
inline void params_field(JsonWriter& a, const std::vector<Params>& list) {
  a.field("params", mapped(list, &Params::to_string));
}

inline void params_field(const JsonReader& a, std::vector<Params>& list) {
  std::vector<std::string> texts;
  a.field("params", texts);
  list.clear();
  for (const auto& text : texts) list.push_back(Params::parse(text));
}

template <class A, SameStruct<Case> S>
void fields(A& a, S& s) {
  a.field("op", s.op);
  params_field(a, s.params);
  a.field("dtypes", s.dtypes);
  number(a, "launches", s.launches, count_limits);
  a.field("graph", s.graph);
  number(a, "count", s.count, count_limits);
  a.field("label", s.label);
  a.field("must_fit", s.must_fit);
}

template <class A, SameStruct<Request> S>
void fields(A& a, S& s) {
  a.field("mode", s.mode);
  a.field("scope", s.scope);
  number(a, "threads", s.threads, part_limits);
  a.field("dtypes", s.dtypes);
  a.field("cases", s.cases);
  a.field("experiment", s.experiment);
  a.field("ceilings", s.ceilings);
  a.field("points", s.points);
  a.unusual_field("concurrent", s.concurrent, false);
  a.unusual_field("concurrent_devices", s.concurrent_devices, std::vector<std::string>{});
  number(a, "exact_runs", s.exact_runs, count_limits);
}

template <class A, SameStruct<RunInfo> S>
void fields(A& a, S& s) {
  a.field("started_at", s.started_at);
  a.field("finished_at", s.finished_at);
  a.field("command_line", s.command_line);
  a.field("mode", s.mode);
  a.field("complete", s.complete);
  number(a, "resumed", s.resumed, count_limits);
  a.field("hostname", s.hostname);
  a.field("os", s.os);
  a.field("kernel", s.kernel);
  a.field("facts", s.facts);
}

template <class A, SameStruct<LevelInstance> S>
void fields(A& a, S& s) {
  number(a, "size_bytes", s.size_bytes, size_limits);
  number(a, "cores", s.cores, part_limits);
}

template <class A, SameStruct<MemoryLevel> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  number(a, "size_bytes", s.size_bytes, size_limits);
  number(a, "instances", s.instances, part_limits);
  number(a, "shared_by_cores", s.shared_by, part_limits);
  number(a, "line_bytes", s.line_bytes, part_limits);
  a.field("source", s.source);
  a.unusual_field("unequal", s.unequal, std::vector<LevelInstance>{});
}

template <class A, SameStruct<TheoreticalPeak> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("dtype", s.dtype);
  a.field("accumulate", s.accumulate);
  number(a, "value", s.value, limits_of_unit(s.unit));
  a.field("unit", s.unit);
  number(a, "per_core_and_cycle", s.per_core_and_cycle, count_limits);
  a.field("source", s.source);
  a.field("confidence", s.confidence);
}

template <class A, SameStruct<NumaNode> S>
void fields(A& a, S& s) {
  number(a, "id", s.id, part_limits);
  number(a, "memory_bytes", s.memory_bytes, size_limits);
  number(a, "cpus", s.cpus, part_limits);
}

template <class A, SameStruct<DeviceInfo> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("backend", s.backend);
  a.field("name", s.name);
  a.field("vendor", s.vendor);
  a.field("microarchitecture", s.microarchitecture);
  a.field("emulator", s.emulator);
  a.field("isa", s.isa);
  number(a, "sockets", s.sockets, part_limits);
  number(a, "cores", s.cores, part_limits);
  number(a, "threads", s.threads, part_limits);
  number(a, "cpus", s.cpus, part_limits);
  number(a, "base_clock_hz", s.base_clock_hz, clock_limits);
  number(a, "max_clock_hz", s.max_clock_hz, clock_limits);
  a.field("clock_source", s.clock_source);
  a.field("memory", s.memory);
  a.field("numa", s.numa);
  number(a, "free_memory_bytes", s.free_memory_bytes, size_limits);
  a.field("peaks", s.peaks);
  a.field("facts", s.facts);
}

}  // namespace gable
