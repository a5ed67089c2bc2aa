#include "core/result/anonymous.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "core/device/catalogue.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/result/anonymous_text.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/json.hpp"
#include "core/result/merge.hpp"

namespace gable::result {
namespace {

constexpr std::string_view anonymous_host = "anonymous", file_mark = "FILE";
constexpr std::string_view anonymous_note =
    "names of hosts, users and files, paths, serial numbers and times of day were taken out";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(at, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Calls back with every text of a document and its JSON pointer.
template <class Callback>
void for_each_text(const nlohmann::json& json, const std::string& pointer, Callback callback) {
  if (json.is_string()) callback(pointer, json.get_ref<const std::string&>());
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) for_each_text(value, pointer + "/" + key, callback);
}

/// Lower-case words that occur in row names and product names. A host or user with such a name cannot be told from the
/// word.
std::set<std::string> vocabulary(const Result& result) {
  std::set<std::string> words;
  for (const DeviceInfo& device : result.devices) words.insert(lower(device.backend));
  for (const auto& row : result.ceilings) words.insert({lower(row.name), lower(row.implementation)});
  for (const auto& row : result.points) words.insert({lower(row.op), lower(row.implementation)});
  const auto add_words = [&](const std::string& name) {
    for (std::string& word : split(lower(name), ' ')) words.insert(std::move(word));
  };
  for (const auto& device : catalogue::devices()) add_words(device.name);
  for (const auto& cpu : catalogue::cpus()) {
    add_words(cpu.name);
    for (const auto& processor : cpu.processors) add_words(processor.name);
  }
  return words;
}

/// "anonymous", or "anonymous1,anonymous2" for the hosts of a merged result, in its order.
std::string pseudonyms(std::string_view hostname, const std::set<std::string>& words, AnonymousText& cleaner) {
  const auto hosts = split(hostname, ',');
  std::vector<std::string> names;
  for (const std::string& host : hosts) {
    names.push_back(hosts.size() == 1 ? std::string(anonymous_host)
                                      : fmt::format("{}{}", anonymous_host, names.size() + 1));
    const auto dot = std::min(host.find('.'), host.size());
    for (const std::string& name : {host, host.substr(0, dot)}) {
      if (!words.contains(lower(name))) cleaner.add(name, names.back());
    }
    const std::string domain = host.substr(std::min(dot + 1, host.size()));
    if (domain.find('.') != domain.npos) cleaner.add(domain, "DOMAIN");
  }
  return fmt::format("{}", fmt::join(names, ","));
}

/// Names of the files among parameters ("matrix=FILE.mtx"), and what they are called instead: the ending says
/// what a parameter is.
void add_parameter_files(const Result& result, AnonymousText& cleaner) {
  std::set<std::string> known;
  const auto add = [&](const std::string& params) {
    for (const std::string& part : split(params, ',')) {
      const std::string value = part.substr(std::min(part.find('='), part.size() - 1) + 1);
      if (!is_file_name(value) || !known.insert(value).second) continue;
      const std::string ending = value.ends_with(".mtx") ? ".mtx" : "";
      cleaner.add(value, fmt::format("{}{}{}", file_mark, known.size(), ending));
    }
  };
  for (const Point& point : result.points) add(point.params);
  for (const Case& one : result.request.value_or(Request{}).cases) {
    for (const Params& params : one.params) add(params.to_string());
  }
}

/// Files by whose ceilings points were judged, which the notes name.
void add_roof_files(const std::vector<Fact>& facts, AnonymousText& cleaner) {
  for (const Fact& fact : facts) {
    const std::string name = std::filesystem::path(fact.value).filename().string();
    if (fact.name == roofs_fact && is_file_name(name)) cleaner.add(name, std::string(file_mark));
  }
}

/// Files of other tools, which notes and reasons may name.
void add_imported_files(const Result& result, AnonymousText& cleaner) {
  const auto add = [&](const auto& row) {
    if (row.imported && is_file_name(row.imported->file)) cleaner.add(row.imported->file, std::string(file_mark));
  };
  std::ranges::for_each(result.ceilings, add);
  std::ranges::for_each(result.points, add);
}

void clean_texts(const AnonymousText& cleaner, std::initializer_list<std::string*> texts) {
  for (std::string* text : texts) *text = cleaner.text(*text);
}

void clean_versions(const AnonymousText& cleaner, std::initializer_list<std::string*> texts) {
  for (std::string* text : texts) *text = cleaner.version(*text);
}

void clean(Build& build, const AnonymousText& cleaner) {
  clean_versions(cleaner, {&build.version, &build.commit, &build.compiler, &build.build_type});
  build.flags = cleaner.flags(build.flags);
  for (auto& [name, version] : build.libraries) clean_versions(cleaner, {&name, &version});
}

/// The day of "2026-01-31T12:34:56Z"; empty if it is something else.
std::string date_of(const std::string& moment) {
  const bool iso = moment.size() >= 10 && moment[4] == '-' && moment[7] == '-' &&
                   std::isdigit(static_cast<unsigned char>(moment[0])) != 0;
  return iso ? moment.substr(0, 10) : "";
}

/// A version may look like an address.
bool is_version(const Fact& fact) {
  constexpr std::array<std::string_view, 3> names{"driver", "driver build", "runtime"};
  return std::ranges::count(names, fact.name) > 0;
}

void clean(std::vector<Fact>& facts, const AnonymousText& cleaner) {
  std::erase_if(facts, names_one_device);
  for (Fact& fact : facts) {
    fact.name = cleaner.version(fact.name);
    if (fact.source == "environment") {
      fact.value = cleaner.environment(fact.value);
    } else if (fact.name == "kernel") {
      fact.value = kernel_version(fact.value).empty() ? "unknown" : kernel_version(fact.value);
    } else if (fact.name == roofs_fact || (fact.name == "file" && fact.source == merge_source)) {
      fact.value = file_mark;
    } else if (fact.name == "run_started_at") {
      fact.value = date_of(fact.value);
    } else {
      fact.value = is_version(fact) ? cleaner.version(fact.value) : cleaner.text(fact.value);
    }
    fact.source = cleaner.text(fact.source);
  }
}

/// What was run with which options, without the names of files.
std::vector<std::string> clean_command(const std::vector<std::string>& words, const AnonymousText& cleaner) {
  constexpr std::array<std::string_view, 7> file_options{"--output", "--resume", "--config", "--census",
                                                         "--from",   "--points", "--roofs"};
  const auto takes_file = [&](std::string_view option) { return std::ranges::count(file_options, option) > 0; };
  std::vector<std::string> clean;
  bool takes_files = false;  // --roofs takes all words up to the next option
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = i == 0 ? std::filesystem::path(words[0]).filename().string() : words[i];
    const auto equals = word.starts_with("--") ? word.find('=') : word.npos;
    if (i > 0 && word.starts_with("--")) takes_files = word == "--roofs";
    if (i > 0 && (takes_file(words[i - 1]) || (takes_files && !word.starts_with("--")))) {
      clean.emplace_back(file_mark);
    } else if (equals != word.npos && takes_file(word.substr(0, equals))) {
      clean.push_back(fmt::format("{}={}", word.substr(0, equals), file_mark));
    } else {
      clean.push_back(cleaner.argument(word, file_mark));
    }
  }
  return clean;
}

void clean(RunInfo& run, const AnonymousText& cleaner) {
  run.started_at = date_of(run.started_at);
  run.finished_at = date_of(run.finished_at);
  run.command_line = clean_command(run.command_line, cleaner);
  run.os = cleaner.text(run.os);
  std::istringstream words(run.kernel);  // "Linux 6.1.0-18-cloud-amd64 x86_64"
  std::string system, release, machine;
  words >> system >> release >> machine;
  run.kernel = cleaner.version(fmt::format("{} {} {}", system, kernel_version(release), machine));
  clean(run.facts, cleaner);
}

void clean(Request& request, const AnonymousText& cleaner) {
  for (Case& one : request.cases) {
    for (Params& params : one.params) params = Params::parse(cleaner.version(params.to_string()));
    one.label = cleaner.text(one.label);
  }
}

void clean(DeviceInfo& device, const AnonymousText& cleaner) {
  clean_versions(cleaner, {&device.id, &device.name});
  device.clock_source = cleaner.text(device.clock_source);
  for (MemoryLevel& level : device.memory) level.source = cleaner.text(level.source);
  for (TheoreticalPeak& peak : device.peaks) peak.source = cleaner.text(peak.source);
  clean(device.facts, cleaner);
}

/// What every kind of row has, and all of a kind that has no other texts.
template <class OneRow>
void clean(OneRow& row, const AnonymousText& cleaner) {
  clean_versions(cleaner, {&row.id, &row.device});
  row.reason = cleaner.text(row.reason);
}

void clean(Conditions& conditions, const AnonymousText& cleaner) {
  conditions.clock_source = cleaner.text(conditions.clock_source);
  if (conditions.clock_limits) conditions.clock_limits = cleaner.text(*conditions.clock_limits);
}

void clean(std::optional<Imported>& imported, const AnonymousText& cleaner) {
  if (!imported) return;
  imported->tool = cleaner.version(imported->tool);
  if (imported->version) imported->version = cleaner.version(*imported->version);
  imported->file = file_mark;
  for (std::string& counter : imported->counters) counter = cleaner.version(counter);
  imported->name = cleaner.text(imported->name);
  for (std::string& what : imported->unknown) what = cleaner.text(what);
}

void clean(Ceiling& row, const AnonymousText& cleaner) {
  clean<>(row, cleaner);
  clean(row.imported, cleaner);
  clean_versions(cleaner, {&row.implementation, &row.variant, &row.data_pattern});
  if (row.algorithm) row.algorithm = cleaner.version(*row.algorithm);
  row.datasheet_source = cleaner.text(row.datasheet_source);
  clean(row.conditions, cleaner);
}

void clean(Curve& row, const AnonymousText& cleaner) {
  clean<>(row, cleaner);
  row.series = cleaner.version(row.series);
}

void clean(Point& row, const AnonymousText& cleaner) {
  clean<>(row, cleaner);
  clean(row.imported, cleaner);
  clean_versions(cleaner, {&row.op, &row.implementation, &row.params});
  clean_texts(cleaner, {&row.label, &row.limit, &row.limit_level});
  for (std::string& missing : row.missing) missing = cleaner.text(missing);
  for (Stage& stage : row.stages) stage.name = cleaner.text(stage.name);
  clean(row.conditions, cleaner);
}

/// Moves the moments of all rounds by the same time, so that they begin at one that nobody took: it follows from the
/// figures, so that results that are merged stay apart, and a copy of a copy is the same.
void move_moments(Result& result) {
  std::optional<double> first_s;
  std::uint64_t figures = 0;
  const auto for_each_estimate = [&](auto&& use) {
    for (Ceiling& row : result.ceilings) use(row.value);
    for (Point& row : result.points) use(row.time);
  };
  for_each_estimate([&](const Estimate& estimate) {
    for (const double end_s : estimate.ended_s) first_s = std::min(first_s.value_or(end_s), end_s);
    for (const double sample : estimate.samples) figures = 31 * figures + std::bit_cast<std::uint64_t>(sample);
  });
  if (!first_s) return;
  constexpr std::uint64_t seconds_of_a_century = 3'155'760'000;
  const auto begin_s = static_cast<double>(1 + figures % seconds_of_a_century);
  const auto to_milliseconds = [](double time_s) { return std::round(time_s * 1000) / 1000; };
  for_each_estimate([&](Estimate& estimate) {
    for (double& end_s : estimate.ended_s) end_s = to_milliseconds(begin_s + (end_s - *first_s));
  });
}

/// If a text would still change, its field was not handled, or must stay as it is.
void demand_clean(const Result& result, const AnonymousText& cleaner) {
  for_each_text(to_json(result), "", [&](const std::string& pointer, const std::string& text) {
    if (cleaner.leaks(text))
      throw Error(fmt::format("{}: a path, or the name of a host, a user or a file is left in this text", pointer));
  });
}

}  // namespace

