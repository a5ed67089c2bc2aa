// gable plan as users call it: its suite, and measured times beside its bounds.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/result/store.hpp"
#include "plans.hpp"

namespace gable::test {
namespace {

json named(const json& list, const std::string& key, const std::string& value) {
  const auto found = std::ranges::find_if(list, [&](const json& one) { return one.value(key, "") == value; });
  if (found == list.end()) throw std::runtime_error("no " + value);
  return *found;
}

/// 64 x 100 weights of the vocabulary, read once at 1 GB/s with 2 bytes each, with 64 values in and 100 out.
TEST_F(Plan, StatedRoofsAreAMachine) {
  const json answer = planned(on_stated({"--phase", "decode"}));
  EXPECT_FALSE(answer.contains("prefill"));
  const json& vocabulary = named(answer["decode"]["operators"], "name", "vocabulary");
  EXPECT_DOUBLE_EQ(vocabulary["time_s"].get<double>(), (6400 + 164) * 2 / 1e9);
  EXPECT_EQ(vocabulary["regime"], "memory-bound: the stated bandwidth");
  // a token is 3 layers x 2 x 2 heads x 16 values
  EXPECT_EQ(answer["cached_values_per_token"], 192);
  EXPECT_EQ(answer["cache_byte"], 192 * 32 * 2);
}

/// 11 kernels a layer, the vocabulary's and two beside: 36 launches of 1 s.
TEST_F(Plan, AStatedLaunchBoundsTheStep) {
  const json answer = planned(on_stated({"--phase", "decode", "--launch", "1s"}));
  EXPECT_EQ(answer["decode"]["launches"], 36);
  EXPECT_DOUBLE_EQ(answer["decode"]["launch_s"].get<double>(), 36);
  EXPECT_DOUBLE_EQ(answer["decode"]["time_s"].get<double>(), 36) << "each hides the work of its row";
  const json& norms = named(answer["decode"]["operators"], "name", "norms");
  EXPECT_DOUBLE_EQ(norms["time_s"].get<double>(), 1) << "max(F/P, Q/B, T0)";
  const json graph = planned(on_stated({"--phase", "decode"}));
  EXPECT_DOUBLE_EQ(answer["decode"]["without_launches_s"].get<double>(), graph["decode"]["time_s"].get<double>());
  const auto run = plan(on_stated({"--launch", "1s"}));
  EXPECT_NE(run.out.find("overhead-bound without graphs or fusion"), std::string::npos) << run.out << run.err;
  const auto part = plan({"--bandwidth", "1GB/s", "--launch", "1s", "--phase", "decode"});
  EXPECT_TRUE(has(part.out, "no total, because roofs are missing\n  36 launches of unfused kernels are 36 s\n"))
      << part.out << part.err;
}

/// The cache of 32 tokens is 12288 byte a sequence.
TEST_F(Plan, TheSweepIsInTheDocumentToo) {
  const json answer = planned(on_stated({"--sweep"}));
  ASSERT_EQ(answer["sweep"].size(), 11U);
  EXPECT_EQ(answer["sweep"][0]["decode_s"], answer["decode"]["time_s"]);
  EXPECT_EQ(answer["sweep"][10]["batch"], 1024);
  EXPECT_EQ(answer["sweep"][10]["cache_byte"], 1024 * 12288);
  EXPECT_EQ(answer["sweep"][10]["longest"], "attention to the cache");
}

/// A sequence of 32 tokens is 12288 byte, the weights are 246784: 1 MB holds 32 sequences, and two devices not 512.
TEST_F(Plan, BatchesThatDoNotFitHaveNoRate) {
  const json sweep = planned(on_stated({"--sweep", "--memory", "1MB"}))["sweep"];
  EXPECT_TRUE(sweep[5]["fits"].get<bool>()) << "32 x 12288 byte";
  EXPECT_TRUE(sweep[5].contains("token_per_s"));
  EXPECT_FALSE(sweep[9]["fits"].get<bool>()) << "512 x 12288 byte";
  EXPECT_TRUE(sweep[9].value("token_per_s", json()).is_null());
  const auto run = plan(on_stated({"--sweep", "--memory", "1MB"}));
  EXPECT_NE(run.out.find("fits no number of devices: even of 4"), std::string::npos) << run.out << run.err;
}

/// 1 GB/s and 2 GB/s at 1 and 3 an hour: twice the tokens for three times the money.
TEST_F(Plan, SeveralMachinesAreOneTableWithTheCheapestFirst) {
  const std::vector<std::string> words{"--peak",      "1T",    "--bandwidth", "1GB/s",
                                       "--bandwidth", "2GB/s", "--price",     "1,3"};
  const json answer = planned(words);
  ASSERT_EQ(answer["plans"].size(), 2U);
  const json &a = answer["plans"][0], &b = answer["plans"][1];
  EXPECT_DOUBLE_EQ(a["tpot_s"].get<double>(), 2 * b["tpot_s"].get<double>());
  EXPECT_DOUBLE_EQ(a["cost_per_million_tokens"].get<double>(), a["tpot_s"].get<double>() / 3600 * 1e6);
  EXPECT_EQ(answer["conclusion"].get<std::string>().find("Small is cheapest on one 1T, 1GB/s: "), 0U);
  EXPECT_NE(answer["conclusion"].get<std::string>().find(", 1.50x less than on one 1T, 2GB/s"), std::string::npos);
  const auto run = plan(words);
  EXPECT_EQ(run.out.find("Small is cheapest"), 0U) << run.out << run.err;
}

/// 61 sequences of 12288 byte fit beside 246784 byte of weights into 1 MB.
TEST_F(Plan, ThePictureHasTheBatchAtWhichTheMemoryIsFull) {
  const auto run = plan(on_stated({"--memory", "1MB", "--picture", "p.svg"}));
  if (run.code == 2 && run.err.find("gnuplot") != std::string::npos) GTEST_SKIP() << run.err;
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(read_text(folder_ / "p.svg").find("Small on one 1T, 1GB/s, full at 62"), std::string::npos);
  expect_refusal(plan(on_stated({"--picture", "p.txt"})), "a picture ends in .svg, .png or .pdf");
}

/// Bought for 8766 and used one year of 8766 hours at no tariff: 1 an hour.
TEST_F(Plan, WhatIsBoughtCostsItsYears) {
  const json answer = planned(on_stated({"--capital", "8766", "--years", "1", "--tariff", "0", "--power", "100W"}));
  EXPECT_DOUBLE_EQ(answer["hour_cost"].get<double>(), 1);
  EXPECT_DOUBLE_EQ(answer["cost_per_million_tokens"].get<double>(),
                   answer["decode"]["time_s"].get<double>() / 3600 * 1e6);
}

/// 1 Tflop/s over 1 GB/s: 1000 flop/byte, which 64 x 128 weights of two bytes (at most 2 x 64 x 128 / 2 (64 + 128) = 43
/// flop/byte) never reach.
TEST_F(Plan, AMarkThatDoesNotExistIsSaid) {
  const json answer = planned(on_stated({}));
  EXPECT_TRUE(answer.at("compute_bound_from_batch").is_null());
  EXPECT_FALSE(planned(on_stated({"--phase", "prefill"})).contains("compute_bound_from_batch"));
  const auto run = plan(on_stated({"--sweep"}));
  EXPECT_TRUE(has(run.out, "no batch up to 65536 makes the feed-forward products compute-bound")) << run.out << run.err;
}

/// Two devices send 2 x 1/2 of two sums of 64 values of 2 byte in each of 3 layers, over 1 kB/s in one direction.
TEST_F(Plan, MemoryAndLinkMayBeStated) {
  const json answer = planned(on_stated({"--devices", "2", "--memory", "1MB", "--link", "2kB/s"}));
  EXPECT_TRUE(answer.at("fits").get<bool>());
  EXPECT_DOUBLE_EQ(answer["decode"].at("all_reduce_s").get<double>(), 0.768);
  EXPECT_FALSE(planned(on_stated({"--memory", "1kB"})).at("fits").get<bool>());
  const auto run = plan(on_stated({"--devices", "2"}));
  EXPECT_NE(run.out.find("is not known: --memory states it"), std::string::npos) << run.out << run.err;
  EXPECT_NE(run.out.find("no link figure: --link states it"), std::string::npos) << run.out << run.err;
}

/// Six sums of 64 values of 2 byte: each of two devices sends as much for one, in two steps of half of it in a ring.
TEST_F(Plan, ALinkMayBeAPartOfANetworksResult) {
  result::save(network(), folder_ / "net.json");
  const auto seconds = [&](const std::string& link) {
    const json answer = planned(on_stated({"--devices", "2", "--link", link}));
    return answer["decode"].at("all_reduce_s").get<double>();
  };
  EXPECT_NEAR(seconds("net.json"), 6 * 0.128, 1e-9);
  EXPECT_NEAR(seconds("net.json:host"), 6 * 0.128, 1e-9);
  EXPECT_NEAR(seconds("net.json:between_nodes"), 6 * 2 * (0.1 + 0.064), 1e-9);
  EXPECT_NEAR(seconds("net.json:host:between_nodes"), 6 * 2 * (0.1 + 0.064), 1e-9);
  const auto refused = [&](const std::string& link) {
    const auto run = plan(on_stated({"--devices", "2", "--link", link}));
    expect_refusal(run, "");
    return run.err;
  };
  const std::string missing = refused("net.json:nccl"), unknown = refused("net.json:hosts");
  EXPECT_TRUE(has(missing, "net.json has no good row of an all-reduce and no good latency")) << missing;
  EXPECT_NE(missing.find("(device memory by NCCL)"), std::string::npos) << missing;
  EXPECT_NE(unknown.find("--link net.json:hosts: name host, device, nccl or rccl"), std::string::npos) << unknown;
  refused("net.json:host:");
  refused("none.json:host");
}

TEST_F(Plan, AContextBeyondTheModelsIsSaid) {
  const auto says = [&](const char* context) {
    return plan(on_stated({"--context", context})).out.find("beyond the model's 64") != std::string::npos;
  };
  EXPECT_FALSE(says("64"));
  EXPECT_TRUE(says("65"));
}

TEST_F(Plan, OtherTypesAreComparedWithTheFirst) {
  const json answer = planned(on_stated({"--weights", "bf16,int8", "--cache", "bf16"}));
  ASSERT_EQ(answer["alternatives"].size(), 2U);
  EXPECT_EQ(answer["alternatives"][0]["floor_factor"], 1.0);
  EXPECT_EQ(answer["alternatives"][1]["weights"], "int8");
  EXPECT_DOUBLE_EQ(answer["alternatives"][1]["floor_factor"].get<double>(), 2);
  EXPECT_EQ(answer["weights"], "bf16");
}

TEST_F(Plan, ItsSuiteRunsAndTheResultStandsBesideThePlan) {
  const std::vector<std::string> types{"--weights", "fp32", "--cache", "fp32", "--activations", "fp32"};
  const json written = planned(with(on_stated({"--suite", "suite.json", "--phase", "decode"}), types));
  EXPECT_EQ(written["suite"]["operators"], 10);
  EXPECT_TRUE(written["suite"]["left_out"].empty());
  const auto shown = gable({"suites", "--show", "suite.json"}, {}, folder_.path());
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_NE(shown.out.find("b=1,h=4,kv=2,s=32,d=16"), std::string::npos) << shown.out;
  const auto run = gable({"measure", "--suite", "suite.json", "--output", "r.json"},
                         {{"GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER}}, folder_.path());
  ASSERT_EQ(run.code, 0) << run.err;
  const json result = json::parse(read_text(folder_ / "r.json"));
  const json& norms = named(result["points"], "label", "decode: norms");
  EXPECT_EQ(norms["op"], "rmsnorm");
  EXPECT_EQ(norms["count"], 6.0);

  const auto again = with(on_stated({"--measured", "r.json", "--phase", "decode"}), types);
  const json answer = planned(again);
  for (const json& op : answer["decode"]["operators"]) EXPECT_FALSE(op["measured"].is_null()) << op;
  const json& row = named(answer["decode"]["operators"], "name", "norms");
  EXPECT_EQ(row["measured"]["time_s"], norms["time_s"]);
  EXPECT_DOUBLE_EQ(row["measured"]["roof_over_measured"].get<double>(),
                   row["time_s"].get<double>() / norms["time_s"].get<double>());
  const auto text = plan(again);
  EXPECT_NE(text.out.find("measured: 10 of 10 rows"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("the roofs allow"), std::string::npos) << text.out;

  // Its own roofs have no fp32 unit: norms, residuals, activation and rotation have a bound, 6 + 6 + 3 + 3 runs of 1
  // ms.
  const auto some = plan(with({"--measured", "r.json", "--phase", "decode"}, types));
  EXPECT_NE(some.out.find("measured: 10 of 10 rows"), std::string::npos) << some.out << some.err;
  EXPECT_TRUE(has(some.out, "; 4 of them have a bound: they take 18 ms, the roofs allow ")) << some.out;

  auto foreign = with({"--measured", "r.json", "--phase", "decode", "--on", "H100 SXM5 80GB"}, types);
  const auto no_ratio = plan(foreign);
  EXPECT_TRUE(has(no_ratio.out, "no ratio, because the roofs are of another device")) << no_ratio.out << no_ratio.err;
  EXPECT_EQ(no_ratio.out.find("roof/measured"), std::string::npos) << no_ratio.out;
  const json apart = planned(foreign);
  EXPECT_FALSE(apart["roofs_of_measured_device"].get<bool>());
  EXPECT_FALSE(named(apart["decode"]["operators"], "name", "norms")["measured"].contains("roof_over_measured"));
  foreign[5] = "r.json";
  EXPECT_TRUE(planned(foreign)["roofs_of_measured_device"].get<bool>());

  const auto other = plan({"--measured", "r.json"});
  EXPECT_NE(other.out.find("none of these operators was measured"), std::string::npos)
      << "bf16 was not; the file's own roofs are the machine" << other.out << other.err;
}

TEST_F(Plan, AnExistingSuiteIsNeverReplacedUnasked) {
  write_text(folder_ / "suite.json", "precious");
  const auto refused = plan(on_stated({"--suite", "suite.json"}));
  expect_refusal(refused, "'suite.json' exists");
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(read_text(folder_ / "suite.json"), "precious");
  EXPECT_EQ(plan(on_stated({"--suite", "suite.json", "--force"})).code, 0);
  EXPECT_EQ(json::parse(read_text(folder_ / "suite.json"))["schema"], 1);
}

TEST_F(Plan, WhatNoOperatorDoesIsSaid) {
  const auto run =
      gable({"plan", "Mixtral-8x7B", "--on", "H200 SXM 141GB", "--suite", "suite.json", "--phase", "decode"}, {},
            folder_.path());
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(has(run.out, "not in it: decode: experts: no operator for products grouped by expert")) << run.out;
}

TEST_F(Plan, UsersModelsAreListedAndWhatIsWrongIsOneLine) {
  const auto list = gable({"plan", "--list"}, {{"GABLE_MODELS", "small.json"}}, folder_.path());
  EXPECT_NE(list.out.find("Small"), std::string::npos) << list.out << list.err;
  write_text(folder_ / "small.json", R"({"models": [{"name": "Small", "layer": 3}]})");
  expect_refusal(plan(stated), "gable: small.json: /models/0: key 'layers' is missing\n");
}

TEST_F(Plan, MemoryAndLinksAreOfTheMachinesTheyAreStatedFor) {
  const json rows =
      planned({"--on", "T4", "--on", "L4", "--memory", "L4=100MB", "--link", "T4=1GB/s", "--devices", "2"})["plans"];
  EXPECT_EQ(rows[0]["notes"][0], "link of 1 GB/s as stated, both directions together");
  EXPECT_EQ(rows[1]["notes"][0], "memory of 100 MB as stated");
  EXPECT_TRUE(rows[1]["notes"].size() > 1 && rows[1]["notes"].back().get<std::string>().starts_with("all-reduce: no"));
}

TEST_F(Plan, LaunchesOfUnknownCostAreNotCalledFree) {
  const auto run = plan({"--on", "T4", "--phase", "decode"});
  EXPECT_TRUE(has(run.out, "without its 36 launches of unfused kernels: what one costs is not known")) << run.out;
}

TEST_F(Plan, OneMemoryOrLinkIsOfAllMachines) {
  const std::vector<std::string> machines{"--on", "T4", "--on", "L4", "--on", "A10", "--devices", "2"};
  const json stated = planned(with(machines, {"--memory", "1MB", "--link", "1GB/s"}));
  EXPECT_EQ(stated["plans"].size(), 3U) << stated;
  for (const json& row : stated["plans"]) {
    EXPECT_EQ(row["notes"][0], "memory of 1 MB as stated");
    EXPECT_EQ(row["notes"][1], "link of 1 GB/s as stated, both directions together");
  }
  expect_refusal(plan(with(machines, {"--memory", "1MB,2MB"})), "--memory: 2 values for 3 devices");
}

TEST_F(Plan, ALinksFileMayHaveAnyName) {
  result::save(network(), folder_ / "n=2,m=1.json");
  const json answer = planned(on_stated({"--devices", "2", "--link", "n=2,m=1.json"}));
  EXPECT_TRUE(answer["decode"].contains("all_reduce_s")) << answer;
}

}  // namespace
}  // namespace gable::test
