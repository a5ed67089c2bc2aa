#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/answer.hpp"
#include "core/questions/course/exercise.hpp"

namespace gable::questions {

enum class Grade {
  right,  ///< within the tolerance
  near,   ///< within three times of it, as factors
  wrong,
  missing,  ///< no answer was given
};
constexpr auto names_of(Grade) { return names_up_to<Grade::missing>("right", "near", "wrong", "missing"); }

/// What a student wrote for one exercise.
struct Given {
  Grade grade{Grade::missing};
  double points{};  ///< 1 for right, half for near, else the credit of the mistake
  std::optional<double> answer{};
  std::string reason{};  ///< the mistake that it is, or why it is wrong whatever the exercise
};

/// Factors count alike in both directions: half the answer is as wrong as twice of it. A near or wrong answer is set
/// beside the known mistakes. core/render/page/exercises.js grades by the same rule.
Given grade(const Exercise& exercise, double answer);

/// What a text may mean, in the unit of an exercise, likeliest first: "6,14", "6.14 GFLOP/s", "1.234,5", "12 %". A lone
/// comma or point is the decimal mark; where three digits follow, it may be one between thousands. Throws Error for
/// what is no positive quantity of that unit.
std::vector<double> readings(std::string_view text, const std::string& unit);

struct Student {
  std::string name;
  std::vector<Given> given;  ///< one an exercise
};

struct Answers {
  std::vector<Student> students;
  std::vector<std::string> remarks;  ///< lines that count for nobody, each with its line and column
};
/// CSV with the columns student, exercise (its number or its id), answer, in any order. An empty answer is missing, and
/// lines without a student and an answer are left out. A cell that is no quantity is wrong, with its reason; of two
/// answers to one exercise the first counts. Throws Error where the file as a whole is no such table.
Answers read_answers(const std::filesystem::path& file, std::span<const Exercise> exercises);

/// A line for each student, with the points of each kind of exercise apart; how each exercise went; each student's
/// answers, for people as a table each in classes of up to 100, and with `working` with that of each exercise; the
/// remarks.
Answer grades_answer(const Answers& answers, std::span<const Exercise> exercises, bool working, bool for_people);

}  // namespace gable::questions
