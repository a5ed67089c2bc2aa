#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"

namespace gable::embedded {
extern const std::string_view exercises_json;
}

namespace gable::questions {
namespace {

const nlohmann::json& texts_of(std::string_view name) {
  static const nlohmann::json all = parse_json(embedded::exercises_json);
  const auto found = std::ranges::find_if(all, [&](const auto& one) { return one.at("name") == name; });
  if (found == all.end()) throw Error(fmt::format("no texts of the exercise {}", name));
  return *found;
}

/// Slips in units that any answer may have.
void add_slips(Exercise& exercise) {
  const auto slip = [&](const char* name, std::initializer_list<double> factors) {
    for (const double factor : factors) exercise.mistakes.push_back({name, exercise.answer * factor, slip_credit});
  };
  const std::string& unit = exercise.unit;
  const bool of_bytes = unit == "MB" || unit == "GB/s" || unit == "flop/byte";
  const bool of_flops = unit == "GFLOP/s" || unit == "flop/byte";
  if (of_bytes || of_flops) slip("a prefix too far (tera for giga, giga for mega)", {1e3, 1e-3});
  if (of_flops) slip("a fused multiply-add counted as one operation, or as four", {0.5, 2});
  if (of_bytes) add_bits(exercise);
  if (of_bytes) slip("1024 for 1000", {0x1p30 / 1e9, 1e9 / 0x1p30, 0x1p20 / 1e6, 1e6 / 0x1p20, 1.024, 1 / 1.024});
  if (unit == "%") slip("a part of 1 for percent", {0.01});
  if (unit == "times as fast" || unit == "flop/byte")
    exercise.mistakes.push_back({"upside down", 1 / exercise.answer, wrong_way_credit});
}

}  // namespace

void add_bits(Exercise& exercise) {
  for (const double factor : {8.0, 0.125})
    exercise.mistakes.push_back({"bits for bytes", exercise.answer * factor, slip_credit});
}

Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Words words_of(const ExerciseDevice& device, DType dtype, const Sides& sides) {
  return {{"device", device.name},
          {"letter", device.letter},
          {"dtype", to_string(dtype)},
          {"peak", {sides.peak, "flop/s"}},
          {"memory", {sides.bandwidth, "byte/s"}},
          {"ridge", sides.ridge()}};
}

Word::Word(double value) : text(fmt::format("{:.3g}", value)), number(value) {}
Word::Word(double value, std::string_view unit) : text(format_quantity(value, unit)), number(value) {}

void ask(std::vector<Exercise>& list, std::string_view name, const std::string& where, double answer,
         const Words& words) {
  const nlohmann::json& texts = texts_of(name);
  const std::string head(name.substr(0, name.find('/'))), tail(name.substr(head.size()));
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const auto& [word, stands_for] : words) store.push_back(fmt::arg(word, stands_for.text));
  store.push_back(fmt::arg("answer", Word(answer).text));
  const auto written = [&](const char* key) { return fmt::vformat(texts.at(key).get<std::string>(), store); };
  Exercise exercise{head + "/" + where + tail, written("question"), texts.at("unit"), answer,
                    texts.at("tolerance"),     written("working")};
  exercise.kind = parse_name<ExerciseKind>(texts.at("kind").get<std::string>()).value();
  for (const auto& mistake : texts.at("mistakes")) {
    const auto word = std::ranges::find_if(words, [&](const auto& one) { return mistake.at("answer") == one.first; });
    if (word != words.end()) exercise.mistakes.push_back({mistake.at("name"), word->second.number, wrong_way_credit});
  }
  add_slips(exercise);
  std::erase_if(exercise.mistakes, [&](const Mistake& one) {
    return std::abs(std::log(one.answer / answer)) <= std::log1p(exercise.tolerance);  // it leads to the right answer
  });
  // where two lead to one figure, the lesser mistake
  std::ranges::stable_sort(exercise.mistakes, std::ranges::greater{}, &Mistake::credit);
  list.push_back(std::move(exercise));
}

}  // namespace gable::questions
