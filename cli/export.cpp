#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "core/error.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

Usage export_usage() {
  Usage usage{.synopsis = "export FILE.json --format FORM [options]",
              .summary =
                  "The measured peaks of a device, with operating point and interval, in the form of another program "
                  "(docs/interchange.md). Suspect rows are left out, and named.",
              .example = "gable export h100.json --format reframe --output references.py"};
  auto add = usage.options.add_options();
  add("file", many("FILE"), "a result file; FILE.json:DEVICE where it has several devices");
  add("format", one("FORM"), interchange::export_form_names().c_str());
  add("output", one("FILE"), "the file to write (the terminal)");
  add("force", po::bool_switch(), "replace an existing file");
  usage.positional.add("file", -1);
  return usage;
}

}  // namespace

int export_command(const Arguments& arguments) {
  const auto values = parse(export_usage(), arguments);
  if (!values) return exit_ok;
  const auto files = texts(*values, "file");
  if (files.size() != 1) throw Error("export needs one result file");
  if (!values->has("format")) throw Error(fmt::format("export needs --format: {}", interchange::export_form_names()));
  const auto& name = values->text("format");
  const interchange::ExportForm* form = interchange::find_export_form(name);
  if (!form) throw Error(fmt::format("--format: '{}' is none of {}", name, interchange::export_form_names()));
  const NamedFile file = file_named(files.front()).value_or(NamedFile{files.front(), ""});
  const Result result = result::load(file.path);
  if (values->has("output")) {
    const fs::path output = values->text("output");
    refuse_inputs(*values, "output", output);
    check_new_file("output", output, values->is_on("force"));
  }
  const auto peaks = interchange::peaks_of(result, device_named(result, file.path, file.device));
  for (const std::string& row : peaks.left_out) say(printable(row) + '\n');
  if (peaks.tool != "gable")
    say(printable(fmt::format("gable measured no ceiling of {}: these are of {}", peaks.device.id, peaks.tool)) + '\n');
  put_out(*values, form->text(peaks));
  return exit_ok;
}

}  // namespace gable::cli