Result anonymous(Result result) {
  AnonymousText cleaner;
  const auto words = vocabulary(result);
  result.run.hostname = pseudonyms(result.run.hostname, words, cleaner);
  for_each_text(to_json(result), "", [&](const std::string&, const std::string& text) {
    for (const std::string& user : users_in(text)) {
      if (!words.contains(lower(user))) cleaner.add(user, "USER");
    }
  });
  add_parameter_files(result, cleaner);
  add_imported_files(result, cleaner);
  add_roof_files(result.run.facts, cleaner);
  for (const DeviceInfo& device : result.devices) add_roof_files(device.facts, cleaner);
  clean(result.build, cleaner);
  for (auto& [name, build] : result.workers) {
    name = cleaner.version(name);
    clean(build, cleaner);
  }
  clean(result.run, cleaner);
  if (result.request) clean(*result.request, cleaner);
  for (DeviceInfo& device : result.devices) clean(device, cleaner);
  for_each_row(result, [&](auto& row) { clean(row, cleaner); });
  move_moments(result);
  for (std::string& text : result.notes) text = cleaner.text(text);
  if (std::ranges::count(result.notes, anonymous_note) == 0) result.notes.emplace_back(anonymous_note);
  demand_clean(result, cleaner);
  return result;
}

bool names_one_device(const Fact& fact) {
  const std::string name = lower(fact.name);
  constexpr std::array<std::string_view, 5> words{"uuid", "pci", "serial", "mac address", "ip address"};
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != name.npos; });
}

bool same_host(std::string_view a, std::string_view b) { return a == b && !a.starts_with(anonymous_host); }

bool names_lost_file(std::string_view params) {
  const auto parts = split(params, ',');
  return std::ranges::any_of(
      parts, [](const std::string& part) { return part.find(fmt::format("={}", file_mark)) != part.npos; });
}

}  // namespace gable::result
