#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/catalogue_option.hpp"
#include "cli/command.hpp"
#include "cli/compare_output.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/analysis/repeats.hpp"
#include "core/analysis/todays_datasheet.hpp"
#include "core/device/catalogue.hpp"
#include "core/device/entry_name.hpp"
#include "core/error.hpp"
#include "core/report/comparison_words.hpp"
#include "core/result/store.hpp"

namespace gable::cli {
namespace {

using analysis::Source;
using analysis::Subject;
using report::letter;

constexpr int text_columns = 170;

/// As the file is, but for its datasheet figures.
Result judged_today(const std::filesystem::path& path) {
  Result result = result::load(path);
  analysis::use_todays_catalogue(result);
  return result;
}

/// Subjects in the order in which the command line names them first.
std::vector<Subject> subjects_named(const std::vector<std::string>& sides, bool apart) {
  std::vector<Source> sources;
  std::vector<Subject> datasheets;
  for (const std::string& side : sides) {
    if (const auto file = file_named(side))
      sources.push_back({side, judged_today(file->path), file->device});
    else
      datasheets.push_back(analysis::subject_of(catalogue_device(side)));
  }
  std::vector<Subject> subjects = analysis::subjects_of(sources, apart);
  auto datasheet = datasheets.begin();
  for (auto side = sides.begin(); side != sides.end(); ++side) {
    if (file_named(*side)) continue;
    const auto before = [&](const Subject& subject) {
      return subject.runs.empty() || std::ranges::find(sides, subject.runs.front().source) < side;
    };
    subjects.insert(std::ranges::find_if_not(subjects, before), std::move(*datasheet++));
  }
  analysis::name_apart(subjects);
  return subjects;
}

/// "2.5" or "2.5/h".
double price_of(std::string_view text) {
  std::string_view number = text;
  if (number.ends_with("/h")) number.remove_suffix(2);
  double value = 0;
  constexpr double least = 1e-9, most = 1e9;  // what costs less or more is a slip of the pen
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc{} || end != number.data() + number.size() || !(value >= least && value <= most))
    throw Error(fmt::format("--price: '{}' is no positive price of a device-hour, as 2.5 or 2.5/h", text));
  return value;
}

/// By letter, by name, or by a part of the name that fits one only.
std::size_t subject_named(const std::vector<Subject>& subjects, const std::string& name) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (name == letter(i) || name == subjects[i].name) return i;
    if (!name.empty() && catalogue::lower(subjects[i].name).find(catalogue::lower(name)) != std::string::npos)
      fitting.push_back(i);
  }
  if (fitting.size() == 1) return fitting.front();
  std::string known;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    known += fmt::format("{}{} ({})", i == 0 ? "" : ", ", letter(i), subjects[i].name);
  throw Error(fmt::format("--price: '{}' is {} of {}", name, fitting.empty() ? "none" : "several", known));
}

std::vector<std::optional<double>> prices_of(const po::variables_map& values, const std::vector<Subject>& subjects) {
  const auto entries = list(values, "price");
  if (entries.empty()) return {};
  std::vector<std::optional<double>> prices(subjects.size());
  const auto set = [&](std::size_t subject, const std::string& text) {
    if (prices[subject]) throw Error(fmt::format("--price: a second price of {}: {}", letter(subject), text));
    prices[subject] = price_of(text);
  };
  std::size_t in_order = 0;
  for (const std::string& entry : entries) {
    const auto equals = entry.rfind('=');
    if (equals != std::string::npos) {
      set(subject_named(subjects, entry.substr(0, equals)), entry.substr(equals + 1));
    } else if (in_order == subjects.size()) {
      throw Error(fmt::format("--price: more prices than the {} devices that are compared", subjects.size()));
    } else {
      set(in_order++, entry);
    }
  }
  return prices;
}

bool weights_by_time(const std::string& weights) {
  if (weights == "time") return true;
  if (weights == "operator") return false;
  throw Error(fmt::format("--weights: unknown '{}'; known: operator, time", weights));
}

Usage compare_usage() {
  Usage usage{.synopsis = "compare A B … [options]",
              .summary =
                  "Ceilings, ridge points and operators side by side: by what factor, why, and whether it is more "
                  "than noise. A and B are result files (FILE.json:DEVICE) or devices of the catalogue; A is the "
                  "baseline. Several files of one device are repeats of it.",
              .example = "gable compare epyc.json h200.json --dtype fp32,fp64 --price 0.4,3.2",
              .options = po::options_description("options")};
  const auto strings = [] { return po::value<std::vector<std::string>>()->composing(); };
  auto add = usage.options.add_options();
  add("dtype", strings()->value_name("TYPE,…"), "only these types of ceilings and operators");
  add("weights", po::value<std::string>()->default_value("operator")->value_name("BY"),
      "of the mean: operator (each the same) or time (of the baseline, with a census' counts)");
  add("price", strings()->value_name("P,…"),
      "of a device-hour, in the order of the devices, or NAME=P: cost of results");
  add("apart", po::bool_switch(), "files of one device are compared, not taken as repeats");
  add("explain", po::bool_switch(), "print the formulas");
  add("json", po::bool_switch(), "as JSON");
  add("side", strings()->value_name("A"), "what is compared, instead of the first words");
  offer_devices_files(usage.options);
  usage.positional.add("side", -1);
  return usage;
}

}  // namespace

int compare(const Arguments& arguments) {
  Usage usage = compare_usage();
  const auto values = parse(usage, arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  const auto sides = texts(*values, "side");
  if (sides.empty()) throw Error("compare needs result files or devices of the catalogue: two, or repeats of one");
  Compared compared{subjects_named(sides, (*values)["apart"].as<bool>()), {}, {}};
  compared.options.by_time = weights_by_time((*values)["weights"].as<std::string>());
  compared.options.dtypes = dtypes_of(*values, "dtype");
  compared.options.prices = prices_of(*values, compared.subjects);
  const bool as_json = (*values)["json"].as<bool>();
  const Subject& first = compared.subjects.front();
  if (compared.subjects.size() == 1 && first.runs.size() < 2)
    throw Error(
        fmt::format("compare needs two devices, or several runs of one: {} is only {}", sides.front(), first.name));
  compared.answer = analysis::compare(compared.subjects, compared.options);
  if (compared.subjects.size() == 1) {
    if (values->count("price") != 0 || !(*values)["weights"].defaulted())
      throw Error("--price and --weights compare devices: these are runs of one");
    fmt::print("{}", as_json ? repeats_json(first) : repeats_text(compared, text_columns));
    if ((*values)["explain"].as<bool>()) fmt::print("{}", compare_formulas());
    return exit_ok;
  }
  fmt::print("{}", as_json ? compare_json(compared) : compare_text(compared, text_columns));
  if ((*values)["explain"].as<bool>()) fmt::print("{}", compare_formulas());
  return exit_ok;
}

}  // namespace gable::cli
