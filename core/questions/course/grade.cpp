#include "core/questions/course/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/lower.hpp"
#include "core/text/naming.hpp"
#include "core/text/parse_number.hpp"
#include "core/text/text_table.hpp"

namespace gable::questions {
namespace {

void replace_all(std::string& text, std::initializer_list<std::string_view> marks, std::string_view by) {
  for (const std::string_view mark : marks) {
    std::string replaced;
    std::size_t from = 0;
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, from)) {
      replaced.append(text, from, at - from).append(by);
      from = at + mark.size();
    }
    text = replaced.append(text, from);
  }
}

/// ASCII for the blanks and signs that keyboards and spreadsheets put in its place, "e3" for "x 10^3", "65e3/16" for
/// "65 / 16 x 10^3"; no blanks at the ends, and no sign in front that says "is" or "about".
std::string plain_text(std::string text) {
  replace_all(text, {"\u00a0", "\u202f", "\u2009", "\u2007", "\u3000", "\t"}, " ");
  replace_all(text, {"\u200b", "\u2060"}, "");
  replace_all(text, {"\u2212", "\u2013"}, "-");
  replace_all(text, {"\u00b5", "\u03bc"}, "u");
  replace_all(text, {"\u2019"}, "'");
  replace_all(text, {"\u00d7", "\u00b7", "*"}, "x");
  replace_all(text, {" x 10^", " x10^", "x 10^"}, "x10^");
  replace_all(text, {" / ", " /", "/ "}, "/");
  const std::size_t slash = text.find('/'), power = text.find("x10^");
  const auto at = [&](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(std::min(i, text.size())); };
  if (slash < power && power != text.npos)
    std::rotate(at(slash), at(power), at(text.find_first_not_of("+-0123456789", power + 4)));
  replace_all(text, {"x10^"}, "e");
  replace_all(text, {"\u2248"}, "~");
  return std::string(trimmed(text.erase(0, text.find_first_not_of(" ~="))));
}

/// Length of the number that a text begins with; a blank or an apostrophe belongs to it between digits.
std::size_t number_length(std::string_view text) {
  const auto one_of = [&](std::size_t i, std::string_view letters) {
    return i < text.size() && letters.find(text[i]) != letters.npos;
  };
  constexpr std::string_view digits = "0123456789";
  std::size_t end = one_of(0, "+-") ? 1 : 0;
  while (one_of(end, "0123456789.,") || (end > 0 && one_of(end, " '") && one_of(end + 1, digits))) ++end;
  std::size_t exponent = end + 1 + (one_of(end + 1, "+-") ? 1 : 0);
  if (end == 0 || !one_of(end, "eE") || !one_of(exponent, digits)) return end;
  while (one_of(exponent, digits)) ++exponent;
  return exponent;
}

/// As std::from_chars() takes it, with a point in the place of one mark, and nothing for the others.
std::string with_point_at(std::size_t mark, std::string_view number) {
  std::string text;
  for (std::size_t i = number.starts_with('+') ? 1 : 0; i < number.size(); ++i) {
    if (i == mark) text += '.';
    if (std::string_view("., '").find(number[i]) == std::string_view::npos) text += number[i];
  }
  return text;
}

/// Whether a mark stands between thousands alone: behind each are three digits, up to the next one or the end.
bool parts_thousands(char mark, std::string_view number) {
  number = number.substr(0, number.find_first_of("eE"));
  if (number.starts_with(mark)) return false;
  for (auto at = number.find(mark); at != number.npos; at = number.find(mark, at + 1)) {
    const std::string_view group = number.substr(at + 1, number.find(mark, at + 1) - at - 1);
    if (group.size() != 3 || group.find_first_not_of("0123456789") != group.npos) return false;
  }
  return true;
}

