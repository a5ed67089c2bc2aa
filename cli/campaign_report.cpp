#include <fmt/format.h>

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/campaign.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/acceptance.hpp"
#include "core/analysis/named_machine.hpp"
#include "core/campaign/fleet.hpp"
#include "core/campaign/nodelist.hpp"
#include "core/campaign/plan.hpp"
#include "core/campaign/summary.hpp"
#include "core/error.hpp"
#include "core/report/answer.hpp"
#include "core/report/campaign_files.hpp"
#include "core/result/store.hpp"
#include "core/text/terminal.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;
using campaign::NodeVerdict;

Usage usage() {
  Usage usage{.synopsis = "campaign report DIR [options]",
              .summary =
                  "Which nodes of a campaign are slow, absent or different, from their summaries alone.\n"
                  "Exit code 1: a node is flagged, failed, damaged or absent.",
              .example = "gable campaign report acceptance --against reference.json --files acceptance-report",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("dir", po::value<std::string>()->value_name("DIR"), "the folder of the campaign");
  add("against", po::value<std::string>()->value_name("REF"), "result file that every node is compared with, too");
  add("tolerance", po::value<std::string>()->value_name("PERCENT")->default_value("10%"),
      "of --against: how much slower is accepted");
  add("output", po::value<std::string>()->value_name("FILE"), "write the answer there instead of printing it");
  add("files", po::value<std::string>()->value_name("FOLDER"),
      "write campaign.json, nodes.csv, junit.xml, passing.txt, failing.txt and drain.txt there");
  add("force", po::bool_switch(), "replace existing files of --output and --files");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("dir", 1);
  return usage;
}

void check_options(const po::variables_map& values) {
  if (values.count("dir") == 0) throw Error("campaign report needs the folder of a campaign");
  if (values.count("against") == 0 && !values["tolerance"].defaulted()) throw Error("--tolerance goes with --against");
  const bool force = values["force"].as<bool>();
  if (force && values.count("output") + values.count("files") == 0)
    throw Error("--force goes with --output or --files");
  std::error_code none;
  if (values.count("output") != 0) {
    const fs::path output = values["output"].as<std::string>();
    if (!force && fs::exists(output, none))
      throw Error(fmt::format("'{}' exists; name another --output or add --force", output.string()));
    result::check_writable(output);
  }
  if (values.count("files") == 0) return;
  const fs::path folder = values["files"].as<std::string>();
  if (!force && fs::exists(folder, none) && !(fs::is_directory(folder, none) && fs::is_empty(folder, none)))
    throw Error(fmt::format("'{}' is there already; name another --files or add --force", folder.string()));
}

std::optional<campaign::FleetReference> reference_of(const po::variables_map& values) {
  if (values.count("against") == 0) return {};
  const Result result = analysis::load_result(values["against"].as<std::string>());
  return campaign::FleetReference{campaign::summary_of(result, "", "reference", 0), fraction(values, "tolerance", 0)};
}

/// A list in Slurm's form, on one line.
std::string list_text(const campaign::Fleet& fleet, std::initializer_list<NodeVerdict> verdicts) {
  return campaign::compress_nodelist(fleet.names(verdicts)) + "\n";
}

void write_files(const campaign::Fleet& fleet, const Answer& answer, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  std::string drains;
  for (const std::string& line : campaign::suggested_drains(fleet)) drains += line + "\n";
  using enum NodeVerdict;
  const std::pair<std::string_view, std::string> files[] = {
      {"campaign.json", report::json_text(answer)},
      {"nodes.csv", report::nodes_csv(fleet)},
      {"junit.xml", report::fleet_junit(fleet)},
      {"passing.txt", list_text(fleet, {pass})},
      {"failing.txt", list_text(fleet, {flagged, failed, damaged, absent})},
      {"drain.txt", drains},
  };
  for (const auto& [name, text] : files) result::write_file_atomically(folder / name, text);
}

}  // namespace

int campaign_report(const Arguments& arguments) {
  Usage described = usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  check_options(*values);
  add_devices_files(*values);
  const campaign::Fleet fleet = campaign::read_fleet((*values)["dir"].as<std::string>(), reference_of(*values));
  const Answer answer = campaign::answer_of(fleet);
  if (values->count("files") != 0) write_files(fleet, answer, (*values)["files"].as<std::string>());
  const std::string text = written(answer, *values);
  if (values->count("output") != 0)
    result::write_file_atomically((*values)["output"].as<std::string>(), text);
  else
    fmt::print("{}", text);
  return fleet.passed() ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
