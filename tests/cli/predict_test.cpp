// gable predict as users call it: what-if on points that were measured, users' own devices.
#include <gtest/gtest.h>

#include "program.hpp"

namespace gable::test {
namespace {

class Predict : public testing::Test {
 protected:
  Outcome predict(const std::vector<std::string>& words, const Environment& environment = {}) const {
    return gable(with({"predict"}, words), environment, folder_.path());
  }
  json answer(const std::vector<std::string>& words, const Environment& environment = {}) const {
    return answer_of(predict(with(words, {"--json"}), environment));
  }
  void refuses(const std::vector<std::string>& words, const std::string& culprit) const {
    expect_refusal(predict(words), culprit);
  }

  Folder folder_;
};

/// The fake worker reads and writes 20 GB/s and takes 1 ms for everything: 16 MB are 0.8 ms of it.
class PredictPoint : public Predict {
 protected:
  void SetUp() override { measure("fp64"); }
  void measure(const std::string& dtype) const {
    const auto run = gable(
        {"measure", "--operator", "relu", "--params", "n=1000000", "--dtype", dtype, "--output", "r.json", "--force"},
        {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path());
    ASSERT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(PredictPoint, StartsFromWhatWasMeasured) {
  const json measured = answer({"--point", "r.json:relu"});
  ASSERT_EQ(measured["predictions"].size(), 1U);
  const json& row = measured["predictions"][0];
  EXPECT_EQ(row["bytes"], 16e6);
  EXPECT_EQ(row["measured_s"], 1e-3);
  EXPECT_DOUBLE_EQ(row["time_s"].get<double>(), 8e-4);
  EXPECT_DOUBLE_EQ(measured["fraction_of_bound"].get<double>(), 0.8);
  EXPECT_FALSE(row.contains("expected_s"));
}

/// Another device with a stated bandwidth: 16 MB at 1 TB/s are 16 us, 20 us at the same fraction; in fp16 a quarter,
/// four times at four times n.
TEST_F(PredictPoint, WhatIfKeepsTheFractionOfTheBound) {
  const json result = answer({"--point", "r.json:relu", "--peak", "100T", "--bandwidth", "1TB/s"});
  ASSERT_EQ(result["predictions"].size(), 2U);
  const json& other = result["predictions"][1];
  EXPECT_DOUBLE_EQ(other["time_s"].get<double>(), 16e-6);
  EXPECT_DOUBLE_EQ(other["expected_s"].get<double>(), 20e-6);
  EXPECT_DOUBLE_EQ(other["expected_interval_s"][1].get<double>(), 20e-6) << "the fake worker's times do not differ";
  EXPECT_DOUBLE_EQ(other["factor"].get<double>(), 50);
  const json changed = answer(
      {"--point", "r.json:relu", "--peak", "100T", "--bandwidth", "1TB/s", "--scale", "n=4", "--dtype", "fp64,fp16"});
  ASSERT_EQ(changed["predictions"].size(), 3U);
  EXPECT_DOUBLE_EQ(changed["predictions"][1]["time_s"].get<double>(), 64e-6);
  EXPECT_DOUBLE_EQ(changed["predictions"][2]["time_s"].get<double>(), 16e-6);
  EXPECT_EQ(changed["predictions"][2]["dtype"], "fp16");
}

/// In 0.64 ms the point is at 125 % of its 0.8 ms: no other size is predicted to be faster than its own bound.
TEST_F(PredictPoint, WhatIsFasterThanItsBoundExpectsTheLeastTime) {
  json file = json::parse(read_text(folder_ / "r.json"));
  for (const char* key : {"time_s", "median_s", "ci_low_s", "ci_high_s", "median_ci_low_s", "median_ci_high_s"})
    file["points"][0][key] = 0.64e-3;
  write_text(folder_ / "r.json", file.dump());
  const json row = answer({"--point", "r.json:relu", "--scale", "n=2"})["predictions"][1];
  EXPECT_DOUBLE_EQ(row["time_s"].get<double>(), 1.6e-3);
  EXPECT_DOUBLE_EQ(row["expected_s"].get<double>(), 1.6e-3);
  const auto run = predict({"--point", "r.json:relu", "--scale", "n=2"});
  EXPECT_TRUE(has(run.out, "expected: the least time, because the point is faster than its bound (125.0 %")) << run.out;
}

TEST_F(PredictPoint, TheAssumptionIsPrinted) {
  const auto run = predict({"--point", "r.json:relu", "--on", "H200 SXM 141GB"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("expected: if the point's fraction of its bound"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("(an assumption)"), std::string::npos) << run.out;
}

/// If a roof is missing, the bound is that of the other roofs, and no fraction of the bound is given.
TEST_F(PredictPoint, WithoutAllRoofsNothingIsExpected) {
  measure("fp32");
  const json result = answer({"--point", "r.json:relu", "--bandwidth", "1TB/s"});
  EXPECT_EQ(result["predictions"][0]["missing"], json::array({"vector fp32"}));
  EXPECT_FALSE(result.contains("fraction_of_bound"));
  EXPECT_FALSE(result["predictions"][1].contains("expected_s"));
}

/// The fake worker has an fp64 roof and none of fp32.
TEST_F(PredictPoint, ARowThatLacksARoofExpectsNothing) {
  const json result = answer({"--point", "r.json:relu", "--dtype", "fp64,fp32", "--scale", "n=2"});
  EXPECT_TRUE(result["predictions"][1].contains("expected_s"));
  EXPECT_EQ(result["predictions"][2]["missing"], json::array({"vector fp32"}));
  EXPECT_FALSE(result["predictions"][2].contains("expected_s"));
  const auto run = predict({"--point", "r.json:relu", "--dtype", "fp32"});
  EXPECT_EQ(run.out.find("expected"), std::string::npos) << run.out;
}

/// The fake worker has two L1 of 32 KiB.
TEST_F(PredictPoint, SaysWhereDataDoNotFitTheLevel) {
  const auto run = predict({"--point", "r.json:relu", "--in", "L1"});
  EXPECT_NE(run.out.find("16 MB does not fit L1 (65.5 kB as told)\n"), std::string::npos) << run.out << run.err;
  const json fits = answer({"--point", "r.json:relu", "--in", "L1"})["predictions"][1]["fits"];
  EXPECT_EQ(fits, false);
}

TEST_F(PredictPoint, WhatIsWrongIsOneLine) {
  refuses({"--point", "r.json:gemm"}, "no measured point has 'gemm'");
  refuses({"--point", "r.json:relu", "--scale", "m=2"}, "'m'");
  refuses({"--point", "r.json:relu", "--dtype", "int4"}, "relu does not take int4");
  refuses({"--point", "r.json:relu", "--fuse"}, "one launch already");
  refuses({"--point", "r.json:relu", "--flop", "1"}, "--point and --flop exclude");
  refuses({"--point", "r.json:relu", "--in", "L9"}, "no level 'L9'");
}

/// 2048 x 4096 x 4096 with the batch times four is that of 8192.
TEST_F(Predict, ScaledSizesOfAnOperator) {
  const json scaled = answer({"--operator", "gemm", "--params", "m=2048,n=4096,k=4096", "--scale", "m=4", "--dtype",
                              "fp16", "--peak", "100T", "--bandwidth", "1TB/s"});
  EXPECT_EQ(scaled["predictions"][0]["work"], "gemm m=8192,n=4096,k=4096");
  EXPECT_DOUBLE_EQ(scaled["predictions"][0]["time_s"].get<double>(), 2.0 * 8192 * 4096 * 4096 / 100e12);
}

/// No amount is given, so none is answered: 4 flop/byte at 2 TB/s are 8 TFLOP/s.
TEST_F(Predict, AnIntensityAloneHasNoAmountAndNoTime) {
  const json result = answer({"--intensity", "1", "--intensity", "4", "--peak", "312T", "--bandwidth", "2TB/s"});
  const json& row = result["predictions"][1];
  for (const char* key : {"flop", "bytes", "time_s"}) EXPECT_TRUE(row[key].is_null()) << key;
  EXPECT_DOUBLE_EQ(row["attainable_flop_per_s"].get<double>(), 8e12);
  EXPECT_DOUBLE_EQ(row["factor"].get<double>(), 4) << "of the same operations";
  const auto run = predict({"--intensity", "1", "--peak", "312T", "--bandwidth", "2TB/s"});
  EXPECT_EQ(run.out.find("least time"), std::string::npos) << run.out;
  refuses({"--intensity", "1", "--items", "3", "--on", "T4"}, "--items needs");
}

TEST_F(Predict, WhatIsNotFiniteIsRefused) {
  refuses({"--intensity", "1", "--peak", "1e-320FLOP/s", "--bandwidth", "1e-320B/s"}, "not finite");
}

TEST_F(Predict, WhatNoMachineHasIsRefused) {
  const auto says = [&](const std::vector<std::string>& words, const std::string& line) {
    refuses(with(words, {"--bandwidth", "1TB/s"}), line);
  };
  says({"--flop", "1e308", "--intensity", "1e-10", "--peak", "1T"}, "--flop: 1e+308: operations are not negative");
  says({"--byte", "8e300"}, "--byte: 8e+300: bytes are not negative");
  says({"--byte", "1", "--items", "1e300"}, "--items: 1e+300: no figure of work is so large");
  says({"--intensity", "1", "--peak", "8e300FLOP/s"}, "--peak: 8e+300: a rate of arithmetic is not negative");
  says({"--intensity", "1", "--peak", "1T", "--launch", "1e9s"}, "--launch: 1e+09: a time is positive");
  refuses({"--intensity", "1", "--bandwidth", "8e300B/s"}, "--bandwidth: 8e+300: a bandwidth is not negative");
}

/// A product of 4096 x 4096 weights in fp16 has 4096 m / (4096 + 2 m) flop/byte: 156.1 at m = 169.
TEST_F(Predict, ReachSaysWhereAndRefusesWhatItDoesNotAnswer) {
  std::vector<std::string> words{"--operator",  "gemm",  "--params", "m=1,n=4096,k=4096",
                                 "--dtype",     "fp16",  "--peak",   "312T",
                                 "--bandwidth", "2TB/s", "--reach",  "m"};
  const json reach = answer(words)["reaches"][0];
  EXPECT_EQ(reach["reaches_from"], 169);
  EXPECT_DOUBLE_EQ(reach["ridge_flop_per_byte"].get<double>(), 156);
  EXPECT_DOUBLE_EQ(reach["intensity_flop_per_byte"].get<double>(), 4096.0 * 169 / (4096 + 2 * 169));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--items", "2"}, {"--in", "memory"}, {"--fuse"}, {"--explain"}})
    refuses(with(words, more), "--reach and " + more.front() + " exclude");
}

TEST_F(Predict, OnlyWhatIsReadInItsSizeIsFused) {
  refuses({"--operator", "gelu", "--params", "n=1000", "--operator", "gelu", "--params", "n=1000000000", "--fuse",
           "--on", "T4"},
          "gelu n=1000000000 reads no array of the size that gelu n=1000 writes");
}

/// V100's entry has no int8 unit. What the bytes alone allow is a least time; no regime, rate or ratio rests on it.
TEST_F(Predict, WithoutTheRoofThatDecidesNothingIsRanked) {
  const std::vector<std::string> words{"--flop", "1e12", "--byte",         "1e6",  "--dtype",
                                       "int8",   "--on", "V100 SXM2 16GB", "--on", "H100 SXM5 80GB"};
  const json rows = answer(words)["predictions"];
  EXPECT_DOUBLE_EQ(rows[0]["time_s"].get<double>(), 1e6 / 900e9);
  EXPECT_FALSE(rows[0]["missing"].empty());
  EXPECT_TRUE(rows[0]["regime"].is_null());
  EXPECT_FALSE(rows[0].contains("attainable_flop_per_s"));
  for (const json& row : rows) EXPECT_TRUE(row["factor"].is_null());
  EXPECT_FALSE(rows[1]["regime"].is_null());
  const auto run = predict(words);
  EXPECT_EQ(run.out.find("memory-bound"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("no roof for"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("FLOP"), std::string::npos) << "integers are no floats" << run.out;
  EXPECT_NE(run.out.find("POP/s"), std::string::npos) << run.out;
}

/// Roofs that are not stated bound nothing, and datasheets have no exponentials: neither counts as missing.
TEST_F(Predict, WhatNobodyStatesOrPrintsLeavesNothingOpen) {
  const json stated = answer({"--flop", "1e12", "--byte", "2e6", "--byte", "1e6", "--bandwidth", "1TB/s"});
  EXPECT_DOUBLE_EQ(stated["predictions"][1]["factor"].get<double>(), 2);
  const json printed = answer({"--operator", "softmax", "--params", "m=8,n=8", "--on", "T4"});
  EXPECT_EQ(printed["predictions"][0]["missing"], json::array({"exp fp32"}));
  EXPECT_FALSE(printed["predictions"][0]["regime"].is_null());
}

/// H100 has no int4 unit; its int8 one multiplies every int4 number.
TEST_F(Predict, NarrowTypesAreWidenedAndItIsSaid) {
  const json rows =
      answer({"--flop", "1e15", "--byte", "1", "--dtype", "int8,int4", "--on", "H100 SXM5 80GB"})["predictions"];
  EXPECT_EQ(rows[0]["time_s"], rows[1]["time_s"]);
  EXPECT_FALSE(rows[0].contains("note"));
  EXPECT_NE(rows[1]["note"].get<std::string>().find("counted as products of int8"), std::string::npos) << rows[1];
}

/// B200's datasheet has 9 Pflop/s of fp4, 4.5 of fp6 and fp8; H100's 1.979 of fp8, whose numbers fp4's are among.
TEST_F(Predict, BlockScaledTypesAreMultipliedAsTheirElements) {
  const json rows =
      answer({"--flop", "9e15", "--byte", "1", "--dtype", "nvfp4,mxfp4,fp4_e2m1,fp6_e3m2,mxfp6_e2m3,mxfp8_e4m3", "--on",
              "B200 (HGX)"})["predictions"];
  const double expected[] = {1, 1, 1, 2, 2, 2};
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(rows[i]["time_s"].get<double>(), expected[i], 1e-3) << rows[i];
    EXPECT_FALSE(rows[i].contains("note")) << rows[i];
  }
  const json row =
      answer({"--flop", "1.979e15", "--byte", "1", "--dtype", "mxfp4", "--on", "H100 SXM5 80GB"})["predictions"][0];
  EXPECT_NEAR(row["time_s"].get<double>(), 1, 1e-3);
  EXPECT_EQ(
      row["note"],
      "no figure of a unit for products of mxfp4: they are counted as products of fp8_e4m3 on the matrix unit, which "
      "holds every element of it");
}

TEST_F(Predict, FormulasAreText) {
  refuses({"--byte", "1", "--on", "T4", "--explain", "--json"}, "--explain and --json exclude");
}

/// Pairs of peaks and bandwidths are machines; 1e9 byte at 1 and 2 TB/s, 1e9 flop at 1 and 4 TFLOP/s.
TEST_F(Predict, StatedFiguresGoInPairs) {
  const json result = answer({"--flop", "1e9", "--byte", "1e9", "--peak", "1T", "--peak", "4T", "--bandwidth", "1TB/s",
                              "--bandwidth", "2TB/s", "--items", "10"});
  ASSERT_EQ(result["predictions"].size(), 2U);
  EXPECT_DOUBLE_EQ(result["predictions"][0]["time_s"].get<double>(), 1e-3);
  EXPECT_DOUBLE_EQ(result["predictions"][1]["time_s"].get<double>(), 5e-4);
  EXPECT_DOUBLE_EQ(result["predictions"][1]["factor"].get<double>(), 2);
  EXPECT_DOUBLE_EQ(result["predictions"][1]["time_per_item_s"].get<double>(), 5e-5);
  EXPECT_DOUBLE_EQ(result["predictions"][1]["item_per_s"].get<double>(), 2e4);
}

constexpr const char* tender = R"({"devices": [{"name": "Tender X1", "memory_type": "HBM9", "memory_byte": 1e12,
  "memory_byte_per_s": 2e13, "source": "our tender",
  "peaks": [{"dtype": "bf16", "unit": "matrix", "peak_flop_per_s": 4e15}]}]})";

TEST_F(Predict, UsersDevicesAreThereOnEveryCommandThatNamesDevices) {
  write_text(folder_ / "mine.json", tender);
  const json by_option = answer({"--byte", "2e13", "--on", "Tender X1", "--devices-file", "mine.json"});
  EXPECT_DOUBLE_EQ(by_option["predictions"][0]["time_s"].get<double>(), 1);
  const Environment named{{"GABLE_DEVICES", ":mine.json"}};
  EXPECT_DOUBLE_EQ(answer({"--byte", "2e13", "--on", "tender x1"}, named)["predictions"][0]["time_s"], 1);
  const auto shown = gable({"devices", "--show", "Tender X1", "--devices-file", "mine.json"}, {}, folder_.path());
  EXPECT_NE(shown.out.find("200 flop/byte"), std::string::npos) << shown.out << shown.err;
  EXPECT_NE(shown.out.find("our tender (stated)"), std::string::npos) << shown.out;
  const auto listed = gable({"devices", "--catalogue"}, named, folder_.path());
  EXPECT_NE(listed.out.find("Tender X1"), std::string::npos) << listed.err;
}

TEST_F(Predict, WhatIsWrongInAUsersFileIsOneLineWithFilePlaceAndCulprit) {
  write_text(folder_ / "mine.json", R"({"devices": [{"name": "T4"}]})");
  expect_refusal(gable({"devices", "--catalogue", "--devices-file", "mine.json"}, {}, folder_.path()),
                 "gable: mine.json: /devices/0: key 'memory_type' is missing\n");
  expect_refusal(predict({"--byte", "1", "--on", "T4"}, {{"GABLE_DEVICES", "mine.json"}}),
                 "gable: mine.json (named by GABLE_DEVICES): /devices/0: key 'memory_type' is missing\n");
  write_text(folder_ / "mine.json", tender);
  const auto twice = gable({"devices", "--catalogue", "--devices-file", "mine.json"}, {{"GABLE_DEVICES", "mine.json"}},
                           folder_.path());
  EXPECT_EQ(twice.err, "gable: mine.json: 'Tender X1' is known already; another name is needed\n");
}

/// The fused operator leaves out what the mask hides: fewer flops than the launches in one.
TEST_F(Predict, TheFusedOperatorOfTheBuildIsARow) {
  const json rows = answer({"--operator", "attention_naive", "--params", "h=8,kv=8,l=2048,d=128,mask=causal", "--dtype",
                            "fp16", "--fuse", "--on", "H200 SXM 141GB"})["predictions"];
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(rows[2]["work"].get<std::string>().starts_with("attention_fused"));
  EXPECT_LT(rows[2]["flop"], rows[1]["flop"]);
}

/// No figure of bf16 is printed for a T4: 2 x 4096^3 flop at the 8.1 Tflop/s of fp32.
TEST_F(Predict, ATypeWithoutAUnitNamesTheUnitThatStandsIn) {
  const json row = answer(
      {"--operator", "gemm", "--params", "m=4096,n=4096,k=4096", "--dtype", "bf16", "--on", "T4"})["predictions"][0];
  EXPECT_NEAR(row["time_s"], 2 * 4096.0 * 4096 * 4096 / 8.1e12, 1e-9);
  EXPECT_EQ(row["note"],
            "no figure of a unit for products of bf16: they are counted as products of fp32 on the vector "
            "unit, which holds every value of it");
}

TEST_F(Predict, ATypeThatIsWidenedNamesTheFlavoursThatAreNot) {
  const json row =
      answer({"--flop", "1e15", "--byte", "1", "--dtype", "mxfp8_e4m3", "--on", "MI300X"})["predictions"][0];
  EXPECT_TRUE(has(row["note"].get<std::string>(), "no figure of a unit for products of mxfp8_e4m3 (but for fp8_e"))
      << row;
}

}  // namespace
}  // namespace gable::test
