#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/perf_lines.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/text/lower.hpp"

/// Linux perf: what the events of `perf stat` mean.
namespace gable::interchange {
namespace {

constexpr std::string_view wall_time = "duration_time";
constexpr std::string_view arm_fixed = "fp_fixed_ops_spec", arm_scalable = "fp_scale_ops_spec";
constexpr std::string_view p_cores = "cpu_core/", e_cores = "cpu_atom/";
constexpr std::string_view memory_controller = "uncore_imc";
/// Counter of hybrid processors: the share of the time in which the P cores counted.
constexpr std::string_view p_core_share = "cpu_core running [%]";

/// "cpu/FP_ARITH_INST_RETIRED.SCALAR_DOUBLE/u" and "fp_arith_inst_retired.scalar_double:u" as
/// "fp_arith_inst_retired.scalar_double". Events of E cores are others than those of P cores and keep their start.
/// "uncore_imc_free_running_0/data_read/" is "uncore_imc/data_read", which no other unit counts.
std::string event_name(std::string_view written) {
  std::string name;
  if (written.starts_with(e_cores)) name = e_cores;
  const auto slash = written.find('/');
  if (slash != written.npos) {
    const bool of_memory = written.starts_with(memory_controller);
    written.remove_prefix(slash + 1);
    written = written.substr(0, written.find('/'));
    if (written.find('=') == written.npos) written = written.substr(written.rfind(',') + 1);
    if (of_memory && written.starts_with("data_")) name += "uncore_imc/";
  }
  name += written.substr(0, written.find(':'));
  return lower(name);
}

/// Files of profilers of CPUs that hold no counts of a run.
constexpr std::array<OtherForm, 4> without_counts{{
    {{"# ", "time ", "counts unit events"}, "perf's intervals (-I) are not read: count the whole run without -I"},
    {{"# Samples:", "of event", ""},
     "perf report's text, samples of where time went: a roofline needs counts, of perf stat"},
    {{"AMDuProfPcm", "", ""},
     "AMDuProfPcm's table, rates over time without the time of a run: count it with perf stat"},
    {{"AMD uProf", "", ""}, "AMD uProf's report, samples of where time went: a roofline needs counts, of perf stat"},
}};

bool recognises(std::string_view text) { return is_perf_stat(text) || !why_not_read(text, without_counts).empty(); }

/// Whether work_of() below looks at it.
bool is_of_work(std::string_view event) {
  constexpr std::array<std::string_view, 6> starts{"fp_",       "umc_cas_cmd",      "unc_m_cas_count",
                                                   "cas_count", "uncore_imc/data_", e_cores};
  return std::ranges::any_of(starts, [&](std::string_view start) {
    return event.starts_with(start) && (start != e_cores || event.find("fp_") != event.npos);
  });
}

/// Gathers the lines of one run.
class PerfKernel {
 public:
  /// `noted`: all that was noted of the runs before it, each once.
  PerfKernel(Contents& contents, Kernel& kernel, const Numbers& numbers, std::set<std::string>& noted)
      : contents_(contents), kernel_(kernel), numbers_(numbers), noted_(noted) {}

  void add(const PerfLine& line) {
    const std::string event = event_name(line.event);
    const auto [known, is_new] = seen_.try_emplace(line.place + " " + line.event, line.value);
    if (!is_new && (known->second == line.value || !(event == wall_time || is_of_work(event)))) return;
    if (!is_new) fail_at(line.number, "{} is there twice: count it once; intervals (-I) are not read", line.event);
    const auto value = numbers_.value(line.value, line.number);
    const bool hybrid = line.event.starts_with(p_cores) || line.event.starts_with(e_cores);
    is_hybrid_ = is_hybrid_ || hybrid;
    if (!value) {
      if (line.event.starts_with(e_cores)) return;  // not counted there, or not by this event
      broken_.insert(event);
      note("{} was not counted ({}; virtual machines often hide counters)", line.event, line.value);
      return;
    }
    if (event == wall_time) {
      if (line.unit != "ns" && !line.unit.empty()) fail_at(line.number, "{} in '{}'", line.event, line.unit);
      kernel_.seconds = std::max(kernel_.seconds, *value * 1e-9);
      return;
    }
    const auto bytes = unit_factor(line.unit, {"B", "Bytes"});
    const std::string unit = bytes ? "byte" : line.unit;  // one that is not known is no plain count of the event
    const std::string counter = unit.empty() ? event : fmt::format("{} [{}]", event, unit);
    sums_[counter] += *value * bytes.value_or(1);
    event_of_[counter] = event;
    if (event == arm_fixed || event == arm_scalable)
      note("{} counts operations that were begun, also those of a path that was not taken (speculative)", line.event);
    take_share(line, event, *value);
  }

