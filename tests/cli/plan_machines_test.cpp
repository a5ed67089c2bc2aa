// What gable plan takes a machine, its links and its model for.
#include "plans.hpp"

namespace gable::test {
namespace {

/// An H200's switches add. A link that is stated has none, and that is said.
TEST_F(Plan, AStatedLinkIsOfBothDirectionsAndHasNoSwitchesThatAdd) {
  const auto planned_on = [](const std::string& device) {
    return gable({"plan", "Llama-3-70B", "--on", device, "--devices", "2", "--link", "900GB/s"}).out;
  };
  const std::string link = "note: link of 900 GB/s as stated, both directions together",
                    lost = "what its own switches add";
  EXPECT_NE(planned_on("H200 SXM 141GB").find(link + "; " + lost), std::string::npos);
  const std::string bridged = planned_on("H200 NVL 141GB");
  EXPECT_NE(bridged.find(link + "\n"), std::string::npos) << bridged;
}

/// 810 GB of weights in 16.1 and 24 GB.
TEST_F(Plan, WhatFitsNowhereIsSaidSo) {
  const auto run = gable({"plan", "Llama-3.1-405B", "--on", "T4", "--on", "L4", "--devices", "1"});
  EXPECT_TRUE(run.out.starts_with("Llama-3.1-405B does not fit any of them, by bounds\n")) << run.out << run.err;
}

/// 114.7e9 weights of gpt-oss' experts at 17/32 byte and 2.2e9 others at 2: 65.2 GB, which its publisher prints as 60.8
/// GiB. DeepSeek's 671e9 are published in fp8, but for two tables and 58 routers: those are bf16, as is what they read.
TEST_F(Plan, AModelIsPlannedInTheTypesInWhichItIsPublished) {
  const auto planned_in = [](const std::string& model, const std::vector<std::string>& more) {
    return answer_of(gable(with({"plan", model, "--on", "H200 SXM 141GB", "--json"}, more)));
  };
  const json oss = planned_in("gpt-oss-120b", {});
  EXPECT_EQ(oss["weights"], "bf16");
  EXPECT_EQ(oss["expert_weights"], "mxfp4");
  EXPECT_NEAR(oss["weights_byte"].get<double>() / 0x1p30, 60.8, 0.15) << "with biases and norms";
  EXPECT_EQ(oss["devices_needed"], 1);
  const double width = 2880, attention = width * (64 + 2 * 8 + 64) * 64, router = width * 128,
               expert = 3 * width * width;
  EXPECT_DOUBLE_EQ(oss["floor_s"].get<double>() * 4.8e12,
                   2 * (36 * (attention + router) + 201088 * width) + 36 * 4 * expert * 17 / 32);
  const json wide = planned_in("gpt-oss-120b", {"--weights", "bf16"});
  EXPECT_FALSE(wide.contains("expert_weights"));
  EXPECT_EQ(wide["weights_byte"], 2 * wide["parameters"].get<double>());
  const json deep = planned_in("DeepSeek-V3.1", {"--activations", "fp8_e4m3", "--devices", "8"});
  EXPECT_EQ(deep["weights"], "fp8_e4m3");
  EXPECT_EQ(deep["table_weights"], "bf16");
  const double rows = 58 * 256, table = 129280;
  EXPECT_EQ(deep["weights_byte"], deep["parameters"].get<double>() + (rows + 2 * table) * 7168);
  const auto& last = deep["decode"]["operators"].back();
  EXPECT_EQ(last["name"], "vocabulary");
  EXPECT_EQ(last["bytes"], 2 * (table / 8 * 7168 + 7168 + table / 8));
  const json narrow = planned_in("DeepSeek-V3.1", {"--weights", "fp8_e4m3", "--devices", "8"});
  EXPECT_FALSE(narrow.contains("table_weights"));
  EXPECT_EQ(narrow["weights_byte"], narrow["parameters"]);
  EXPECT_EQ(planned_in("Llama-3-8B", {})["weights"], "bf16");
  const auto both = gable({"plan", "gpt-oss-20b", "Llama-3-8B", "--on", "H200 SXM 141GB"});
  EXPECT_NE(both.out.find("bf16 (experts mxfp4)"), std::string::npos) << both.out << both.err;
  EXPECT_NE(gable({"plan", "--list"}).out.find("fp8_e4m3 (tables and routers bf16)"), std::string::npos);
}

/// Two files of one device, and one device twice: each has a name of its own, and options find it by that.
TEST_F(Plan, MachinesOfOneNameAreToldApart) {
  for (const char* file : {"a.json", "b=c.json"}) {
    Result result = made_up_result("One CPU");
    add_memory(result, 1e9);
    result::save(result, folder_ / file);
  }
  const json files = planned({"--on", "a.json", "--on", "b=c.json"})["plans"];
  EXPECT_EQ(files[0]["device"], "One CPU (a.json)");
  EXPECT_EQ(files[1]["device"], "One CPU (b=c.json)");
  const json twice = planned({"--on", "T4", "--on", "T4", "--price", "1,2"});
  EXPECT_EQ(twice["plans"][0]["device"], "T4 (datasheet) 1");
  EXPECT_EQ(twice["plans"][1]["device"], "T4 (datasheet) 2");
  const json level = planned({"--on", "T4", "--on", "T4"});
  EXPECT_TRUE(has(level["conclusion"].get<std::string>(), ", level with one T4 (datasheet) 2")) << level["conclusion"];
  const auto stated = [](const std::string& second) {
    const auto run =
        gable({"plan", "Llama-3-8B", "--peak", "10TFLOPS", "--bandwidth", "100GB/s", "--bandwidth", second});
    return run.out.substr(0, run.out.find('\n'));
  };
  EXPECT_NE(stated("100.8GB/s").find("level with"), std::string::npos) << "as in compare, 1 %";
  EXPECT_EQ(stated("102GB/s").find("level with"), std::string::npos) << stated("102GB/s");
}

/// Of several '=' the last counts that has a machine's name before it: a file may have more.
TEST_F(Plan, AFileMayHaveAnEqualsSignInItsName) {
  result::save(network(), folder_ / "a=b.json");
  const auto seconds = [&](const std::string& link) {
    return planned(on_stated({"--devices", "2", "--link", link}))["decode"].at("all_reduce_s").get<double>();
  };
  EXPECT_NEAR(seconds("a=b.json"), 6 * 0.128, 1e-9);
  EXPECT_NEAR(seconds("A=a=b.json"), 6 * 0.128, 1e-9);
  EXPECT_NEAR(seconds("1T=a=b.json:host"), 6 * 0.128, 1e-9);
}

}  // namespace
}  // namespace gable::test
