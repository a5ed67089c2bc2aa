#include "core/analysis/transformer.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace gable::analysis {
namespace {

/// The publishers' own counts check every shape in the file.
TEST(Transformer, ShapesGiveThePublishedParameters) {
  ASSERT_GE(transformers().size(), 11U);
  for (const Transformer& model : transformers()) {
    EXPECT_NEAR(parameters(model) / model.published_parameters.value(), 1, 1e-3) << model.name;
    if (model.published_active_parameters) {
      EXPECT_NEAR(active_parameters(model) / *model.published_active_parameters, 1, 0.02) << model.name;
    } else {
      EXPECT_EQ(active_parameters(model), parameters(model)) << model.name;
    }
    EXPECT_FALSE(model.source.empty());
  }
}

double cache_bytes(const char* name, double tokens) {
  return cached_values_per_token(find_transformer(name)) * tokens * 2;
}

/// model.md: 2 x layers x d_kv x context x s.
TEST(Transformer, KvCachesOfTheModel) {
  EXPECT_NEAR(cache_bytes("Llama-2-7B", 4096), 2.147e9, 1e6);
  EXPECT_NEAR(cache_bytes("Llama-2-70B", 4096), 1.342e9, 1e6);
  EXPECT_NEAR(cache_bytes("Llama-3-70B", 4096), 1.342e9, 1e6);
}

/// DeepSeek-V3 caches 512 + 64 values per layer and token.
TEST(Transformer, LatentAttentionCachesTheShortVector) {
  EXPECT_EQ(cached_values_per_token(find_transformer("DeepSeek-V3")), 61 * 576);
}

/// E = 8, k = 2, b = 8: 7.2.
TEST(Transformer, ExpectedExperts) {
  EXPECT_NEAR(expected_experts({8, 2, 0, 0, 0}, 8), 7.2, 0.05);
  EXPECT_DOUBLE_EQ(expected_experts({8, 2, 0, 0, 0}, 1), 2);
}

TEST(Transformer, NamesIgnoreCaseAndUnknownOnesListTheKnown) {
  EXPECT_EQ(find_transformer("llama-3-70b").layers, 80);
  try {
    find_transformer("llama");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("unknown model 'llama'; known: GPT-2, "), std::string::npos);
  }
}

std::string refusal(const std::string& text) {
  try {
    add_transformers(text, "mine.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// 80 layers of 64 heads of 128 with their own keys and values.
std::string model_file(const std::string& name, const std::string& more = "", const char* kv_heads = "64") {
  return R"({"models": [{"name": ")" + name + R"(", "layers": 80, "width": 8192, "heads": 64, "kv_heads": )" +
         kv_heads + R"(, "head_width": 128, "feed_forward": 28672, "gated": true, "vocabulary": 32000,
         "context": 4096)" +
         more + "}]}";
}

/// model.md: 80 layers, d_kv 8192 (no grouping), 4096 tokens, fp16: 10.74 GB, not the 20 GB of the erratum.
TEST(UsersModels, AreAddedToTheKnownOnes) {
  ASSERT_EQ(refusal(model_file("70B without groups")), "");
  EXPECT_NEAR(cache_bytes("70b without groups", 4096), 10.74e9, 0.005e9);
  EXPECT_EQ(find_transformer("Llama-3-70B").layers, 80);
}

TEST(UsersModels, WhatIsWrongIsNamedWithItsPlaceAndNothingIsAdded) {
  const auto before = transformers().size();
  const auto says = [&](const std::string& text, const std::string& line) {
    EXPECT_EQ(refusal(text).find("mine.json: " + line), 0U) << refusal(text);
  };
  says(model_file("gpt-2"), "'gpt-2' is known already");
  says(model_file("A", R"(, "layer": 3)"), "/models/0: unknown key 'layer'");
  says(model_file("A", "", "7"), "/models/0: kv_heads 7 does not divide heads 64");
  says(model_file("A", "", "0"), "/models/0: kv_heads must be at least 1, not 0");
  says(model_file("A", "", "3000000000"), "/models/0: kv_heads must be at most 1000000, not 3000000000");
  says(model_file("A", "", "1.5"), "/models/0/kv_heads: expected a whole number");
  says(model_file("A",
                  R"(, "experts": {"count": 8, "per_token": 9, "shared": 0, "feed_forward": 8, "dense_layers": 0})"),
       "/models/0/experts: per_token 9 exceeds count 8");
  says(R"({"models": [{"name": "A"}]})", "/models/0: key 'layers' is missing");
  const std::string entry = model_file("A"), one = entry.substr(12, entry.size() - 14);
  std::string other = one;
  other.replace(other.find("\"A\""), 3, "\"a\"");
  says(R"({"models": [)" + one + "," + other + "]}", "/models/1: 'a' is there twice");
  says(R"({"models": []})", "there are no models in it");
  EXPECT_EQ(transformers().size(), before);
}

}  // namespace
}  // namespace gable::analysis
