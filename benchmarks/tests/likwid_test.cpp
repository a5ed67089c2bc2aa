// Reading what likwid-bench prints. The texts have the form of likwid 5.2's output.
#include "benchmarks/likwid.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"

namespace gable::bench {
namespace {

const std::string load_run =
    R"(Allocate: Process running on hwthread 0 (Domain N) - Vector length 4000/32000 Offset 0 Alignment 512
--------------------------------------------------------------------------------
LIKWID MICRO BENCHMARK
Test: load_avx
--------------------------------------------------------------------------------
Using 1 work groups
Using 2 threads
--------------------------------------------------------------------------------
Group: 0 Thread 0 Global Thread 0 running on hwthread 0 - Vector length 2000 Offset 0
Group: 0 Thread 1 Global Thread 1 running on hwthread 1 - Vector length 2000 Offset 2000
--------------------------------------------------------------------------------
Cycles:			4700954
CPU Clock:		2424364137
Cycle Clock:		2424364137
Time:			1.939182e-03 sec
Iterations:		40000
Iterations per thread:	20000
Size (Byte):		32000
Size per thread:	16000
Number of Flops:	0
MFlops/s:		0.00
Data volume (Byte):	640000000
MByte/s:		330035.99
Cycles per update:	0.058762
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string reason(const std::string& output) {
  try {
    parse_run(output);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LikwidRun, MegabytesAreMillions) {
  const auto run = parse_run(load_run);
  EXPECT_DOUBLE_EQ(run.time_s, 1.939182e-3);
  EXPECT_DOUBLE_EQ(run.byte_per_s, 330035.99e6);
  EXPECT_DOUBLE_EQ(run.flop_per_s, 0.0);
}

TEST(LikwidRun, FlopsOfAPeakflopsKernel) {
  const auto run = parse_run(replaced(load_run, "MFlops/s:\t\t0.00", "MFlops/s:\t\t136123.25"));
  EXPECT_DOUBLE_EQ(run.flop_per_s, 136123.25e6);
}

TEST(LikwidRun, AKernelThatCannotRunIsAReasonThoughTheExitCodeIsZero) {
  const auto text = reason(
      "Using 2 threads\nERROR: Illegal instruction\n"
      "This happens if you want to run a kernel that uses instructions not available on your system.\n");
  EXPECT_NE(text.find("Illegal instruction"), std::string::npos) << text;
}

TEST(LikwidRun, AnUnknownKernelIsAReason) {
  const auto text = reason("Error: Unknown test case nonsense\n");
  EXPECT_NE(text.find("Unknown test case nonsense"), std::string::npos) << text;
}

TEST(LikwidRun, OutputCutShortNamesTheMissingLine) {
  const auto text = reason(load_run.substr(0, load_run.find("MByte/s")));
  EXPECT_NE(text.find("MByte/s"), std::string::npos) << text;
}

TEST(LikwidRun, NotANumberIsRefused) {
  for (const char* bad : {"inf", "nan", "-1.0", "", "12x"}) {
    EXPECT_THROW(parse_run(replaced(load_run, "330035.99", bad)), Error) << bad;
  }
  EXPECT_THROW(parse_run(replaced(load_run, "1.939182e-03 sec", "0.000000e+00 sec")), Error);
}

TEST(LikwidKernels, NamesBeforeTheDash) {
  const auto kernels = parse_kernels(
      "clload - Double-precision cache line load, only loads first element of each cache line.\n"
      "copy_mem_avx - Double-precision vector copy, uses AVX and non-temporal stores\n"
      "load_avx512 - Double-precision load, optimized for AVX-\n"
      "\nUser benchmarks:\n\n");
  EXPECT_EQ(kernels, (std::set<std::string>{"clload", "copy_mem_avx", "load_avx512"}));
}

TEST(LikwidKernels, NoneInAnErrorMessage) { EXPECT_TRUE(parse_kernels("likwid-bench: not found\n").empty()); }

TEST(LikwidProperties, OfAKernel) {
  const auto properties = parse_properties(
      "Name: stream_mem_avx_fma\nDescription: Double-precision stream triad A(i) = B(i)*c + C(i)\n"
      "Number of streams: 3\nLoop stride: 16\nData Type: Double precision float\nFlops per element: 2\n"
      "Bytes per element: 24\nLoad bytes per element: 16\nStore bytes per element: 8\n");
  EXPECT_EQ(properties.streams, 3);
  EXPECT_DOUBLE_EQ(properties.flops_per_element, 2.0);
  EXPECT_DOUBLE_EQ(properties.bytes_per_element, 24.0);
}

TEST(LikwidProperties, MissingLineIsNamed) {
  EXPECT_THROW(parse_properties("Name: load\nNumber of streams: 1\n"), Error);
}

}  // namespace
}  // namespace gable::bench
