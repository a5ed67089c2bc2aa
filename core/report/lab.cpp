#include "core/report/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/posix_file.hpp"

namespace gable::analysis {

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

}  // namespace gable::analysis

namespace gable::report {

using analysis::Exercise;
using analysis::Grade;

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

std::string within(const Exercise& exercise) { return fmt::format("{:.0f} %", 100 * exercise.tolerance); }

/// A number as people write it: with a point or a comma.
std::optional<double> number_in(const CsvLine& line) {
  std::string text = line.text_or_nothing("answer");
  if (text.empty()) return {};
  std::ranges::replace(text, ',', '.');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    line.fail("answer", "'" + line.text("answer") + "' is no number (without a unit)");
  return value;
}

int right_of(const Student& student) { return static_cast<int>(std::ranges::count(student.grades, Grade::right)); }

}  // namespace

Document handout(std::span<const Exercise> exercises, std::span<const std::string> machines) {
  Document document{"Roofline lab", {}};
  auto& blocks = document.blocks;
  blocks.push_back(Paragraph{
      "A program on a machine can be held back by its arithmetic or by its memory. P is what the units compute at most "
      "(flop/s), B what the memory delivers at most (byte/s), I the operations that a program does for each byte that "
      "it must move (flop/byte). It reaches at most min(P, I x B). The ridge is P / B: a program with a smaller I is "
      "bound by the memory, another one by the arithmetic."});
  blocks.push_back(Heading{"The machines"});
  blocks.push_back(List{{machines.begin(), machines.end()}});
  blocks.push_back(Heading{"What to do"});
  blocks.push_back(
      List{{"Predict: work out each answer with pen and paper before you look at any measurement.",
            "Write it into answers.csv, in the unit that the exercise names, as a number without the unit: your name "
            "under student, the number under answer. Keep what stands under exercise.",
            "Then measure, or look into the report, and say in one sentence why your prediction was right or not."}});
  blocks.push_back(Heading{"Exercises"});
  TextTable table({{"exercise", false, true}, {"question", false, true}, {"unit", false, true}, {"within", true}});
  for (const Exercise& exercise : exercises)
    table.add({exercise.id, exercise.question, exercise.unit, within(exercise)});
  blocks.push_back(Table{"", std::move(table), true});
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

std::vector<Student> read_answers(const std::filesystem::path& file, std::span<const Exercise> exercises) {
  constexpr std::array<std::string_view, 3> required{"student", "exercise", "answer"};
  constexpr std::array<std::string_view, 1> optional{"unit"};
  std::vector<Student> students;
  std::set<std::pair<std::string, std::string>> seen;
  read_csv_table(file, required, optional, [&](const CsvLine& line) {
    const std::string name = line.text_or_nothing("student"), id = line.text("exercise");
    const auto answer = number_in(line);
    const auto exercise = std::ranges::find(exercises, id, &Exercise::id);
    if (exercise == exercises.end()) line.fail("exercise", "'" + id + "' is not in the key");
    if (name.empty()) {
      if (answer) line.fail("student", "an answer without a name");
      return;
    }
    if (!seen.emplace(name, id).second) line.fail("exercise", name + " answered '" + id + "' before");
    auto student = std::ranges::find(students, name, &Student::name);
    if (student == students.end()) {
      students.push_back({name, std::vector<Grade>(exercises.size(), Grade::missing), {}});
      student = std::prev(students.end());
      student->answers.resize(exercises.size());
    }
    const auto at = static_cast<std::size_t>(exercise - exercises.begin());
    student->answers[at] = answer;
    student->grades[at] = analysis::grade(*exercise, answer);
  });
  return students;
}

Answer grades_answer(std::span<const Student> students, std::span<const Exercise> exercises, bool working) {
  Answer answer;
  answer.title = "Grades";
  const auto of_class = [&](const Student& student) -> Answer::Facts {
    const auto count = [&](Grade grade) { return static_cast<int>(std::ranges::count(student.grades, grade)); };
    return {{"student", "student", student.name},          {"right", "right", right_of(student)},
            {"near", "near", count(Grade::near)},          {"wrong", "wrong", count(Grade::wrong)},
            {"missing", "missing", count(Grade::missing)}, {"exercises", "of", static_cast<int>(exercises.size())}};
  };
  answer.add_table("students", "", table_of(students, of_class));
  Answer::Table rows;
  for (const Student& student : students) {
    Answer::Table own;
    for (std::size_t i = 0; i < exercises.size(); ++i) {
      Answer::Facts facts{{"exercise", "exercise", exercises[i].id},
                          {"answer", "answer", student.answers[i]},
                          {"expected", "expected", exercises[i].answer},
                          {"unit", "unit", exercises[i].unit},
                          {"grade", "grade", student.grades[i]}};
      if (working) facts.emplace_back("working", "working", exercises[i].working);
      own.add(facts);
      Answer::Facts row{{"student", student.name}};
      rows.add(std::move(row.add(std::move(facts))));
    }
    answer.show_table(student.name, std::move(own));
  }
  answer.add_table("answers", "", std::move(rows)).readers = Answer::Readers::programs;
  return answer;
}

}  // namespace gable::report
