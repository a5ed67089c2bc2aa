#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/result/store.hpp"
#include "program.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::test {

inline constexpr const char* small =
    R"({"models": [{"name": "Small", "layers": 3, "width": 64, "heads": 4, "kv_heads": 2,
  "head_width": 16, "feed_forward": 128, "gated": true, "vocabulary": 100, "context": 64}]})";

/// A folder with the small model.
class Plan : public testing::Test {
 protected:
  Plan() { write_text(folder_ / "small.json", small); }
  /// plan of the small model, and more words.
  Outcome plan(const std::vector<std::string>& more) const {
    auto words = with({"plan", "Small", "--models-file", "small.json"}, more);
    if (std::ranges::count(words, "--context") == 0) words.insert(words.end(), {"--context", "32"});
    return gable(words, {}, folder_.path());
  }
  json planned(const std::vector<std::string>& more) const { return answer_of(plan(with(more, {"--json"}))); }

  Folder folder_;
};

inline const std::vector<std::string> stated{"--peak", "1T", "--bandwidth", "1GB/s"};

inline std::vector<std::string> on_stated(const std::vector<std::string>& more) { return with(stated, more); }

/// Two ranks on two nodes: 0.1 s and 1 kB/s between hosts' memories, and an all-reduce of 1 kB/s on each link.
inline Result network() {
  Result result = made_up_result("2 ranks on 2 nodes");
  result.run.complete = true;
  result.devices[0].threads = 2;
  add_row(result, CeilingKind::link, "between_nodes", "s", 0.1).variant = "8_bytes";
  add_row(result, CeilingKind::link, "between_nodes", "byte/s", 1e3).variant = "one_direction_4194304_bytes";
  add_row(result, CeilingKind::link, "all_reduce", "byte/s", 1e3).variant = "bus_bandwidth_4194304_bytes";
  for (Ceiling& row : result.ceilings) {
    row.implementation = "mpi";
    row.threads = 2;
  }
  return result;
}

}  // namespace gable::test
