#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/operator.hpp"
#include "core/questions/course/exercise.hpp"
#include "core/render/document.hpp"
#include "core/render/plot_data.hpp"

/// A lab for a class: a handout, a table for answers, a key, and grades.
namespace gable::questions {

/// Exercises about the devices of a picture, by its letters and at its scopes.
std::vector<Exercise> exercises_of(const render::PlotData& picture, const Result& result,
                                   const render::PlotOptions& options, Operators operators);

/// What students get: how to read a roofline, the machines, the exercises. Without answers.
render::Document handout(std::span<const Exercise> exercises, std::span<const std::string> machines);

/// The table that a class fills in: one line for each student and exercise, the student and the answer still empty.
std::string answer_sheet(std::span<const Exercise> exercises);

/// The key, for the teacher: exercises with answers, tolerances and working, as JSON.
std::string key_text(std::span<const Exercise> exercises);
/// Throws Error naming the file and what is wrong with it.
std::vector<Exercise> read_key(const std::filesystem::path& file);

/// What a student wrote for one exercise.
struct Given {
  Grade grade{Grade::missing};
  std::optional<double> answer{};
  std::string reason{};  ///< why it is wrong whatever the exercise: "line 3, column answer: 'ten' is no number"
};

struct Student {
  std::string name;
  std::vector<Given> given;  ///< one an exercise
};

struct Answers {
  std::vector<Student> students;
  std::vector<std::string> remarks;  ///< lines that count for nobody, each with its line and column
};
/// CSV with the columns student, exercise, answer, in any order; numbers with a point or a comma. An empty answer is
/// missing, and lines without a student and an answer are left out. A cell that is no number is wrong, with its reason;
/// of two answers to one exercise the first counts. Throws Error where the file as a whole is no such table.
Answers read_answers(const std::filesystem::path& file, std::span<const Exercise> exercises);

/// One line for each student, then a table for each, and the remarks; `working`: with the working of each exercise.
Answer grades_answer(const Answers& answers, std::span<const Exercise> exercises, bool working);

}  // namespace gable::questions
