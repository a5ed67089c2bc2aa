#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/exercise.hpp"
#include "core/model/answer.hpp"
#include "core/report/document.hpp"

/// A lab for a class: a handout, a table for answers, a key, and grades.
namespace gable::report {

/// What students get: how to read a roofline, the machines, the exercises. Without answers.
Document handout(std::span<const analysis::Exercise> exercises, std::span<const std::string> machines);

/// The table that a class fills in: one line for each student and exercise, the student and the answer still empty.
std::string answer_sheet(std::span<const analysis::Exercise> exercises);

/// The key, for the teacher: exercises with answers, tolerances and working, as JSON.
std::string key_text(std::span<const analysis::Exercise> exercises);
/// Throws Error naming the file and what is wrong with it.
std::vector<analysis::Exercise> read_key(const std::filesystem::path& file);

struct Student {
  std::string name;
  std::vector<analysis::Grade> grades;         ///< one an exercise
  std::vector<std::optional<double>> answers;  ///< one an exercise
};
/// CSV with the columns student, exercise, answer, in any order; an empty answer is missing, and lines without a
/// student are left out. Throws Error with file, line and column of what is wrong: an exercise that the key does not
/// have, two answers to one, an answer that is no number.
std::vector<Student> read_answers(const std::filesystem::path& file, std::span<const analysis::Exercise> exercises);

/// One line for each student, then a table for each; `working`: with the working of each exercise.
Answer grades_answer(std::span<const Student> students, std::span<const analysis::Exercise> exercises, bool working);

}  // namespace gable::report
