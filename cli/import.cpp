#include "core/questions/interchange/import.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/result/merge.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/sequence.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

Usage import_usage() {
  Usage usage{
      .synopsis = "import FILE… --device DEVICE --output FILE.json [options]",
      .summary =
          "Reads files of profilers and of other roofline tools (docs/interchange.md lists them) and writes "
          "what they say as a result file, for report, explain and compare. What counters cannot say is marked.",
      .example = "gable import ncu.csv --device h100.json --output points.json"};
  auto add = usage.options.add_options();
  add("file", many("FILE"), "files to read, recognised by their content");
  add("device", one("DEVICE"),
      "what they are of: a result file, whose ceilings then judge the points (FILE.json:DEVICE where it has "
      "several), a device of the catalogue, or an id such as cuda:0");
  add("output", one("FILE"), "the result file to write, NAME.json");
  add("dtype", one("TYPE"),
      "what the kernels compute in: of operations whose counters tell no type; others not counted are none");
  add("force", po::bool_switch(), "replace an existing file");
  offer_devices_files(usage.options);
  usage.positional.add("file", -1);
  return usage;
}

/// "openmp", "cuda:0": a name of which nothing else is known.
bool is_bare_id(const std::string& text) {
  const auto colon = std::min(text.find(':'), text.size());
  const std::string number = text.substr(std::min(colon + 1, text.size()));
  const auto known = {"openmp", "cuda", "hip"};
  return std::ranges::count(known, text.substr(0, colon)) > 0 &&
         number.find_first_not_of("0123456789") == std::string::npos && (colon == text.size() || !number.empty());
}

DeviceInfo device_of_catalogue(const catalogue::Device& entry) {
  DeviceInfo device = questions::subject_of(entry).device;
  device.microarchitecture = entry.architecture;
  if (!entry.isa.empty()) device.isa = {entry.isa};
  device.cores = entry.compute_units.value_or(0);
  device.facts = {{"described_by", "the catalogue", entry.source}};
  return device;
}

interchange::ImportInto measured_device(const NamedFile& file) {
  const Result result = load_result(file.path);
  const std::string id = device_named(result, file.path, file.device);
  interchange::ImportInto into;
  into.target.device = *std::ranges::find(result.devices, id, &DeviceInfo::id);
  into.target.scope = widest_scope(result, id);
  const auto threads = result::threads_of(result, id);
  if (const auto found = threads.find(into.target.scope); found != threads.end()) into.target.threads = found->second;
  const auto is_of_it = [&](const auto& row) { return row.device == id; };
  into.roofs = filtered(result.ceilings, is_of_it);
  into.curves = filtered(result.curves, is_of_it);
  into.run.hostname = result.run.hostname;
  into.run.os = result.run.os;
  into.run.kernel = result.run.kernel;
  into.run.facts.push_back({std::string(roofs_fact), file.path, "command line"});
  return into;
}

interchange::ImportInto into_device(const std::string& text) {
  if (const auto file = file_named(text)) return measured_device(*file);
  interchange::ImportInto into;
  into.run.hostname = into.run.os = into.run.kernel = "unknown";
  if (is_bare_id(text)) {
    into.target.device.id = into.target.device.name = text;
    into.target.device.backend = text.substr(0, text.find(':'));
  } else {
    into.target.device = device_of_catalogue(catalogue_device(text));
  }
  return into;
}

void check_output(const Options& values, const fs::path& output) {
  if (output.extension() != ".json")
    throw Error(fmt::format("--output: '{}' is a result file: its name ends in .json", output.string()));
  refuse_inputs(values, "output", output);
  check_new_file("output", output, values.is_on("force"));
}

/// One line a file and a note.
void tell(const interchange::ImportResult& imported, const std::string& output, bool with_dtype) {
  for (const interchange::ImportedFile& file : imported.files) {
    const std::string what = file.kernels > 0 ? fmt::format("{} kernels or regions", file.kernels)
                                              : fmt::format("{} ceilings", file.ceilings);
    fmt::print("{}\n", printable(fmt::format("{}: {}, {}", file.file, file.format, what)));
  }
  constexpr std::size_t most = 20;
  const auto& notes = imported.result.notes;
  for (std::size_t i = 0; i < std::min(most, notes.size()); ++i) say(printable("note: " + notes[i]) + '\n');
  if (notes.size() > most) say(fmt::format("note: {} more in {}\n", notes.size() - most, printable(output)));
  const auto partly = std::ranges::count_if(
      imported.result.points, [](const Point& point) { return point.imported && !point.imported->unknown.empty(); });
  if (partly > 0)
    say(
        fmt::format("{} of {} points get no verdict: their counters do not tell all that is needed (the reason stands "
                    "with each{})\n",
                    partly, imported.result.points.size(), with_dtype ? "" : "; --dtype may rule types out"));
  fmt::print("{}\n", printable("written: " + output));
}

}  // namespace

int import_command(const Arguments& arguments) {
  const auto values = parse(import_usage(), arguments);
  if (!values) return exit_ok;
  const auto files = texts(*values, "file");
  if (files.empty()) throw Error("import needs a file of another tool");
  for (const char* option : {"device", "output"}) {
    if (!values->has(option)) throw Error(fmt::format("import needs --{}", option));
  }
  add_devices_files(*values);
  const std::string output = values->text("output");
  const std::string device = values->text("device");
  check_output(*values, output);
  interchange::ImportInto into = into_device(device);
  if (values->has("dtype")) into.target.dtype = dtype_of("dtype", values->text("dtype"));
  into.run.started_at = into.run.finished_at = result::utc_now();
  into.run.command_line = {"gable", "import"};
  into.run.command_line.insert(into.run.command_line.end(), arguments.begin(), arguments.end());
  into.run.mode = Mode::quick;
  into.run.complete = true;
  const auto imported = interchange::import_files(std::vector<fs::path>(files.begin(), files.end()), into);
  result::save(imported.result, output, {}, values->is_on("force"));
  tell(imported, output, values->has("dtype"));
  return exit_ok;
}

}  // namespace gable::cli
