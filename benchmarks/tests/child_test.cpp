#include "benchmarks/child.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace gable::bench {
namespace {

TEST(Child, OutputOfBothKindsAndExitCode) {
  const auto child = run_child({"sh", "-c", "echo out; echo err >&2; exit 3"});
  EXPECT_EQ(child.output, "out\nerr\n");
  EXPECT_EQ(child.exit_code, 3);
  EXPECT_GT(child.wall_s, 0.0);
  EXPECT_GT(child.peak_rss_bytes, 0.0);
}

TEST(Child, EndingBySignal) { EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9); }

TEST(Child, InputIsEmpty) { EXPECT_EQ(run_child({"cat"}).output, ""); }

TEST(Child, AbsentProgramIsNamed) {
  try {
    run_child({"no-such-program-anywhere"});
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-program-anywhere"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gable::bench
