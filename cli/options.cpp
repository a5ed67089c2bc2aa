#include "cli/options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <cmath>
#include <iostream>
#include <set>
#include <sstream>
#include <utility>

#include "cli/campaign.hpp"
#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/figure_limits.hpp"
#include "core/model/units.hpp"
#include "core/questions/compare/comparison_answer.hpp"
#include "core/render/answer.hpp"
#include "core/result/store.hpp"
#include "core/sequence.hpp"
#include "core/text/environment.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::cli {
namespace {

void print_help(const Usage& usage) {
  std::cout << "usage: gable " << usage.synopsis << "\n\n"
            << usage.summary << "\n\n"
            << usage.options << "\nexample:\n  " << usage.example << "\n";
}

/// Where --help puts a command's usage in the place of printing it.
std::optional<Usage>* asked_for_usage = nullptr;

Usage usage_of(const Command& command) {
  std::optional<Usage> usage;
  asked_for_usage = &usage;
  const int code = command.run({"--help"});
  asked_for_usage = nullptr;
  if (code != exit_ok || !usage) throw Error(fmt::format("{} --help describes nothing", command.name));
  return std::move(*usage);
}

/// Names of the options that are there.
std::set<std::string> names(const po::basic_parsed_options<char>& parsed) {
  std::set<std::string> found;
  for (const auto& option : parsed.options) found.insert(option.string_key);
  return found;
}

/// Options of the command line replace those of the file: lists are not joined, --full replaces quick, --format
/// replaces json, and the file's operator, suite or census, with its sizes, goes if the command line names another.
std::set<std::string> overridden(std::set<std::string> given) {
  if (given.contains("quick") || given.contains("full")) given.insert({"quick", "full"});
  if (given.contains("json") || given.contains("format")) given.insert({"json", "format"});
  if (given.contains("operator") || given.contains("suite") || given.contains("census"))
    given.insert({"operator", "params", "suite", "census"});
  return given;
}

void read_config(const std::string& path, const po::options_description& options, const std::set<std::string>& given,
                 Options& values) {
  std::istringstream file(naming("--config", [&] { return read_text(path); }));
  try {
    auto parsed = po::parse_config_file(file, options);
    for (const char* name : {"config", "help"}) {
      if (names(parsed).contains(name)) throw Error(fmt::format("--config '{}': '{}' has no place in it", path, name));
    }
    const auto out = overridden(given);
    std::erase_if(parsed.options, [&](const auto& option) { return out.contains(option.string_key); });
    po::store(parsed, values);
  } catch (const po::error& error) {
    throw Error(fmt::format("--config '{}': {}", path, error.what()));
  }
}

/// --json is --format json.
void take_json(Options& values) {
  if (!values.is_on("json")) return;
  const std::string form = values.has("format") ? values.text("format") : "json";
  if (form != "json") throw Error(fmt::format("--json and --format {} exclude each other", form));
  values.insert_or_assign("format", po::variable_value(form, false));
}

using questions::letter;
using questions::Subject;

/// Whether a text names a file that is there, or a part of one.
bool is_file(const std::string& text) {
  const auto file = file_named(text);
  std::error_code unreadable;
  return file && std::filesystem::is_regular_file(file->path, unreadable);
}

/// "a,b" and repeated options alike, also what is there twice: two subjects may cost the same.
std::vector<std::string> entries_of(const Options& values, const std::string& option) {
  std::vector<std::string> entries;
  for (const std::string& text : texts(values, option)) {
    if (is_file(text)) {
      entries.push_back(text);
      continue;
    }
    std::istringstream parts(text + ',');
    for (std::string part; std::getline(parts, part, ',');) {
      if (part.empty()) throw Error(fmt::format("--{}: empty entry in '{}'", option, text));
      entries.push_back(part);
    }
  }
  return entries;
}

/// One of a letter or a whole name; else those with it as a file, else as a part of their name.
std::vector<std::size_t> subjects_of_name(const std::vector<Subject>& subjects, const std::string& name) {
  std::vector<std::size_t> of_file, of_part;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (name == letter(i) || name == subjects[i].name) return {i};
    if (std::ranges::count(subjects[i].runs, name, &questions::Run::source) != 0) of_file.push_back(i);
    if (!name.empty() && lower(subjects[i].name).find(lower(name)) != std::string::npos) of_part.push_back(i);
  }
  return of_file.empty() ? of_part : of_file;
}

}  // namespace

