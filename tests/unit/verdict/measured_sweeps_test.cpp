// Points that take as long as the streams of a recorded sweep are at their limit: for every file of data/measured that
// has sweeps, whatever the system said of its caches.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result/store.hpp"
#include "core/verdict/roofs.hpp"

namespace gable {
namespace {

std::vector<std::filesystem::path> measured_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(GABLE_MEASURED)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

struct SweptFile {
  std::string name;
  Result result;
  std::vector<Curve> sweeps;
  std::vector<Level> told;
  Roofline roofline;
};

SweptFile swept_file(const std::filesystem::path& path) {
  SweptFile file{path.filename().string(), result::load(path), {}, {}, {}};
  for (const Curve& curve : file.result.curves) {
    if (curve.name == working_set_sweep && is_cpu(file.result.devices.front())) file.sweeps.push_back(curve);
  }
  if (file.sweeps.empty()) return file;
  file.told = levels_of(file.result.devices.front(), file.sweeps.front().scope, file.sweeps.front().threads);
  file.roofline = roofline_of(file.result, file.sweeps.front().device, file.sweeps.front().scope);
  return file;
}

/// The point that a pass of the sweep is: so many bytes of this mix, once, in the time that the sweep says.
Point pass(const Curve& curve, std::size_t i) {
  Point point;
  point.device = curve.device;
  point.scope = curve.scope;
  Stage stage;
  stage.working_set = curve.x[i];
  stage.launches = 0;  // the streams of a sweep are no kernels of Kokkos
  const double reads = curve.series == "read" ? 1 : curve.series == "copy" ? 0.5 : 2.0 / 3;
  stage.bytes_read = reads * curve.x[i];
  stage.bytes_written = (1 - reads) * curve.x[i];
  point.stages = {stage};
  point.time.value = point.time.median = curve.x[i] / curve.y[i];
  return point;
}

double rate_of_row(const SweptFile& file, const std::string& level, const Curve& curve) {
  const double reads = curve.series == "read" ? 1 : curve.series == "copy" ? 0.5 : 2.0 / 3;
  return *file.roofline.byte_per_s(level, {.read_fraction = reads});
}

TEST(MeasuredSweeps, PointsWithTheTimesOfASweepAreAtTheirLimit) {
  int files = 0;
  for (const auto& path : measured_files()) {
    const SweptFile file = swept_file(path);
    if (file.sweeps.empty()) continue;
    ++files;
    const double l1 = file.told.front().capacity_bytes, l2 = file.told[1].capacity_bytes,
                 last = file.told[file.told.size() - 2].capacity_bytes;
    int sizes = 0, at_limit = 0;
    for (const Curve& curve : file.sweeps) {
      const double memory = rate_of_row(file, file.told.back().name, curve);
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        if (curve.x[i] < l1 / 2 || curve.x[i] > 4.001 * last) continue;
        Point point = pass(curve, i);
        set_verdict(point, file.roofline, {});
        ASSERT_TRUE(point.fraction_of_limit) << file.name;
        EXPECT_EQ(point.status, Status::ok) << point.reason;
        EXPECT_LE(*point.fraction_of_limit, 1.10) << file.name << ' ' << curve.series << ' ' << curve.x[i];
        ++sizes;
        at_limit += *point.fraction_of_limit >= 0.85 ? 1 : 0;
        // Nothing but other work slows a stream inside half of a cache of its own, or below its row from main memory.
        if (curve.x[i] <= l2 / 2 || curve.y[i] < 0.85 * memory) continue;
        EXPECT_GE(*point.fraction_of_limit, 0.75) << file.name << ' ' << curve.series << ' ' << curve.x[i];
        EXPECT_EQ(point.regime, Regime::memory_bound) << file.name << ' ' << curve.series << ' ' << curve.x[i];
      }
    }
    EXPECT_GE(at_limit, 0.8 * sizes) << file.name;
  }
  EXPECT_GE(files, 6);
}

/// 33.5 MB on a machine that says "32 MB of L3": memory-bound, and neither "below every roof" nor 4.84 x too slow.
TEST(MeasuredSweeps, ACopyOfTheSizeOfAnL3ThatOthersShareIsMemoryBound) {
  const SweptFile file = swept_file(std::filesystem::path(GABLE_MEASURED) / "amd-zen-4.json");
  const auto copy = std::ranges::find(file.sweeps, "copy", &Curve::series);
  ASSERT_NE(copy, file.sweeps.end());
  for (std::size_t i = 0; i < copy->x.size(); ++i) {
    if (copy->x[i] < 16e6 || copy->x[i] > 60e6) continue;
    Point point = pass(*copy, i);
    set_verdict(point, file.roofline, {});
    EXPECT_EQ(point.regime, Regime::memory_bound) << copy->x[i];
    EXPECT_EQ(point.limit_level, "DRAM") << copy->x[i];
    EXPECT_GE(*point.fraction_of_limit, 0.95) << copy->x[i];
  }
}

/// Emerald Rapids states 260 MiB, and streams find some 50 of them whole.
TEST(MeasuredSweeps, CapacitiesOfASharedCache) {
  const SweptFile file = swept_file(std::filesystem::path(GABLE_MEASURED) / "intel-emerald-rapids-quick.json");
  const Level& l3 = file.roofline.levels()[2];
  EXPECT_EQ(l3.told_bytes, 272629760);
  EXPECT_GT(l3.capacity_bytes, 30e6);
  EXPECT_LT(l3.capacity_bytes, 70e6);
}

}  // namespace
}  // namespace gable
