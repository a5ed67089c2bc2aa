#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "core/questions/course/exercise.hpp"
#include "core/render/document.hpp"
#include "core/render/plot_data.hpp"

/// A lab for a class: a handout, sheets and a table for answers, a key.
namespace gable::questions {

/// Exercises about the devices of a picture, by its letters and at its scopes.
std::vector<Exercise> exercises_of(const render::PlotData& picture, const Result& result,
                                   const render::PlotOptions& options, Operators operators, Topic topic = Topic::all);

/// What a disturbed result costs.
struct Losses {
  std::vector<std::string> rows;       ///< ids of those that are suspect
  std::vector<std::string> exercises;  ///< that they would make, were they good: "simd/A"
};
Losses losses_of(const Result& result, const render::PlotOptions& options, Operators operators, Topic topic,
                 std::span<const Exercise> exercises);

/// Paper to draw the roofs of a picture on, as SVG: its range, without what it shows.
std::string empty_grid(const render::PlotData& picture);

/// How to read a roofline, the machines, the numbered exercises. Without answers.
render::Document handout(std::span<const Exercise> exercises, std::span<const std::string> machines,
                         const std::string& grid);

/// A page to write on for each student; one without a name where there are none.
render::Document answer_sheets(std::span<const Exercise> exercises, std::span<const std::string> students);
/// The same as the table that is graded: one line for each student and exercise, the answer still empty.
std::string answer_table(std::span<const Exercise> exercises, std::span<const std::string> students);
/// Of a CSV file the column called student or name, or those of first names and surnames, else what stands first.
/// Throws Error for a name that is there twice, and where there is none.
std::vector<std::string> read_students(const std::filesystem::path& file);

/// The key, for the teacher: exercises with answers, tolerances, working and known mistakes, to read and as JSON.
render::Document key_document(std::span<const Exercise> exercises);
std::string key_text(std::span<const Exercise> exercises);
/// Throws Error naming the file and what is wrong with it.
std::vector<Exercise> read_key(const std::filesystem::path& file);

}  // namespace gable::questions
