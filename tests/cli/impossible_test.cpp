// Result files with figures that cannot be, given to every command that reads one.
#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

#include "core/result/journal.hpp"
#include "core/result/json.hpp"
#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {
namespace {

/// A file whose figures are possible, and that every command below takes.
Result sound() {
  Result result = made_up_result("Some CPU");
  result.run.facts.push_back({"experiment", "fusion", "command line"});
  add_peak(result, DType::fp32, 1e11);
  add_memory(result, 1e10);
  add_point(result, "relu", 1e8, 1e9, 0.12).count = 2;
  return result;
}

struct Reader {
  const char* name;
  std::vector<std::string> words;  ///< with bad.json among them
  std::string refuses{};           ///< its message for a sound file of another machine; empty if it accepts one
};

const std::vector<Reader> readers{{"report", {"report", "bad.json"}},
                                  {"report_second", {"report", "good.json", "bad.json", "--table", "points"}},
                                  {"report_picture", {"report", "bad.json", "--output", "new.svg"}},
                                  {"report_anonymous", {"report", "bad.json", "--anonymous", "--output", "new.json"}},
                                  {"compare", {"compare", "good.json", "bad.json"}},
                                  {"compare_datasheet", {"compare", "bad.json", "T4"}},
                                  {"explain", {"explain", "bad.json"}},
                                  {"explain_point", {"explain", "bad.json", "point 0"}},
                                  {"explain_on", {"explain", "good.json", "--on", "bad.json"}},
                                  {"check", {"check", "bad.json", "--against", "good.json"}},
                                  {"check_against", {"check", "good.json", "--against", "bad.json"}},
                                  {"predict_on", {"predict", "--intensity", "1", "--on", "bad.json"}},
                                  {"predict_point", {"predict", "--point", "bad.json:point 0"}},
                                  {"plan_on", {"plan", "GPT-2", "--on", "bad.json"}},
                                  {"plan_measured", {"plan", "GPT-2", "--on", "T4", "--measured", "bad.json"}},
                                  {"experiment", {"experiment", "fusion", "--from", "bad.json"}},
                                  {"run_roofs",
                                   {"run", "--operator", "relu", "--roofs", "bad.json", "--output", "new.json"},
                                   "--roofs: 'bad.json' was measured on here"}};

struct Damage {
  const char* name;
  const char* says;  ///< behind the name of the file
  void (*change)(json&);
};

const std::vector<Damage> damages{
    {"time", "/points/0/time_s: -1: a time is positive", [](json& j) { j["points"][0]["time_s"] = -1; }},
    {"time_zero", "/points/0/time_s: 0: a time is positive", [](json& j) { j["points"][0]["time_s"] = 0; }},
    {"time_null", "/points/0/time_s: null: a row that was measured has a number here",
     [](json& j) { j["points"][0]["time_s"] = nullptr; }},
    {"bytes_null", "/points/0/stages/0/bytes_written: null: a row that was measured has a number here",
     [](json& j) { j["points"][0]["stages"][0]["bytes_written"] = nullptr; }},
    {"operations_null", "/points/0/stages/0/work/0/operations: null: a row that was measured has a number here",
     [](json& j) { j["points"][0]["stages"][0]["work"][0]["operations"] = nullptr; }},
    {"value_zero", "/ceilings/1/value: 0: what was measured is above 0",
     [](json& j) { j["ceilings"][1]["value"] = 0; }},
    {"value_null", "/ceilings/0/value: null: a row that was measured has a number here",
     [](json& j) { j["ceilings"][0]["value"] = nullptr; }},
    // 1e9 byte of a memory of 1e10 byte/s take 0.1 s; no bound is stored with the point
    {"too_fast", "/points/0/time_s: 1e-10, with a least time of 0.1 s by the roofs of the file",
     [](json& j) { j["points"][0]["time_s"] = 1e-10; }},
    {"bytes", "/points/0/stages/0/bytes_read: -1: bytes are not negative",
     [](json& j) { j["points"][0]["stages"][0]["bytes_read"] = -1; }},
    {"share", "/points/0/fraction_of_limit: 2.77018e+09: a fraction is not negative, and nothing is ten thousand times",
     [](json& j) { j["points"][0]["fraction_of_limit"] = 2770178020.0; }},
    {"count", "/points/0/count: 1e+20: a count is not negative, and no workload",
     [](json& j) { j["points"][0]["count"] = 1e20; }},
    {"value", "/ceilings/0/value: 1e+308: a rate of arithmetic is not negative, and no machine",
     [](json& j) { j["ceilings"][0]["value"] = 1e308; }},
    {"bandwidth", "/ceilings/1/value: -5: a bandwidth is not negative",
     [](json& j) { j["ceilings"][1]["value"] = -5; }}};

class ImpossibleFigure : public testing::TestWithParam<std::tuple<Reader, Damage>> {
 protected:
  Outcome read(const json& document) const {
    result::save(sound(), folder_ / "good.json");
    write_text(folder_ / "bad.json", document.dump());
    return gable(std::get<Reader>(GetParam()).words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path());
  }
  Folder folder_;
};

TEST_P(ImpossibleFigure, IsRefusedWithFileAndKeyInOneLine) {
  const Damage& damage = std::get<Damage>(GetParam());
  json document = result::to_json(sound());
  damage.change(document);
  const auto run = read(document);
  expect_refusal(run, std::string("bad.json: ") + damage.says);
  EXPECT_EQ(run.out, "");
  for (const char* output : {"new.svg", "new.json"}) EXPECT_FALSE(std::filesystem::exists(folder_ / output)) << output;
}

INSTANTIATE_TEST_SUITE_P(Readers, ImpossibleFigure,
                         testing::Combine(testing::ValuesIn(readers), testing::ValuesIn(damages)),
                         [](const auto& instance) {
                           return std::string(std::get<Reader>(instance.param).name) + "_" +
                                  std::get<Damage>(instance.param).name;
                         });

/// The commands above fail because of the figure and nothing else.
TEST(PossibleFigures, AreReadByEveryCommand) {
  for (const Reader& reader : readers) {
    Folder folder;
    result::save(sound(), folder / "good.json");
    Result again = sound();
    again.run.started_at = "2026-01-02T00:00:00Z";  // a repeat
    result::save(again, folder / "bad.json");
    const auto run = gable(reader.words, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder.path());
    EXPECT_EQ(run.err.find("bad.json: /"), std::string::npos) << reader.name << ": " << run.err;
    if (!reader.refuses.empty()) {
      EXPECT_NE(run.err.find(reader.refuses), std::string::npos) << reader.name << ": " << run.err;
      continue;
    }
    EXPECT_EQ(run.code, 0) << reader.name << ": " << run.err;
    const bool written = std::filesystem::exists(folder / "new.svg") || std::filesystem::exists(folder / "new.json");
    EXPECT_TRUE(written || !run.out.empty()) << reader.name;
  }
}

/// 1e9 byte in 1 ns, of a memory of 10 GB/s: 0.1 s, 1e8 times as long.
TEST(ImpossibleFigures, AKernelOfTheUsersIsNamed) {
  Folder folder;
  result::save(sound(), folder / "good.json");
  write_text(folder / "mine.csv", "name,dtype,flops,bytes,time_s\nfft,fp32,1e8,1e9,1e-9\n");
  expect_refusal(gable({"report", "good.json", "--points", "mine.csv"}, {}, folder.path()),
                 "mine.csv: line 2, column time_s: 1e-09 of kernel 'fft' cannot be: ");
}

/// 58 hours of an H200's 4.8 TB/s are 1e18 byte: three days of it are possible.
TEST(ImpossibleFigures, ALongRunIsPossible) {
  Folder folder;
  Result result = made_up_result("Some GPU", "HBM");
  add_memory(result, 4.8e12);
  add_peak(result, DType::fp32, 6.69e13);
  const double time_s = 3 * 86400.0;
  add_point(result, "lbm", 1e13 * time_s, 4e12 * time_s, time_s);
  result::save(result, folder / "r.json");
  const auto run = gable({"report", "r.json", "--table", "points"}, {}, folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(lines(run.out), 2) << run.out;
}

/// A devices file says 2 MB/s of a processor whose memory was measured at 1 TB/s: no vendor is so wrong.
TEST(ImpossibleFigures, ASlipInADevicesFileCostsNoMeasurement) {
  Folder folder;
  Result result = made_up_result("Some CPU");
  add_memory(result, 1e12);
  add_peak(result, DType::fp32, 1e11);
  result::save(result, folder / "r.json");
  const auto devices = [](const char* byte_per_s) {
    return std::string(R"({"cpus": [{"name": "Tender core", "processors": [{"name": "Some CPU", "memory_type": "DDR9",
      "source": "our tender", "memory_byte_per_s": )") +
           byte_per_s + "}]}]}";
  };
  write_text(folder / "slip.json", devices("2e6"));
  const auto run = gable({"report", "r.json", "--devices-file", "slip.json"}, {}, folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out.find("error"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("1 TB/s"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("datasheet left out once"), std::string::npos) << run.out;
  write_text(folder / "bad.json", devices("460.8"));
  expect_refusal(gable({"report", "r.json", "--devices-file", "bad.json"}, {}, folder.path()),
                 "bad.json: /cpus/0/processors/0: memory_byte_per_s is 460.8");
}

/// Files of earlier builds have sensors that told nonsense: 65535 degrees.
TEST(ImpossibleFigures, ASensorsNonsenseIsLeftOutAndValidateFindsIt) {
  Folder folder;
  Result result = sound();
  result.points[0].conditions.temperature_c = 65535;
  result::save(result, folder / "r.json");
  const auto run = gable({"report", "r.json"}, {}, folder.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("temperature_c left out once"), std::string::npos) << run.out;
  const auto found = gable({"validate", "r.json"}, {}, folder.path());
  EXPECT_EQ(found.code, 1) << found.out;
  EXPECT_NE((found.out + found.err).find("/points/0/conditions/temperature_c  65535"), std::string::npos) << found.out;
}

TEST(ImpossibleFigures, AJournalWithOneIsKeptAndNotGoneOnWith) {
  Folder folder;
  Result header = sound();
  Point row = header.points.front();
  header.points.clear();
  row.time.value = -1;
  result::Journal::create(folder / "r.json.journal", header).add_round("openmp/relu", {0, {row}});
  const std::string before = read_text(folder / "r.json.journal");
  expect_refusal(
      gable({"measure", "--resume", "r.json"}, {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder.path()),
      "r.json.journal: line 2: /rows/0/time_s: -1: a time is positive");
  EXPECT_EQ(read_text(folder / "r.json.journal"), before);
}

}  // namespace
}  // namespace gable::test
