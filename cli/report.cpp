#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/questions/interchange/import.hpp"
#include "core/questions/report/plot_json.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/answer.hpp"
#include "core/render/page.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/json.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/text/environment.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

constexpr int file_columns = 160;

Usage report_usage() {
  Usage usage{.synopsis = "report FILE… [NAME…] [options]",
              .summary =
                  "Draws result files, and devices of the catalogue by their datasheets, on the same axes, or "
                  "prints them as tables.",
              .example = "gable report cpu.json 'H200 SXM 141GB' --points my.csv --output roofline.svg",
              .options = po::options_description("options")};
  auto add = usage.options.add_options();
  add("file", po::value<std::vector<std::string>>()->value_name("FILE"),
      "result files, and names of devices (gable devices --catalogue)");
  add("output", po::value<std::string>()->value_name("FILE"),
      "svg, png, pdf (needs gnuplot), html (the page to explore), plot-data.json, csv, json or txt by its ending; "
      "tables go to the terminal without it");
  add("table", po::value<std::string>()->value_name("NAME"), "ceilings or points, as CSV");
  add("points", po::value<std::string>()->value_name("CSV"), "your own kernels: name,dtype,flops,bytes,time_s[,unit]");
  add("device", po::value<std::string>()->value_name("ID"), "device the kernels of --points ran on (the only one)");
  add("dtype", po::value<std::vector<std::string>>()->composing()->value_name("TYPE,…"),
      "data types to show in pictures and pages (all)");
  add("scope", po::value<std::string>()->value_name("SCOPE"), "scope to show (the widest measured)");
  add("anonymous", po::bool_switch(),
      "write the result to a json file without what tells whose machine it was: names, paths, times of day");
  add("force", po::bool_switch(), "replace an existing csv, json or txt file (pictures and pages are always replaced)");
  add("size", po::value<std::string>()->value_name("WxH"), "size of the picture in inch (8x5.5)");
  add("theme", po::value<std::string>()->value_name("NAME"),
      "colours of the picture: light, dark, or print (grey, for one column of a text: 4x3)");
  add("title", po::value<std::string>()->value_name("TEXT"), "title of the picture or page (the devices)");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

/// Below `least` labels cannot be kept apart.
double inches(std::string_view text, std::string_view whole, double least) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= 60)) {
    throw Error(fmt::format("--size: '{}' is not WxH in inch, 4x3 to 60x60", whole));
  }
  return value;
}

render::PlotOptions plot_options(const po::variables_map& values) {
  render::PlotOptions options;
  options.dtypes = dtypes_of(values, "dtype");
  if (values.count("scope") != 0) {
    options.scope = parse_name<Scope>(values["scope"].as<std::string>());
    if (!options.scope) throw Error(fmt::format("--scope: unknown scope '{}'", values["scope"].as<std::string>()));
  }
  if (values.count("theme") != 0) {
    const std::string& name = values["theme"].as<std::string>();
    const auto theme = render::parse_theme(name);
    if (!theme) throw Error(fmt::format("--theme: '{}' is none of light, dark, print", name));
    options.theme = *theme;
    if (options.theme == render::Theme::print) options.width_in = 4, options.height_in = 3;
  }
  if (values.count("size") != 0) {
    const std::string& text = values["size"].as<std::string>();
    const std::string_view whole = text;
    const auto x = whole.find('x');
    options.width_in = inches(whole.substr(0, x), whole, 4);
    options.height_in = inches(x == std::string_view::npos ? "" : whole.substr(x + 1), whole, 3);
  }
  if (values.count("title") != 0) options.title = values["title"].as<std::string>();
  return options;
}

/// What the command line names: result files, and devices whose datasheets stand beside them.
struct Named {
  std::vector<std::string> files;
  std::vector<catalogue::Device> datasheets;
};

Named named_by(const po::variables_map& values) {
  Named named;
  for (const std::string& text : texts(values, "file")) {
    if (const auto file = file_named(text)) {
      if (!file->device.empty())
        throw Error(fmt::format("'{}': report shows every device of a file; leave out ':{}'", text, file->device));
      named.files.push_back(file->path);
      continue;
    }
    const catalogue::Device& device = catalogue_device(text);
    if (std::ranges::count(named.datasheets, device.name, &catalogue::Device::name) != 0)
      throw Error(fmt::format("'{}': the datasheet of {} is there already", text, device.name));
    named.datasheets.push_back(device);
  }
  if (named.files.empty() && named.datasheets.empty())
    throw Error("report needs a result file, or a device of the catalogue");
  return named;
}

