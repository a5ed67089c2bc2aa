#pragma once
#include <gtest/gtest.h>

#include "core/result/store.hpp"
#include "core/text/text_table.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {

/// A machine with 100 Gflop/s x `factor`, 10 GB/s x `factor`, and one operator from memory at 90 % of that.
inline Result machine(const std::string& name, double factor, int minute) {
  Result result = made_up_result(name);
  result.run.started_at = "2026-01-01T00:0" + std::to_string(minute) + ":00Z";
  add_peak(result, DType::fp32, 1e11 * factor);
  add_memory(result, 1e10 * factor);
  add_point(result, "relu", 1e8, 1e9, 0.1 / 0.9 / factor);
  return result;
}

class Compare : public testing::Test {
 protected:
  Outcome compare(const std::vector<std::string>& words) const {
    return gable(with({"compare"}, words), {}, folder_.path());
  }
  json compared(const std::vector<std::string>& words) const { return answer_of(compare(with(words, {"--json"}))); }

  Folder folder_;
};

inline bool says(const Outcome& run, const std::string& text) { return run.out.find(text) != std::string::npos; }

}  // namespace gable::test
