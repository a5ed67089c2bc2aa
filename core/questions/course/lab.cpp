#include "core/questions/course/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/posix_file.hpp"

namespace gable::questions {

/// The keys of an exercise in a key file.
template <class A, SameStruct<Exercise> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("question", s.question);
  a.field("unit", s.unit);
  a.field("answer", s.answer);
  a.field("tolerance", s.tolerance);
  a.field("working", s.working);
}

namespace {

/// A key file.
struct Key {
  std::string format;
  std::vector<Exercise> exercises;
};

constexpr const char* key_format = "gable-lab-key";

template <class A, SameStruct<Key> S>
void fields(A& a, S& s) {
  a.field("format", s.format);
  a.field("exercises", s.exercises);
}

/// A number as people write it: with a point or a comma. Throws Error for what is none, or not positive.
double number_in(const CsvLine& line) {
  const std::string written = line.text("answer");
  std::string text = written;
  std::ranges::replace(text, ',', '.');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    line.fail("answer", "'" + written + "' is no number (without a unit, and without marks between thousands)");
  if (!(value > 0) || !std::isfinite(value)) line.fail("answer", "'" + written + "' is not greater than 0");
  return value;
}

Given given_in(const CsvLine& line, const Exercise& exercise) {
  if (line.text_or_nothing("answer").empty()) return {};
  try {
    const double answer = number_in(line);
    return {grade(exercise, answer), answer, ""};
  } catch (const Error& error) {
    return {Grade::wrong, {}, error.what()};
  }
}

/// "EPYC, one core".
std::string name_at(const DeviceInfo& device, Scope scope) {
  const std::string& name = device.name.empty() ? device.id : device.name;
  return scope == Scope::node ? name : fmt::format("{}, one {}", name, to_string(scope));
}

/// Name of the row with the copies from the host to a device, of pinned memory where it has no variant.
constexpr std::string_view host_link = "host_to_device";

/// A measured device, with the link to its host that was measured.
ExerciseDevice measured_device(const Result& result, const DeviceInfo& info, Scope scope) {
  ExerciseDevice device;
  device.id = info.id;
  device.name = name_at(info, scope);
  device.scope = scope;
  device.machine = machine_of(result, info.id, scope);
  device.processor = is_cpu(info);
  for (const Ceiling& row : result.ceilings) {
    if (row.status != Status::ok || row.kind != CeilingKind::link || row.device != info.id || row.name != host_link ||
        !row.variant.empty())
      continue;
    device.link_byte_per_s = row.value.value;
    device.link_name = "measured";
  }
  return device;
}

ExerciseDevice printed_device(const catalogue::Device& sheet) {
  ExerciseDevice device;
  device.name = datasheet_name(sheet);
  device.machine = machine_of(sheet);
  if (!sheet.pcie_generation) return device;
  device.link_byte_per_s = pcie_byte_per_s(*sheet.pcie_generation);
  device.link_name = fmt::format("PCIe {}.0 x16, by its standard", *sheet.pcie_generation);
  return device;
}

}  // namespace

std::vector<Exercise> exercises_of(const render::PlotData& picture, const Result& result,
                                   const render::PlotOptions& options, Operators operators) {
  std::vector<ExerciseDevice> devices;
  for (const render::PlotDevice& shown : picture.devices) {
    const auto info = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
    const auto sheet = std::ranges::find(options.datasheets, shown.id, catalogue::datasheet_name);
    if (shown.scope && info != result.devices.end())
      devices.push_back(measured_device(result, *info, *shown.scope));
    else if (!shown.scope && sheet != options.datasheets.end())
      devices.push_back(printed_device(*sheet));
    else
      continue;
    devices.back().letter = shown.letter.empty() ? "A" : shown.letter;
    devices.back().name = devices.back().letter + " " + devices.back().name;
  }
  return exercises(result, devices, operators);
}

render::Document handout(std::span<const Exercise> exercises, std::span<const std::string> machines) {
  render::Document document{"Roofline lab", {}};
  auto& blocks = document.blocks;
  blocks.push_back(render::Paragraph{
      "A program on a machine can be held back by its arithmetic or by its memory. P is what the units compute at most "
      "(flop/s), B what the memory delivers at most (byte/s), I the operations that a program does for each byte that "
      "it must move (flop/byte). It reaches at most min(P, I x B). The ridge is P / B: a program with a smaller I is "
      "bound by the memory, another one by the arithmetic."});
  blocks.push_back(render::Heading{"The machines"});
  blocks.push_back(render::List{{machines.begin(), machines.end()}});
  blocks.push_back(render::Heading{"What to do"});
  blocks.push_back(render::List{
      {"Predict: work out each answer with pen and paper before you look at any measurement.",
       "Write it into answers.csv, in the unit that the exercise names, as a number without the unit: your name "
       "under student, the number under answer. Keep what stands under exercise.",
       "A number is right within the factor that stands beside the question: within a factor of 1.05, 10 may be "
       "answered by 9.53 to 10.5.",
       "Then measure, or look into the report, and say in one sentence why your prediction was right or not."}});
  blocks.push_back(render::Heading{"Exercises"});
  TextTable table(
      {{"exercise", false, true}, {"question", false, true}, {"unit", false, true}, {"right", false, true}});
  for (const Exercise& exercise : exercises)
    table.add({exercise.id, exercise.question, exercise.unit, tolerance_text(exercise.tolerance)});
  blocks.push_back(render::Table{"", std::move(table), true});
  return document;
}