  void finish() {
    for (const auto& [counter, sum] : sums_) {
      if (!broken_.contains(event_of_[counter])) contents_.kernels.add(kernel_, counter, sum);
    }
    if (!is_hybrid_) return;
    constexpr double nearly_all = 99;
    if (p_share_ < nearly_all || e_cores_counted_)
      contents_.kernels.add(kernel_, p_core_share, p_share_);
    else
      note("P cores ran {:.4g} % of the time and E cores (cpu_atom) are left out", p_share_);
  }

 private:
  template <class... Values>
  void note(fmt::format_string<Values...> text, Values&&... values) {
    std::string line = fmt::format(text, std::forward<Values>(values)...);
    if (noted_.insert(line).second) contents_.notes.push_back(std::move(line));
  }

  void take_share(const PerfLine& line, const std::string& event, double value) {
    if (line.event.starts_with(e_cores)) {
      e_cores_counted_ = e_cores_counted_ || (value > 0 && event.find("fp_") != std::string::npos);
      return;
    }
    const auto share = Numbers().value(line.share.substr(0, line.share.find_first_of(".,")), line.number);
    if (!share) return;
    if (line.event.starts_with(p_cores))
      p_share_ = std::min(p_share_, share_of(line, *share));
    else if (*share < 99)
      note("{} was counted in {} % of the time, and perf estimated the rest", line.event, line.share);
  }

  double share_of(const PerfLine& line, double whole) const {
    Numbers decimals;
    decimals.see(line.share, line.number);
    const bool divided = line.share.find_first_of(".,") != std::string::npos;
    return divided ? decimals.value(line.share, line.number).value_or(whole) : whole;
  }

