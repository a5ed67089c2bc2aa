// What identifies a plan, and what is no plan.
#include "core/questions/campaign/plan.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "core/questions/campaign/folder.hpp"
#include "tests/unit/result/files.hpp"

namespace gable::campaign {
namespace {

class PlanFile : public gable::test::FolderTest {
 protected:
  void write(const std::string& text) const { std::ofstream(plan_file(folder())) << text; }
  std::string refusal() const {
    return error_of([&] { read_plan(folder()); });
  }
};

Plan plan() {
  Plan plan{.created_at = "2026-11-23T12:00:00Z",
            .gable_version = "0.1.0",
            .options = {"--quick"},
            .request = {},
            .devices = {"openmp"},
            .retry_budget_s = 5.0};
  plan.request.mode = Mode::full;
  plan.request.cases = {{.op = "gemm", .params = {Params::parse("m=64,n=64,k=64")}}};
  plan.nodes = {"n1", "n2", "n3"};
  return plan;
}

TEST_F(PlanFile, ComesBack) {
  write(plan_text(plan()));
  const Plan read = read_plan(folder());
  EXPECT_EQ(read.id, plan_id(plan()));
  EXPECT_EQ(plan_id(read), read.id);
  EXPECT_EQ(read.nodes, plan().nodes);
  EXPECT_EQ(read.request.mode, Mode::full);
  ASSERT_EQ(read.request.cases.size(), 1u);
  EXPECT_EQ(read.request.cases[0].op, "gemm");
  EXPECT_EQ(read.retry_budget_s, 5.0);
}

TEST_F(PlanFile, AnotherPlanHasAnotherId) {
  const std::string id = plan_id(plan());
  EXPECT_EQ(id.size(), 36u);
  EXPECT_EQ(id[14], '5');  // RFC 4122: the version
  Plan later = plan(), smaller = plan(), fewer = plan();
  later.created_at = "2026-11-23T12:00:01Z";
  smaller.request.cases[0].params = {Params::parse("m=32,n=64,k=64")};
  fewer.nodes.pop_back();
  for (const Plan& other : {later, smaller, fewer}) EXPECT_NE(plan_id(other), id);
}

TEST_F(PlanFile, WhatWasChangedIsRefused) {
  std::string text = plan_text(plan());
  text.replace(text.find("m=64"), 4, "m=65");
  write(text);
  EXPECT_NE(refusal().find("was changed"), std::string::npos) << refusal();
  for (const char* damaged : {"", "{", "[]", "{}", R"({"format": "gable-campaign-plan"})",
                              R"({"format": "gable-campaign-plan", "schema_version": 2})"}) {
    write(damaged);
    EXPECT_NE(refusal().find("plan.json"), std::string::npos) << damaged << ": " << refusal();
    EXPECT_EQ(refusal().find('\n'), std::string::npos);
  }
}

TEST_F(PlanFile, BatchScriptQuotesPaths) {
  const std::string script =
      batch_script(plan(), "/a b/it's", "/bin/gable", {"n1", "n2"}, {{{"n1"}, 1, 1}, {{"n2"}, 1, 2}});
  EXPECT_NE(script.find("#SBATCH --nodelist=n[1-2]\n"), std::string::npos) << script;
  EXPECT_NE(script.find(R"(CAMPAIGN=${CAMPAIGN:-'/a b/it'\''s'})"), std::string::npos) << script;
  const auto first = script.find("srun --nodes=1 --nodelist=n1 "),
             second = script.find("srun --nodes=1 --nodelist=n2 ");
  EXPECT_LT(first, second) << script;
  EXPECT_NE(second, std::string::npos) << script;
  EXPECT_NE(script.find("campaign run \"$CAMPAIGN\" --retest 1\n"), std::string::npos) << script;
  EXPECT_NE(script.find("campaign run \"$CAMPAIGN\" --retest 1 --round 2\n"), std::string::npos) << script;
  EXPECT_NE(script.find("#SBATCH --time=04:00:00\n"), std::string::npos) << script;  // two steps of two hours
}

}  // namespace
}  // namespace gable::campaign
