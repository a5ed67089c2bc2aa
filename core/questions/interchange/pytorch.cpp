#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// PyTorch's profiler (Kineto): a Chrome trace of operators ("cpu_op"), launches ("cuda_runtime") and kernels
/// ("kernel"), as export_chrome_trace() and tensorboard_trace_handler() write it.
namespace gable::interchange {
namespace {

constexpr std::string_view duration_counter = "dur", events_key = "\"traceEvents\"";
constexpr std::string_view table_heading = "Self CPU %", table_calls = "# of Calls";
constexpr std::string_view how = "torch.profiler.profile(record_shapes=True), then export_chrome_trace(\"trace.json\")";

bool is_execution_trace(std::string_view text) {
  return trimmed(text).starts_with('{') && text.find(events_key) == text.npos && text.find("\"nodes\"") != text.npos &&
         text.find("\"schema\"") != text.npos && text.find("\"start_ts\"") != text.npos;
}

bool recognises_trace(std::string_view text) {
  const std::string_view document = trimmed(text);
  if (document.starts_with('[')) return text.find("\"ph\"") != text.npos && text.find("\"cat\"") != text.npos;
  if (document.starts_with('{')) return text.find(events_key) != text.npos || is_execution_trace(text);
  return text.find(table_heading) != text.npos && text.find(table_calls) != text.npos;
}

/// An event of a Chrome trace ("Trace Event Format", Google) with what PyTorch's profiler (Kineto) adds to it.
struct TraceEvent {
  std::string phase, category, name;
  std::string thread;  ///< "process/thread"
  double start_us{}, duration_us{};
  bool whole_us{true};  ///< the duration has no digits behind the point
  std::optional<std::int64_t> external_id, correlation, device;
  RecordedInputs inputs;
};

std::string text_in(const nlohmann::json& object, std::string_view key) {
  const auto& value = member_of(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

double figure_in(const nlohmann::json& object, std::string_view key) {
  const auto& value = member_of(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::optional<std::int64_t> whole_in(const nlohmann::json& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const auto& value = member_of(object, key);
    const bool too_big = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    if (value.is_number_integer() && !too_big) return value.get<std::int64_t>();
  }
  return {};
}

/// A list as text; empty where there is none.
std::string list_in(const nlohmann::json& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const auto& value = member_of(object, key); value.is_array()) return dump_json(value, -1);
  }
  return {};
}

TraceEvent event_of(const nlohmann::json& event) {
  const auto& arguments = member_of(event, "args");
  return {.phase = text_in(event, "ph"),
          .category = text_in(event, "cat"),
          .name = text_in(event, "name"),
          .thread = dump_json(member_of(event, "pid"), -1) + '/' + dump_json(member_of(event, "tid"), -1),
          .start_us = figure_in(event, "ts"),
          .duration_us = figure_in(event, "dur"),
          .whole_us = !member_of(event, "dur").is_number_float(),
          .external_id = whole_in(arguments, {"External id", "external id"}),
          .correlation = whole_in(arguments, {"correlation"}),
          .device = whole_in(arguments, {"device"}),
          .inputs = {.dims = list_in(arguments, {"Input Dims", "Input dims"}),
                     .types = list_in(arguments, {"Input type"}),
                     .strides = list_in(arguments, {"Input Strides"}),
                     .values = list_in(arguments, {"Concrete Inputs"})}};
}

/// Figures that are no JSON become empty texts of the same length. Those within quotes stay.
std::string without_nan(std::string_view text) {
  std::string kept(text);
  bool quoted = false;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (quoted && kept[i] == '\\') {
      ++i;
    } else if (kept[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (kept[i] == 'i' || kept[i] == 'n' || kept[i] == 'I' || kept[i] == 'N')) {
      for (const std::string_view word : {"infinity", "Infinity", "inf", "nan", "NaN", "Inf"}) {
        if (!std::string_view(kept).substr(i).starts_with(word)) continue;
        const std::size_t begin = i > 0 && kept[i - 1] == '-' ? i - 1 : i;
        kept.replace(begin, i + word.size() - begin, i + word.size() - begin, ' ');
        kept[begin] = kept[begin + 1] = '"';
        i = begin + 1;
        break;
      }
    }
  }
  return kept;
}

bool may_have_nan(std::string_view text) {
  for (const std::string_view begin : {": nan", ": -nan", ": inf", ": -inf", ": NaN", ": Infinity", ": -Infinity"}) {
    if (text.find(begin) != text.npos) return true;
  }
  return false;
}

/// Calls `take` with every event of a trace: an object whose key "traceEvents" is their list, or the list. Few of it is
/// in memory at a time. Where a figure is nan or inf, as some versions of Kineto write it, which is no JSON, it is read
/// as absent. Throws Error for what is no JSON, such as a file that was cut off.
template <class Take>
void for_each_event(std::string_view text, Take&& take) {
  std::string repaired;
  if (may_have_nan(text)) text = repaired = without_nan(text);
  const auto take_event = [&](const nlohmann::json& value, std::span<const std::size_t>) {
    if (!value.is_object()) return;
    TraceEvent event = event_of(value);
    take(event);
  };
  const JsonPlace places[] = {{{"traceEvents", "*"}, take_event}, {{"*"}, take_event}};
  take_json(text, places);
}

/// An operator that ran on the host, each call by itself.
struct OperatorCall {
  std::size_t what{};  ///< index of its name and inputs
  std::int64_t id{-1};
  int thread{};
  double start{}, end{};  ///< us
  double duration{};      ///< us: times since a start far back have fewer digits
  double inside{};        ///< us of the operators in it
  double device{};        ///< us of what it launched
  int kernels{};
  bool product_inside{};                              ///< an operator in it does the product
  bool reduced_input{}, full_input{}, transformed{};  ///< by its kernels' names: tf32, fp32, a Winograd transform
};

/// Something that ran on the GPU.
struct DeviceEvent {
  std::string name;
  bool is_kernel{};
  double duration{};  ///< us
  std::optional<std::int64_t> correlation, external_id;
};

struct Launch {
  int thread{};
  double at{};  ///< us
  bool is_graph{};
  OperatorCall* of{};  ///< the innermost operator that launched it
};

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// Products of fp32 may multiply in tf32, which the trace does not tell; kernels' names of NVIDIA's and AMD's libraries
/// do.
void note_kernel(OperatorCall& call, std::string_view name) {
  const bool reduced = holds_any(name, {"tf32", "s1688", "xf32", "_S_MX"});
  call.reduced_input = call.reduced_input || reduced;
  call.full_input =
      call.full_input || (!reduced && holds_any(name, {"sgemm", "simt", "ffma", "scudnn", "_SB_", "_S_B_"}));
  call.transformed = call.transformed || holds_any(name, {"winograd", "Winograd"});
}

class PyTorchTrace {
 public:
  explicit PyTorchTrace(std::string_view text) {
    for_each_event(text, [&](TraceEvent& event) { take(event); });
    if (calls_.empty() && events_.empty())
      throw Error(fmt::format(
          "a Chrome trace without operators or kernels of PyTorch's profiler ('cpu_op', 'kernel'): {}", how));
    if (devices_.size() > 1)
      throw Error(fmt::format("kernels of {} devices ({}, {} and so on): a result is of one, profile each by itself",
                              devices_.size(), *devices_.begin(), *devices_.rbegin()));
  }

  Contents contents(const Target& target) {
    const bool of_device = std::ranges::any_of(events_, &DeviceEvent::is_kernel);
    const bool target_is_host = target.device.backend == "openmp";
    if (of_device && target_is_host) throw Error("its kernels ran on a GPU: --device names a processor");
    if (!of_device && (launched_ || !target_is_host))
      throw Error(fmt::format("no kernel of a GPU is in it, only what the host did{}: {}",
                              launched_ ? " to launch them" : "; --device openmp or a processor's result reads that",
                              "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA] records kernels"));
    counter_ = contents_.kernels.counter(duration_counter);
    std::ranges::sort(calls_, [](const OperatorCall& a, const OperatorCall& b) {
      return std::tuple(a.thread, a.start, -a.end) < std::tuple(b.thread, b.start, -b.end);
    });
    if (of_device)
      add_device();
    else
      add_host();
    return finished();
  }

 private:
  struct Described {
    std::string name;
    std::optional<OperatorWork> work;
  };

  void take(TraceEvent& event) {
    if (event.phase != "X") return;
    const std::string& category = event.category;
    const bool is_kernel = category == "kernel" || category == "Kernel";
    if (category == "cpu_op" || category == "Operator") {
      calls_.push_back({.what = described(event),
                        .id = event.external_id.value_or(-1),
                        .thread = thread(event.thread),
                        .start = event.start_us,
                        .end = event.start_us + event.duration_us,
                        .duration = event.duration_us});
    } else if (is_kernel || category == "gpu_memset" ||
               (category == "gpu_memcpy" && event.name.find("DtoD") != event.name.npos)) {
      if (is_kernel && event.external_id && event.external_id == event.correlation) ids_are_of_launches_ = true;
      if (is_kernel && event.device) devices_.insert(*event.device);
      events_.push_back({std::move(event.name), is_kernel, event.duration_us, event.correlation, event.external_id});
    } else if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime") {
      launched_ = true;
      if (event.correlation)
        launches_[*event.correlation] = {thread(event.thread), event.start_us,
                                         event.name.find("GraphLaunch") != event.name.npos};
      return;
    } else {
      return;
    }
    if (!(event.duration_us >= 0) || !std::isfinite(event.duration_us + event.start_us))
      throw Error(fmt::format("'{:.60}' has a time of {:g} us", event.name, event.duration_us));
    whole_us_ = whole_us_ && event.whole_us;
  }

  int thread(const std::string& name) { return threads_.emplace(name, threads_.size()).first->second; }

  /// Equal operators with equal inputs have one entry.
  std::size_t described(const TraceEvent& event) {
    const RecordedInputs& inputs = event.inputs;
    const auto [known, is_new] = described_at_.emplace(
        fmt::format("{}\n{}\n{}\n{}\n{}", event.name, inputs.dims, inputs.types, inputs.strides, inputs.values),
        described_.size());
    if (is_new) described_.push_back({event.name, work_of_operator(event.name, inputs)});
    return known->second;
  }

  /// The innermost operator around each launch, by the host's thread and time.
  void find_owners() {
    std::vector<Launch*> launches;
    for (auto& [id, launch] : launches_) launches.push_back(&launch);
    std::ranges::sort(launches, [](const Launch* a, const Launch* b) {
      return std::tuple(a->thread, a->at) < std::tuple(b->thread, b->at);
    });
    std::vector<OperatorCall*> open;
    std::size_t next = 0;
    for (Launch* const launch : launches) {
      const auto begins_before = [&](const OperatorCall& call) {
        return call.thread != launch->thread ? call.thread < launch->thread : call.start <= launch->at;
      };
      for (; next < calls_.size() && begins_before(calls_[next]); ++next) {
        close(open, calls_[next].thread, calls_[next].start);
        open.push_back(&calls_[next]);
      }
      while (!open.empty() && (open.back()->thread != launch->thread || open.back()->end < launch->at)) open.pop_back();
      if (!open.empty() && !launch->is_graph) launch->of = open.back();
    }
  }
  /// Leaves the operators that contain this moment of the thread.
  static void close(std::vector<OperatorCall*>& open, int thread, double at) {
    while (!open.empty() && (open.back()->thread != thread || open.back()->end <= at)) open.pop_back();
  }

  /// By the operator's id, which events have that are launched without a record of it. In older versions of PyTorch it
  /// is that of the launch.
  OperatorCall* owner_by_id(const DeviceEvent& event) const {
    const auto found = event.external_id && !ids_are_of_launches_ ? by_id_.find(*event.external_id) : by_id_.end();
    return found == by_id_.end() ? nullptr : found->second;
  }

  void add_device() {
    find_owners();
    for (OperatorCall& call : calls_) by_id_.emplace(call.id, &call);
    for (const DeviceEvent& event : events_) {
      const auto launch = event.correlation ? launches_.find(*event.correlation) : launches_.end();
      OperatorCall* call = launch == launches_.end() ? owner_by_id(event) : launch->second.of;
      if (call != nullptr && !described_[call->what].work) call = nullptr;
      if (call == nullptr && event.is_kernel) add_kernel(event);
      if (call == nullptr) continue;
      call->device += event.duration;
      call->kernels += event.is_kernel ? 1 : 0;
      if (event.is_kernel) note_kernel(*call, event.name);
    }
    for (const OperatorCall& call : calls_) {
      if (call.kernels > 0) add_operator(call, call.device, true);
    }
  }

  void add_host() {
    std::vector<OperatorCall*> open;
    for (OperatorCall& call : calls_) {
      close(open, call.thread, call.start);
      if (!open.empty()) open.back()->inside += call.duration;
      const auto& work = described_[call.what].work;
      if (work && work->is_product) {
        for (OperatorCall* const around : open) around->product_inside = true;
      }
      open.push_back(&call);
    }
    for (const OperatorCall& call : calls_) add_operator(call, std::max(0.0, call.duration - call.inside), false);
  }

  void count(Kernel& kernel, double microseconds) {
    kernel.add_call(microseconds * 1e-6);
    contents_.kernels.add(kernel, counter_, microseconds);
  }
  void add_kernel(const DeviceEvent& event) { count(contents_.kernels.kernel(event.name), event.duration); }

  void add_operator(const OperatorCall& call, double microseconds, bool on_device) {
    const Described& what = described_[call.what];
    const bool has_work = what.work && !call.product_inside;
    std::string operands = has_work ? what.work->operands : std::string();
    if (has_work && call.transformed) operands += " winograd";  // its operations are not those of the other calls
    Kernel& kernel = contents_.kernels.kernel(operands.empty() ? what.name : what.name + ' ' + operands);
    kernel.op = what.name;
    kernel.operands = operands;
    count(kernel, microseconds);
    if (!has_work) return;
    OperatorWork work = *what.work;
    if (call.transformed) work.operations.reset();  // a transform does fewer than the definition says
    if (on_device && work.is_product && work.dtype == DType::fp32 && !call.full_input)
      work.dtype = call.reduced_input ? std::optional(DType::tf32) : std::nullopt;
    add_by_shapes(contents_.kernels, kernel, work);
  }

  Contents finished() {
    const std::size_t without_time = contents_.kernels.drop_untimed();
    if (contents_.kernels.kernels().empty()) throw Error("no kernel and no operator in it has a time");
    if (without_time > 0)
      say(contents_.notes, "{} kernels or operators whose times are 0 us were left out", without_time);
    if (whole_us_)
      say(contents_.notes,
          "times are whole microseconds, as older versions of PyTorch write them: short ones are rough");
    return std::move(contents_);
  }

  Contents contents_;
  std::size_t counter_{};
  std::vector<OperatorCall> calls_;  ///< by thread and time, those around others first
  std::vector<DeviceEvent> events_;
  std::unordered_map<std::int64_t, Launch> launches_;  ///< by what correlates them with events
  std::unordered_map<std::int64_t, OperatorCall*> by_id_;
  std::unordered_map<std::string, int> threads_;
  std::unordered_map<std::string, std::size_t> described_at_;
  std::vector<Described> described_;
  std::set<std::int64_t> devices_;
  bool launched_{}, ids_are_of_launches_{}, whole_us_{true};
};

Contents read_trace(const Source& source, const Target& target) {
  if (is_execution_trace(source.text))
    throw Error(fmt::format("PyTorch's execution trace, which has no times of kernels: {}", how));
  if (const auto document = trimmed(source.text); !document.starts_with('{') && !document.starts_with('['))
    throw Error(fmt::format("PyTorch's printed table, which cuts names and has no shapes of single calls: {}", how));
  return PyTorchTrace(source.text).contents(target);
}

KernelWork work_of_trace(Counted& counted, const Target& target) {
  counted.find(duration_counter);
  return work_by_shapes(counted, target);
}

}  // namespace

const Format pytorch{"PyTorch profiler trace", "pytorch",      &recognises_trace, &read_trace,
                     &work_of_trace,           WrittenAs::json};

}  // namespace gable::interchange