std::vector<report::ReportedFile> read_files(const std::vector<std::string>& names, bool as_measured) {
  std::vector<report::ReportedFile> files;
  for (const std::string& name : names) {
    files.push_back(
        {std::filesystem::path(name).filename().string(), as_measured ? result::load(name) : load_result(name)});
  }
  return files;
}

Result merged(const std::vector<report::ReportedFile>& files, bool as_measured) {
  if (files.empty()) return {};
  if (as_measured && files.size() == 1) return files.front().result;
  std::vector<Result> results;
  std::vector<std::string> names;
  for (const report::ReportedFile& file : files) {
    results.push_back(file.result);
    names.push_back(file.name);
  }
  Result merged = result::merge(results, names);
  set_verdicts(merged);  // operators of one file under the ceilings of another, and by today's rules
  result::fail_impossible(merged);
  return merged;
}

/// Adds the user's kernels to the device they ran on, judged by its roofs.
void add_points(Result& result, const po::variables_map& values, std::optional<Scope> asked) {
  std::string device = values.count("device") != 0 ? values["device"].as<std::string>() : "";
  if (result.devices.empty()) throw Error("--points: the result has no device that the kernels could have run on");
  if (device.empty() && result.devices.size() > 1) {
    std::string known;
    for (const DeviceInfo& one : result.devices) known += (known.empty() ? "" : ", ") + one.id;
    throw Error(fmt::format("--points: several devices here, say which with --device: {}", known));
  }
  if (device.empty()) device = result.devices.front().id;
  const Scope scope = asked.value_or(widest_scope(result, device));
  const auto file = values["points"].as<std::string>();
  std::vector<int> lines;
  const auto points = interchange::read_points_csv(file, device, scope, &lines);
  const std::size_t measured = result.points.size();
  result.points.insert(result.points.end(), points.begin(), points.end());
  set_verdicts(result);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Point& point = result.points[measured + i];
    const auto found = result::impossible_figure(point);
    if (!found) continue;
    throw Error(fmt::format("{}: line {}, column time_s: {:.6g} of kernel '{}' cannot be: {} is {}", file, lines[i],
                            point.time.value, point.op, found->where.substr(1), found->what));
  }
}

/// Options that would change nothing are refused: somebody misunderstood them.
void check_picture_options(const po::variables_map& values) {
  using render::Format;
  const bool points = values.count("points") != 0;
  std::optional<Format> format;
  if (values.count("output") != 0) format = render::format_of(values["output"].as<std::string>());
  const bool picture = format && render::is_picture(*format);
  const bool page = format == Format::html || format == Format::plot_data;
  if (values.count("device") != 0 && !points)
    throw Error("--device says where the kernels of --points ran: give --points");
  for (const char* option : {"dtype", "scope", "title"}) {
    if (values.count(option) == 0 || picture || page || (points && std::string_view(option) == "scope")) continue;
    throw Error(fmt::format(
        "--{} is for pictures and pages: give --output a name ending in .svg, .png, .pdf, .html or plot-data.json",
        option));
  }
  for (const char* option : {"size", "theme"}) {
    if (values.count(option) != 0 && !picture)
      throw Error(fmt::format("--{} is for pictures: give --output a name ending in .svg, .png or .pdf", option));
  }
}

/// --format is of what is printed, and the CSV tables have a form already.
void check_format(const po::variables_map& values) {
  const bool asked = values.count("format") != 0 || values["json"].as<bool>();
  for (const char* option : {"output", "table"}) {
    if (asked && values.count(option) != 0)
      throw Error(fmt::format("--format and --json are of what is printed: leave out --{}", option));
  }
}

/// Only a whole result shows what was taken out of it.
void check_anonymous(const po::variables_map& values) {
  if (!values["anonymous"].as<bool>()) return;
  const bool json =
      values.count("output") != 0 && render::format_of(values["output"].as<std::string>()) == render::Format::json;
  if (!json) throw Error("--anonymous writes a result: give --output a name ending in .json");
  if (values.count("points") != 0) throw Error("--anonymous is for results as they were measured: leave out --points");
}

