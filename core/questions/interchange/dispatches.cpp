#include "core/questions/interchange/dispatches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.hpp"
#include "core/questions/interchange/numbers.hpp"
#include "core/sequence.hpp"

namespace gable::interchange {
namespace {

constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;

std::uint64_t hash_of(std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = parts.size();
  for (const std::string_view part : parts) hash = (hash ^ std::hash<std::string_view>{}(part)) * odd + (hash >> 29);
  return hash;
}

std::uint64_t hash_of_pass(std::size_t dispatch, std::uint64_t times) { return times ^ ((dispatch + 1) * odd); }

/// "1.62068E+14": a whole number of ns that a spreadsheet wrote.
bool is_rounded(std::string_view timestamp) { return timestamp.find_first_of("eE") != timestamp.npos; }

}  // namespace

std::string_view without_descriptor(std::string_view kernel) {
  for (const std::string_view mark : {" [clone .kd]", " (.kd)", ".kd"}) {
    if (kernel.size() > mark.size() && kernel.ends_with(mark)) return kernel.substr(0, kernel.size() - mark.size());
  }
  return kernel;
}

bool is_host_call(std::string_view name) {
  if (name.find("<barrier packet>") != name.npos) return true;
  if (name.find_first_of("(<") != name.npos) return false;
  const auto begins = [&](std::string_view prefix) {
    return name.size() > prefix.size() && name.starts_with(prefix) &&
           std::isupper(static_cast<unsigned char>(name[prefix.size()])) != 0;
  };
  return begins("hip") || begins("__hip") || begins("Copy") || begins("rocDec") || begins("rocJpeg") ||
         (begins("nccl") && !begins("ncclDev") && !begins("ncclKernel")) || name == "FillBuffer" ||
         name == "async-copy" || name.starts_with("hsa_") || name.starts_with("hsaKmt") || name.starts_with("roctx") ||
         name.starts_with("MEMORY_") || name.starts_with("SCRATCH_MEMORY") || name == "KERNEL_DISPATCH" ||
         name.ends_with("_API");
}

void Dispatches::note_times(const DispatchLine& line) {
  has_timestamps_ = has_timestamps_ || !line.end.empty();
  if (before_dispatch_ == 0 && line.before_dispatch) before_dispatch_ = line.line;
  if (rounded_.empty() && is_rounded(line.end) && !line.seconds) {
    rounded_ = line.end;
    rounded_line_ = line.line;
  }
  if (const auto known = gpus_.find(line.gpu); known == gpus_.end()) gpus_.emplace(line.gpu);
}

void Dispatches::take(const DispatchLine& line) {
  note_times(line);
  const std::uint64_t times = hash_of({line.start, line.end});
  const bool passes = meaning_ == OtherTimes::another_pass;
  const std::uint64_t key = passes ? hash_of({line.process, line.gpu, line.id, line.kernel})
                                   : hash_of({line.process, line.gpu, line.id, line.kernel, line.start, line.end});
  const bool is_named = !line.id.empty() || !line.end.empty();  // two lines that say nothing of it are two dispatches
  const auto found = is_named ? index_.find(key) : index_.end();
  if (found == index_.end()) {
    at_ = dispatches_.size();
    if (is_named) index_.emplace(key, at_);
    dispatches_.emplace_back();
    dispatches_[at_].process = hash_of({line.process});
    dispatches_[at_].in_any_process = hash_of({line.gpu, line.id, line.kernel});
    dispatches_[at_].kernel = table_.kernel_index(without_descriptor(line.kernel));
    dispatches_[at_].work_items = line.work_items;
  } else {
    at_ = found->second;
  }
  std::vector<Pass>& all = dispatches_[at_].passes;
  if (!all.empty() && all.back().times == times) {  // as of nearly all lines
    pass_ = all.size() - 1;
    if (!passes) ++repeated_;
    return;
  }
  pass_ = all.size();
  if (pass_ > 0) {
    pass_at_.emplace(hash_of_pass(at_, all.front().times), 0);
    const auto [known, is_new] = pass_at_.emplace(hash_of_pass(at_, times), pass_);
    pass_ = known->second;
    if (!is_new) return;
  }
  all.push_back({.times = times, .seconds = line.seconds});
}

void Dispatches::count(std::string_view counter, double value, int line) {
  Dispatch& dispatch = dispatches_[at_];
  Pass& pass = dispatch.passes[pass_];
  if (pass.lines == 0) pass.first_counter = hash_of({counter});
  ++pass.lines;
  constexpr double slowest_clock = 1e7;  // Hz; AMD's GPUs idle at 90 MHz and more
  if (counter == "GRBM_COUNT" && value > 0 && pass.seconds && value < slowest_clock * *pass.seconds) {
    if (slow_clock_.empty())
      slow_clock_ =
          fmt::format("line {}: {:g} cycles of the GPU's clock (GRBM_COUNT) in {:.3g} s", line, value, *pass.seconds);
    pass.seconds.reset();
  }
  if (!is_amd_counter(counter)) return;
  const std::size_t at = table_.counter(counter);
  const auto known = std::ranges::find(dispatch.values, at, &Value::counter);
  if (known == dispatch.values.end()) {
    dispatch.values.push_back({.counter = at, .pass = pass_, .last = value, .sum = value, .passes = 1});
    return;
  }
  if (known->pass != pass_) {
    known->pass = pass_;
    known->last = value;
    known->sum += value;
    ++known->passes;
  } else if (known->last != value) {
    fail_at(line, "{} of one dispatch is {:g} here and {:g} before: the file has several runs in one", counter, value,
            known->last);
  } else if (meaning_ == OtherTimes::another_pass) {
    --pass.lines;
    ++repeated_;
  }
}

void Dispatches::refuse_cut_end() const {
  if (dispatches_.empty()) return;
  const Pass& last = dispatches_[at_].passes[pass_];
  for (const Dispatch& dispatch : dispatches_) {
    for (const Pass& pass : dispatch.passes) {
      if (pass.first_counter == last.first_counter && pass.lines > last.lines)
        throw Error("the last dispatch has fewer counters than others: the file was cut off");
    }
  }
}

/// Files of several passes that were put behind one another: each pass is a process, which counted something else of
/// the same dispatches. Ranks of MPI count the same.
void Dispatches::join_processes() {
  std::unordered_map<std::uint64_t, std::size_t> first;
  const auto counters = [](const Dispatch& dispatch) {
    auto all = mapped(dispatch.values, &Value::counter);
    std::ranges::sort(all);
    return all;
  };
  for (std::size_t i = 0; i < dispatches_.size(); ++i) {
    const auto [found, is_first] = first.emplace(dispatches_[i].in_any_process, i);
    Dispatch& one = dispatches_[found->second];
    Dispatch& other = dispatches_[i];
    if (is_first || one.process == other.process || counters(one) == counters(other)) continue;
    one.passes.insert(one.passes.end(), other.passes.begin(), other.passes.end());
    for (const Value& value : other.values) {
      const auto known = std::ranges::find(one.values, value.counter, &Value::counter);
      if (known == one.values.end()) {
        one.values.push_back(value);
      } else {
        known->sum += value.sum;
        known->passes += value.passes;
      }
    }
    other.joined = true;
  }
  std::erase_if(dispatches_, [](const Dispatch& dispatch) { return dispatch.joined; });
}

std::string Dispatches::why_untimed() const {
  if (!rounded_.empty())
    return fmt::format(
        "line {}: timestamps such as {} lost their last digits, as spreadsheets do it: no time of a kernel is left "
        "(import the file as the profiler wrote it, or one of the same program with times beside it, such as "
        "timestamps.csv)",
        rounded_line_, rounded_);
  if (before_dispatch_ > 0)
    return fmt::format(
        "line {}: the kernel begins before it was dispatched (DispatchNs): its begin and its end are of different "
        "runs, and no time of a kernel is left (import timestamps.csv of the same program beside it)",
        before_dispatch_);
  if (!slow_clock_.empty())
    return fmt::format(
        "{}: the timestamps are no times, and no time of a kernel is left (import a file of the same program with "
        "times beside it)",
        slow_clock_);
  if (has_timestamps_) return "no dispatch has a time: End_Timestamp is not behind Start_Timestamp in any line";
  return "there are no times of kernels (columns such as Start_Timestamp and End_Timestamp): import a file of the same "
         "program that has them beside it (rocprofv3 --kernel-trace, rocprof --timestamp on)";
}

Contents Dispatches::contents() {
  if (gpus_.size() > 1)
    throw Error(
        fmt::format("dispatches of {} GPUs or agents ({} and others): a result is of one device, keep the lines of one",
                    gpus_.size(), *gpus_.begin()));
  if (meaning_ == OtherTimes::another_pass) join_processes();
  const auto seconds_of = [](const Dispatch& dispatch) -> std::optional<double> {
    double sum = 0;
    int timed = 0;
    for (const Pass& pass : dispatch.passes) {
      if (!pass.seconds || !(*pass.seconds > 0)) continue;
      sum += *pass.seconds;
      ++timed;
    }
    return timed > 0 ? std::optional{sum / timed} : std::nullopt;
  };
  const bool any_time =
      std::ranges::any_of(dispatches_, [&](const Dispatch& one) { return seconds_of(one).has_value(); });
  Contents contents;
  std::size_t left_out = 0;
  for (const Dispatch& dispatch : dispatches_) {
    const auto seconds = seconds_of(dispatch);
    if (any_time && !seconds) {
      ++left_out;
      continue;
    }
    Kernel& kernel = contents.kernels.kernel(table_.kernels()[dispatch.kernel].name);
    kernel.add_call(seconds.value_or(0));
    kernel.launches += 1;
    kernel.work_items += dispatch.work_items;
    kernel.runs = any_time ? 1 : 0;
    for (const Value& value : dispatch.values)
      contents.kernels.add(kernel, table_.counters()[value.counter], value.sum / value.passes);
  }
  if (contents.kernels.counters().empty()) {
    const std::size_t time = contents.kernels.counter(time_of_dispatches);
    for (Kernel& kernel : contents.kernels.kernels()) {
      contents.kernels.add(kernel, time, kernel.seconds);
      kernel.counted[time] = kernel.launches;
    }
  }
  if (!any_time) contents.untimed = why_untimed();
  if (left_out > 0)
    say(contents.notes, "{} of {} dispatches have no time and are left out", left_out, dispatches_.size());
  if (repeated_ > 0) say(contents.notes, "{} lines stand twice in the file: each was counted once", repeated_);
  return contents;
}

}  // namespace gable::interchange
