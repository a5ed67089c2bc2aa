// Ceilings of one file for the points of another run.
#include "core/worker/borrowed_roofs.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "tests/unit/error_of.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::worker {
namespace {

Result calibration() {
  Result result = test::made_up_result();
  test::add_peak(result, DType::fp32, 1e12);
  test::add_memory(result, 100e9);
  return result;
}

std::string refusal(const std::vector<NamedResult>& sources, const Result& run, Scope scope = Scope::node,
                    int threads = 0) {
  return error_of([&] { borrow_roofs(sources, run, scope, threads); });
}

TEST(BorrowRoofs, OfTheSameDeviceAtTheSameScope) {
  const Result run = test::made_up_result();
  const auto borrowed = borrow_roofs(std::vector<NamedResult>{{"folder/c.json", calibration()}}, run, Scope::node, 0);
  EXPECT_EQ(borrowed.ceilings.size(), 2U);
  ASSERT_EQ(borrowed.notes.size(), 1U);
  EXPECT_EQ(borrowed.notes.front(),
            "the points of openmp were placed by the ceilings of c.json (full, measured 2026-01-01T00:00:00Z)");
  EXPECT_TRUE(borrow_roofs({}, run, Scope::node, 0).ceilings.empty());
}

TEST(BorrowRoofs, OfSeveralFilesTogether) {
  Result other = test::made_up_result();
  test::add_peak(other, DType::fp64, 5e11).id = "fp64";
  const std::vector<NamedResult> sources{{"a.json", calibration()}, {"b.json", other}};
  EXPECT_EQ(borrow_roofs(sources, test::made_up_result(), Scope::node, 0).ceilings.size(), 3U);
}

TEST(BorrowRoofs, ADeviceWithoutAnyStaysWithout) {
  Result run = test::made_up_result();
  run.devices.push_back(run.devices.front());
  run.devices.back().id = "cuda:0";
  EXPECT_EQ(borrow_roofs(std::vector<NamedResult>{{"c.json", calibration()}}, run, Scope::node, 0).notes.size(), 1U);
}

TEST(BorrowRoofs, WhatDoesNotFitIsRefusedNamingTheFile) {
  struct Case {
    const char* why;
    std::function<void(Result&)> change;
  };
  for (const auto& [why, change] :
       {Case{"was measured on there", [](Result& r) { r.run.hostname = "there"; }},
        Case{"is of other devices", [](Result& r) { r.devices[0].memory[0].size_bytes = 49152; }},
        Case{"is of other devices", [](Result& r) { r.devices[0].cores = 2; }},
        Case{"has no valid ceiling at scope node", [](Result& r) { r.ceilings.clear(); }},
        Case{"has no valid ceiling at scope node",
             [](Result& r) {
               for (auto& row : r.ceilings) row.status = Status::suspect;
             }},
        Case{"with 2 threads at scope node, this run takes 4", [](Result& r) {
               for (auto& row : r.ceilings) row.threads = 2;
             }}}) {
    Result changed = calibration();
    change(changed);
    const auto message = refusal({{"c.json", changed}}, test::made_up_result());
    EXPECT_EQ(message.find("--roofs: 'c.json' "), 0U) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  }
}

TEST(BorrowRoofs, ThreadsAndScopeAreThoseOfTheRun) {
  const Result run = test::made_up_result();
  EXPECT_NE(refusal({{"c.json", calibration()}}, run, Scope::node, 1).find("this run takes 1"), std::string::npos);
  EXPECT_NE(refusal({{"c.json", calibration()}}, run, Scope::core).find("no valid ceiling at scope core"),
            std::string::npos);
}

TEST(BorrowRoofs, AnAnonymousHostIsNoHost) {
  Result named = calibration(), run = test::made_up_result();
  named.run.hostname = run.run.hostname = "anonymous";
  EXPECT_NE(refusal({{"c.json", named}}, run).find("is anonymous"), std::string::npos);
}

TEST(BorrowRoofs, TwoFilesWithTheSameCeilingAreRefused) {
  const auto message = refusal({{"a.json", calibration()}, {"b.json", calibration()}}, test::made_up_result());
  EXPECT_NE(message.find("'b.json'"), std::string::npos) << message;
  EXPECT_NE(message.find("'a.json'"), std::string::npos) << message;
}

}  // namespace
}  // namespace gable::worker
