#include "core/questions/course/lab.hpp"
#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* key_name = "key.json";

Usage lab_usage() {
  Usage usage{.synopsis = "lab new DIR FILE… [NAME…] | lab grade ANSWERS.csv [options]",
              .summary =
                  "A lab for a class out of result files and devices of the catalogue: handout, table for the answers, "
                  "key; and the grades of what students answered.",
              .example = "gable lab new roofline-lab result.json 'H200 SXM 141GB'"};
  auto add = usage.options.add_options();
  add("word", many("new|grade"), "new: folder to make, result files, names of devices; grade: the filled table");
  add("key", one("FILE"), "of grade: the key (key.json beside the answers)");
  add("working", po::bool_switch(), "of grade: with the working of each exercise");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("word", -1);
  return usage;
}

/// What the exercises are about.
struct Material {
  Result result;
  std::vector<catalogue::Device> datasheets;
  std::vector<std::string> machines;  ///< names, for the handout
};

Material material_of(const std::vector<std::string>& words) {
  Material material;
  std::vector<Result> results;
  for (const std::string& word : words) {
    if (const auto file = file_named(word))
      results.push_back(load_result(file->path));
    else
      material.datasheets.push_back(catalogue_device(word));
  }
  if (results.size() == 1) material.result = results.front();
  if (results.size() > 1) {
    material.result = result::merge(results);
    set_verdicts(material.result);
  }
  for (const DeviceInfo& device : material.result.devices)
    material.machines.push_back(fmt::format("{}, {} cores, measured", device.name, device.cores));
  for (const catalogue::Device& device : material.datasheets)
    material.machines.push_back(device.name + ", by its vendor's datasheet");
  return material;
}

void make_lab(const std::vector<std::string>& words) {
  if (words.size() < 3) throw Error("lab new needs a folder and a result file, or a device of the catalogue");
  const Material material = material_of({words.begin() + 2, words.end()});
  render::PlotOptions options;
  options.datasheets = material.datasheets;
  const render::PlotData picture = render::collect_any(material.result, options);
  const auto exercises = questions::exercises_of(picture, material.result, options, operator_specs());
  if (exercises.empty())
    throw Error("lab new: nothing to ask: no device here has a roof of its main memory and one of its arithmetic");
  const fs::path folder = words[1];
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw Error(fmt::format("'{}' is there already: name a new folder", folder.string()));
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  const auto handout = questions::handout(exercises, material.machines);
  result::write_file_atomically(folder / "handout.md", render::markdown(handout));
  result::write_file_atomically(folder / "handout.html", render::html(handout));
  result::write_file_atomically(folder / "answers.csv", questions::answer_sheet(exercises));
  result::write_file_atomically(folder / key_name, questions::key_text(exercises));
  fmt::print("{}: {} exercises: handout.md, handout.html and answers.csv for the class, {} for the teacher\n",
             folder.string(), exercises.size(), key_name);
}

int grade(const std::vector<std::string>& words, const Options& values) {
  if (words.size() != 2) throw Error("lab grade needs one file with answers");
  const fs::path answers = words[1];
  const fs::path key = values.has("key") ? fs::path(values.text("key")) : answers.parent_path() / key_name;
  const auto exercises = questions::read_key(key);
  const auto given = questions::read_answers(answers, exercises);
  if (given.students.empty()) {
    throw Error(fmt::format("{}: no line has a student{}", answers.string(),
                            given.remarks.empty() ? "" : ": " + given.remarks.front()));
  }
  fmt::print("{}", written(questions::grades_answer(given, exercises, values.is_on("working")), values));
  return exit_ok;
}

}  // namespace

int lab(const Arguments& arguments) {
  const auto values = parse(lab_usage(), arguments);
  if (!values) return exit_ok;
  const auto words = texts(*values, "word");
  if (!words.empty() && words.front() == "grade") return grade(words, *values);
  if (words.empty() || words.front() != "new") throw Error("lab: say new DIR FILE…, or grade ANSWERS.csv");
  if (values->has("key")) throw Error("--key is for lab grade");
  if (values->has("format")) throw Error(form_option(*values) + " is for lab grade");
  if (values->is_on("working")) throw Error("--working is for lab grade");
  add_devices_files(*values);
  make_lab(words);
  return exit_ok;
}

}  // namespace gable::cli
