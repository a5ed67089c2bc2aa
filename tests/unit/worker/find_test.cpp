#include "core/worker/find.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/device/processors.hpp"

namespace gable::worker {
namespace {

Candidate candidate(const std::string& name) {
  Candidate made;
  EXPECT_TRUE(parse_worker_name("/opt/gable/" + name, made)) << name;
  return made;
}

std::vector<Candidate> sorted(const std::vector<std::string>& names) {
  std::vector<Candidate> all;
  for (const auto& name : names) all.push_back(candidate(name));
  std::sort(all.begin(), all.end(), preferred);
  return all;
}

const std::vector<std::string> cpu_workers{"gable-worker-openmp-armv8.2-a",      "gable-worker-openmp-x86-64-v4",
                                           "gable-worker-openmp-sapphirerapids", "gable-worker-openmp-baseline",
                                           "gable-worker-openmp-v4-bf16",        "gable-worker-openmp-neoverse-v1",
                                           "gable-worker-openmp-x86-64-v2",      "gable-worker-openmp-x86-64-v3"};

TEST(Workers, OfThoseThatAProcessorCanRunTheBestComesFirst) {
  const auto all = sorted(cpu_workers);
  for (const auto& processor : processors()) {
    const auto flags = words_of(processor.flags);
    const auto first = std::ranges::find_if(all, [&](const auto& worker) { return refusal(worker, flags).empty(); });
    ASSERT_NE(first, all.end()) << processor.name;
    EXPECT_EQ(first->target, processor.best) << processor.name;
  }
}

TEST(Workers, ARefusalNamesWhatIsMissing) {
  EXPECT_EQ(refusal(candidate("gable-worker-openmp-sapphirerapids"), words_of(std::string(of_v3) + of_v4)),
            "its code needs avx512_vnni, avx512_bf16, avx512_fp16, which this CPU lacks");
}

TEST(Workers, WhatIsNotOfTheTableIsStartedToSee) {
  EXPECT_EQ(refusal(candidate("gable-worker-openmp-mine"), {}), "");
  EXPECT_EQ(refusal(candidate("gable-worker-cuda-sm_90a"), {}), "");
  EXPECT_EQ(refusal(candidate("gable-worker-hip-native"), {}), "");
}

TEST(Workers, CpusComeFirstThenGpusByNameBackwards) {
  std::vector<std::string> order;
  for (const auto& worker :
       sorted({"gable-worker-cuda-sm_80", "gable-worker-hip-gfx90a", "gable-worker-openmp-fake",
               "gable-worker-cuda-sm_90a", "gable-worker-openmp-baseline", "gable-worker-hip-gfx942"})) {
    order.push_back(worker.backend + " " + worker.target);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"openmp baseline", "openmp fake", "hip gfx942", "hip gfx90a",
                                             "cuda sm_90a", "cuda sm_80"}));
}

}  // namespace
}  // namespace gable::worker