/// The ways to read a number, the likeliest first: its last mark is that of the decimals unless there are several
/// alike.
std::vector<std::string> spellings(std::string_view number) {
  const std::size_t last = number.find_last_of(".,");
  if (last == number.npos) return {with_point_at(last, number)};
  const auto alike = std::ranges::count(number, number[last]);
  const char other = number[last] == '.' ? ',' : '.';
  const bool all_alike = number.find(other) == number.npos;
  if (!parts_thousands(alike > 1 ? number[last] : other, alike > 1 ? number : number.substr(0, last))) return {};
  if (alike > 1) return all_alike ? std::vector{with_point_at(number.npos, number)} : std::vector<std::string>{};
  std::vector<std::string> ways{with_point_at(last, number)};
  if (all_alike && last <= 3 && number.size() == last + 4 && !number.starts_with('0'))
    ways.push_back(with_point_at(number.npos, number));
  return ways;
}

/// Takes the "/3" of "4/3" off what stands behind the 4. 1 where there is none; throws Error where it divides by 0, or
/// a blank leaves open what is divided: "1 1/2".
double take_divisor(std::string_view number, std::string& behind) {
  const std::string under = behind.starts_with('/') ? behind.substr(1) : "";
  const std::string_view divisor = std::string_view(under).substr(0, number_length(under));
  if (divisor.empty()) return 1;
  if (number.find(' ') != number.npos || divisor.find(' ') != divisor.npos)
    throw Error("a fraction has no blanks in its numbers");
  const auto ways = spellings(divisor);
  const double value = ways.empty() ? NAN : parse_number<double>(ways.front()).value_or(NAN);
  if (value == 0) throw Error("it divides by 0");
  behind = trimmed(std::string_view(under).substr(divisor.size()));
  return value;
}

/// Whether a text is a unit that format_quantity() does not scale, by its own name or another.
bool names_plain_unit(const std::string& written, std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> names{
      {{"times as fast", "|x|times|times faster|-fold|"},
       {"flop/byte", "|flop/b|flops/byte|flops/b|"},
       {"token/s", "|tokens/s|tok/s|"},
       {"a cycle", "|per cycle|/cycle|"}}};
  const std::string text = lower(written);
  const auto other = std::ranges::find(names, unit, &std::pair<std::string_view, std::string_view>::first);
  return text == unit || (other != names.end() && other->second.find("|" + text + "|") != std::string_view::npos);
}

/// How many of the exercise's unit one of the written unit is; nothing of what is no such unit.
std::optional<double> factor_of_unit(std::string written, const std::string& unit) {
  if (written.empty() || written == unit || names_plain_unit(written, unit)) return 1;
  if (written == "%" && unit == "times as fast") return 0.01;
  if (written.ends_with('b')) written += "it";  // a small b is a bit
  if (written.ends_with("b/s")) written.insert(written.size() - 2, "it");
  const char* base = unit == "GFLOP/s" ? "flop/s" : unit == "GB/s" ? "byte/s" : unit == "MB" ? "byte" : "";
  try {
    return parse_quantity("1 " + written, base) / parse_quantity("1 " + unit, base);
  } catch (const Error&) {
    return {};
  }
}

/// An answer, with the unit beside it where it has none of its own.
std::string answer_in(const CsvLine& line) {
  const std::string text = line.text_or_nothing("answer"), plain = plain_text(text);
  const std::string unit = number_length(plain) == plain.size() ? line.text_or_nothing("unit") : "";
  return text.empty() || unit.empty() ? text : text + " " + unit;
}

Given given_in(const CsvLine& line, const Exercise& exercise) {
  const std::string text = answer_in(line);
  if (text.empty()) return {};
  try {
    Given best;
    for (const double reading : readings(text, exercise.unit)) {
      Given one = grade(exercise, reading);
      if (!best.answer || one.points > best.points) best = std::move(one);
    }
    return best;
  } catch (const Error& error) {
    return {Grade::wrong, 0, {}, fmt::format("line {}: {}", line.line(), shorten(error.what(), 100))};
  }
}

double points_of(const Student& student, std::span<const Exercise> exercises, std::optional<ExerciseKind> kind) {
  double points = 0;
  for (std::size_t i = 0; i < exercises.size(); ++i)
    if (!kind || exercises[i].kind == *kind) points += student.given[i].points;
  return points;
}

