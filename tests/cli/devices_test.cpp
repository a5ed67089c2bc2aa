// What `gable devices` lists.
#include <gtest/gtest.h>

#include <sstream>

#include "program.hpp"

namespace gable::test {
namespace {

/// The line of the table about a device.
std::string line_about(const std::string& table, const std::string& device) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(device)) return line;
  }
  return {};
}

TEST(DevicesCatalogue, NamesTheTypeThatIsSummedUpIn) {
  const auto run = gable({"devices", "--catalogue"});
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string title = run.out.substr(0, run.out.find('\n'));
  const auto in_fp32 = title.find("fp16 -> fp32"), in_fp16 = title.find("fp16 -> fp16"),
             bf16 = title.find("bf16 -> fp32");
  ASSERT_TRUE(in_fp32 < in_fp16 && in_fp16 < bf16 && bf16 != std::string::npos) << title;
  const std::string card = line_about(run.out, "GeForce RTX 4090");
  const auto halved = card.find("165"), full = card.find("330"), again = card.rfind("165");
  EXPECT_TRUE(halved < full && full < again && again != std::string::npos) << card;
}

}  // namespace
}  // namespace gable::test
