#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "core/operator.hpp"

namespace gable::conformance {
namespace {

/// A matrix from a file, with rows of 0 to 40 entries, against the reference on the values the file gives.
TEST(SparseFile, MatchesTheReference) {
  constexpr int rows = 100;
  const std::string path = testing::TempDir() + "conformance.mtx";
  {
    std::ofstream file(path);
    int entries = 0;
    for (int i = 0; i < rows; ++i) entries += i % 41;
    file << "%%MatrixMarket matrix coordinate real general\n" << rows << " 50 " << entries << "\n";
    for (int i = 0; i < rows; ++i) {
      for (int k = 0; k < i % 41; ++k) file << i + 1 << " " << (i + k) % 50 + 1 << " " << i - 2.5 * k << "\n";
    }
  }
  const Params params = Params::parse("matrix=" + path + ",rows=1,per_row=1");
  int formats = 0;
  for (const OperatorEntry* entry : operator_entries()) {
    if (!entry->spec->name.starts_with("spmv_")) continue;
    ++formats;
    for (const Types& types : entry->spec->types) {
      const auto instance = entry->implementations.front().create(params, types, 3, nullptr);
      instance->run();
      const auto got = instance->outputs();
      std::vector<std::vector<double>> want(1, std::vector<double>(rows));
      entry->spec->reference(params, instance->inputs(), want);
      for (std::size_t i = 0; i < rows; ++i) {
        EXPECT_NEAR(got[0][i], want[0][i], 1e-5 * (1 + std::abs(want[0][i]))) << entry->spec->name << " row " << i;
      }
      EXPECT_NE(want[0], std::vector<double>(rows));
    }
  }
  EXPECT_EQ(formats, 2);
}

}  // namespace
}  // namespace gable::conformance
