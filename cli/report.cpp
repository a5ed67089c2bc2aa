#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/point_options.hpp"
#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
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
#include "core/sequence.hpp"
#include "core/text/environment.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

constexpr int file_columns = 160;

Usage report_usage() {
  Usage usage{.synopsis = "report FILE… [NAME…] [options]",
              .summary =
                  "Draws result files, and devices of the catalogue by their datasheets, on the same axes, or "
                  "prints them as tables.",
              .example = "gable report cpu.json 'H200 SXM 141GB' --points my.csv --output roofline.svg"};
  auto add = usage.options.add_options();
  add("file", many("FILE"), "result files, and names of devices (gable devices --catalogue)");
  add("output", one("FILE"),
      "svg, png, pdf (needs gnuplot), html (the page to explore), plot-data.json, csv, json or txt by its ending; "
      "tables go to the terminal without it");
  add("table", one("NAME"), "ceilings or points, as CSV");
  add("points", one("CSV"), "your own kernels: name,dtype,flops,bytes,time_s[,unit]");
  add("device", one("ID"), "device the kernels of --points ran on (the only one)");
  add("dtype", many("TYPE,…"),
      "data types to show in pictures and pages (all; in a picture of several devices those of the points)");
  add("unit", many("UNIT,…"), "units whose roofs pictures show: scalar, vector, matrix, exp, convert, divide");
  add("all-roofs", po::bool_switch(), "every roof in the picture, also of several devices");
  add("scope", one("SCOPE"), "scope to show (the widest measured)");
  add("anonymous", po::bool_switch(),
      "write the result to a json file without what tells whose machine it was: names, paths, times of day");
  add("force", po::bool_switch(), "replace an existing csv, json or txt file (pictures and pages are always replaced)");
  add("size", one("WxH"), "size of the picture in inch (8x5.5)");
  add("theme", one("NAME"), "colours of the picture: light, dark, or print (grey, for one column of a text: 4x3)");
  add("title", one("TEXT"), "title of the picture or page (the devices)");
  offer_point_choice(usage.options);
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

/// Below `least` labels cannot be kept apart.
double inches(std::string_view text, std::string_view whole, double least) {
  if (const auto value = parse_number<double>(text); value >= least && value <= 60) return *value;
  throw Error(fmt::format("--size: '{}' is not WxH in inch, 4x3 to 60x60", whole));
}

render::PlotOptions plot_options(const Options& values) {
  render::PlotOptions options;
  options.dtypes = dtypes_of(values, "dtype");
  for (const std::string& text : list(values, "unit")) {
    const auto unit = parse_unit(text);
    if (!unit || *unit == Unit::multiply_add)
      throw Error(fmt::format("--unit: '{}' is none of scalar, vector, matrix, exp, convert, divide", text));
    options.units.push_back(*unit);
  }
  options.all_roofs = values.is_on("all-roofs");
  if (values.has("scope")) {
    options.scope = parse_name<Scope>(values.text("scope"));
    if (!options.scope) throw Error(fmt::format("--scope: unknown scope '{}'", values.text("scope")));
  }
  if (values.has("theme")) {
    const std::string& name = values.text("theme");
    const auto theme = render::parse_theme(name);
    if (!theme) throw Error(fmt::format("--theme: '{}' is none of light, dark, print", name));
    options.theme = *theme;
    if (options.theme == render::Theme::print) options.width_in = 4, options.height_in = 3;
  }
  if (values.has("size")) {
    const std::string text = values.text("size");
    const std::string_view whole = text;
    const auto x = whole.find('x');
    options.width_in = inches(whole.substr(0, x), whole, 4);
    options.height_in = inches(x == std::string_view::npos ? "" : whole.substr(x + 1), whole, 3);
  }
  if (values.has("title")) options.title = values.text("title");
  return options;
}

/// What the command line names: result files, and devices whose datasheets stand beside them.
struct Named {
  std::vector<std::string> files;
  std::vector<catalogue::Device> datasheets;
};

Named named_by(const Options& values) {
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
  return mapped(names, [&](const std::string& name) {
    return report::ReportedFile{std::filesystem::path(name).filename().string(),
                                as_measured ? result::load(name) : load_result(name)};
  });
}

Result merged(const std::vector<report::ReportedFile>& files, bool as_measured) {
  if (files.empty()) return {};
  if (as_measured && files.size() == 1) return files.front().result;
  Result merged =
      result::merge(mapped(files, &report::ReportedFile::result), mapped(files, &report::ReportedFile::name));
  set_verdicts(merged);  // operators of one file under the ceilings of another, and by today's rules
  result::fail_impossible(merged);
  return merged;
}

/// Adds the user's kernels to the device they ran on, judged by its roofs.
void add_points(Result& result, const Options& values, std::optional<Scope> asked) {
  std::string device = values.text("device");
  if (result.devices.empty()) throw Error("--points: the result has no device that the kernels could have run on");
  if (device.empty() && result.devices.size() > 1) {
    throw Error(fmt::format("--points: several devices here, say which with --device: {}",
                            fmt::join(mapped(result.devices, &DeviceInfo::id), ", ")));
  }
  if (device.empty()) device = result.devices.front().id;
  const Scope scope = asked.value_or(widest_scope(result, device));
  const auto file = values.text("points");
  std::vector<int> lines;
  const auto points = interchange::read_points_csv(file, device, scope, &lines);
  const std::size_t measured = result.points.size();
  result.points.insert(result.points.end(), points.begin(), points.end());
  set_verdicts(result);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Point& point = result.points[measured + i];
    if (above_roof(point) && values.has("output"))  // tables say it, and pictures do not
      say(printable(fmt::format("note: {}: line {}: {}", file, lines[i], point.reason)) + '\n');
    const auto found = result::impossible_figure(point);
    if (!found) continue;
    throw Error(fmt::format("{}: line {}, column time_s: {:.6g} of kernel '{}' cannot be: {} is {}", file, lines[i],
                            point.time.value, point.op, found->where.substr(1), found->what));
  }
}

