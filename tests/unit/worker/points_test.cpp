// Which operators a worker plans to run: sizes, hot and cold, and what becomes of those that do not fit.
#include "core/worker/points.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/operator_spec.hpp"
#include "core/row_item.hpp"
#include "core/worker/item_plan.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

constexpr double mib = 1024.0 * 1024.0;

/// y[i] = x[i] of 8-byte elements; by default as large as L2 of the device it is given, and as four times that.
struct Mirror {
  static constexpr std::string_view name = "mirror";
  static constexpr std::string_view summary = "y[n] = x[n]";
  struct Params {
    Index n;
  };
  static constexpr std::array fields{Field{"n", &Params::n, "elements"}};
  static constexpr NonFinite non_finite = NonFinite::as_reference;
  static std::vector<Types> types() { return {uniform_types(DType::fp64), uniform_types(DType::fp32)}; }
  static std::vector<Params> default_params(const DeviceInfo& device, const Types&) {
    const auto l2 = static_cast<Index>(device.memory[0].size_bytes * device.memory[0].instances / 16);
    return {{l2}, {100 * l2}};
  }
  static std::vector<Params> conformance_params() { return {{1}}; }
  static std::vector<Stage> work(const Params& p, const Types& types) {
    const double side = static_cast<double>(p.n) * size_bytes(types.a);
    return {{"run", {{Unit::vector, static_cast<double>(p.n)}}, side, side, 2 * side, 1, {}}};
  }
  static std::vector<BufferSpec> buffers(const Params& p, const Types& types) {
    return {{"x", p.n, types.a, Role::input}, {"y", p.n, types.out, Role::output}};
  }
  template <class S>
  static void reference(const Params& p, Inputs<S> in, Outputs<S> out) {
    for (Index i = 0; i < p.n; ++i) out[0][i] = in[0][i] + S(0.0);
  }
  static double tolerance(const Params&, const Types&) { return 0; }
};

struct Log {
  int created{};
  std::vector<int> runs, fences;  ///< numbers of the instances, in order
};
Log* current = nullptr;

class Numbered final : public OperatorInstance {
 public:
  Numbered() : number_(current->created++) {}
  void run() override { current->runs.push_back(number_); }
  void fence() override { current->fences.push_back(number_); }
  std::vector<std::vector<double>> inputs() override { return {{static_cast<double>(number_)}}; }
  std::vector<std::vector<double>> outputs() override { return inputs(); }

 private:
  int number_;
};

std::unique_ptr<OperatorInstance> numbered(const Params&, const Types&, std::uint64_t, VendorLibrary*) {
  return std::make_unique<Numbered>();
}
std::string refuses_nothing(const Types&, const VendorLibrary*) { return {}; }
std::string library_name(const Types&, const VendorLibrary&) { return "vendor"; }
std::string refuses_all(const Types&, const VendorLibrary*) { return "no such library"; }
std::string does_not_start(const Types&, const VendorLibrary*) { throw std::runtime_error("vendor: starting: no"); }

/// Each run is taken to last 1 ms.
class Timer final : public measure::Benchmark {
 public:
  explicit Timer(OperatorInstance& instance) : instance_(instance) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    for (std::uint64_t i = 0; i < iterations; ++i) instance_.run();
    instance_.fence();
    measure::TimedBatch batch;
    batch.time_s = 1e-3 * static_cast<double>(iterations);
    return batch;
  }

 private:
  OperatorInstance& instance_;
};

class Paper final : public Backend {
 public:
  std::string_view name() const override { return "paper"; }
  Probe probe() override { return {}; }
  void open(const DeviceInfo&, const Request&) override {}
  int threads() const override { return 4; }
  std::vector<Item> ceilings() override {
    Ceiling row{.kind = CeilingKind::bandwidth,
                .name = "DRAM",
                .access = Access::read,
                .at = OperatingPoint::sustained,
                .implementation = "paper"};
    return {row_item(std::move(row), "DRAM read", 0.1, [](Ceiling&) {}, {})};
  }
  std::unique_ptr<measure::Benchmark> timer(OperatorInstance& instance) override {
    return std::make_unique<Timer>(instance);
  }
  Conditions conditions() override { return {}; }
  VendorLibrary* vendor() override { return nullptr; }
};

