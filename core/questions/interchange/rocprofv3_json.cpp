#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/format.hpp"

/// rocprofv3 `--output-format json`: dispatches in `buffer_records.kernel_dispatch`, and in
/// `callback_records.counter_collection` those of which something was counted, with a record of each part of the chip.
namespace gable::interchange {
namespace {

bool recognises(std::string_view text) {
  constexpr std::size_t enough = 200;
  return text.substr(0, enough).find("\"rocprofiler-sdk-tool\"") != text.npos;
}

using nlohmann::json;

std::uint64_t whole(const json& value, const char* key) {
  if (!value.is_number_unsigned())
    throw Error(fmt::format("a dispatch, kernel or counter lacks the whole number {}", key));
  return value.get<std::uint64_t>();
}
std::uint64_t handle_of(const json& id, const char* key) { return whole(member_of(id, "handle"), key); }

/// What is known of a process.
struct Process {
  std::unordered_map<std::uint64_t, std::string> kernels, counters;  ///< names by their ids
  bool counted{}, traced{};                                          ///< it has such dispatches
};

/// Reads the dispatches, those of the trace where none was counted. Names, and whether anything was counted, may stand
/// behind the dispatches: they are known when the text is read again.
class DispatchReader {
 public:
  DispatchReader(std::vector<Process>& processes, std::string_view text) : processes_(processes) {
    const auto place = [this](std::vector<std::string_view> within_process, void (DispatchReader::*take)(const json&)) {
      std::vector<std::string_view> path{"rocprofiler-sdk-tool", "*"};
      path.insert(path.end(), within_process.begin(), within_process.end());
      return JsonPlace{std::move(path), [this, take](const json& value, std::span<const std::size_t> indices) {
                         process_ = indices.front();
                         if (processes_.size() <= process_) processes_.resize(process_ + 1);
                         (this->*take)(value);
                       }};
    };
    const JsonPlace places[] = {place({"kernel_symbols", "*"}, &DispatchReader::take_symbol),
                                place({"counters", "*"}, &DispatchReader::take_counter),
                                place({"callback_records", "counter_collection", "*"}, &DispatchReader::take_counted),
                                place({"buffer_records", "kernel_dispatch", "*"}, &DispatchReader::take_traced)};
    take_json(text, places);
  }
  /// Whether a name, or what was counted, stood behind a dispatch.
  bool is_incomplete() const { return incomplete_; }
  Contents contents() {
    if (nameless_) throw Error(fmt::format("kernel {} has no name", *nameless_));
    return dispatches_.contents();
  }

 private:
  Process& process() { return processes_[process_]; }

  void take_symbol(const json& symbol) {
    for (const char* key : {"kernel_name", "formatted_kernel_name", "demangled_kernel_name"}) {
      const json& name = member_of(symbol, key);
      if (!name.is_string() || name.get_ref<const std::string&>().empty()) continue;
      process().kernels[whole(member_of(symbol, "kernel_id"), "kernel_id")] = name;
    }
  }
  void take_counter(const json& counter) {
    const json& name = member_of(counter, "name");
    if (name.is_string()) process().counters[handle_of(member_of(counter, "id"), "handle")] = name;
  }
  void take_counted(const json& dispatch) {
    incomplete_ = incomplete_ || std::exchange(process().traced, false);  // then the trace does not count
    process().counted = true;
    std::map<std::uint64_t, double> parts;  // summed up over those of the chip
    for (const json& record : member_of(dispatch, "records")) {
      const json& value = member_of(record, "value");
      if (value.is_number()) parts[handle_of(member_of(record, "counter_id"), "handle")] += value.get<double>();
    }
    take(member_of(dispatch, "dispatch_data"), parts);
  }
  void take_traced(const json& dispatch) {
    if (process().counted) return;
    process().traced = true;
    take(dispatch, {});
  }

  void take(const json& dispatch, const std::map<std::uint64_t, double>& counted) {
    const json& info = member_of(dispatch, "dispatch_info");
    const std::uint64_t start = whole(member_of(dispatch, "start_timestamp"), "start_timestamp"),
                        end = whole(member_of(dispatch, "end_timestamp"), "end_timestamp"),
                        kernel = whole(member_of(info, "kernel_id"), "kernel_id");
    const std::string id = std::to_string(whole(member_of(info, "dispatch_id"), "dispatch_id")),
                      owner = std::to_string(process_ + 1),
                      gpu = std::to_string(handle_of(member_of(info, "agent_id"), "agent_id")),
                      first = std::to_string(start), last = std::to_string(end);
    DispatchLine line{
        .process = owner, .gpu = gpu, .id = id, .kernel = {}, .start = first, .end = last, .work_items = 1};
    for (const char* axis : {"x", "y", "z"})
      line.work_items *= static_cast<double>(whole(member_of(member_of(info, "grid_size"), axis), "grid_size"));
    const auto name = process().kernels.find(kernel);
    if (name == process().kernels.end()) {
      incomplete_ = true;
      nameless_ = kernel;
      return;
    }
    line.kernel = name->second;
    if (end > start) line.seconds = 1e-9 * static_cast<double>(end - start);
    dispatches_.take(line);
    std::map<std::string, double> sums;
    for (const auto& [counter, sum] : counted) {
      const auto known = process().counters.find(counter);
      incomplete_ = incomplete_ || known == process().counters.end();
      if (known != process().counters.end()) sums[known->second] += sum;
    }
    for (const auto& [counter, sum] : sums) dispatches_.count(counter, sum, 0);
  }

  std::vector<Process>& processes_;
  Dispatches dispatches_{Dispatches::OtherTimes::another_pass};
  std::size_t process_{};  ///< that is being read
  std::optional<std::uint64_t> nameless_;
  bool incomplete_{};
};

Contents read(const Source& source, const Target&) {
  std::vector<Process> processes;
  DispatchReader first(processes, source.text);
  const auto has_any = [](const Process& process) { return process.counted || process.traced; };
  if (std::ranges::none_of(processes, has_any))
    throw Error("no dispatch of a kernel: call rocprofv3 with --kernel-trace or --pmc");
  return first.is_incomplete() ? DispatchReader(processes, source.text).contents() : first.contents();
}

}  // namespace

const Format rocprofv3_json{"rocprofv3 JSON", "rocprofv3", &recognises, &read, &work_of_amd_counters, WrittenAs::json};

}  // namespace gable::interchange