/// Options that would change nothing are refused: somebody misunderstood them.
void check_picture_options(const Options& values) {
  using render::Format;
  const bool points = values.has("points");
  std::optional<Format> format;
  if (values.has("output")) format = render::format_of(values.text("output"));
  const bool picture = format && render::is_picture(*format);
  const bool page = format == Format::html || format == Format::plot_data;
  if (values.has("device") && !points) throw Error("--device says where the kernels of --points ran: give --points");
  for (const char* option : {"dtype", "unit", "all-roofs", "scope", "title"}) {
    const bool is_given = std::string_view(option) == "all-roofs" ? values.is_on(option) : values.has(option);
    if (!is_given || picture || page || (points && std::string_view(option) == "scope")) continue;
    throw Error(fmt::format(
        "--{} is for pictures and pages: give --output a name ending in .svg, .png, .pdf, .html or plot-data.json",
        option));
  }
  for (const char* option : {"size", "theme"}) {
    if (values.has(option) && !picture)
      throw Error(fmt::format("--{} is for pictures: give --output a name ending in .svg, .png or .pdf", option));
  }
}

/// --format is of what is printed, and the CSV tables have a form already.
void check_format(const Options& values) {
  const bool asked = values.has("format") || values.is_on("json");
  for (const char* option : {"output", "table"}) {
    if (asked && values.has(option))
      throw Error(fmt::format("--format and --json are of what is printed: leave out --{}", option));
  }
}

/// A result file holds all that was measured.
void check_point_choice(const Options& values) {
  if (!chooses_points(values) || !values.has("output")) return;
  if (render::format_of(values.text("output")) == render::Format::json)
    throw Error("--only and --top choose what is shown: a result file (.json) holds all points");
}

