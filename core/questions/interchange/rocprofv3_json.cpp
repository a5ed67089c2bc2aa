#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/format.hpp"

/// rocprofv3 `--output-format json`: dispatches in `buffer_records.kernel_dispatch`, and in
/// `callback_records.counter_collection` those of which something was counted.
namespace gable::interchange {
namespace {

using nlohmann::json;

bool recognises(std::string_view text) {
  constexpr std::size_t enough = 200;
  return text.substr(0, enough).find("\"rocprofiler-sdk-tool\"") != text.npos;
}

const json& list_at(const json& root, std::string_view pointer) {
  static const json none = json::array();
  const json::json_pointer place{std::string(pointer)};
  if (!root.contains(place) || !root[place].is_array()) return none;
  return root[place];
}

std::uint64_t whole_at(const json& entry, const char* pointer) {
  const json::json_pointer place(pointer);
  if (!entry.contains(place) || !entry[place].is_number_unsigned())
    throw Error(fmt::format("a dispatch lacks the whole number {}", pointer));
  return entry[place].get<std::uint64_t>();
}

/// Kernels and counters of a process by their ids.
class Names {
 public:
  explicit Names(const json& process) {
    for (const json& kernel : list_at(process, "/kernel_symbols")) {
      std::string name;
      for (const char* key : {"kernel_name", "formatted_kernel_name", "demangled_kernel_name"})
        if (kernel.contains(key) && kernel[key].is_string() && !kernel[key].get_ref<const std::string&>().empty())
          name = kernel[key].get<std::string>();
      kernels_[whole_at(kernel, "/kernel_id")] = name;
    }
    for (const json& counter : list_at(process, "/counters"))
      if (counter.contains("name") && counter["name"].is_string())
        counters_[whole_at(counter, "/id/handle")] = counter["name"].get<std::string>();
  }
  const std::string& kernel(std::uint64_t id) const {
    const auto found = kernels_.find(id);
    if (found == kernels_.end() || found->second.empty()) throw Error(fmt::format("kernel {} has no name", id));
    return found->second;
  }
  /// Empty for one that the file does not name.
  std::string counter(std::uint64_t id) const {
    const auto found = counters_.find(id);
    return found == counters_.end() ? std::string() : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::string> kernels_, counters_;
};

/// `info`: of the dispatch, `times`: what has its timestamps.
void take_dispatch(const json& info, const json& times, const std::string& process, const Names& names,
                   Dispatches& dispatches) {
  const std::uint64_t start = whole_at(times, "/start_timestamp"), end = whole_at(times, "/end_timestamp");
  const std::string gpu = std::to_string(whole_at(info, "/agent_id/handle"));
  const std::string id = std::to_string(whole_at(info, "/dispatch_id"));
  const std::string first = std::to_string(start), last = std::to_string(end);
  DispatchLine line{.process = process,
                    .gpu = gpu,
                    .id = id,
                    .kernel = names.kernel(whole_at(info, "/kernel_id")),
                    .start = first,
                    .end = last,
                    .work_items = 1};
  for (const char* axis : {"/grid_size/x", "/grid_size/y", "/grid_size/z"})
    line.work_items *= static_cast<double>(whole_at(info, axis));
  if (end > start) line.seconds = 1e-9 * static_cast<double>(end - start);
  dispatches.take(line);
}

/// A counter has a record of each part of the chip.
void count_records(const json& entry, const Names& names, Dispatches& dispatches) {
  std::map<std::string, double> sums;
  for (const json& record : list_at(entry, "/records")) {
    if (!record.contains("value") || !record["value"].is_number()) continue;
    sums[names.counter(whole_at(record, "/counter_id/handle"))] += record["value"].get<double>();
  }
  for (const auto& [name, sum] : sums) dispatches.count(name, sum, 0);
}

Contents read(const Source& source, const Target&) {
  const json root = parse_json(source.text);
  Dispatches dispatches(Dispatches::OtherTimes::another_pass);
  bool any = false;
  std::size_t number = 0;
  for (const json& process : list_at(root, "/rocprofiler-sdk-tool")) {
    const Names names(process);
    const std::string id = std::to_string(++number);
    const json& counted = list_at(process, "/callback_records/counter_collection");
    const json& traced = list_at(process, "/buffer_records/kernel_dispatch");
    for (const json& entry : counted) {
      const json& data = entry.at("dispatch_data");
      take_dispatch(data.at("dispatch_info"), data, id, names, dispatches);
      count_records(entry, names, dispatches);
    }
    if (counted.empty()) {
      for (const json& entry : traced) take_dispatch(entry.at("dispatch_info"), entry, id, names, dispatches);
    }
    any = any || !counted.empty() || !traced.empty();
  }
  if (!any) throw Error("no dispatch of a kernel: call rocprofv3 with --kernel-trace or --pmc");
  return dispatches.contents();
}

Contents read_checked(const Source& source, const Target& target) {
  try {
    return read(source, target);
  } catch (const json::exception&) {
    throw Error("a dispatch lacks 'dispatch_info' or 'dispatch_data': the file is damaged");
  }
}

}  // namespace

const Format rocprofv3_json{"rocprofv3 JSON", "rocprofv3",           &recognises,
                            &read_checked,    &work_of_amd_counters, WrittenAs::json};

}  // namespace gable::interchange
