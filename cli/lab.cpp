#include "core/questions/course/lab.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.hpp"
#include "cli/machine_option.hpp"
#include "cli/options.hpp"
#include "cli/progress.hpp"
#include "cli/task.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/questions/course/grade.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/answer.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* key_name = "key.json";

Usage lab_usage() {
  Usage usage{
      .synopsis = "lab new DIR FILE… [NAME…] | lab grade ANSWERS.csv [options]",
      .summary =
          "A lab for a class out of result files and devices of the catalogue: handout, sheets for the answers, "
          "key; and the grades of what students answered.",
      .example = "gable lab new roofline-lab result.json 'H200 SXM 141GB'"};
  auto add = usage.options.add_options();
  add("word", many("new|grade"), "new: folder to make, result files, names of devices; grade: the filled table");
  add("topic", one("TOPIC"),
      "of new: machine (roofs, and what operators do under them), gpu (processor against GPU), or all (all)");
  add("students", one("NAMES.csv"), "of new: sheets and lines for answers with these names, one a line");
  add("key", one("FILE"), "of grade: the key (key.json beside the answers)");
  add("working", po::bool_switch(), "of grade: with the working of each exercise");
  add("output", one("FILE"), "of grade: write them to a file .html, .csv, .json or .md");
  add("force", po::bool_switch(), "of grade: replace an existing file");
  offer_format(usage.options);
  offer_devices_files(usage.options);
  usage.positional.add("word", -1);
  return usage;
}

/// What the exercises are about.
struct Material {
  Result result;
  render::PlotOptions options;
  std::vector<std::string> files;
  std::vector<std::string> machines;  ///< names, for the handout
};

Material material_of(const std::vector<std::string>& words) {
  Material material;
  std::vector<Result> results;
  for (const std::string& word : words) {
    if (const auto file = file_named(word)) {
      results.push_back(load_result(file->path));
      material.files.push_back(file->path);
    } else {
      material.options.datasheets.push_back(catalogue_device(word));
    }
  }
  if (results.size() == 1) material.result = results.front();
  if (results.size() > 1) {
    material.result = result::merge(results);
    set_verdicts(material.result);
  }
  for (const DeviceInfo& device : material.result.devices) {
    const std::string units =
        is_cpu(device) ? fmt::format("{} cores", device.cores) : threads_text(device, device.cores);
    material.machines.push_back(fmt::format("{}, {}, measured", device.name, units));
  }
  for (const catalogue::Device& device : material.options.datasheets)
    material.machines.push_back(device.name + ", by its vendor's datasheet");
  return material;
}

/// Tells what a disturbed file costs, and the command that measures it again.
void tell_losses(const Material& material, const questions::Losses& losses) {
  if (losses.rows.empty()) return;
  const auto named = [](const std::vector<std::string>& ids) {
    const auto shown = std::min<std::ptrdiff_t>(8, std::ssize(ids));
    return fmt::format("{}{}", fmt::join(ids.begin(), ids.begin() + shown, ", "), shown < std::ssize(ids) ? ", …" : "");
  };
  say(fmt::format("note: {} rows are suspect ({})\n", losses.rows.size(), printable(named(losses.rows))));
  say(losses.exercises.empty() ? std::string("note: they cost no exercise\n")
                               : fmt::format("note: they cost {} exercises: {}\n", losses.exercises.size(),
                                             printable(named(losses.exercises))));
  const auto& request = material.result.request;
  if (material.files.size() != 1) return;
  say(request ? fmt::format("note: measure them again on that machine: gable {} --remeasure {} --output again.json\n",
                            command_of(*request), printable(for_shell(material.files.front())))
              : std::string("note: the file does not say what was asked for: measure it anew on that machine\n"));
}

questions::Topic topic_of(const Options& values) {
  if (!values.has("topic")) return questions::Topic::all;
  const auto topic = parse_name<questions::Topic>(values.text("topic"));
  if (!topic) throw Error(fmt::format("--topic: '{}' is none of machine, gpu, all", values.text("topic")));
  return *topic;
}