std::vector<Described> described_commands() {
  std::vector<Described> all;
  for (const Command& command : commands()) {
    if (command.name == "campaign") {
      for (const Command& part : campaign_parts())
        all.push_back({command.name, part.name, part.summary, usage_of(part)});
    } else {
      all.push_back({command.name, "", command.summary, usage_of(command)});
    }
  }
  return all;
}

std::optional<Options> parse(Usage usage, const Arguments& arguments) {
  usage.options.add_options()(
      "config", one("FILE"),
      "read options from FILE: one 'name = value' a line, # comments; the command line comes first")("help,h",
                                                                                                     "this text");
  Options values;
  try {
    // Options cannot be abbreviated: the meaning of an abbreviation would change with the next option.
    namespace style = po::command_line_style;
    const auto parsed = po::command_line_parser(arguments)
                            .options(usage.options)
                            .positional(usage.positional)
                            .style(style::default_style & ~style::allow_guessing)
                            .run();
    po::store(parsed, values);
    if (values.has("help")) {
      if (asked_for_usage != nullptr)
        asked_for_usage->emplace(std::move(usage));
      else
        print_help(usage);
      return {};
    }
    if (values.has("config")) read_config(values.text("config"), usage.options, names(parsed), values);
    take_json(values);
    po::notify(values);
  } catch (const po::error& error) {
    throw Error(error.what());
  }
  if (!values.has("json")) return values;  // it prints no answer
  const auto form = form_of(values);
  const bool for_programs = form == render::AnswerForm::json || form == render::AnswerForm::csv;
  if (values.is_on("explain") && for_programs)
    throw Error(fmt::format("--explain and {} exclude each other: formulas are text", form_option(values)));
  return values;
}

void offer_format(po::options_description& options) {
  auto add = options.add_options();
  add("format", one("FORM"), "text (as without it), json, csv or md");
  add("json", po::bool_switch(), "as JSON: the same as --format json");
}

std::string form_option(const Options& values) {
  return values.is_on("json") ? "--json" : "--format " + values.text("format");
}

render::AnswerForm form_of(const Options& values) {
  const std::string name = values.has("format") ? values.text("format") : "text";
  const auto form = render::parse_answer_form(name);
  if (!form)
    throw Error(fmt::format("--format: unknown '{}'; known: {}", name, fmt::join(render::answer_form_names, ", ")));
  return *form;
}

std::string written(const Answer& answer, const Options& values) {
  return render::write(answer, form_of(values), output_width());
}

void put_out(const Options& values, const std::string& text) {
  if (values.has("output"))
    result::write_file_atomically(values.text("output"), text, values.is_on("force"));
  else
    fmt::print("{}", text);
}

double fraction(const Options& values, const std::string& option, double least) {
  const std::string& text = values.text(option);
  std::string_view number = text;
  if (number.ends_with('%')) number.remove_suffix(1);
  const auto value = parse_number<double>(number);
  if (value > 0 && value < 1 && number.size() == text.size())
    throw Error(
        fmt::format("--{}: '{}' is less than one percent: write {:.6g}% or {}%", option, text, 100 * *value, text));
  if (value >= least && value <= 100) return *value / 100;
  throw Error(fmt::format("--{}: '{}' is not a percentage from {} to 100", option, text, least));
}

std::vector<std::string> texts(const Options& values, const std::string& option) {
  return values.has(option) ? values[option].as<std::vector<std::string>>() : std::vector<std::string>{};
}

std::vector<std::string> list(const Options& values, const std::string& option) {
  if (std::ranges::count(texts(values, option), "") != 0) throw Error(fmt::format("--{} is empty", option));
  std::vector<std::string> entries;
  for (std::string& entry : entries_of(values, option)) {
    if (std::ranges::count(entries, entry) == 0) entries.push_back(std::move(entry));
  }
  return entries;
}

double quantity(std::string_view option, std::string_view text, std::string_view unit, std::string_view form) {
  return naming(fmt::format("--{}", option), [&] { return parse_figure(text, unit, form); });
}

std::vector<double> quantities(const Options& values, const std::string& option, std::string_view unit,
                               std::string_view form) {
  return mapped(texts(values, option), [&](const std::string& text) { return quantity(option, text, unit, form); });
}

double seconds(std::string_view option, std::string_view text, double least, double most) {
  const double time_s = parse_number<double>(text) == 0 ? 0 : quantity(option, text, "s");
  if (time_s >= least && time_s <= most) return time_s;
  throw Error(fmt::format("--{}: '{}' is no time from {:g} to {:g} s", option, text, least, most));
}

