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
    EXPECT_NEAR(parameters(model) / model.published_parameters, 1, 1e-3) << model.name;
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

}  // namespace
}  // namespace gable::analysis