void make_lab(const std::vector<std::string>& words, const Options& values) {
  if (words.size() < 3) throw Error("lab new needs a folder and a result file, or a device of the catalogue");
  const Material material = material_of({words.begin() + 2, words.end()});
  const auto topic = topic_of(values);
  const render::PlotData picture = render::collect_any(material.result, material.options);
  const auto exercises = questions::exercises_of(picture, material.result, material.options, operator_specs(), topic);
  if (exercises.empty())
    throw Error("lab new: nothing to ask: no device here has a roof of its main memory and one of its arithmetic");
  std::vector<std::string> students;
  if (values.has("students")) students = questions::read_students(values.text("students"));
  const fs::path folder = words[1];
  std::error_code error;
  if (fs::exists(folder, error) && !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    throw Error(fmt::format("'{}' is there already: name a new folder", folder.string()));
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
  const std::string grid = questions::empty_grid(picture);
  const auto handout = questions::handout(exercises, {material.machines, grid});
  const std::vector<std::pair<const char*, std::string>> files{
      {"handout.html", render::html(handout)},
      {"handout.md", render::markdown(handout)},
      {"axes.svg", grid},
      {"sheets.html", render::html(questions::answer_sheets(exercises, students))},
      {"answers.csv", questions::answer_table(exercises, students)},
      {"key.html", render::html(questions::key_document(exercises))},
      {key_name, questions::key_text(exercises)}};
  for (const auto& [name, text] : files) result::write_file_atomically(folder / name, text);
  const auto count = [&](questions::ExerciseKind kind) {
    return std::ranges::count(exercises, kind, &questions::Exercise::kind);
  };
  fmt::print(
      "{}: {} exercises: {} to predict, {} to measure, {} where the machine contradicts the textbook\n"
      "for the class: handout.html (or handout.md), axes.svg, sheets.html, answers.csv; for the teacher: "
      "key.html, {}\n",
      folder.string(), exercises.size(), count(questions::ExerciseKind::predict),
      count(questions::ExerciseKind::measure), count(questions::ExerciseKind::why), key_name);
  tell_losses(material, questions::losses_of(material.result, material.options, operator_specs(), topic, exercises));
}

/// By the ending of the file: pages are of people, the others as --format has them.
std::string grades_text(const Answer& answer, const fs::path& file) {
  const std::string ending = file.extension().string();
  if (ending == ".html") return render::html(render::document_of(answer));
  const auto form = ending.empty() ? std::nullopt : render::parse_answer_form(ending.substr(1));
  if (!form || *form == render::AnswerForm::text)
    throw Error(fmt::format("--output: '{}' ends in none of .html, .csv, .json, .md", file.string()));
  return render::write(answer, *form);
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
  const Answer grades = questions::grades_answer(given, exercises, values.is_on("working"));
  if (!values.has("output")) {
    fmt::print("{}", written(grades, values));
    return exit_ok;
  }
  const fs::path output = values.text("output");
  check_new_file("output", output, values.is_on("force"));
  refuse_inputs("output", output, {answers.string(), key.string()}, "lab grade");
  result::write_file_atomically(output, grades_text(grades, output));
  return exit_ok;
}

}  // namespace

int lab(const Arguments& arguments) {
  const auto values = parse(lab_usage(), arguments);
  if (!values) return exit_ok;
  const auto words = texts(*values, "word");
  const bool grades = !words.empty() && words.front() == "grade";
  if (!grades && (words.empty() || words.front() != "new")) throw Error("lab: say new DIR FILE…, or grade ANSWERS.csv");
  for (const char* option : {"topic", "students"})
    if (grades && values->has(option)) throw Error(fmt::format("--{} is for lab new", option));
  for (const char* option : {"key", "output", "working", "force"})
    if (!grades && values->is_stated(option)) throw Error(fmt::format("--{} is for lab grade", option));
  if (grades) return grade(words, *values);
  if (values->has("format")) throw Error(form_option(*values) + " is for lab grade");
  add_devices_files(*values);
  make_lab(words, *values);
  return exit_ok;
}

}  // namespace gable::cli