Answer::Facts counts_of(const std::map<Grade, int>& counts) {
  Answer::Facts facts;
  for (const Grade grade : {Grade::right, Grade::near, Grade::wrong, Grade::missing}) {
    const auto found = counts.find(grade);
    const std::string name(to_string(grade));
    facts.emplace_back(name, name, found == counts.end() ? 0 : found->second);
  }
  return facts;
}

Answer::Table students_table(const Answers& answers, std::span<const Exercise> exercises) {
  return table_of(answers.students, [&](const Student& student) {
    Answer::Facts facts{{"student", "student", student.name},
                        {"points", "points", points_of(student, exercises, {})},
                        {"exercises", "of", static_cast<int>(exercises.size())}};
    for (const ExerciseKind kind : {ExerciseKind::predict, ExerciseKind::measure, ExerciseKind::why}) {
      const std::string name(to_string(kind));
      const auto of = static_cast<int>(std::ranges::count(exercises, kind, &Exercise::kind));
      if (of == 0) continue;
      facts.emplace_back(name + "/points", name, points_of(student, exercises, kind));
      facts.emplace_back(name + "/exercises", "of", of);
    }
    std::map<Grade, int> counts;
    for (const Given& given : student.given) ++counts[given.grade];
    facts.add(counts_of(counts));
    return facts;
  });
}

/// How an exercise went in the class.
Answer::Table exercises_table(const Answers& answers, std::span<const Exercise> exercises) {
  Answer::Table table;
  for (std::size_t i = 0; i < exercises.size(); ++i) {
    std::map<Grade, int> counts;
    std::map<std::string, int> mistakes;
    std::vector<double> given;
    double points = 0;
    for (const Student& student : answers.students) {
      const Given& one = student.given[i];
      ++counts[one.grade];
      points += one.points;
      if (one.answer) given.push_back(*one.answer);
      if (one.answer && !one.reason.empty()) ++mistakes[one.reason];
    }
    const auto common = std::ranges::max_element(mistakes, {}, &std::pair<const std::string, int>::second);
    Answer::Facts facts{
        {"number", "no.", static_cast<int>(i + 1)},
        {"exercise", "", exercises[i].id},
        {"kind", "kind", exercises[i].kind},
        {"expected", "expected", exercises[i].answer},
        {"unit", "unit", exercises[i].unit},
        {"tolerance", "", tolerance_text(exercises[i].tolerance)},
        {"median", "median answer", given.empty() ? Answer::Value() : Answer::Value(measure::median(given))},
        {"points", "points", points / static_cast<double>(answers.students.size()), "%"}};
    facts.add(counts_of(counts));
    if (common != mistakes.end())
      facts.emplace_back("mistake", "most frequent mistake", fmt::format("{} ({})", common->first, common->second));
    table.add(std::move(facts));
  }
  return table;
}

}  // namespace

Given grade(const Exercise& exercise, double answer) {
  const auto off = [&](double from) { return std::abs(std::log(answer / from)); };
  const double limit = std::log1p(exercise.tolerance);
  Given given{Grade::wrong, 0, answer, ""};
  if (off(exercise.answer) <= limit) return {Grade::right, 1, answer, ""};
  const bool near = off(exercise.answer) <= 3 * limit;
  if (near) given = {Grade::near, 0.5, answer, ""};
  for (const Mistake& mistake : exercise.mistakes) {
    if (!(off(mistake.answer) <= std::min(limit, near ? 0.01 : limit))) continue;
    given.reason = mistake.name;
    given.points = std::max(given.points, mistake.credit);
    break;
  }
  return given;
}

