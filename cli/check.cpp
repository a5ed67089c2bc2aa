#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/catalogue_option.hpp"
#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/acceptance.hpp"
#include "core/analysis/circumstances.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/report/junit.hpp"
#include "core/report/limits_file.hpp"
#include "core/result/store.hpp"
#include "core/text/text_table.hpp"

namespace gable::cli {
namespace {

using analysis::AcceptanceRow;
using analysis::Subject;
using analysis::Verdict;
using nlohmann::ordered_json;

/// "80%" or "80" as 0.8. Below 1 it takes a percent sign: 0.05 may be meant as 5 %.
double fraction(const po::variables_map& values, const std::string& option, double least) {
  const std::string& text = values[option].as<std::string>();
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (value > 0 && value < 1 && number.size() == text.size())
    throw Error(
        fmt::format("--{}: '{}' is less than one percent: write {:.6g}% or {}%", option, text, 100 * value, text));
  if (error == std::errc{} && end == number.data() + number.size() && value >= least && value <= 100)
    return value / 100;
  throw Error(fmt::format("--{}: '{}' is not a percentage from {} to 100", option, text, least));
}

std::vector<analysis::Source> sources_of(const std::vector<std::string>& names) {
  std::vector<analysis::Source> sources;
  for (const std::string& name : names) {
    const auto [file, device] = file_named(name).value_or(NamedFile{name, ""});
    sources.push_back({file, load_result(file), device});
  }
  return sources;
}

/// The reference of a device: that of its id and name, else the only one of its name, else the only one there is.
const Subject& reference_of(const Subject& subject, const std::vector<Subject>& references) {
  const auto only = [&](auto&& fits) {
    const Subject* found = nullptr;
    for (const Subject& one : references) {
      if (!fits(one)) continue;
      if (found) return static_cast<const Subject*>(nullptr);
      found = &one;
    }
    return found;
  };
  const auto same_name = [&](const Subject& one) { return one.device.name == subject.device.name; };
  const auto same = [&](const Subject& one) { return same_name(one) && one.device.id == subject.device.id; };
  if (const auto* found = only(same)) return *found;
  if (const auto* found = only(same_name)) return *found;
  if (references.size() == 1) return references.front();
  std::vector<std::string> known;
  for (const Subject& one : references) known.push_back(fmt::format("{} ({})", one.device.id, one.name));
  throw Error(fmt::format("--against: which device is the reference of {} ({})? FILE.json:DEVICE names one of {}",
                          subject.device.id, subject.name, fmt::join(known, ", ")));
}

/// What a reader should know before the rows.
std::vector<std::string> remarks_of(const Subject& subject, const Subject& reference) {
  std::vector<std::string> remarks;
  if (subject.runs.empty())
    return {fmt::format("{} ({}) of the reference was not measured", reference.device.id, reference.name)};
  if (subject.device.name != reference.device.name)
    remarks.push_back(fmt::format("{} is checked against another device: {}", subject.name, reference.name));
  const auto modes = [](const Subject& one) {
    std::vector<std::string> found;
    for (const auto& run : one.runs) {
      if (std::ranges::count(found, run.mode) == 0) found.push_back(run.mode);
    }
    return fmt::format("{}", fmt::join(found, ", "));
  };
  if (modes(subject) != modes(reference))
    remarks.push_back(
        fmt::format("{} was measured {}, its reference {}", subject.name, modes(subject), modes(reference)));
  const std::array both{subject, reference};
  for (const analysis::Circumstance& one : analysis::circumstances_of(both).differing) {
    const bool threads = one.kind == analysis::CircumstanceKind::threads;
    if (one.kind == analysis::CircumstanceKind::other || one.told[0] == one.told[1]) continue;
    remarks.push_back(fmt::format("{} was measured with another {}{} than its reference: {}, not {}", subject.name,
                                  threads ? "number of " : "", one.name, analysis::joined_text(one.told[0]),
                                  analysis::joined_text(one.told[1])));
  }
  return remarks;
}

struct Checked {
  std::vector<AcceptanceRow> rows;
  std::vector<std::string> remarks;
};

/// Devices of the references that nothing was measured of: of each host those of the node that it is checked against,
/// and once each those of a node that no host is checked against.
std::vector<Subject> absent_of(const std::vector<Subject>& subjects, const std::vector<Subject>& references) {
  std::vector<Subject> absent;
  for (const Subject& reference : references) {
    std::map<std::string, bool> has;  // of a host
    for (const Subject& subject : subjects) {
      const Subject& used = reference_of(subject, references);
      if (used.host == reference.host) has[subject.host] |= &used == &reference;
    }
    if (has.empty()) has[reference.host] = false;
    for (const auto& [host, measured] : has) {
      if (measured) continue;
      Subject& one = absent.emplace_back();
      one.host = host;
      one.device = reference.device;
    }
  }
  return absent;
}

Checked check_all(const std::vector<analysis::Source>& files, const po::variables_map& values) {
  auto subjects = analysis::subjects_of(files);
  // who names a device does not ask for the others
  const bool named_device = std::ranges::any_of(files, [](const auto& file) { return !file.device.empty(); });
  Checked checked;
  const auto each = [&](auto&& rows_of) {
    for (const Subject& subject : subjects) {
      for (AcceptanceRow& row : rows_of(subject)) {
        row.name = analysis::host_prefix(subject, subjects) + row.name;
        checked.rows.push_back(std::move(row));
      }
    }
  };
  if (values.count("against") != 0) {
    const auto sources = sources_of(values["against"].as<std::vector<std::string>>());
    const auto references = analysis::subjects_of(sources);
    const double tolerance = fraction(values, "tolerance", 0);
    if (!named_device) std::ranges::move(absent_of(subjects, references), std::back_inserter(subjects));
    each([&](const Subject& subject) {
      const Subject& reference = reference_of(subject, references);
      for (std::string& remark : remarks_of(subject, reference)) checked.remarks.push_back(std::move(remark));
      return analysis::against_reference(subject, reference, tolerance);
    });
  }
  if (values.count("datasheet") != 0) {
    const double least = fraction(values, "datasheet", 1);
    const auto before = checked.rows.size();
    each([&](const Subject& subject) { return analysis::against_datasheet(subject, least); });
    if (checked.rows.size() == before) throw Error("--datasheet: nothing in these files has a datasheet figure");
  }
  if (values.count("limits") != 0) {
    const auto ranges = report::read_limits(values["limits"].as<std::string>());
    std::ranges::move(analysis::against_limits(subjects, ranges), std::back_inserter(checked.rows));
  }
  if (std::ranges::all_of(checked.rows, [](const auto& row) { return row.verdict == Verdict::extra; }))
    throw Error("nothing was judged: no valid row has anything to be checked against");
  return checked;
}

std::string shown(const std::optional<double>& value, const std::string& unit) {
  return value ? format_quantity(*value, unit) : std::string{};
}

/// "new" rows need no attention, nor do rows that pass in a long list: those that fail come first.
void print_text(const Checked& checked) {
  TextTable table({{"verdict"},
                   {"figure of merit"},
                   {"measured", true},
                   {"against", false},
                   {"accepted", true},
                   {"speed", true},
                   {"why"}});
  for (const bool failing : {true, false}) {
    for (const AcceptanceRow& row : checked.rows) {
      if (analysis::fails(row.verdict) != failing) continue;
      table.add({std::string(to_string(row.verdict)), row.name, shown(row.value, row.unit), row.criterion,
                 shown(row.accepted, row.unit), row.speed ? fmt::format("{:.3f}", *row.speed) : "", row.reason});
    }
  }
  for (const std::string& remark : checked.remarks) fmt::print("{}\n", remark);
  fmt::print("{}", table.render(std::numeric_limits<int>::max()));
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(checked.rows, verdict, &AcceptanceRow::verdict);
  };
  fmt::print("{} pass, {} low, {} inconclusive, {} suspicious, {} missing, {} new\n", count(Verdict::pass),
             count(Verdict::low), count(Verdict::inconclusive), count(Verdict::suspicious), count(Verdict::missing),
             count(Verdict::extra));
}

/// Harnesses match these lines: name, value with all its digits, unit.
void print_figures_of_merit(const Checked& checked) {
  for (const std::string& remark : checked.remarks) fmt::print(stderr, "{}\n", remark);
  std::vector<std::string> told;
  for (const AcceptanceRow& row : checked.rows) {
    if (!row.value || std::ranges::count(told, row.name) != 0) continue;
    told.push_back(row.name);
    fmt::print("FOM {} {} {}\n", row.name, *row.value, row.unit);
  }
}

void print_json(const Checked& checked, bool passed) {
  auto rows = ordered_json::array();
  for (const AcceptanceRow& row : checked.rows) {
    ordered_json one{{"name", row.name}, {"against", row.criterion}, {"verdict", to_string(row.verdict)}};
    const auto maybe = [&](const char* key, const std::optional<double>& value) {
      if (value) one[key] = *value;
    };
    maybe("value", row.value);
    maybe("low", row.low);
    maybe("high", row.high);
    maybe("accepted", row.accepted);
    maybe("speed", row.speed);
    if (!row.unit.empty()) one["unit"] = row.unit;
    one["reason"] = row.reason;
    rows.push_back(one);
  }
  fmt::print("{}\n", ordered_json{{"passed", passed}, {"remarks", checked.remarks}, {"rows", rows}}.dump(2));
}

void print_formulas() {
  fmt::print(
      "\nformulas (docs/check.md)\n"
      "  speed       measured / accepted; of times accepted / measured\n"
      "  low         the fast end of the interval is below 1 - tolerance (reference), P (datasheet), 1 (limit)\n"
      "  inconclusive  the figure is beyond such a limit, the end of its interval is not\n"
      "  suspicious  the slow end is above 1 + tolerance, 1.01 of the datasheet, the other limit, 1.3 x the bound of "
      "an\n"
      "              operator; or the row is suspect\n"
      "  missing     the reference or the limits file has it, the file has no valid row of it\n");
}

void check_options(const po::variables_map& values) {
  if (values.count("file") == 0) throw Error("check needs a result file");
  if (values.count("against") + values.count("datasheet") + values.count("limits") == 0)
    throw Error("check needs --against REF, --datasheet PERCENT or --limits FILE");
  if (values.count("against") == 0 && !values["tolerance"].defaulted()) throw Error("--tolerance goes with --against");
  fraction(values, "tolerance", 0);
  if (values.count("datasheet") != 0) fraction(values, "datasheet", 1);
  if (values["json"].as<bool>() && values["fom"].as<bool>()) throw Error("--json and --fom exclude each other");
  if (values.count("junit") == 0) {
    if (values["force"].as<bool>()) throw Error("--force goes with --junit");
    return;
  }
  const std::filesystem::path output = values["junit"].as<std::string>();
  std::error_code error;
  if (!values["force"].as<bool>() && std::filesystem::exists(output, error))
    throw Error(fmt::format("'{}' exists; name another --junit or add --force", output.string()));
  result::check_writable(output);
}

Usage usage() {
  Usage usage{.synopsis = "check FILE… (--against REF | --datasheet PERCENT | --limits LIMITS) [options]",
              .summary =
                  "Acceptance test: every ceiling and operator passes, is low, inconclusive, suspicious or "
                  "missing.\nExit code 0: all "
                  "pass; 1: some do not.",
              .example = "gable check node017.json --against reference.json --tolerance 5% --junit check.xml",
              .options = po::options_description("options")};
  const auto strings = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = usage.options.add_options();
  add("file", strings()->value_name("FILE"), "result files: several of one device are its repeats");
  add("against", strings()->value_name("REF"), "result file that is the reference; several are its repeats");
  add("tolerance", po::value<std::string>()->value_name("PERCENT")->default_value("10%"),
      "how much slower or faster than the reference is accepted");
  add("datasheet", po::value<std::string>()->value_name("PERCENT"), "least part of the vendor's figures");
  add("limits", po::value<std::string>()->value_name("LIMITS"), "accepted ranges: CSV or JSON (docs/check.md)");
  add("junit", po::value<std::string>()->value_name("XML"), "write the verdicts as JUnit XML");
  add("force", po::bool_switch(), "replace an existing file of --junit");
  add("fom", po::bool_switch(), "print 'FOM name value unit' lines for a harness instead of the table");
  add("explain", po::bool_switch(), "print the formulas");
  add("json", po::bool_switch(), "as JSON");
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

}  // namespace

int check(const Arguments& arguments) {
  Usage described = usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  check_options(*values);
  add_devices_files(*values);
  const auto sources = sources_of((*values)["file"].as<std::vector<std::string>>());
  const Checked checked = check_all(sources, *values);
  const bool passed =
      std::ranges::none_of(checked.rows, [](const AcceptanceRow& row) { return analysis::fails(row.verdict); });
  if (values->count("junit") != 0)
    result::write_file_atomically((*values)["junit"].as<std::string>(), report::junit(checked.rows, checked.remarks));
  if ((*values)["json"].as<bool>())
    print_json(checked, passed);
  else if ((*values)["fom"].as<bool>())
    print_figures_of_merit(checked);
  else
    print_text(checked);
  if ((*values)["explain"].as<bool>()) print_formulas();
  return passed ? exit_ok : exit_failed_rows;
}

}  // namespace gable::cli
