// How an answer is written.
#include "core/experiment/answer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gable::experiment {
namespace {

std::vector<Answer> sample() {
  Answer answer;
  answer.subject = "test: of answers";
  answer.columns = {{"time_s", "time", "s"}, {"gain", "gain", ""}, {"what", "what", ""}};
  answer.rows = {{0.0015, 2.345, std::string("first")}, {Cell(), 3.0, Cell()}};
  answer.conclusion = "So it is.";
  return {answer};
}

TEST(Answer, ATableHasUnitsAndBlanks) {
  const std::string shown = text(sample());
  EXPECT_NE(shown.find("test: of answers\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("1.5 ms"), std::string::npos) << shown;
  EXPECT_NE(shown.find("2.35"), std::string::npos) << shown;
  EXPECT_NE(shown.find("first"), std::string::npos) << shown;
  EXPECT_NE(shown.find("So it is.\n"), std::string::npos) << shown;
  EXPECT_EQ(text({}), "");
}

TEST(Answer, JsonHasFiguresUnscaledAndNoKeyForABlank) {
  const auto json = to_json(sample());
  ASSERT_EQ(json.size(), 1U);
  EXPECT_EQ(json[0]["subject"], "test: of answers");
  EXPECT_EQ(json[0]["conclusion"], "So it is.");
  EXPECT_EQ(json[0]["rows"][0], (nlohmann::json{{"time_s", 0.0015}, {"gain", 2.345}, {"what", "first"}}));
  EXPECT_EQ(json[0]["rows"][1], (nlohmann::json{{"gain", 3.0}}));
}

}  // namespace
}  // namespace gable::experiment