/// Throws if a datasheet is asked for where only measurements can stand.
void check_datasheets(const po::variables_map& values, const Named& named) {
  if (named.datasheets.empty()) return;
  const std::string& name = named.datasheets.front().name;
  const bool output = values.count("output") != 0;
  if (output && render::format_of(values["output"].as<std::string>()) == render::Format::json)
    throw Error(fmt::format(
        "--output: a result file holds measurements, not the datasheet of {}; a name ending in plot-data.json has both",
        name));
  const bool points = values.count("table") != 0 && values["table"].as<std::string>() == "points";
  if (points) throw Error(fmt::format("--table points lists measured operators: {} has none, leave it out", name));
}

/// Pictures may be replaced, because they can be drawn again; data may be the only copy of a measurement.
void check_output(const po::variables_map& values, std::vector<std::string> inputs) {
  namespace fs = std::filesystem;
  const fs::path output = values["output"].as<std::string>();
  if (values.count("points") != 0) inputs.push_back(values["points"].as<std::string>());
  if (const char* bundle = std::getenv("GABLE_PAGE_BUNDLE"); bundle && *bundle) inputs.emplace_back(bundle);
  refuse_inputs("output", output, inputs, "this report");
  std::error_code error;
  const render::Format format = render::format_of(output);
  const bool data = !render::is_picture(format) && format != render::Format::html;
  if (data && !values["force"].as<bool>() && fs::exists(output, error))
    throw Error(fmt::format("'{}' exists; name another --output or add --force", output.string()));
}

void write_report(const Result& result, const std::vector<report::ReportedFile>& files,
                  const std::filesystem::path& output, std::optional<report::CsvTable> table,
                  const render::PlotOptions& options) {
  using render::Format;
  const Format format = render::format_of(output);
  if (table && format != Format::csv) throw Error("--table writes csv: give --output a name ending in .csv");
  result::check_writable(output);
  switch (format) {
    case Format::csv:
      return result::write_file_atomically(
          output, report::csv(result, table.value_or(report::CsvTable::ceilings), options.datasheets));
    case Format::json:
      return result::save(result, output);
    case Format::txt:
      return result::write_file_atomically(output, report::text(result, file_columns, options.datasheets));
    case Format::plot_data:
      return result::write_file_atomically(output, report::plot_json_text(result, options, operator_specs(), files));
    case Format::html:
      return result::write_file_atomically(output,
                                           render::page(report::plot_json(result, options, operator_specs(), files)));
    default:
      return report::draw(result, output, options);
  }
}

}  // namespace

int report(const Arguments& arguments) {
  Usage described = report_usage();
  const auto values = parse(described, arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  std::optional<report::CsvTable> table;
  if (values->count("table") != 0) {
    table = report::parse_csv_table((*values)["table"].as<std::string>());
    if (!table)
      throw Error(fmt::format("--table: '{}' is neither ceilings nor points", (*values)["table"].as<std::string>()));
  }
  check_picture_options(*values);
  check_format(*values);
  const render::AnswerForm form = form_of(*values);
  check_anonymous(*values);
  const Named named = named_by(*values);
  check_datasheets(*values, named);
  auto options = plot_options(*values);
  options.datasheets = named.datasheets;
  // an anonymous result must not show figures of a devices file, which may be confidential
  const bool anonymous = (*values)["anonymous"].as<bool>();
  const auto files = read_files(named.files, anonymous);
  Result result = merged(files, anonymous);
  if (values->count("output") != 0) check_output(*values, named.files);
  if (values->count("points") != 0) add_points(result, *values, options.scope);
  if (anonymous) result = result::anonymous(std::move(result));
  if (values->count("output") != 0) {
    write_report(result, files, (*values)["output"].as<std::string>(), table, options);
  } else if (table) {
    fmt::print("{}", report::csv(result, *table, named.datasheets));
  } else if (form == render::AnswerForm::text) {
    fmt::print("{}", report::text(result, output_width(), named.datasheets));
  } else {
    fmt::print("{}", render::write(report::report_answer(result, named.datasheets), form));
  }
  return exit_ok;
}

}  // namespace gable::cli