DType dtype_of(std::string_view option, std::string_view text) {
  if (const auto dtype = parse_dtype(text)) return *dtype;
  const auto known = mapped(all_dtypes, [](DType dtype) { return to_string(dtype); });
  throw Error(fmt::format("--{}: unknown type '{}'; known: {}", option, text, fmt::join(known, ", ")));
}

std::vector<DType> dtypes_of(const Options& values, const std::string& option) {
  return mapped(list(values, option), [&](const std::string& text) { return dtype_of(option, text); });
}

std::optional<double> one_for(const std::vector<double>& values, std::size_t i) {
  if (values.empty()) return {};
  return values.size() == 1 ? values.front() : values[i];
}

void refuse_inputs(const Options& values, const std::string& option, const std::filesystem::path& output,
                   std::vector<std::string> inputs) {
  for (const auto& [name, value] : values) {
    if (name == option || name == "title") continue;
    if (value.value().type() == typeid(std::string)) inputs.push_back(value.as<std::string>());
    if (value.value().type() != typeid(std::vector<std::string>)) continue;
    const auto words = texts(values, name);
    inputs.insert(inputs.end(), words.begin(), words.end());
  }
  std::error_code error;
  for (const std::string& input : inputs) {
    const auto file = file_named(input);
    if (file && std::filesystem::equivalent(file->path, output, error))
      throw Error(fmt::format("--{}: '{}' is read by this command", option, file->path));
  }
}

void check_new_file(std::string_view option, const std::filesystem::path& output, bool force) {
  std::error_code error;
  if (!force && std::filesystem::exists(std::filesystem::symlink_status(output, error)))
    throw Error(fmt::format("'{}' exists; name another --{} or add --force", output.string(), option));
  result::check_writable(output);
}

std::size_t subject_named(const std::string& option, const std::vector<Subject>& subjects, const std::string& name) {
  const auto fitting = subjects_of_name(subjects, name);
  if (fitting.size() == 1) return fitting.front();
  std::string known;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    known += fmt::format("{}{} ({})", i == 0 ? "" : ", ", letter(i), subjects[i].name);
  throw Error(fmt::format("--{}: '{}' is {} of {}", option, name, fitting.empty() ? "none" : "several", known));
}

std::pair<std::size_t, std::string> text_of_subject(const std::string& option, const std::vector<Subject>& subjects,
                                                    const std::string& entry) {
  auto equals = entry.rfind('=');
  while (subjects_of_name(subjects, entry.substr(0, equals)).size() != 1 && entry.find('=') != equals)
    equals = entry.rfind('=', equals - 1);
  return {subject_named(option, subjects, entry.substr(0, equals)), entry.substr(equals + 1)};
}

std::vector<std::optional<std::string>> texts_by_subject(const Options& values, const std::string& option,
                                                         const std::vector<Subject>& subjects, bool one_for_all) {
  const auto entries = entries_of(values, option);
  if (entries.empty()) return {};
  std::vector<std::optional<std::string>> given(subjects.size());
  const auto set = [&](std::size_t subject, const std::string& text) {
    if (given[subject]) throw Error(fmt::format("--{}: a second {} of {}: {}", option, option, letter(subject), text));
    given[subject] = text;
  };
  std::size_t in_order = 0;
  for (const std::string& entry : entries) {
    if (!is_file(entry) && entry.find('=') != std::string::npos)
      std::apply(set, text_of_subject(option, subjects, entry));
    else if (in_order == subjects.size())
      throw Error(fmt::format("--{}: more values than the {} devices that are there", option, subjects.size()));
    else
      set(in_order++, entry);
  }
  if (!one_for_all || in_order < entries.size()) return given;
  if (in_order == 1) std::ranges::fill(given, entries.front());
  if (in_order > 1 && in_order < subjects.size())
    throw Error(fmt::format("--{}: {} values for {} devices; state one for all, one for each, or NAME=VALUE", option,
                            in_order, subjects.size()));
  return given;
}

std::vector<std::optional<double>> values_by_subject(const Options& values, const std::string& option,
                                                     const std::vector<Subject>& subjects,
                                                     const std::function<double(std::string_view)>& read) {
  return mapped(texts_by_subject(values, option, subjects),
                [&](const auto& text) { return text ? std::optional(read(*text)) : std::nullopt; });
}

double number_within(std::string_view option, std::string_view text, const Limits& limits, std::string_view what) {
  if (const auto value = parse_number<double>(text); value && limits.hold(*value)) return *value;
  throw Error(fmt::format("--{}: '{}' is no {} (from {:g} to {:g})", option, text, what, limits.least, limits.most));
}

}  // namespace gable::cli