/// Four cores with 1 MiB of L2 each, 4 MiB of L3.
DeviceInfo paper_device() {
  DeviceInfo device;
  device.id = "paper";
  device.cores = device.threads = 4;
  device.memory = {{"L2", 1 * mib, 4, 1, 64, ""}, {"L3", 4 * mib, 1, 4, 64, ""}, {"DRAM", 64e9, 1, 4, 64, ""}};
  device.free_memory_bytes = 8e9;
  return device;
}

class Points : public ::testing::Test {
 protected:
  Points() { current = &log; }
  std::vector<Point> rows(const Request& request, double free_bytes = 8e9) {
    auto device = paper_device();
    device.free_memory_bytes = free_bytes;
    items = worker::point_items(backend, device, request, entries);
    std::vector<Point> found;
    for (const Item& item : items) found.push_back(std::get<Point>(item.run().at(0)));
    return found;
  }
  static Request request(Mode mode, DType dtype = DType::fp64) { return {.mode = mode, .dtypes = {dtype}}; }

  Log log;
  Paper backend;
  OperatorEntry entry{
      &spec_of<Mirror>(),
      {{"kokkos", nullptr, refuses_nothing, numbered}, {"vendor", library_name, refuses_all, numbered}}};
  std::vector<const OperatorEntry*> entries{&entry};
  std::vector<Item> items;
};

TEST_F(Points, ExactRunsAreOneBatchOfOurOwnKernelsAndNeverCold) {
  Request wanted = request(Mode::full);
  wanted.exact_runs = 7;
  wanted.cases = {{.op = "mirror", .params = {{{"n", 1000}}}}};
  const auto found = rows(wanted);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].implementation, "kokkos");
  EXPECT_FALSE(found[0].cold);
  EXPECT_EQ(log.created, 1);
  EXPECT_EQ(log.runs.size(), 7U);
  EXPECT_EQ(log.fences.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].time.value, 1e-3);
  EXPECT_EQ(found[0].status, Status::suspect);
  EXPECT_FALSE(found[0].time.ci_low);
}

TEST_F(Points, FullRunsMeasureWhatFitsTheCachesColdToo) {
  const auto points = rows(request(Mode::full));
  std::vector<std::string> ids;
  for (const Point& point : points) ids.push_back(point.id);
  EXPECT_EQ(ids,
            (std::vector<std::string>{"point/mirror/kokkos/fp64/n=262144", "point/mirror/kokkos/fp64/n=262144/cold",
                                      "point/mirror/vendor/fp64/n=262144", "point/mirror/vendor/fp64/n=262144/cold",
                                      "point/mirror/kokkos/fp64/n=26214400", "point/mirror/vendor/fp64/n=26214400"}));
  EXPECT_FALSE(points[0].cold);
  EXPECT_TRUE(points[1].cold);
  EXPECT_EQ(points[1].status, Status::ok);
  EXPECT_DOUBLE_EQ(points[1].time.value, 1e-3);
}

TEST_F(Points, AColdRunGoesThroughCopiesThatExceedTheCachesFiveTimes) {
  items = worker::point_items(backend, paper_device(), request(Mode::full), entries);
  items[1].run();
  // 8 MiB of caches, 4 MiB of arrays a copy.
  EXPECT_EQ(log.created, 10);
  ASSERT_GT(log.runs.size(), 20U);
  for (std::size_t i = 0; i + 1 < log.runs.size(); ++i) {
    ASSERT_EQ(log.runs[i + 1], (log.runs[i] + 1) % 10) << "run " << i;
  }
  EXPECT_EQ(log.fences.back(), log.runs.back());
}

TEST_F(Points, TooManyColdCopiesAreSkippedWithTheReason) {
  auto tiny = request(Mode::full);
  tiny.cases = {{.op = "mirror", .params = {{{"n", 1}}}}};
  const auto points = rows(tiny);
  EXPECT_EQ(points[0].status, Status::ok);
  EXPECT_TRUE(points[1].cold);
  EXPECT_EQ(points[1].status, Status::skipped);
  EXPECT_NE(points[1].reason.find("copies"), std::string::npos) << points[1].reason;
}

/// The smaller size takes 2e10 flop, 0.1 s of four threads, the larger a hundred times that.
struct Heavy : Mirror {
  static constexpr std::string_view name = "heavy";
  static std::vector<Stage> work(const Params& p, const Types& types) {
    auto stages = Mirror::work(p, types);
    stages[0].work = {{Unit::vector, 2e10 * static_cast<double>(p.n) / 262144}};
    return stages;
  }
};

