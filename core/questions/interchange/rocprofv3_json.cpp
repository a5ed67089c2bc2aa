#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/json/walk.hpp"
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

/// What an object is, by its place.
enum class Part {
  other,
  process,
  symbol,
  counter,
  id_of_counter,
  counted,
  traced,
  times,
  info,
  agent,
  grid,
  record,
  counter_of_record
};

Part part_at(const std::string& path) {
  using Parts = std::unordered_map<std::string, Part>;
  static const Parts parts = [] {
    const std::string process = "/rocprofiler-sdk-tool/*", counted = process + "/callback_records/counter_collection/*",
                      traced = process + "/buffer_records/kernel_dispatch/*";
    Parts all{{process, Part::process},
              {process + "/kernel_symbols/*", Part::symbol},
              {process + "/counters/*", Part::counter},
              {process + "/counters/*/id", Part::id_of_counter},
              {counted, Part::counted},
              {counted + "/dispatch_data", Part::times},
              {counted + "/records/*", Part::record},
              {counted + "/records/*/counter_id", Part::counter_of_record},
              {traced, Part::traced}};
    for (const std::string& info : {counted + "/dispatch_data/dispatch_info", traced + "/dispatch_info"}) {
      all.emplace(info, Part::info);
      all.emplace(info + "/agent_id", Part::agent);
      all.emplace(info + "/grid_size", Part::grid);
    }
    return all;
  }();
  const auto found = parts.find(path);
  return found == parts.end() ? Part::other : found->second;
}

/// What is known of a process.
struct Process {
  std::unordered_map<std::uint64_t, std::string> kernels, counters;  ///< names by their ids
  bool counted{}, traced{};                                          ///< it has such dispatches
};

/// Reads the dispatches, those of the trace where none was counted. Names, and whether anything was counted, may stand
/// behind the dispatches: they are known when the text is walked again.
class DispatchWalk : public JsonWalk {
 public:
  DispatchWalk(std::vector<Process>& processes, Dispatches& dispatches)
      : processes_(processes), dispatches_(dispatches) {}
  /// Whether a name, or what was counted, stood behind a dispatch.
  bool is_incomplete() const { return incomplete_; }
  /// A kernel without a name; nothing where all have one.
  const std::optional<std::uint64_t>& nameless() const { return nameless_; }

  bool number_unsigned(number_unsigned_t whole) override {
    const auto is = [this](std::string_view key) { return key_ == key; };
    switch (part()) {
      case Part::symbol:
        if (is("kernel_id")) id_ = whole;
        break;
      case Part::id_of_counter:
      case Part::counter_of_record:
        if (is("handle")) id_ = whole;
        break;
      case Part::agent:
        if (is("handle")) dispatch_.agent = whole;
        break;
      case Part::info:
        if (is("kernel_id")) dispatch_.kernel = whole;
        if (is("dispatch_id")) dispatch_.id = whole;
        break;
      case Part::grid:
        if (is("x") || is("y") || is("z")) dispatch_.grid.emplace_back(static_cast<double>(whole));
        break;
      case Part::times:
      case Part::traced:
        if (is("start_timestamp")) dispatch_.start = whole;
        if (is("end_timestamp")) dispatch_.end = whole;
        break;
      default:
        break;
    }
    return figure(static_cast<double>(whole));
  }
  bool number_integer(number_integer_t whole) override { return figure(static_cast<double>(whole)); }
  bool number_float(number_float_t value, const string_t&) override { return figure(value); }
  bool string(string_t& text) override {
    const bool is_kernel = part() == Part::symbol && (key_ == "kernel_name" || key_ == "formatted_kernel_name" ||
                                                      key_ == "demangled_kernel_name");
    if (is_kernel && !text.empty()) names_[key_] = text;
    if (part() == Part::counter && key_ == "name") names_[key_] = text;
    return true;
  }

  bool start_object(std::size_t elements) override {
    enter(false);
    const Part now = part();
    if (now == Part::process && ++process_ == processes_.size()) processes_.emplace_back();
    if (now == Part::counted || now == Part::traced) dispatch_ = {};
    if (now == Part::symbol || now == Part::counter) id_.reset(), names_.clear();
    if (now == Part::record) id_.reset(), value_.reset();
    return JsonWalk::start_object(elements);
  }
  bool start_array(std::size_t elements) override {
    enter(true);
    return JsonWalk::start_array(elements);
  }
  bool end_object() override {
    end_part();
    leave();
    return JsonWalk::end_object();
  }
  bool end_array() override {
    leave();
    return JsonWalk::end_array();
  }
  bool key(string_t& name) override {
    key_ = name;
    return JsonWalk::key(name);
  }

 private:
  struct Dispatch {
    std::optional<std::uint64_t> start, end, agent, kernel, id;
    std::vector<double> grid;
    std::vector<std::pair<std::uint64_t, double>> counted;  ///< by the counter's id
  };
  struct Level {
    std::size_t path;  ///< length of the path around it
    Part part;
    bool is_list;
  };

