#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/likwid_tables.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/sequence.hpp"

/// LIKWID: what the counters and metrics of its regions mean. Metrics are rounded to four decimals, so that raw
/// counters and the figure with most digits are taken first. Formulas: the groups of LIKWID.
namespace gable::interchange {
namespace {

constexpr std::string_view json_form =
    "likwid's JSON, whose filter keeps the last region alone and drops its name: write -o FILE.csv";
/// They hold no tables.
constexpr std::array<OtherForm, 5> likwid_forms{{
    {{"# GID|MetricsCount|", "", ""},
     "likwid's timeline (-t), rates over time: count the whole run, or regions (-m), without -t"},
    {{"LIKWID MICRO BENCHMARK", "", ""},
     "likwid-bench's output: count it (likwid-perfctr -O -g MEM_DP likwid-bench …)"},
    {{"CPU clock", "GHz", "\":"}, json_form},
    {{"Runtime (RDTSC) [s]", "\": {", ""}, json_form},
    {{"<clock>", "</clock>", ""}, "likwid's XML (-o FILE.xml): write -o FILE.csv"},
}};

bool recognises(std::string_view text) { return has_likwid_tables(text) || !why_not_read(text, likwid_forms).empty(); }

using Values = std::vector<std::optional<Rounded>>;

/// A sum of events: operations that one of each stands for.
struct Weight {
  std::string_view event;
  double operations;
};
constexpr std::string_view intel_dp = "FP_ARITH_INST_RETIRED_*_DOUBLE", intel_sp = "FP_ARITH_INST_RETIRED_*_SINGLE";
constexpr std::string_view zen_untyped = "RETIRED_SSE_AVX_FLOPS_ALL";
/// Events of one type by the width of their vectors. Without one of them there is no sum, but for the last: few
/// processors have AVX-512.
struct EventSum {
  std::string_view name;
  std::array<Weight, 4> events;
};
constexpr std::array<EventSum, 7> sums{{
    {intel_dp,
     {{{"FP_ARITH_INST_RETIRED_SCALAR_DOUBLE", 1},
       {"FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE", 2},
       {"FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE", 4},
       {"FP_ARITH_INST_RETIRED_512B_PACKED_DOUBLE", 8}}}},
    {intel_sp,
     {{{"FP_ARITH_INST_RETIRED_SCALAR_SINGLE", 1},
       {"FP_ARITH_INST_RETIRED_128B_PACKED_SINGLE", 4},
       {"FP_ARITH_INST_RETIRED_256B_PACKED_SINGLE", 8},
       {"FP_ARITH_INST_RETIRED_512B_PACKED_SINGLE", 16}}}},
    {"FP_FLOPS_RETIRED_FP64", {{{"FP_FLOPS_RETIRED_FP64", 1}}}},
    {"FP_FLOPS_RETIRED_FP32", {{{"FP_FLOPS_RETIRED_FP32", 1}}}},
    {"RETIRED_SSE_AVX_FLOPS_DOUBLE_ALL", {{{"RETIRED_SSE_AVX_FLOPS_DOUBLE_ALL", 1}}}},
    {"RETIRED_SSE_AVX_FLOPS_SINGLE_ALL", {{{"RETIRED_SSE_AVX_FLOPS_SINGLE_ALL", 1}}}},
    {zen_untyped, {{{zen_untyped, 1}}}},
}};

/// What a thread counted; nothing where it counted none of the events, or one of them is "nan".
std::optional<Values> sum_of(const LikwidRegion& region, const EventSum& sum) {
  std::optional<Values> total;
  for (const Weight& weight : sum.events) {
    const auto found = std::ranges::find(region.events, weight.event, &LikwidValues::name);
    if (weight.event.empty()) break;
    if (found == region.events.end()) {
      if (&weight == &sum.events.back()) break;
      return {};
    }
    if (found->broken) return {};
    if (!total) total.emplace(found->values.size());
    for (std::size_t i = 0; i < found->values.size() && i < total->size(); ++i) {
      if (!found->values[i]) continue;
      auto& value = (*total)[i];
      value = Rounded{(value ? value->value : 0) + weight.operations * found->values[i]->value, 0};
    }
  }
  return total;
}

double largest(const Values& values) {
  double most = 0;
  for (const auto& value : values) most = std::max(most, value ? value->value : 0);
  return most;
}

void take_closer(std::optional<Rounded>& best, const std::optional<Rounded>& other) {
  if (other && other->value > 0 && (!best || other->rounding < best->rounding)) best = other;
}

/// The metrics that say the rate of a sum of events, by the versions of LIKWID.
std::vector<std::string_view> rates_of(std::string_view sum) {
  if (sum.ends_with("DOUBLE") || sum.ends_with("FP64") || sum.ends_with("DOUBLE_ALL") || sum == zen_untyped)
    return {"DP [MFLOP/s]", "DP MFLOP/s"};
  return {"SP [MFLOP/s]", "SP MFLOP/s"};
}

/// The time of each thread, of the figure that is rounded least: the table above the counters has six decimals, the
/// metric four, and operations over their rate most.
Values times_of(const LikwidRegion& region) {
  Values times;
  const auto take = [&](const LikwidValues* line) {
    if (!line) return;
    if (times.size() < line->values.size()) times.resize(line->values.size());
    for (std::size_t i = 0; i < line->values.size(); ++i) take_closer(times[i], line->values[i]);
  };
  take(region.information("RDTSC Runtime [s]"));
  take(region.metric("Runtime (RDTSC) [s]"));
  const auto event = std::ranges::find(region.events, "Runtime (RDTSC) [s]", &LikwidValues::name);
  if (event != region.events.end()) take(&*event);
  for (const EventSum& sum : sums) {
    const auto counted = sum_of(region, sum);
    for (const std::string_view name : rates_of(sum.name)) {
      const LikwidValues* const rate = region.metric(name);
      for (std::size_t i = 0; rate && counted && i < times.size() && i < counted->size(); ++i) {
        if (i >= rate->values.size() || !rate->values[i] || !(rate->values[i]->value > 0) || !(*counted)[i]) continue;
        const Rounded by_rate{(*counted)[i]->value / (rate->values[i]->value * 1e6), rate->values[i]->rounding};
        constexpr double slack = 1e-6;
        const bool agrees = times[i] && std::abs(by_rate.value - times[i]->value) <=
                                            (times[i]->rounding + by_rate.rounding + slack) * by_rate.value * 1.5;
        if (agrees) take_closer(times[i], by_rate);
      }
    }
  }
  return times;
}

/// A volume in the metric table: that of a level, with the bandwidth beside it, which has more digits where it is
/// small.
struct Volume {
  std::string_view metric, bandwidth;
};
constexpr std::array<Volume, 7> volumes{{
    {"Memory data volume [GBytes]", "Memory bandwidth [MBytes/s]"},
    {"Memory data volume [GBytes]", "Memory BW [MBytes/s]"},
    {"Memory read data volume [GBytes]", "Memory read bandwidth [MBytes/s]"},
    {"Memory write data volume [GBytes]", "Memory write bandwidth [MBytes/s]"},
    {"L2 data volume [GBytes]", "L2 bandwidth [MBytes/s]"},
    {"L3 data volume [GBytes]", "L3 bandwidth [MBytes/s]"},
    {"L3 access data volume [GBytes]", "L3 access bandwidth [MBytes/s]"},
}};

/// Bytes of all threads; nothing where one of them is "nan", no thread has it, or all were rounded to 0. Beside others
/// a volume of 0.0000 GB is none where its bandwidth is 0.0000 MB/s, too: below 50 byte/s.
std::optional<double> bytes_of(const LikwidRegion& region, const Volume& volume, const Values& times) {
  const LikwidValues *const stated = region.metric(volume.metric), *const rate = region.metric(volume.bandwidth);
  if (!stated || stated->broken || (rate && rate->broken)) return {};
  std::optional<double> sum;
  bool rounded_away = false;
  for (std::size_t i = 0; i < stated->values.size(); ++i) {
    auto best = stated->values[i];
    if (!best) continue;
    best->value *= 1e9;
    const bool has_rate = rate && i < rate->values.size() && rate->values[i];
    if (has_rate && i < times.size() && times[i] && rate->values[i]->value > 0)
      take_closer(best, Rounded{rate->values[i]->value * 1e6 * times[i]->value,
                                rate->values[i]->rounding + times[i]->rounding});
    if (std::isinf(best->rounding)) {
      if (!has_rate || rate->values[i]->value > 0) return {};
      rounded_away = rounded_away || rate->values[i]->rounding > 0;
    }
    sum = sum.value_or(0) + best->value;
  }
  return rounded_away && sum == 0 ? std::nullopt : sum;
}

/// Lines of 64 byte that all channels of the memory moved, of the raw counters of a group that names them all.
std::optional<double> lines_of_memory(const LikwidRegion& region, std::string_view event) {
  if (!region.group.starts_with("MEM")) return {};  // channels that were chosen by hand may not be all
  std::optional<double> sum;
  for (const LikwidValues& line : region.events) {
    if (line.name != event) continue;
    if (line.broken) return {};
    for (const auto& value : line.values) {
      if (value) sum = sum.value_or(0) + 64 * value->value;
    }
  }
  return sum;
}

constexpr std::string_view raw_read = "CAS_COUNT_RD", raw_written = "CAS_COUNT_WR";

/// Adds what was counted of a region to its kernel. Returns whether there is any of it.
bool add_counters(KernelTable& kernels, Kernel& kernel, const LikwidRegion& region, const Values& times) {
  bool any = false;
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (!value) return;
    any = true;
    const std::size_t at = kernels.counter(name);
    if (at >= kernel.counted.size() || kernel.counted[at] == 0) kernels.add(kernel, at, *value);
  };
  std::vector<std::string_view> known;  // rates whose counters are there
  for (const EventSum& sum : sums) {
    const auto counted = sum_of(region, sum);
    if (!counted) continue;
    add(sum.name, sum_over(*counted, [](const auto& value) { return value ? value->value : 0; }));
    for (const std::string_view rate : rates_of(sum.name)) known.push_back(rate);
  }
  for (const std::string_view name : {"DP [MFLOP/s]", "DP MFLOP/s", "SP [MFLOP/s]", "SP MFLOP/s", "HP [MFLOP/s]"}) {
    const LikwidValues* const rate = region.metric(name);
    if (!rate || rate->broken || std::ranges::count(known, name) > 0) continue;
    double operations = 0;
    for (std::size_t i = 0; i < rate->values.size() && i < times.size(); ++i)
      operations += rate->values[i] && times[i] ? rate->values[i]->value * 1e6 * times[i]->value : 0;
    add(name, operations);
  }
  for (const Volume& volume : volumes) {
    add(volume.metric, bytes_of(region, volume, times));
    any = any || region.metric(volume.metric);
  }
  add(raw_read, lines_of_memory(region, raw_read));
  add(raw_written, lines_of_memory(region, raw_written));
  return any;
}

/// The regions that were read so far, by their names: files have 10^5 of them.
class SeenRegions {
 public:
  /// Its name, with a number where it stands in the file once more, of a further run. Throws Error for one whose groups
  /// took turns in one run.
  std::string take(const LikwidRegion& region) {
    Seen& seen = by_name_.try_emplace(region.name, Seen{region.group, region.id, {}, false, {}}).first->second;
    if (region.group != seen.group) seen.other_group = region.group;
    seen.several_ids = seen.several_ids || region.id != seen.id;
    if (!seen.other_group.empty() && seen.several_ids)
      fail_at(region.line,
              "region '{:.60}' has the groups {} and {}, which share its time: count each in a run of its own and "
              "import both files",
              region.name, region.group == seen.group ? seen.other_group : seen.group, region.group);
    const int run = ++seen.runs[region.group];
    return run == 1 ? region.name : fmt::format("{} (run {})", region.name, run);
  }

