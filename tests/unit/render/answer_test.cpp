// One answer in its four forms.
#include "core/render/answer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gable::render {
namespace {

using nlohmann::json;

struct Run {
  std::string name;
  double time_s{};
  std::optional<double> share{};
  std::vector<std::string> tags{};
};

Answer sample() {
  const std::vector<Run> runs{{"first, long", 0.0015, 0.25, {"a", "b"}}, {"second", 2.0}};
  Answer answer{.title = "An answer"};
  answer.add_facts("", "", {{"device", "device", "CPU"}, {"memory_byte", "memory", 3e9, "byte"}, {"hidden", 7}});
  answer.add_table("runs", "runs", table_of(runs, [](const Run& run) -> Answer::Facts {
                     return {{"name", "run", run.name},
                             {"time_s", "time", run.time_s, "s"},
                             {"of/share", "share", run.share, "%"},
                             {"none", or_null(run.share)},
                             {"tags", run.tags},
                             {"", "words", run.name.substr(0, 3)}};
                   }));
  answer.say("So it is.");
  answer.add_facts("", "", {{"more", true}});
  return answer;
}

TEST(Answer, TextHasTitlesUnitsAndSentences) {
  EXPECT_EQ(write(sample(), AnswerForm::text),
            "An answer\n"
            "device: CPU\n"
            "memory: 3 GB\n"
            "\n"
            "runs\n"
            "run            time  share  words\n"
            "-----------  ------  -----  -----\n"
            "first, long  1.5 ms   25 %  fir\n"
            "second          2 s         sec\n"
            "  So it is.\n");
}

TEST(Answer, JsonHasKeysAsPathsAndFiguresUnscaled) {
  EXPECT_EQ(json::parse(write(sample(), AnswerForm::json)),
            json::parse(R"({"device": "CPU", "memory_byte": 3e9, "hidden": 7, "more": true, "runs": [
              {"name": "first, long", "time_s": 0.0015, "of": {"share": 0.25}, "none": 0.25, "tags": ["a", "b"]},
              {"name": "second", "time_s": 2, "none": null, "tags": []}]})"));
}

TEST(Answer, CsvHasATableForEachSection) {
  EXPECT_EQ(write(sample(), AnswerForm::csv),
            "device,memory_byte,hidden,more\n"
            "CPU,3000000000,7,true\n"
            "\n"
            "# runs\n"
            "name,time_s,of/share,none,tags\n"
            "\"first, long\",0.0015,0.25,0.25,a; b\n"
            "second,2,,,\n");
}

TEST(Answer, MarkdownHasTablesWithoutEmptyColumns) {
  const std::string text = write(sample(), AnswerForm::markdown);
  EXPECT_TRUE(text.starts_with("# An answer\n\n- device: CPU\n- memory: 3 GB\n\n## runs\n\n| run | time |")) << text;
  EXPECT_NE(text.find("| --- | ---: | ---: | --- |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nSo it is.\n"), std::string::npos) << text;
}

/// Rows of a table in a cell: objects in an array, columns side by side, or lines behind what they belong to.
TEST(Answer, ATableWithinCells) {
  const auto sides = [](std::vector<double> values) {
    Answer::Table table;
    for (const double value : values) {
      table.labels.emplace_back(table.labels.empty() ? "A" : "B");
      table.add({{"value", "{} is", value}});
    }
    return table;
  };
  Answer answer;
  auto& table = answer.add_table("rows", "", {}).table;
  table.add({{"what", "what", "x"}, {"sides", "sides", sides({1, 2})}});
  table.add({{"what", "what", "y"}, {"sides", "sides", sides({3})}});
  EXPECT_EQ(json::parse(write(answer, AnswerForm::json)),
            json::parse(R"({"rows": [{"what": "x", "sides": [{"value": 1}, {"value": 2}]},
                                     {"what": "y", "sides": [{"value": 3}]}]})"));
  EXPECT_EQ(write(answer, AnswerForm::text), "what  A is  B is\n----  ----  ----\nx        1     2\ny        3\n");
  EXPECT_EQ(write(answer, AnswerForm::csv), "# rows\nwhat\nx\ny\n\n# rows/sides\nwhat,value\nx,1\nx,2\ny,3\n");
}

TEST(Answer, ACellOfCsvIsNotLostToOneOfTheSameNameInATableWithin) {
  Answer answer;
  Answer::Table table;
  table.add({{"at", "burst"}, {"figures", Answer::Value(table_of(std::vector{"sustained"}, [](const char* at) {
                                 return Answer::Facts{{"at", at}};
                               }))}});
  answer.add_table("rows", "", table);
  EXPECT_EQ(write(answer, AnswerForm::csv), "# rows\nat\nburst\n\n# rows/figures\nat,figures/at\nburst,sustained\n");
}

TEST(Answer, FiguresStandAtTheRightAndNamesAndSentencesAtTheLeft) {
  const auto text_of = [](std::vector<std::string> cells) {
    Answer answer;
    answer.add_table("rows", "", table_of(cells, [](const std::string& cell) -> Answer::Facts {
                       return {{"x", "a wide column title of forty characters", cell}};
                     }));
    return write(answer, AnswerForm::text);
  };
  for (const char* figure : {"-5 %", "+12 %", "1.25x", "81 GB/s ±2 %", "100 % (at its roof)"})
    EXPECT_NE(text_of({figure}).find("  " + std::string(figure) + "\n"), std::string::npos) << text_of({figure});
  for (const char* text : {"2026-11.json", "81 GB/s (72 to 90), but 56.6 % of it", "- nothing", "3d"})
    EXPECT_NE(text_of({text}).find("\n" + std::string(text) + "\n"), std::string::npos) << text_of({text});
}

TEST(Answer, ATableWithoutRowsIsAnEmptyArray) {
  Answer answer;
  answer.add_table("", "", {});
  EXPECT_EQ(write(answer, AnswerForm::json), "[]\n");
  EXPECT_EQ(write(answer, AnswerForm::text), "");
}

}  // namespace
}  // namespace gable::render