  Part part() const { return levels_.empty() ? Part::other : levels_.back().part; }

  void enter(bool is_list) {
    const std::size_t length = path_.size();
    const bool in_list = !levels_.empty() && levels_.back().is_list;
    if (!levels_.empty()) path_.append("/").append(in_list ? "*" : is_plain(key_) ? key_ : "?");
    levels_.push_back({length, is_list ? Part::other : part_at(path_), is_list});
  }
  /// Whether it is no part of a path of its own: a key may hold any characters.
  static bool is_plain(const std::string& key) { return key != "*" && std::ranges::count(key, '/') == 0; }
  void leave() {
    path_.resize(levels_.back().path);
    levels_.pop_back();
  }

  bool figure(double value) {
    if (part() == Part::record && key_ == "value") value_ = value;
    return true;
  }

  void end_part() {
    switch (part()) {
      case Part::symbol:
        for (const char* key : {"kernel_name", "formatted_kernel_name", "demangled_kernel_name"}) {
          if (names_.contains(key)) process().kernels[whole(id_, "kernel_id")] = names_[key];
        }
        break;
      case Part::counter:
        if (names_.contains("name")) process().counters[whole(id_, "handle")] = names_["name"];
        break;
      case Part::record:
        if (value_) add_record(whole(id_, "handle"));
        break;
      case Part::counted:
        incomplete_ = incomplete_ || std::exchange(process().traced, false);  // then the trace does not count
        process().counted = true;
        take();
        break;
      case Part::traced:
        if (process().counted) break;
        process().traced = true;
        take();
        break;
      default:
        break;
    }
  }

  void add_record(std::uint64_t counter) {
    for (auto& [id, sum] : dispatch_.counted) {
      if (id != counter) continue;
      sum += *value_;
      return;
    }
    dispatch_.counted.emplace_back(counter, *value_);
  }

  void take() {
    const std::uint64_t start = whole(dispatch_.start, "start_timestamp"), end = whole(dispatch_.end, "end_timestamp"),
                        kernel = whole(dispatch_.kernel, "kernel_id");
    const std::string id = std::to_string(whole(dispatch_.id, "dispatch_id")), owner = std::to_string(process_ + 1),
                      gpu = std::to_string(whole(dispatch_.agent, "agent_id")), first = std::to_string(start),
                      last = std::to_string(end);
    if (dispatch_.grid.size() != 3) whole({}, "grid_size");
    const auto name = process().kernels.find(kernel);
    if (name == process().kernels.end()) {
      incomplete_ = true;
      nameless_ = kernel;
      return;
    }
    DispatchLine line{
        .process = owner, .gpu = gpu, .id = id, .kernel = name->second, .start = first, .end = last, .work_items = 1};
    for (const double items : dispatch_.grid) line.work_items *= items;
    if (end > start) line.seconds = 1e-9 * static_cast<double>(end - start);
    dispatches_.take(line);
    std::map<std::string, double> sums;
    for (const auto& [counter, sum] : dispatch_.counted) {
      const auto known = process().counters.find(counter);
      incomplete_ = incomplete_ || known == process().counters.end();
      if (known != process().counters.end()) sums[known->second] += sum;
    }
    for (const auto& [counter, sum] : sums) dispatches_.count(counter, sum, 0);
  }

  Process& process() { return processes_.at(process_); }
  static std::uint64_t whole(const std::optional<std::uint64_t>& value, const char* key) {
    if (!value) throw Error(fmt::format("a dispatch, kernel or counter lacks the whole number {}", key));
    return *value;
  }

  std::vector<Process>& processes_;
  Dispatches& dispatches_;
  std::vector<Level> levels_;
  std::string path_, key_;
  std::size_t process_{static_cast<std::size_t>(-1)};
  Dispatch dispatch_;
  std::optional<std::uint64_t> id_;
  std::optional<double> value_;
  std::map<std::string, std::string> names_;
  std::optional<std::uint64_t> nameless_;
  bool incomplete_{};
};

Contents read(const Source& source, const Target&) {
  std::vector<Process> processes;
  for (bool again = false;; again = true) {
    Dispatches dispatches(Dispatches::OtherTimes::another_pass);
    DispatchWalk walk(processes, dispatches);
    walk.walk(source.text);
    const auto has_any = [](const Process& process) { return process.counted || process.traced; };
    if (std::ranges::none_of(processes, has_any))
      throw Error("no dispatch of a kernel: call rocprofv3 with --kernel-trace or --pmc");
    if (walk.is_incomplete() && !again) continue;
    if (const auto& nameless = walk.nameless()) throw Error(fmt::format("kernel {} has no name", *nameless));
    return dispatches.contents();
  }
}

}  // namespace

const Format rocprofv3_json{"rocprofv3 JSON", "rocprofv3", &recognises, &read, &work_of_amd_counters, WrittenAs::json};

}  // namespace gable::interchange
