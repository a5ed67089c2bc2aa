#include "backends/kokkos/tool/recorder.hpp"

#include <gtest/gtest.h>

#include <cfenv>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <locale>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "core/text/csv_table.hpp"
#include "folder.hpp"

namespace {
int allocations_left = -1;  ///< until there is no memory; -1: endless
}

void* operator new(std::size_t size) {
  void* const memory = allocations_left != 0 ? std::malloc(size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace gable::tool {
namespace {

using Cells = std::map<std::string, std::string>;

/// The lines of a file of CSV by their column "name", as cells by column.
std::map<std::string, Cells> rows(const std::string& text) {
  std::map<std::string, Cells> found;
  const auto records = parse_csv(text);
  for (std::size_t i = 1; i < records.size(); ++i) {
    Cells cells;
    for (std::size_t j = 0; j < records[i].cells.size(); ++j) cells[records.front().cells.at(j)] = records[i].cells[j];
    found[cells["name"]] = std::move(cells);
  }
  return found;
}

/// A recorder, and what it writes.
struct Recording {
  test::Folder folder;
  Recorder recorder;
  std::string said;
  Counts counts;  ///< what the counters show now
  std::map<std::string, Cells> kernels, points;

  void declare(const std::string& lines, Parameters parameters = {}) {
    const std::string file = folder.write("work.csv", "label,flops,bytes,dtype\n" + lines);
    recorder.declare(read_declarations(file), std::move(parameters));
  }
  void count(const std::string& dtype) {
    recorder.count([this] { return counts; }, dtype);
  }
  /// A kernel in which the counters go on by so much.
  void kernel(const std::string& name, double flops = 0, double bytes = 0, Place place = Place::host) {
    const auto id = recorder.begin(Kind::parallel_for, name, place);
    if (counts.flops) *counts.flops += flops;
    if (counts.bytes) *counts.bytes += bytes;
    recorder.end(id);
  }
  void write() {
    said = recorder.write((folder.path() / "app").string());
    kernels = rows(folder.read("app.kernels.csv"));
    points = rows(folder.read("app.points.csv"));
  }
};

TEST(Recorder, TakesParametersFromTheNameThenTheRegionsThenTheEnvironment) {
  Recording run;
  run.declare("gemm,m*n*k,8*k,fp32\n", {{"m", 3}, {"n", 5}, {"k", 7}});
  run.recorder.push_region("outer[n=20,m=30]");
  run.recorder.push_region("inner[n=2]");
  run.kernel("gemm[m=11]");
  run.kernel("gemm");
  run.recorder.pop_region();
  run.recorder.pop_region();
  run.kernel("gemm");
  run.write();
  EXPECT_EQ(run.points.at("outer[n=20,m=30] / inner[n=2] / gemm[m=11]")["flops"], "154");
  EXPECT_EQ(run.points.at("outer[n=20,m=30] / inner[n=2] / gemm")["flops"], "420");
  EXPECT_EQ(run.points.at("gemm")["flops"], "105");
  EXPECT_EQ(run.points.at("gemm")["bytes"], "56");
  EXPECT_EQ(run.points.at("gemm")["dtype"], "fp32");
  EXPECT_EQ(run.kernels.at("gemm[m=11]")["flops_from"], "declared");
}

TEST(Recorder, TellsOfAParameterThatIsMissing) {
  Recording run;
  run.declare("gemm,m*n,8*m,\nfill,0,8,\n");
  run.kernel("gemm[m=11]");
  run.kernel("fill");
  run.write();
  EXPECT_EQ(run.points.count("gemm[m=11]"), 0U);
  EXPECT_EQ(run.points.count("fill"), 1U);
  EXPECT_NE(run.said.find("1 with declarations that have no value, first 'gemm[m=11]': parameter 'n' is not known"),
            std::string::npos)
      << run.said;
}

TEST(Recorder, PutsCountsInPlaceOfDeclarations) {
  Recording run;
  run.declare("axpy,2,24,fp64\nsingle,3,12,fp32\n");
  run.counts = {.flops = 1000, .bytes = 5000};
  run.count("fp64");
  run.kernel("axpy", 20, 240);
  run.kernel("axpy", 22, 242);
  run.kernel("single", 1, 120);  // counters of fp64 do not see its operations
  run.kernel("undeclared", 6, 60);
  run.write();
  EXPECT_EQ(run.kernels.at("axpy")["flops"], "42");
  EXPECT_EQ(run.kernels.at("axpy")["flops_from"], "counted");
  EXPECT_EQ(run.points.at("axpy")["flops"], "21");
  EXPECT_EQ(run.points.at("axpy")["bytes"], "241");
  EXPECT_EQ(run.points.at("single")["flops"], "3");
  EXPECT_EQ(run.points.at("single")["bytes"], "120");
  EXPECT_EQ(run.kernels.at("single")["flops_from"], "declared");
  EXPECT_EQ(run.kernels.at("single")["bytes_from"], "counted");
  EXPECT_EQ(run.points.at("undeclared")["flops"], "6");
  EXPECT_EQ(run.points.at("undeclared")["dtype"], "fp64");
}

TEST(Recorder, LeavesOutWhatIsHalfKnown) {
  Recording run;
  run.declare("axpy,2,24,\n");
  run.counts.flops = 0;
  run.count("fp64");
  run.kernel("axpy", 20);
  run.kernel("undeclared", 6);
  run.write();
  EXPECT_EQ(run.points.at("axpy")["flops"], "20");
  EXPECT_EQ(run.points.at("axpy")["bytes"], "24");
  EXPECT_EQ(run.points.count("undeclared"), 0U);
  EXPECT_EQ(run.kernels.at("undeclared")["flops"], "6");
  EXPECT_EQ(run.kernels.at("undeclared")["bytes"], "");
  EXPECT_NE(run.said.find("1 whose flops or bytes are not known"), std::string::npos) << run.said;
}

TEST(Recorder, TakesNoCountOfKernelsThatRunAtOnceOrOnAGpu) {
  Recording run;
  run.declare("*,2,24,\n");
  run.counts = {.flops = 0, .bytes = 0};
  run.count("fp64");
  const auto first = run.recorder.begin(Kind::parallel_for, "first");
  run.kernel("second", 20, 240);
  run.recorder.end(first);
  run.kernel("gpu", 20, 240, Place::gpu);
  run.kernel("alone", 30, 360);
  run.write();
  for (const char* name : {"first", "second", "gpu"}) {
    EXPECT_EQ(run.kernels.at(name)["flops"], "2") << name;
    EXPECT_EQ(run.kernels.at(name)["flops_from"], "declared") << name;
    EXPECT_EQ(run.kernels.at(name)["bytes_from"], "declared") << name;
  }
  EXPECT_EQ(run.kernels.at("alone")["flops"], "30");
}

TEST(Recorder, TakesNoCountThatMissedACall) {
  Recording run;
  run.declare("axpy,2,24,\n");
  run.counts = {.flops = 0, .bytes = 0};
  run.count("fp64");
  run.kernel("axpy", 20, 240);
  run.counts.flops.reset();  // as where another program takes the counters
  run.kernel("axpy", 20, 240);
  run.write();
  EXPECT_EQ(run.kernels.at("axpy")["flops"], "4");
  EXPECT_EQ(run.kernels.at("axpy")["flops_from"], "declared");
  EXPECT_EQ(run.kernels.at("axpy")["bytes"], "480");
}

/// 150 regions in each other, none of which ends; what is begun behind them is still recorded.
TEST(Recorder, RegionsThatNeverEndStayWithinBounds) {
  Recording run;
  for (int i = 0; i < 150; ++i) run.recorder.push_region("smooth");
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(run.recorder.pop_region("smooth"));
  for (int i = 0; i < 100; ++i) run.recorder.pop_region();
  EXPECT_FALSE(run.recorder.pop_region("smooth")) << "all have ended";
  run.kernel("after");
  run.write();
  EXPECT_EQ(run.kernels["after"]["region"], "");
  EXPECT_NE(run.said.find("50 regions more than 100 deep were not recorded"), std::string::npos) << run.said;
}

TEST(Recorder, NamesThatNeverRepeatStayWithinBounds) {
  Recording run;
  const std::size_t further = 10;
  for (std::size_t i = 0; i < Recorder::most_names + further; ++i) {
    const std::string name = "r" + std::to_string(i);
    run.recorder.push_region(name);
    run.recorder.pop_region();
  }
  run.write();
  EXPECT_EQ(run.kernels["(further names)"]["calls"], std::to_string(further));
  EXPECT_EQ(run.kernels.size(), Recorder::most_names + 1);
  EXPECT_NE(run.said.find("beyond the first 100000"), std::string::npos) << run.said;
}

TEST(Recorder, AmountsThatAreNoAmountAreLeftOutAndTold) {
  Recording run;
  run.recorder.push_region("a");
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    run.recorder.add_work("a", wrong, 1);
    run.recorder.add_work("a", 1, wrong);
  }
  run.recorder.add_work("a", 8, 4);
  run.recorder.pop_region();
  run.write();
  EXPECT_EQ(run.points["a"]["flops"], "8");
  EXPECT_EQ(run.points["a"]["bytes"], "4");
  EXPECT_NE(run.said.find("6 amounts of work that are no amount"), std::string::npos) << run.said;
}

TEST(Recorder, ANameMayBeNullEmptyOrEndless) {
  EXPECT_EQ(named(nullptr), "(no name)");
  EXPECT_EQ(named(""), "(no name)");
  EXPECT_EQ(named(" \n"), "(no name)");  // nor would it have one in the file
  EXPECT_EQ(named(std::string(5000, 'x').c_str()).size(), 1000U);
}

TEST(Recorder, GoesOnWhereMemoryWasShort) {
  for (int enough = 0; enough < 20; ++enough) {
    Recording run;
    allocations_left = enough;
    try {
      run.recorder.push_region("short");
      run.recorder.begin(Kind::parallel_for, "short");
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    for (int i = 0; i < 3; ++i) run.kernel("after");
    run.write();
    EXPECT_EQ(run.kernels["after"]["calls"], "3");
    Recorder::forget_thread();
  }
}

TEST(Recorder, WritesTheSameWhateverTheProgramSets) {
  struct Grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouped));
  ::feenableexcept(FE_DIVBYZERO | FE_INVALID);
  Recording run;
  run.declare("axpy,2/n,24,\n", {{"n", 0}});
  for (int i = 0; i < 1000; ++i) run.kernel("axpy");
  run.write();
  ::fedisableexcept(FE_ALL_EXCEPT);
  std::locale::global(before);
  EXPECT_EQ(run.kernels["axpy"]["calls"], "1000");
  EXPECT_NE(run.said.find("1 with declarations that have no value"), std::string::npos) << run.said;
}

}  // namespace
}  // namespace gable::tool
