#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace gable::test {
namespace {

const Environment fake{{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}};

/// Writes the result again as a later run whose only ceiling was so many times as fast.
void write_run(const Folder& folder, const std::string& name, json result, int minute, double factor) {
  result["run"]["started_at"] = "2026-01-01T00:0" + std::to_string(minute) + ":00Z";
  auto& row = result["ceilings"][0];
  for (const char* key : {"value", "median", "ci_low", "ci_high", "median_ci_low", "median_ci_high"}) {
    if (row.contains(key)) row[key] = row[key].get<double>() * factor;
  }
  for (auto& sample : row["samples"]) sample = sample.get<double>() * factor;
  write_text(folder / name, result.dump());
}

/// Three runs of one machine, of which the second is half as fast.
TEST(Validate, BrokenJsonAndAWrongSchemaAreBothFindingsOfTheirFile) {
  Folder folder;
  write_text(folder / "broken.json", "{\"schema_version\": ");
  write_text(folder / "schema.json", "{\"schema_version\": \"1.0\"}");
  for (const char* name : {"broken.json", "schema.json"}) {
    const json answer = answer_of(gable({"validate", name, "--json"}, {}, folder.path()), 1);
    EXPECT_EQ(answer["findings"][0]["file"], name);
    EXPECT_EQ(answer["findings"][0]["verdict"], "invalid");
    EXPECT_EQ(answer["valid"], false);
  }
  EXPECT_EQ(gable({"validate", "none.json"}, {}, folder.path()).code, 2) << "there is nothing to find fault with";
}

TEST(Validate, ComparesTheRunsOfOneMachine) {
  Folder folder;
  ASSERT_EQ(gable({"calibrate", "--output", "r.json"}, fake, folder.path()).code, 0);
  const auto result = json::parse(read_text(folder / "r.json"));
  const auto id = result["ceilings"][0]["id"].get<std::string>();
  write_run(folder, "a.json", result, 1, 1);
  write_run(folder, "half.json", result, 2, 0.5);
  write_run(folder, "c.json", result, 3, 1.02);
  const auto alone = gable({"validate", "half.json"}, {}, folder.path());
  EXPECT_EQ(alone.code, 0) << alone.out;
  EXPECT_EQ(gable({"validate", "a.json", "c.json"}, {}, folder.path()).code, 0);
  // A second name of the same run is no repeat, and does not keep the others from being compared.
  const auto all = gable({"validate", "a.json", "./a.json", "half.json", "c.json"}, {}, folder.path());
  EXPECT_EQ(all.code, 1);
  EXPECT_NE(all.out.find("half.json  implausible  ceiling " + result["devices"][0]["id"].get<std::string>() + " " + id),
            std::string::npos)
      << all.out;
  const auto as_json = gable({"validate", "a.json", "./a.json", "half.json", "c.json", "--json"}, {}, folder.path());
  const auto answer = json::parse(as_json.out);
  for (const auto& line : answer["findings"]) {
    const auto file = line["file"].get<std::string>();
    if (file == "a.json" || file == "./a.json") {
      EXPECT_EQ(line["verdict"], "valid") << as_json.out;
    }
  }
  auto core = json::parse(read_text(folder / "half.json"));
  core["ceilings"][0]["scope"] = "core";
  write_text(folder / "core.json", core.dump());
  EXPECT_EQ(gable({"validate", "a.json", "core.json"}, {}, folder.path()).code, 0) << "of one core: another quantity";
}

}  // namespace
}  // namespace gable::test