 private:
  struct Seen {
    std::string group, id, other_group;  ///< of the first one, and another group
    bool several_ids{};
    std::map<std::string, int> runs;  ///< by group
  };
  std::unordered_map<std::string, Seen> by_name_;
};

Contents read(const Source& source, const Target&) {
  const std::string other_form(why_not_read(source.text, likwid_forms));
  if (!other_form.empty() && !has_likwid_tables(source.text)) throw Error(other_form);
  Contents contents;
  constexpr std::string_view before_type = "CPU type:";
  if (const auto at = source.text.find(before_type); at != source.text.npos) {
    auto rest = std::string_view(source.text).substr(at + before_type.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(", \t"), rest.size()));
    contents.processor = trimmed(rest.substr(0, rest.find_first_of(",\n")));
  }
  bool any = false, several = false;
  std::set<std::string> groups;
  SeenRegions seen;
  for (const LikwidRegion& region : likwid_regions(source.text)) {
    if (region.metrics.empty() && region.events.empty()) continue;  // a heading of the program
    const std::string name = seen.take(region);
    const Values times = times_of(region);
    if (!(largest(times) > 0)) fail_at(region.line, "region '{:.60}' has no time ('Runtime (RDTSC) [s]')", region.name);
    several = several || name != region.name;
    Kernel& kernel = contents.kernels.kernel(name);
    const LikwidValues* const calls = region.information("call count");
    const int before = kernel.seconds > 0 ? kernel.runs : 0;  // another group, in a run of its own
    kernel.calls = std::max(1.0, calls ? largest(calls->values) : 0);
    kernel.seconds = (kernel.seconds * before + largest(times)) / (before + 1);
    kernel.runs = before + 1;
    any = add_counters(contents.kernels, kernel, region, times) || any;
    contents.kernels.add(kernel, "Runtime of " + region.group, largest(times));  // no other group has it
    groups.insert(region.group);
  }
  if (contents.kernels.kernels().empty())
    throw Error(other_form.empty() ? "no table of counters or metrics: count a group (-g MEM_DP)" : other_form);
  if (!any)
    throw Error(
        fmt::format("likwid's group {} counts neither operations nor bytes of L2, L3 or memory that are known here: "
                    "count FLOPS_DP and MEM, or MEM_DP",
                    fmt::join(groups, ", ")));
  if (several) contents.notes.emplace_back("regions that stand there more than once are further runs, numbered");
  return contents;
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  const auto read = counted.first_of({raw_read, "Memory read data volume [GBytes]"});
  const auto written = counted.first_of({raw_written, "Memory write data volume [GBytes]"});
  if (read && written) {
    work.bytes_read = *read;
    work.bytes_written = *written;
  } else if (const auto both = counted.find("Memory data volume [GBytes]")) {
    work.bytes_read = *both;
    work.no_direction = true;
  } else {
    work.unknown.emplace_back("bytes of the main memory (import the group MEM of the same regions beside this one)");
  }
  if (const auto bytes = counted.find("L2 data volume [GBytes]")) work.inner.push_back({"L2", *bytes});
  if (const auto bytes = counted.first_of({"L3 data volume [GBytes]", "L3 access data volume [GBytes]"}))
    work.inner.push_back({"L3", *bytes});
  const auto untyped = counted.find(zen_untyped);
  if (untyped) add_untyped_operations(work, counted, target, *untyped);
  const auto dp = counted.first_of(
      {intel_dp, "FP_FLOPS_RETIRED_FP64", "RETIRED_SSE_AVX_FLOPS_DOUBLE_ALL", "DP [MFLOP/s]", "DP MFLOP/s"});
  const auto sp = counted.first_of(
      {intel_sp, "FP_FLOPS_RETIRED_FP32", "RETIRED_SSE_AVX_FLOPS_SINGLE_ALL", "SP [MFLOP/s]", "SP MFLOP/s"});
  if (dp) add_operations(work, DType::fp64, Unit::vector, *dp);
  if (sp) add_operations(work, DType::fp32, Unit::vector, *sp);
  if (const auto hp = counted.find("HP [MFLOP/s]")) add_operations(work, DType::fp16, Unit::vector, *hp);
  if (!dp && !untyped) add_uncounted(work, target, "operations of fp64", "group ", {{DType::fp64, "FLOPS_DP"}});
  if (!sp && !untyped) add_uncounted(work, target, "operations of fp32", "group ", {{DType::fp32, "FLOPS_SP"}});
  return work;
}

}  // namespace

const Format likwid{"likwid-perfctr", "likwid-perfctr", &recognises,     &read,
                    &work_of,         WrittenAs::table, NamesOf::regions};

}  // namespace gable::interchange