std::vector<double> readings(std::string_view text, const std::string& unit) {
  const std::string plain = plain_text(std::string(text));
  const std::string_view number = std::string_view(plain).substr(0, number_length(plain));
  std::string written(trimmed(std::string_view(plain).substr(number.size())));
  const double divisor = naming(fmt::format("'{}'", text), [&] { return take_divisor(number, written); });
  const auto factor = factor_of_unit(written, unit);
  std::vector<double> values;
  for (const std::string& way : spellings(number)) {
    const auto value = parse_number<double>(way);
    if (!value) throw Error(fmt::format("'{}' is no number", text));
    if (!factor) throw Error(fmt::format("'{}': '{}' is no unit for {}", text, written, unit));
    values.push_back(*value * *factor / divisor);
    if (!(values.back() > 0) || !std::isfinite(values.back()))
      throw Error(fmt::format("'{}' is not greater than 0", text));
  }
  if (values.empty()) throw Error(fmt::format("'{}' is no number", text));
  return values;
}

Answers read_answers(const std::filesystem::path& file, std::span<const Exercise> exercises) {
  constexpr std::array<std::string_view, 3> required{"student", "exercise", "answer"};
  constexpr std::array<std::string_view, 1> optional{"unit"};
  Answers answers;
  std::unordered_map<std::string, std::size_t> students, numbers;
  for (std::size_t i = 0; i < exercises.size(); ++i) numbers[exercises[i].id] = numbers[std::to_string(i + 1)] = i;
  std::vector<std::vector<bool>> answered;
  const auto take = [&](const CsvLine& line) {
    const std::string name = line.text_or_nothing("student");
    if (name.empty()) {
      if (!line.text_or_nothing("answer").empty()) line.fail("student", "an answer without a name");
      return;
    }
    const std::string id = line.text("exercise");
    const auto exercise = numbers.find(id);
    if (exercise == numbers.end()) line.fail("exercise", "'" + id + "' is not in the key");
    const auto [student, is_new] = students.emplace(name, answers.students.size());
    if (is_new) {
      answers.students.push_back({name, std::vector<Given>(exercises.size())});
      answered.emplace_back(exercises.size());
    }
    if (answered[student->second][exercise->second])
      line.fail("exercise", name + " answered '" + id + "' before: the first answer counts");
    answered[student->second][exercise->second] = true;
    answers.students[student->second].given[exercise->second] = given_in(line, exercises[exercise->second]);
  };
  read_csv_table(file, required, optional, take, [&](const std::string& wrong) { answers.remarks.push_back(wrong); });
  return answers;
}

Answer grades_answer(const Answers& answers, std::span<const Exercise> exercises, bool working, bool for_people) {
  constexpr std::size_t small_class = 100;
  Answer answer;
  answer.title = "Grades";
  answer.add_table("students", "", students_table(answers, exercises));
  answer.add_table("exercises", "How each exercise went", exercises_table(answers, exercises));
  if (for_people && answers.students.size() <= small_class) {
    for (const Student& student : answers.students) {
      Answer::Table own;
      for (std::size_t i = 0; i < exercises.size(); ++i) {
        const Given& given = student.given[i];
        Answer::Facts facts{
            {"", "no.", static_cast<int>(i + 1)}, {"", "answer", given.answer}, {"", "expected", exercises[i].answer},
            {"", "unit", exercises[i].unit},      {"", "grade", given.grade},   {"", "points", given.points},
            {"", "mistake", named(given.reason)}};
        if (working) facts.emplace_back("", "working", exercises[i].working);
        own.add(std::move(facts));
      }
      answer.show_table(student.name, std::move(own));
    }
  }
  if (!for_people) {  // without facts, whose names would be kept for each of 10^6 cells
    Answer::Table all;
    for (const char* key : {"student", "number", "exercise", "answer", "points", "grade", "reason"})
      all.columns.push_back({key, ""});
    for (const Student& student : answers.students) {
      for (std::size_t i = 0; i < exercises.size(); ++i) {
        const Given& given = student.given[i];
        all.rows.push_back({student.name, static_cast<int>(i + 1), exercises[i].id, given.answer, given.points,
                            given.grade, named(given.reason)});
      }
    }
    answer.add_table("answers", "", std::move(all));
  }
  if (answers.remarks.empty()) return answer;
  answer.add_table("remarks", "Lines that count for nobody", table_of(answers.remarks, [](const std::string& remark) {
                     return Answer::Facts{{"remark", "line", remark}};
                   }));
  return answer;
}

}  // namespace gable::questions
