// What `gable devices` lists, and processors that a user's devices file knows.
#include <gtest/gtest.h>

#include <sstream>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

/// 2 cores x 50 flop x 1 GHz; 2 channels x 1000 MT/s x 8 byte.
constexpr const char* our_processor = R"({"cpus": [{"name": "Our core",
  "rates": [{"dtype": "fp32", "unit": "vector", "flop_per_cycle": 50, "isa": "SVE", "source": "page 7 of a tender"}],
  "processors": [{"name": "Fake CPU", "cores": 2, "memory_channels": 2, "memory_type": "DDR5-1000", "clock_hz": 1e9,
                  "memory_byte_per_s": 16e9, "source": "page 8 of a tender"}]}]})";

Environment with_fake_worker(Environment more = {}) {
  more["GABLE_WORKER_PATH"] = GABLE_FAKE_WORKER_FOLDER;
  return more;
}

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

TEST(UsersCpus, GiveTheProcessorHereItsTheory) {
  Folder folder;
  write_text(folder / "mine.json", our_processor);
  for (const bool by_option : {true, false}) {
    std::vector<std::string> words{"devices", "--json"};
    if (by_option) words.insert(words.end(), {"--devices-file", "mine.json"});
    const Environment named = by_option ? Environment{} : Environment{{"GABLE_DEVICES", "mine.json"}};
    const json peaks = answer_of(gable(words, with_fake_worker(named), folder.path()))["devices"][0]["peaks"];
    ASSERT_EQ(peaks.size(), 2U) << peaks;
    EXPECT_EQ(peaks[0]["dtype"], "fp32");
    EXPECT_DOUBLE_EQ(peaks[0]["value"].get<double>(), 100e9);
    EXPECT_EQ(peaks[1]["name"], "DRAM");
    EXPECT_DOUBLE_EQ(peaks[1]["value"].get<double>(), 16e9);
  }
}

/// 80 of 100 Gflop/s and 10 of 16 GB/s.
TEST(UsersCpus, GiveResultsTheirPercentOfTheDatasheet) {
  Folder folder;
  Result result = made_up_result("Fake CPU");
  result.devices[0].cores = 2;
  result.devices[0].sockets = 1;
  add_peak(result, DType::fp32, 80e9);
  add_memory(result, 10e9);
  for (Ceiling& row : result.ceilings) row.threads = 2;
  result::save(result, folder / "a.json");
  write_text(folder / "mine.json", our_processor);
  const auto of_report = [&](std::vector<std::string> more) {
    const auto run = gable(with({"report", "a.json", "--output", "b.json", "--force"}, more), {}, folder.path());
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(read_text(folder / "b.json"));
  };
  EXPECT_FALSE(of_report({})["ceilings"][0].contains("datasheet"));
  const json with = of_report({"--devices-file", "mine.json"});
  EXPECT_DOUBLE_EQ(with["ceilings"][0]["datasheet"].get<double>(), 100e9);
  EXPECT_DOUBLE_EQ(with["ceilings"][1]["datasheet"].get<double>(), 16e9);
  const json hidden = of_report({"--devices-file", "mine.json", "--anonymous"});
  EXPECT_EQ(hidden.dump().find("tender"), std::string::npos) << "what others state is not put into anonymous results";
  const auto compared =
      gable({"compare", "a.json", "A100 SXM4 80GB", "--json", "--devices-file", "mine.json"}, {}, folder.path());
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.out.find("\"percent_of_datasheet\": 80"), std::string::npos) << compared.out;
  EXPECT_NE(compared.out.find("\"percent_of_datasheet\": 62.5"), std::string::npos) << compared.out;
}

TEST(Devices, CsvHasEveryFactOfADeviceAndATableForItsMemory) {
  const auto run = gable({"devices", "--format", "csv"}, with_fake_worker());
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(run.out.starts_with("# devices\n")) << run.out;
  for (const char* column : {"microarchitecture", "vendor", "free_memory_bytes"})
    EXPECT_NE(run.out.find(column), std::string::npos) << column << '\n' << run.out;
  EXPECT_NE(run.out.find("\n# devices/memory\n"), std::string::npos) << run.out;
}

TEST(UsersCpus, WhatIsWrongIsOneLineWithFilePlaceAndCulprit) {
  Folder folder;
  std::string text = our_processor;
  text.replace(text.find("16e9"), 4, "20e9");
  write_text(folder / "mine.json", text);
  const auto run = gable({"devices", "--devices-file", "mine.json"}, with_fake_worker(), folder.path());
  expect_refusal(run, "gable: mine.json: /cpus/0/processors/0: 2 channels of DDR5-1000 have 16.0 GB/s, not 20.0\n");
}

}  // namespace
}  // namespace gable::test
