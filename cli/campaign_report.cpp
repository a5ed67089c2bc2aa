#include <array>

#include "cli/campaign.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/fleet_answer.hpp"
#include "core/questions/campaign/folder.hpp"
#include "core/questions/campaign/groups.hpp"
#include "core/questions/campaign/heat_map.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/answer.hpp"
#include "core/result/store.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/lower.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;
using campaign::NodeVerdict;

Usage campaign_report_usage() {
  Usage usage{.synopsis = "campaign report DIR [options]",
              .summary =
                  "Which nodes of a campaign are slow, absent or different, from their summaries alone.\n"
                  "Exit code 1: a node is flagged, failed, damaged or absent; 3: none is, but not all pass.",
              .example = "gable campaign report acceptance --against reference.json --files acceptance-report"};
  auto add = usage.options.add_options();
  add("dir", one("DIR"), "the folder of the campaign");
  offer_judges(usage.options);
  add("group-by", one("FACT"),
      "groups of nodes by a fact that they tell ('driver (cuda)'), or by 'slot': whether one is slow as a whole");
  add("groups", one("FILE"), "groups of nodes by a CSV file with the columns node (a name or list) and group (a rack)");
  add("output", one("FILE"),
      "write the answer there instead of printing it: .svg, .png and .pdf are the heat map, .html is the report with "
      "it");
  add("files", one("FOLDER"),
      "write campaign.json, nodes.csv, junit.xml, passing.txt, failing.txt, drain.txt and report.html there");
  add("title", one("TEXT"), "of the report in HTML (the name of the folder)");
  add("force", po::bool_switch(), "replace existing files of --output and --files");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("dir", 1);
  return usage;
}

/// Of --output: what its ending says, as render::format_of() has it, for pictures and HTML; nothing of other endings,
/// which --format and --json choose a form for.
std::optional<render::Format> drawn_format(const fs::path& output) {
  const std::string ending = lower(output.extension().string());
  if (ending != ".svg" && ending != ".png" && ending != ".pdf" && ending != ".html") return {};
  return render::format_of(output);
}

void check_report_options(const Options& values) {
  if (!values.has("dir")) throw Error("campaign report needs the folder of a campaign");
  if (values.has("group-by") && values.has("groups")) throw Error("name one of --group-by and --groups");
  const bool force = values.is_on("force");
  if (force && !values.has("output") && !values.has("files")) throw Error("--force goes with --output or --files");
  const bool in_html = values.has("output") && drawn_format(values.text("output")) == render::Format::html;
  if (values.has("title") && !in_html && !values.has("files"))
    throw Error("--title goes with --files or an --output that ends in .html");
  if (values.has("output")) {
    const fs::path output = values.text("output");
    if (drawn_format(output) && values.has("format"))
      throw Error(fmt::format("'{}' says what is written: --format and --json do not go with it", output.string()));
    refuse_inputs(values, "output", output, {campaign::plan_file(values.text("dir")).string()});
    check_new_file("output", output, force);
  }
  if (!values.has("files")) return;
  std::error_code none;
  const fs::path folder = values.text("files");
  if (!force && fs::exists(folder, none) && !(fs::is_directory(folder, none) && fs::is_empty(folder, none)))
    throw Error(fmt::format("'{}' is there already; name another --files or add --force", folder.string()));
}

/// What --group-by calls the places of devices.
constexpr std::string_view by_slot = "slot";

/// Groups by the names of nodes. Throws Error for a node that is in two.
std::map<std::string, std::string> read_groups(const fs::path& file) {
  constexpr std::array<std::string_view, 2> columns{"node", "group"};
  std::map<std::string, std::string> groups;
  read_csv_table(file, columns, {}, [&](const CsvLine& line) {
    for (const std::string& node : campaign::expand_nodelist(line.text("node"))) {
      const auto [at, is_new] = groups.try_emplace(node, line.text("group"));
      if (!is_new && at->second != line.text("group"))
        line.fail("node", fmt::format("'{}' is in another group already", node));
    }
  });
  return groups;
}

std::optional<campaign::FleetGroups> groups_of(const campaign::Fleet& fleet, const Options& values) {
  if (values.has("groups")) return campaign::group_nodes(fleet, "file", read_groups(values.text("groups")));
  const std::string by = values.text("group-by");
  if (by.empty()) return {};
  return by == by_slot ? campaign::group_slots(fleet) : campaign::group_nodes(fleet, by, fleet.fact_of_node);
}

/// A list in Slurm's form, on one line.
std::string list_text(const campaign::Fleet& fleet, std::initializer_list<NodeVerdict> verdicts) {
  return campaign::compress_nodelist(fleet.names(verdicts)) + "\n";
}

std::string title_of(const Options& values) {
  return values.has("title") ? values.text("title")
                             : "Campaign " + fs::weakly_canonical(values.text("dir")).filename().string();
}

void write_files(const campaign::Fleet& fleet, const Answer& answer, const Options& values) {
  const fs::path folder = values.text("files");
  std::string drains;
  for (const std::string& line : campaign::suggested_drains(fleet)) drains += line + "\n";
  using enum NodeVerdict;
  result::NamedTexts files{
      {"campaign.json", render::json_text(answer)},
      {"nodes.csv", campaign::nodes_csv(fleet)},
      {"junit.xml", campaign::fleet_junit(fleet)},
      {"passing.txt", list_text(fleet, {pass})},
      {"failing.txt", list_text(fleet, {flagged, failed, damaged, absent})},
      {"drain.txt", drains},
  };
  try {  // gnuplot may be absent on a login node
    files.emplace_back("report.html", campaign::fleet_page(fleet, answer, title_of(values)));
  } catch (const Error& why) {
    say(fmt::format("note: report.html is left out: {}\n", printable(why.what())));
  }
  std::error_code none;
  if (!values.is_on("force") || !fs::is_directory(folder, none) || fs::is_empty(folder, none))
    return result::write_new_folder(folder, files);
  for (const auto& [name, text] : files) result::write_file_atomically(folder / name, text);
}

}  // namespace

int campaign_report(const Arguments& arguments) {
  const auto values = parse(campaign_report_usage(), arguments);
  if (!values) return exit_ok;
  check_report_options(*values);
  add_devices_files(*values);
  const std::string by = values->text("group-by");
  const campaign::Fleet fleet = judged_fleet(*values, by == by_slot ? "" : by);
  const auto groups = groups_of(fleet, *values);
  const Answer answer = campaign::answer_of(fleet, groups ? &*groups : nullptr);
  if (values->has("files")) write_files(fleet, answer, *values);
  const auto drawn = values->has("output") ? drawn_format(values->text("output")) : std::nullopt;
  if (drawn && render::is_picture(*drawn))
    campaign::draw_heat_map(fleet, values->text("output"));
  else
    put_out(*values, drawn ? campaign::fleet_page(fleet, answer, title_of(*values)) : written(answer, *values));
  return fleet.failed() ? exit_failed_rows : fleet.passed() ? exit_ok : exit_not_judged;
}

}  // namespace gable::cli
