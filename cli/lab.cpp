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
#include "core/result/for_each_row.hpp"
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
  std::vector<std::string> remeasured;  ///< commands that measure the suspect rows of a file again
};

/// "gable measure --remeasure 'result.json' --output again.json"; nothing where no row is suspect.
std::string remeasuring(const Result& result, const std::string& file, const std::string& output) {
  bool suspect = false;
  for_each_row(result, [&](const auto& row) { suspect |= row.status == Status::suspect; });
  if (!suspect) return "";
  return fmt::format("gable {} --output {}",
                     result.request ? command_of(*result.request) + " --remeasure " + printable(for_shell(file))
                                    : "measure --quick --suite teaching",
                     output);
}

Material material_of(const std::vector<std::string>& words) {
  Material material;
  std::vector<Result> results;
  for (const std::string& word : words) {
    if (const auto file = file_named(word)) {
      results.push_back(load_result(file->path));
      const std::string again = results.size() == 1 ? "again.json" : fmt::format("again-{}.json", results.size());
      if (auto command = remeasuring(results.back(), file->path, again); !command.empty())
        material.remeasured.push_back(std::move(command));
    } else {
      material.options.datasheets.push_back(catalogue_device(word));
    }
  }
  if (results.size() == 1) material.result = results.front();
  if (results.size() > 1) {
    material.result = result::merge(results);
    set_verdicts(material.result);
  }
  return material;
}

/// "A: AMD EPYC, 2 cores, measured", by the letters of the exercises.
std::vector<std::string> machines_of(const render::PlotData& picture, const Result& result) {
  std::vector<std::string> machines;
  for (const render::PlotDevice& shown : picture.devices) {
    const auto device = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
    const std::string letter = shown.letter.empty() ? "A" : shown.letter;
    machines.push_back(
        device == result.devices.end() ? fmt::format("{}: {}", letter, shown.id)
        : is_cpu(*device)
            ? fmt::format("{}: {}, {} cores, measured", letter, device->name, device->cores)
            : fmt::format("{}: {}, {}, measured", letter, device->name, threads_text(*device, device->cores)));
  }
  return machines;
}

/// Tells what a disturbed file costs, and the command that measures it again.
void tell_losses(const Material& material, const questions::Losses& losses) {
  if (losses.rows.empty()) return;
  const bool one_row = losses.rows.size() == 1;
  say(fmt::format("note: {} row{} suspect: {}\nnote: {} {}\n", losses.rows.size(), one_row ? " is" : "s are",
                  printable(fmt::format("{}", fmt::join(losses.rows, ", "))), one_row ? "it costs" : "they cost",
                  losses.exercises.empty()
                      ? "no exercise"
                      : printable(fmt::format("these exercises: {}", fmt::join(losses.exercises, ", ")))));
  for (const std::string& command : material.remeasured)
    say(fmt::format("note: measure again on that machine: {}\n", command));
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
  const std::string grid = questions::empty_grid(picture);
  const auto handout = questions::handout(exercises, machines_of(picture, material.result), grid);
  const result::NamedTexts files{{"handout.html", render::html(handout)},
                                 {"handout.md", render::markdown(handout)},
                                 {"axes.svg", grid},
                                 {"sheets.html", render::html(questions::answer_sheets(exercises, students))},
                                 {"answers.csv", questions::answer_table(exercises, students)},
                                 {"key.html", render::html(questions::key_document(exercises))},
                                 {key_name, questions::key_text(exercises)}};
  result::write_new_folder(words[1], files);
  const auto count = [&](questions::ExerciseKind kind) {
    return std::ranges::count(exercises, kind, &questions::Exercise::kind);
  };
  fmt::print(
      "{}: {} exercises: {} to predict, {} to measure, {} where the machine contradicts the textbook\n"
      "for the class: handout.html (or handout.md), axes.svg, sheets.html, answers.csv; for the teacher: "
      "key.html, {}\n",
      printable(words[1]), exercises.size(), count(questions::ExerciseKind::predict),
      count(questions::ExerciseKind::measure), count(questions::ExerciseKind::why), key_name);
  tell_losses(material, questions::losses_of(material.result, material.options, operator_specs(), topic, exercises));
}

/// "html" of a page, else the form that --output or --format ask for.
std::string form_name(const Options& values) {
  if (!values.has("output")) return std::string(render::answer_form_names[static_cast<std::size_t>(form_of(values))]);
  const fs::path output = values.text("output");
  check_new_file("output", output, values.is_on("force"));
  const std::string ending = output.extension().string();
  if (ending != ".html" && ending != ".csv" && ending != ".json" && ending != ".md")
    throw Error(fmt::format("--output: '{}' ends in none of .html, .csv, .json, .md", output.string()));
  return ending.substr(1);
}

int grade(const std::vector<std::string>& words, const Options& values) {
  if (words.size() != 2) throw Error("lab grade needs one file with answers");
  const fs::path answers = words[1];
  const std::string form = form_name(values);
  const fs::path key = values.has("key") ? fs::path(values.text("key")) : answers.parent_path() / key_name;
  if (values.has("output")) refuse_inputs(values, "output", values.text("output"), {key.string()});
  const auto exercises = questions::read_key(key);
  const auto given = questions::read_answers(answers, exercises);
  if (given.students.empty()) {
    throw Error(fmt::format("{}: no line has a student{}", answers.string(),
                            given.remarks.empty() ? "" : ": " + given.remarks.front()));
  }
  const bool for_people = form != "csv" && form != "json";
  const Answer grades = questions::grades_answer(given, exercises, values.is_on("working"), for_people);
  put_out(values, form == "html" ? render::html(render::document_of(grades))
                                 : render::write(grades, *render::parse_answer_form(form), output_width()));
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