TEST_F(Points, QuickRunsTakeTheLargestSizeThatIsNotTooLong) {
  EXPECT_EQ(rows(request(Mode::quick)).at(0).params, "n=26214400");
  const OperatorEntry heavy{&spec_of<Heavy>(), {{"kokkos", nullptr, refuses_nothing, numbered}}};
  entries = {&heavy};
  const auto quick = rows(request(Mode::quick));
  ASSERT_EQ(quick.size(), 1U);
  EXPECT_EQ(quick[0].params, "n=262144");
  EXPECT_EQ(rows(request(Mode::full)).back().params, "n=26214400");
}

TEST_F(Points, QuickRunsAreHotOnly) {
  for (const Point& point : rows(request(Mode::quick))) EXPECT_FALSE(point.cold) << point.id;
}

TEST_F(Points, ColdCopiesThatDoNotFitTheMemoryAreSkippedWithTheReason) {
  const auto points = rows(request(Mode::full), 64 * mib);  // a run may take 16 MiB: the 4 MiB once, not ten times
  EXPECT_EQ(points[0].status, Status::ok);
  EXPECT_EQ(points[1].status, Status::skipped);
  EXPECT_NE(points[1].reason.find("41.9 MB"), std::string::npos) << points[1].reason;
}

TEST_F(Points, WhereNobodyTellsWhatIsFreeAQuarterOfTheWholeMemoryMayBeTaken) {
  for (const Point& point : rows(request(Mode::quick), 0)) EXPECT_NE(point.status, Status::skipped) << point.reason;
  auto large = request(Mode::quick);
  large.cases = {
      {.op = "mirror", .params = {{{"n", 2'000'000'000}}}, .must_fit = true}};  // two arrays of 16 GB of the 64 GB
  EXPECT_NE(error_of([&] { rows(large, 0); }).find("16 GB (a quarter of the whole memory)"), std::string::npos);
}

TEST_F(Points, SizesFollowTheScope) {
  auto core = request(Mode::full);
  core.scope = Scope::core;
  EXPECT_EQ(rows(core).front().params, "n=65536");
  auto two = request(Mode::full);
  two.threads = 2;
  EXPECT_EQ(rows(two).front().params, "n=131072");
}

TEST_F(Points, SizesOfTheUserMustFit) {
  auto asked = request(Mode::quick);
  asked.cases = {{.op = "mirror", .params = {{{"n", 1000000000}}}, .must_fit = true}};
  EXPECT_THROW(rows(asked), Error);
  asked.cases.front().must_fit = false;
  EXPECT_EQ(rows(asked).front().status, Status::skipped);
}

TEST_F(Points, OnlyPortableLaunchesAreChargedTheirFixedCost) {
  const auto points = rows(request(Mode::quick));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].stages[0].launches, 1);
  EXPECT_EQ(points[1].implementation, "vendor");
  EXPECT_EQ(points[1].stages[0].launches, 0);
  EXPECT_EQ(points[1].status, Status::unsupported);
}

TEST_F(Points, ALibraryThatDoesNotStartCostsItsOwnRowsAlone) {
  entry.implementations = {{"vendor", library_name, does_not_start, numbered},
                           {"kokkos", nullptr, refuses_nothing, numbered}};
  const auto points = rows(request(Mode::quick));
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].status, Status::error);
  EXPECT_EQ(points[0].reason, "vendor: starting: no");
  EXPECT_EQ(points[1].implementation, "kokkos");
  EXPECT_EQ(points[1].status, Status::ok);
}

TEST_F(Points, ArePlannedAsTheRowsThatTheyYield) {
  const auto points = rows(request(Mode::full));
  ASSERT_EQ(items.size(), points.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& planned = std::get<Point>(items[i].planned);
    EXPECT_EQ(planned.id, points[i].id);
    EXPECT_EQ(planned.device, "paper");
    EXPECT_EQ(planned.threads, 4);
    EXPECT_EQ(planned.op, "mirror");
    EXPECT_EQ(planned.implementation, points[i].implementation);
    EXPECT_EQ(planned.params, points[i].params);
    EXPECT_EQ(planned.cold, points[i].cold);
    EXPECT_EQ(bytes(planned.stages), bytes(points[i].stages));
    EXPECT_EQ(planned.status, points[i].status);
    EXPECT_EQ(planned.reason, points[i].reason);
    EXPECT_EQ(planned.time.value, 0) << "nothing is measured yet";
  }
}

TEST_F(Points, AnIdHasParametersLaunchesAndGraph) {
  Point point;
  point.op = "spmv";
  point.implementation = "kokkos";
  point.types = uniform_types(DType::fp64);
  point.params = "matrix=a/b.mtx,n=3";
  point.launches = 100;
  point.graph = true;
  EXPECT_EQ(point_id(point), "point/spmv/kokkos/fp64/matrix=a/b.mtx,n=3/launches=100/graph");
  point.launches = 1;
  point.graph = false;
  point.cold = true;
  EXPECT_EQ(point_id(point), "point/spmv/kokkos/fp64/matrix=a/b.mtx,n=3/cold");
}

TEST_F(Points, SeveralLaunchesAreTimedAsOneOnArraysOfTheirOwn) {
  auto wanted = request(Mode::full);
  wanted.cases = {{.op = "mirror", .params = {{{"n", 10}}}, .launches = 3, .count = 5, .label = "three"}};
  const auto points = rows(wanted);
  ASSERT_EQ(points.size(), 2U) << "no cold runs of several launches";
  const Point& point = points.front();
  EXPECT_EQ(point.id, "point/mirror/kokkos/fp64/n=10/launches=3");
  EXPECT_EQ(point.launches, 3);
  EXPECT_EQ(point.count, 5);
  EXPECT_EQ(point.label, "three");
  EXPECT_EQ(bytes(point.stages), 3 * 160);
  EXPECT_EQ(flops(point.stages), 3 * 10);
  EXPECT_EQ(point.stages[0].working_set, 3 * 160);
  EXPECT_EQ(point.stages[0].launches, 3);
  EXPECT_EQ(log.created, 3);
  ASSERT_GE(log.runs.size(), 6U);
  EXPECT_EQ(std::vector(log.runs.begin(), log.runs.begin() + 6), (std::vector{0, 1, 2, 0, 1, 2}));
}

TEST_F(Points, AGraphIsUnsupportedWhereTheBackendRefuses) {
  auto wanted = request(Mode::quick);
  wanted.cases = {{.op = "mirror", .graph = true}};
  const auto points = rows(wanted);
  EXPECT_EQ(points[0].status, Status::unsupported);
  EXPECT_EQ(points[0].reason, "no graphs on this device");
  EXPECT_EQ(points[0].stages[0].launches, 0) << "a graph is not charged the launch";
}

TEST_F(Points, CasesChooseOperatorsTypesAndSizesAndTheSameRunIsPlannedOnce) {
  auto wanted = request(Mode::quick);
  wanted.dtypes = {};
  wanted.cases = {{.op = "mirror", .params = {{{"n", 4}}}, .dtypes = {DType::fp64}},
                  {.op = "mirror", .params = {{{"n", 4}}, {{"n", 5}}}}};
  std::vector<std::string> ids;
  for (const Point& point : rows(wanted)) {
    if (point.implementation == "kokkos") ids.push_back(point.id);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"point/mirror/kokkos/fp64/n=4", "point/mirror/kokkos/fp32/n=4",
                                           "point/mirror/kokkos/fp32/n=5"}));
  wanted.dtypes = {DType::fp32};
  EXPECT_EQ(rows(wanted).front().id, "point/mirror/kokkos/fp32/n=4") << "--dtype narrows what a case takes";
  wanted.cases = {{.op = "no_such"}};
  EXPECT_EQ(rows(wanted).front().id, "point/no_such");
  EXPECT_EQ(rows(wanted).front().status, Status::unsupported);
}

TEST_F(Points, StandBetweenTheRoofsThatBoundThem) {
  const auto ids = [&](bool ceilings, bool points) {
    auto wanted = request(Mode::quick);
    wanted.ceilings = ceilings;
    wanted.points = points;
    std::vector<std::string> planned;
    for (const Item& item : worker::plan_items(backend, paper_device(), wanted, entries, nullptr))
      planned.push_back(item.id());
    return planned;
  };
  const std::string roof = "ceiling/bandwidth/DRAM/read/sustained/paper";
  const auto all = ids(true, true);
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all.front(), roof);
  EXPECT_EQ(std::ranges::count(all, roof + "/among_operators"), 1);
  EXPECT_NE(all[1], roof + "/among_operators") << "before any operator";
  EXPECT_EQ(ids(true, false), std::vector{roof});
  EXPECT_EQ(std::ranges::count(ids(false, true), roof + "/among_operators"), 0);
}

}  // namespace
}  // namespace gable
