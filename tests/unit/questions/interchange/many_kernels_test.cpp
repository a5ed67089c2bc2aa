#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/questions/interchange/database.hpp"
#include "core/result/store.hpp"
#include "imported_file.hpp"
#include "tests/unit/error_of.hpp"

namespace gable {
namespace {

/// Launches of as many kernels in Nsight Compute's wide form, with the 18 metrics of a roofline.
std::string profile_of(int kernels) {
  std::string names = "\"ID\",\"Process ID\",\"Kernel Name\",\"gpu__time_duration.sum\"";
  std::string units = "\"\",\"\",\"\",\"ns\"", figures;
  for (const char* bytes : {"dram__bytes_read", "dram__bytes_write", "lts__t_bytes", "l1tex__t_bytes"}) {
    names += std::string(",\"") + bytes + ".sum\"";
    units += ",\"byte\"";
    figures += ",\"64\"";
  }
  names += ",\"sm__inst_executed_pipe_tensor.sum\"";
  units += ",\"inst\"";
  figures += ",\"0\"";
  for (const char* op :
       {"dadd", "dmul", "dfma", "fadd", "fmul", "ffma", "fadd2", "fmul2", "ffma2", "hadd", "hmul", "hfma"}) {
    names += std::string(",\"smsp__sass_thread_inst_executed_op_") + op + "_pred_on.sum\"";
    units += ",\"inst\"";
    figures += ",\"12\"";
  }
  std::string text = names + '\n' + units + '\n';
  for (int i = 0; i < kernels; ++i) {
    const std::string number = std::to_string(i);
    text +=
        "\"" + number + "\",\"1\",\"kernel_" + number + "(int)\",\"" + std::to_string(1000 + i) + "\"" + figures + '\n';
  }
  return text;
}

/// The processor's time for it: a busy machine makes it little longer.
double seconds_to_import(const test::ImportedFiles& files, int kernels, const std::filesystem::path& output) {
  const std::string text = profile_of(kernels);
  const std::clock_t start = std::clock();
  const Result result = files.read(text);
  result::save(result, output);
  const std::clock_t end = std::clock();
  EXPECT_EQ(result.points.size(), static_cast<std::size_t>(kernels));
  EXPECT_DOUBLE_EQ(result.points.back().time.value, (1000 + kernels - 1) * 1e-9);
  EXPECT_DOUBLE_EQ(test::operations(result.points.back(), Unit::vector, DType::fp64), 12 + 12 + 2 * 12);
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

/// Reading, judging, checking and writing 10^5 kernels with a name each. Five times the kernels take about five times
/// as long; work that grows with their square, 25 times. Whatever the machine and the build.
TEST(ManyKernels, TakeTimeInProportion) {
  constexpr int kernels = 100000;
  const test::ImportedFiles files;
  const auto output = files.path("result.json");
  const double fifth = seconds_to_import(files, kernels / 5, output);
  const double all = seconds_to_import(files, kernels, output);
  EXPECT_LT(all, 12 * fifth) << fifth << " s for a fifth of them";
  std::ifstream written(output, std::ios::binary);
  written.seekg(-8192, std::ios::end);
  const std::string end{std::istreambuf_iterator<char>(written), {}};
  EXPECT_NE(end.find("kernel_" + std::to_string(kernels - 1) + "(int)"), std::string::npos) << end;
}

/// How much longer the processor takes to read a text of `parts` parts than one of a fifth of them: 5 where the time is
/// in proportion, 25 where it grows with their square. A fifth takes a millisecond at least.
template <class Make>
double growth(const Make& text_of, int parts) {
  const test::ImportedFiles files;
  const auto seconds = [&](int count) {
    const std::string text = text_of(count);
    const std::clock_t start = std::clock();
    files.message(text);
    return std::max(1e-3, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  };
  const double fifth = seconds(parts / 5);
  return seconds(parts) / fifth;
}
constexpr double in_proportion = 12;

TEST(ManyParts, MetricsThatNobodyLooksAtAreNotKept) {
  const auto launches = [](int count) {
    std::string text =
        "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
        "\"0\",\"k\",\"gpu__time_duration.sum\",\"us\",\"1.5\"\n";
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      text += "\"" + number + "\",\"k\",\"sm__ops_path_tensor_src_" + number + ".sum\",\"inst\",\"1\"\n";
    }
    return text;
  };
  EXPECT_LT(growth(launches, 20000), in_proportion) << "a place for each metric of each launch grows with the square";
}

TEST(ManyParts, RunsPassesAndCellsTakeTimeInProportion) {
  const auto repeated = [](const std::string& head, const std::string& line, const std::string& tail = "") {
    return [=](int count) {
      std::string text = head;
      for (int i = 0; i < count; ++i) {
        std::string one = line;
        for (auto at = one.find('#'); at != one.npos; at = one.find('#')) one.replace(at, 1, std::to_string(i));
        text += one;
      }
      return text + tail;
    };
  };
  EXPECT_LT(growth(repeated("Function    MBytes/sec  Min (sec)\n", "Copy  1000.5  0.1\n"), 20000), in_proportion);
  EXPECT_LT(growth(repeated("Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,Counter_Value,Start_Timestamp,"
                            "End_Timestamp\n",
                            "1,4,k,SQ_INSTS_VALU_FMA_F64,16,1#,1#000\n"),
                   200000),
            in_proportion);
  EXPECT_LT(growth(repeated("Name,Calls,TotalDurationNs\nk", ",", "2,6000\n"), 200000), in_proportion);
  EXPECT_LT(growth(repeated("",
                            " Performance counter stats for './a':\n\n  5      fp_arith_inst_retired.scalar_double\n"
                            "\n   1.25 seconds time elapsed\n\n"),
                   20000),
            in_proportion);
  EXPECT_LT(growth(repeated("1000,ns,duration_time,1,100.00,,\n", "<not counted>,,ev_#.x,0,0.00,,\n"), 50000),
            in_proportion);
}

TEST(ManyParts, RegionsOfLikwidTakeTimeInProportion) {
  const auto regions = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += "TABLE,Region r" + std::to_string(i) +
              ",Group 1 Metric,MEM,2\nMetric,HWThread 0\nRuntime (RDTSC) [s],2.5\nMemory data volume [GBytes],3.5\n";
    return text;
  };
  EXPECT_LT(growth(regions, 50000), in_proportion);
}

TEST(ManyParts, ADatabaseThatHasNoEndIsGivenUp) {
  const test::ImportedFiles files;
  const std::filesystem::path file = files.path("a.sqlite");
  if (!test::MadeDatabase(file).run("CREATE TABLE one(id INT);INSERT INTO one VALUES (7)"))
    GTEST_SKIP() << "no SQLite library here";
  const interchange::Database database(file, 0.05);
  const auto said = [&](const char* what) -> std::string {
    return error_of([&] {
      database.ask(
          std::string("WITH RECURSIVE n(i) AS (SELECT id FROM one UNION ALL SELECT i + 1 FROM n) SELECT ") + what,
          [](const interchange::Database::Row&) {});
    });
  };
  EXPECT_EQ(said("SUM(i) FROM n"),
            "SQLite has no answer from it within 0.05 s: it is too large to be read here, or damaged");
  EXPECT_NE(said("i FROM n").find("more rows than its size allows"), std::string::npos) << said("i FROM n");
  const std::string long_text = said("hex(zeroblob(10000000)) FROM one");  // 20 MB
  EXPECT_NE(long_text.find("too big"), std::string::npos) << long_text;
  std::int64_t id = 0;
  database.ask("SELECT id FROM one", [&](const interchange::Database::Row& row) { id = row.integer(0); });
  EXPECT_EQ(id, 7) << "the next question has its own time";
}

}  // namespace
}  // namespace gable