/// Only a whole result shows what was taken out of it.
void check_anonymous(const Options& values) {
  if (!values.is_on("anonymous")) return;
  const bool json = values.has("output") && render::format_of(values.text("output")) == render::Format::json;
  if (!json) throw Error("--anonymous writes a result: give --output a name ending in .json");
  if (values.has("points")) throw Error("--anonymous is for results as they were measured: leave out --points");
}

/// Throws if a datasheet is asked for where only measurements can stand.
void check_datasheets(const Options& values, const Named& named) {
  if (named.datasheets.empty()) return;
  const std::string& name = named.datasheets.front().name;
  const bool output = values.has("output");
  if (output && render::format_of(values.text("output")) == render::Format::json)
    throw Error(fmt::format(
        "--output: a result file holds measurements, not the datasheet of {}; a name ending in plot-data.json has both",
        name));
  const bool points = values.has("table") && values.text("table") == "points";
  if (points) throw Error(fmt::format("--table points lists measured operators: {} has none, leave it out", name));
}

/// Pictures may be replaced, because they can be drawn again; data may be the only copy of a measurement.
bool may_replace(const Options& values) {
  const render::Format format = render::format_of(values.text("output"));
  return values.is_on("force") || render::is_picture(format) || format == render::Format::html;
}

void check_output(const Options& values) {
  const std::filesystem::path output = values.text("output");
  refuse_inputs(values, "output", output, {variable("GABLE_PAGE_BUNDLE")});
  check_new_file("output", output, may_replace(values));
}

void write_report(const Result& result, const std::vector<report::ReportedFile>& files, const Options& values,
                  std::optional<report::CsvTable> table, const render::PlotOptions& options) {
  using render::Format;
  const std::filesystem::path output = values.text("output");
  const Format format = render::format_of(output);
  const bool replace = may_replace(values);
  if (table && format != Format::csv) throw Error("--table writes csv: give --output a name ending in .csv");
  switch (format) {
    case Format::csv:
      return result::write_file_atomically(
          output, report::csv(result, table.value_or(report::CsvTable::ceilings), options.datasheets), replace);
    case Format::json:
      return result::save(result, output, {}, replace);
    case Format::txt:
      return result::write_file_atomically(output, report::text(result, file_columns, options.datasheets), replace);
    case Format::plot_data:
      return result::write_file_atomically(
          output, dump_json(report::plot_json(result, options, operator_specs(), files), 1) + '\n', replace);
    case Format::html:
      return result::write_file_atomically(output,
                                           render::page(report::plot_json(result, options, operator_specs(), files)));
    default:
      return report::draw(result, output, options);
  }
}

}  // namespace

int report(const Arguments& arguments) {
  const auto values = parse(report_usage(), arguments);
  if (!values) return exit_ok;
  add_devices_files(*values);
  std::optional<report::CsvTable> table;
  if (values->has("table")) {
    table = report::parse_csv_table(values->text("table"));
    if (!table) throw Error(fmt::format("--table: '{}' is neither ceilings nor points", values->text("table")));
  }
  check_picture_options(*values);
  check_format(*values);
  const render::AnswerForm form = form_of(*values);
  check_anonymous(*values);
  check_point_choice(*values);
  const Named named = named_by(*values);
  check_datasheets(*values, named);
  auto options = plot_options(*values);
  options.datasheets = named.datasheets;
  // an anonymous result must not show figures of a devices file, which may be confidential
  const bool anonymous = values->is_on("anonymous");
  const auto files = read_files(named.files, anonymous);
  Result result = merged(files, anonymous);
  if (values->has("output")) check_output(*values);
  if (values->has("points")) add_points(result, *values, options.scope);
  keep_points(result, point_choice(*values));
  if (anonymous) result = result::anonymous(std::move(result));
  if (values->has("output")) {
    write_report(result, files, *values, table, options);
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