  Contents& contents_;
  Kernel& kernel_;
  const Numbers& numbers_;
  std::set<std::string>& noted_;
  std::map<std::string, double> sums_;
  std::map<std::string, std::string> event_of_;
  std::map<std::string, std::string> seen_;  ///< values: metrics (-M) that share an event list it once each
  std::set<std::string> broken_;
  bool is_hybrid_{}, e_cores_counted_{};
  double p_share_{100};
};

/// `numbers`: the last run of each name, as programs run 10^5 times.
std::string name_of(const Source& source, const std::vector<PerfRun>& runs, std::size_t index, Contents& contents,
                    std::map<std::string, int>& numbers) {
  std::string name = runs.size() == 1 ? std::filesystem::path(source.name).stem().string() : runs[index].command;
  if (name.empty()) name = fmt::format("run {}", index + 1);
  int& number = numbers.try_emplace(name, 1).first->second;
  std::string unique = name;
  while (contents.kernels.find(unique)) unique = fmt::format("{} (run {})", name, ++number);
  return unique;
}

Contents read(const Source& source, const Target&) {
  Contents contents;
  const std::string_view other_form = why_not_read(source.text, without_counts);
  if (!other_form.empty() && !is_perf_stat(source.text)) throw Error(std::string(other_form));
  const auto runs = perf_runs(source.text);
  Numbers numbers;
  for (const PerfRun& run : runs) {
    for (const PerfLine& line : run.lines) numbers.see(line.value, line.number);
    numbers.see(run.elapsed_s, run.elapsed_line);
  }
  std::map<std::string, int> last_run;
  std::set<std::string> noted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Kernel& kernel = contents.kernels.kernel(name_of(source, runs, i, contents, last_run));
    kernel.calls = 1;
    PerfKernel gathered(contents, kernel, numbers, noted);
    for (const PerfLine& line : runs[i].lines) gathered.add(line);
    if (!(kernel.seconds > 0) && !runs[i].elapsed_s.empty())
      kernel.seconds = numbers.value(runs[i].elapsed_s, runs[i].elapsed_line).value_or(0);
    if (!(kernel.seconds > 0))
      throw Error(fmt::format("no {}: add it to the events (perf stat -x, -e {},…), a roofline needs the time",
                              wall_time, wall_time));
    gathered.finish();
  }
  if (std::ranges::none_of(contents.kernels.counters(), is_of_work))
    throw Error(
        "perf stat with none of the counters that a roofline needs: count fp_arith_inst_retired.* (Intel), "
        "fp_ret_sse_avx_ops.all (AMD) or fp_fixed_ops_spec (Arm), and those of the memory (docs/interchange.md)");
  return contents;
}

/// Intel's counters of a type by the width of the vectors. An FMA is counted twice.
void add_intel(KernelWork& work, Counted& counted, const Target& target, DType dtype, std::string_view name,
               double lanes_of_128) {
  const auto find = [&](std::string_view width) {
    return counted.find(fmt::format("fp_arith_inst_retired.{}_{}", width, name));
  };
  const auto scalar = find("scalar"), v128 = find("128b_packed"), v256 = find("256b_packed"),
             v512 = find("512b_packed");
  const bool no_v512 = !target.device.isa.empty() && !target.has_isa("avx512");
  add_operations(work, dtype, Unit::vector,
                 scalar.value_or(0) + lanes_of_128 * v128.value_or(0) + 2 * lanes_of_128 * v256.value_or(0) +
                     4 * lanes_of_128 * v512.value_or(0));
  if (!scalar || !v128 || !v256 || !(v512 || no_v512))
    say(work.unknown, "operations of {} (a width of vectors was not counted)", to_string(dtype));
}

/// Arm's counters of all types together: of scalar and Advanced SIMD instructions every operation, of scalable vectors
/// (SVE) those of 128 bit of each vector, so that all are the count times length / 128 bit (Arm Architecture Reference
/// Manual for A-profile, PMU events 0x80C1 and 0x80C0). An FMA counts twice in both.
void add_arm(KernelWork& work, const Counted& counted, const Target& target, const std::optional<double>& fixed,
             const std::optional<double>& scalable) {
  if (fixed)
    add_untyped_operations(work, counted, target, *fixed);
  else
    say(work.unknown, "operations of scalar and Advanced SIMD instructions ({})", arm_fixed);
  if (!scalable)
    say(work.unknown, "operations of scalable vectors ({})", arm_scalable);
  else if (*scalable > 0)
    say(work.unknown,
        "operations of scalable vectors ({:.4g} for each 128 bit of their length, which is not in the file)",
        counted.a_call(*scalable));
}

std::optional<double> line_bytes(Counted& counted, std::initializer_list<const char*> events) {
  for (const char* event : events) {
    if (const auto bytes = counted.find(fmt::format("{} [byte]", event))) return bytes;
    constexpr double line = 64;
    if (const auto lines = counted.find(event)) return line * *lines;
  }
  return {};
}

KernelWork work_of(Counted& counted, const Target& target) {
  KernelWork work;
  const auto read = line_bytes(counted, {"umc_cas_cmd.rd", "unc_m_cas_count.rd", "cas_count_read",
                                         "uncore_imc/data_read", "uncore_imc/data_reads"});
  const auto written = line_bytes(counted, {"umc_cas_cmd.wr", "unc_m_cas_count.wr", "cas_count_write",
                                            "uncore_imc/data_write", "uncore_imc/data_writes"});
  const auto both = read && written ? std::nullopt : line_bytes(counted, {"uncore_imc/data_total"});
  work.bytes_read = both ? *both : read.value_or(0);
  work.bytes_written = both ? 0 : written.value_or(0);
  work.no_direction = both.has_value();
  if (!both && (!read || !written)) work.unknown.emplace_back("bytes of the main memory");
  if (const auto untyped = counted.find("fp_ret_sse_avx_ops.all")) {
    add_untyped_operations(work, counted, target, *untyped);
  } else if (const auto fixed = counted.find(arm_fixed), scalable = counted.find(arm_scalable); fixed || scalable) {
    add_arm(work, counted, target, fixed, scalable);
  } else {
    add_intel(work, counted, target, DType::fp64, "double", 2);
    add_intel(work, counted, target, DType::fp32, "single", 4);
  }
  if (const auto share = counted.find(p_core_share))
    say(work.unknown,
        "operations of the E cores (P cores ran {:.4g} % of the time, and perf scales their counts to all of it)",
        *share);
  return work;
}

}  // namespace

const Format perf_stat{"perf stat", "perf", &recognises, &read, &work_of, WrittenAs::table, NamesOf::regions};

}  // namespace gable::interchange