std::string answer_sheet(std::span<const Exercise> exercises) {
  std::string text = "student,exercise,answer,unit\n";
  for (const Exercise& exercise : exercises) text += csv_line({"", csv_cell(exercise.id), "", csv_cell(exercise.unit)});
  return text;
}

std::string key_text(std::span<const Exercise> exercises) {
  return dump_json(write_json(Key{key_format, {exercises.begin(), exercises.end()}}), 1) + "\n";
}

std::vector<Exercise> read_key(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  try {
    Key key = read_json_root<Key>(parse_json(text));
    if (key.format != key_format) throw Error("/format: expected \"" + std::string(key_format) + "\"");
    for (const Exercise& exercise : key.exercises) {
      if (!(exercise.answer > 0) || !(exercise.tolerance > 0))
        throw Error(fmt::format("exercise '{}': answer and tolerance must be positive", exercise.id));
    }
    return key.exercises;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}: it is no key that 'gable lab new' wrote", file.string(), error.what()));
  }
}

Answers read_answers(const std::filesystem::path& file, std::span<const Exercise> exercises) {
  constexpr std::array<std::string_view, 3> required{"student", "exercise", "answer"};
  constexpr std::array<std::string_view, 1> optional{"unit"};
  Answers answers;
  std::set<std::pair<std::string, std::string>> seen;
  const auto take = [&](const CsvLine& line) {
    const std::string name = line.text_or_nothing("student");
    if (name.empty()) {
      if (!line.text_or_nothing("answer").empty()) line.fail("student", "an answer without a name");
      return;
    }
    const std::string id = line.text("exercise");
    const auto exercise = std::ranges::find(exercises, id, &Exercise::id);
    if (exercise == exercises.end()) line.fail("exercise", "'" + id + "' is not in the key");
    if (!seen.emplace(name, id).second)
      line.fail("exercise", name + " answered '" + id + "' before: the first answer counts");
    auto student = std::ranges::find(answers.students, name, &Student::name);
    if (student == answers.students.end())
      student = answers.students.insert(student, {name, std::vector<Given>(exercises.size())});
    student->given[static_cast<std::size_t>(exercise - exercises.begin())] = given_in(line, *exercise);
  };
  read_csv_table(file, required, optional, take, [&](const std::string& wrong) { answers.remarks.push_back(wrong); });
  return answers;
}

Answer grades_answer(const Answers& answers, std::span<const Exercise> exercises, bool working) {
  Answer answer;
  answer.title = "Grades";
  const auto of_class = [&](const Student& student) -> Answer::Facts {
    const auto count = [&](Grade grade) {
      return static_cast<int>(std::ranges::count(student.given, grade, &Given::grade));
    };
    return {{"student", "student", student.name},          {"right", "right", count(Grade::right)},
            {"near", "near", count(Grade::near)},          {"wrong", "wrong", count(Grade::wrong)},
            {"missing", "missing", count(Grade::missing)}, {"exercises", "of", static_cast<int>(exercises.size())}};
  };
  answer.add_table("students", "", table_of(answers.students, of_class));
  Answer::Table rows;
  for (const Student& student : answers.students) {
    Answer::Table own;
    for (std::size_t i = 0; i < exercises.size(); ++i) {
      const Given& given = student.given[i];
      Answer::Facts facts{{"exercise", "exercise", exercises[i].id},
                          {"answer", "answer", given.answer},
                          {"expected", "expected", exercises[i].answer},
                          {"unit", "unit", exercises[i].unit},
                          {"right", "right", tolerance_text(exercises[i].tolerance)},
                          {"grade", "grade", given.grade},
                          {"reason", "reason", named(given.reason)}};
      if (working) facts.emplace_back("working", "working", exercises[i].working);
      own.add(facts);
      Answer::Facts row{{"student", student.name}};
      rows.add(std::move(row.add(std::move(facts))));
    }
    answer.show_table(student.name, std::move(own));
  }
  answer.add_table("answers", "", std::move(rows)).readers = Answer::Readers::programs;
  if (answers.remarks.empty()) return answer;
  answer.add_table("remarks", "Lines that count for nobody", table_of(answers.remarks, [](const std::string& remark) {
                     return Answer::Facts{{"remark", "line", remark}};
                   }));
  return answer;
}

}  // namespace gable::questions
