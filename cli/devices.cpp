#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/catalogue.hpp"
#include "cli/catalogue_option.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "core/device/processor_theory.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/result/json.hpp"
#include "core/worker/session.hpp"

namespace gable::cli {
namespace {

std::string clock_text(const DeviceInfo& device) {
  std::string text;
  if (device.base_clock_hz) text += fmt::format("base {}", format_quantity(*device.base_clock_hz, "Hz"));
  if (device.max_clock_hz)
    text += fmt::format("{}max {}", text.empty() ? "" : ", ", format_quantity(*device.max_clock_hz, "Hz"));
  if (text.empty()) text = "unknown";
  return device.clock_source.empty() ? text : fmt::format("{} ({})", text, device.clock_source);
}

void print_memory(const DeviceInfo& device) {
  for (const MemoryLevel& level : device.memory) {
    fmt::print("  {:<12} {}", level.name, format_quantity(level.size_bytes, "byte"));
    if (level.instances > 1) fmt::print(" x {}", level.instances);
    if (level.shared_by > 1) fmt::print(", shared by {} cores", level.shared_by);
    if (level.line_bytes > 0) fmt::print(", {} byte lines", level.line_bytes);
    fmt::print("  [{}]\n", level.source);
  }
}

void print_peaks(const DeviceInfo& device) {
  if (device.peaks.empty()) return;
  fmt::print("  theoretical peaks\n");
  for (const TheoreticalPeak& peak : device.peaks) {
    const std::string what =
        fmt::format("{}{}", peak.name, peak.dtype ? fmt::format(" {}", to_string(*peak.dtype)) : "");
    fmt::print("    {:<14} {:<14} {} [{}]\n", what, format_quantity(peak.value, peak.unit), peak.source,
               peak.confidence);
  }
}

void print_device(const DeviceInfo& device) {
  fmt::print("{}: {}\n", device.id, device.name);
  if (!device.microarchitecture.empty()) fmt::print("  {:<12} {}\n", "core", device.microarchitecture);
  if (device.backend != "openmp") {
    fmt::print("  {:<12} {} multiprocessors\n", "topology", device.cores);
  } else {
    fmt::print("  {:<12} {} socket{}, {} cores, {} threads, {} NUMA node{}\n", "topology", device.sockets,
               device.sockets == 1 ? "" : "s", device.cores, device.threads, device.numa.size(),
               device.numa.size() == 1 ? "" : "s");
  }
  fmt::print("  {:<12} {}\n", "clock", clock_text(device));
  fmt::print("  {:<12} {}\n", "isa", fmt::join(device.isa, " "));
  print_memory(device);
  fmt::print("  {:<12} {}\n", "free memory",
             device.free_memory_bytes > 0 ? format_quantity(device.free_memory_bytes, "byte") : "unknown");
  print_peaks(device);
  if (device.facts.empty()) return;
  fmt::print("  facts\n");
  for (const Fact& fact : device.facts) fmt::print("    {:<26} {}  [{}]\n", fact.name, fact.value, fact.source);
}

}  // namespace

int devices(const Arguments& arguments) {
  Usage usage{.synopsis = "devices [--catalogue | --show NAME] [options]",
              .summary = "What there is to measure here, and where each figure comes from.",
              .example = "gable devices --json",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("catalogue", po::bool_switch(), "vendors' figures of all devices that are known, instead");
  add("show", po::value<std::string>()->value_name("NAME"), "vendors' figures and ridge points of one of them");
  add("json", po::bool_switch(), "as JSON");
  offer_devices_files(usage.options);
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  const bool as_json = (*values)["json"].as<bool>(), catalogue = (*values)["catalogue"].as<bool>();
  if (catalogue && values->count("show") != 0) throw Error("--catalogue and --show exclude each other");
  add_devices_files(*values);
  if (catalogue) {
    print_catalogue(as_json);
    return exit_ok;
  }
  if (values->count("show") != 0) {
    print_catalogue_entry((*values)["show"].as<std::string>(), as_json);
    return exit_ok;
  }
  std::vector<worker::StartProblem> problems;
  const auto sessions = worker::start_sessions(problems);
  if (sessions.empty() && problems.empty())
    throw Error(fmt::format("no worker gable-worker-* found {}", worker::worker_folders()));
  nlohmann::json json{{"devices", nlohmann::json::array()}, {"problems", nlohmann::json::array()}};
  for (const auto& problem : problems) json["problems"].push_back(to_string(problem));
  for (const auto& session : sessions) {
    for (DeviceInfo device : session.probe().devices) {
      add_users_theory(device);
      if (as_json)
        json["devices"].push_back(result::to_json(device));
      else
        print_device(device);
    }
  }
  if (as_json)
    fmt::print("{}\n", json.dump(2));
  else
    for (const auto& problem : problems) fmt::print("{}\n", to_string(problem));
  using enum worker::StartProblem::Kind;
  const bool failed = std::ranges::count(problems, no_cpu_worker, &worker::StartProblem::kind) > 0;
  return !sessions.empty() || !failed ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
