#include <gtest/gtest.h>

#include <string>

#include "imported_file.hpp"

namespace gable {
namespace {

using namespace test;
using PyTorch = OtherTools;

/// Events of a trace, of which one follows another by 100 us.
class Trace {
 public:
  /// An operator; `inputs`: ", "Input Dims": …".
  Trace& op(const std::string& name, const std::string& inputs = "", double duration = 90) {
    return add("cpu_op", name, "7", at_ += 100, duration, "\"External id\": " + std::to_string(++id_) + inputs);
  }
  /// An operator within the last one, from `begin` us behind its start.
  Trace& inside(const std::string& name, const std::string& inputs, double begin, double duration) {
    return add("cpu_op", name, "7", at_ + begin, duration, "\"External id\": " + std::to_string(++id_) + inputs);
  }
  /// A kernel that the last operator launched. As in older versions, its id is that of the launch, which another
  /// operator may have.
  Trace& kernel(const std::string& name, double duration, const std::string& launch = "cudaLaunchKernel",
                const std::string& category = "kernel", int device = 0) {
    const std::string id = std::to_string(++correlation_);
    add("cuda_runtime", launch, "7", at_ + 20, 1, "\"External id\": " + id + ", \"correlation\": " + id);
    return add(category, name, "\"stream\"", 5000 + at_, duration,
               "\"External id\": " + id + ", \"correlation\": " + id + ", \"device\": " + std::to_string(device));
  }
  Trace& add(const std::string& category, const std::string& name, const std::string& thread, double start,
             double duration, const std::string& args) {
    events_ += (events_.empty() ? "" : ",\n") + std::string(R"({"ph": "X", "cat": ")") + category + R"(", "name": ")" +
               name + R"(", "pid": 3, "tid": )" + thread + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" +
               std::to_string(duration) + ", \"args\": {" + args + "}}";
    return *this;
  }
  std::string text() const {
    return "\n{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"made up\"}],\n\"traceEvents\": "
           "[\n" +
           events_ + ",\n{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 3, \"args\": {\"name\": \"x\"}}\n]}";
  }

 private:
  std::string events_;
  double at_{};
  int id_{}, correlation_{};
};

std::string inputs(const std::string& dims, const std::string& types, const std::string& values = "",
                   const std::string& strides = "") {
  std::string text = ", \"Input Dims\": [" + dims + "], \"Input type\": [" + types + "]";
  if (!values.empty()) text += ", \"Concrete Inputs\": [" + values + "]";
  if (!strides.empty()) text += ", \"Input Strides\": [" + strides + "]";
  return text;
}
const std::string two_halves = R"("c10::Half", "c10::Half")", two_floats = R"("float", "float")";

TEST_F(PyTorch, KernelsAreOfTheOperatorThatLaunchedThem) {
  Trace trace;
  trace.op("aten::empty").op("aten::relu", inputs("[9]", R"("float")"));
  for (const double us : {4.5, 5.5}) {
    trace.op("aten::mm", inputs("[64, 32], [32, 16]", two_halves)).kernel("memset", 1, "cudaMemsetAsync", "gpu_memset");
    trace.kernel("gemm_part", us).kernel("gemm_sum", 2);
  }
  const auto result = files.read(trace.text());
  ASSERT_EQ(result.points.size(), 1U) << "operators without kernels have no time on the device";
  const Point& point = result.points.front();
  EXPECT_EQ(point.op, "aten::mm");
  EXPECT_EQ(point.params, "fp16[64,32] fp16[32,16]");
  EXPECT_EQ(point.imported->name, "aten::mm fp16[64,32] fp16[32,16]");
  EXPECT_EQ(point.implementation, "imported/pytorch");
  EXPECT_EQ(point.count, 2);
  EXPECT_DOUBLE_EQ(point.time.value, (1 + 5 + 2) * 1e-6) << "the mean of both calls, of all that each launched";
  EXPECT_DOUBLE_EQ(operations(point, Unit::multiply_add, DType::fp16), 2.0 * 64 * 32 * 16);
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_read, 2.0 * (64 * 32 + 32 * 16));
  EXPECT_DOUBLE_EQ(point.stages.front().bytes_written, 2.0 * 64 * 16);
  EXPECT_TRUE(lacks(point, "bytes beyond inputs and outputs"));
  EXPECT_FALSE(point.regime);
  EXPECT_FALSE(point.cold) << "a cache may hold what it reads";
}

TEST_F(PyTorch, OtherKernelsAreByThemselves) {
  Trace trace;
  trace.op("my::fused", inputs("[8], [8]", two_floats)).kernel("void fused<float>(float*)", 3);
  trace.op("aten::mm", inputs("[4, 4], [4, 4]", two_halves)).kernel("in_a_graph", 7, "cudaGraphLaunch");
  trace.op("aten::copy_").kernel("Memcpy HtoD (Pageable -> Device)", 9, "cudaMemcpyAsync", "gpu_memcpy");
  const auto result = files.read(trace.text());
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.points.at(0).op, "fused<float>");
  EXPECT_EQ(result.points.at(0).params, "");
  EXPECT_TRUE(lacks(result.points.at(0), "operations"));
  EXPECT_TRUE(lacks(result.points.at(0), "bytes of the main memory"));
  EXPECT_EQ(result.points.at(1).op, "in_a_graph") << "a graph's kernels are of many operators";
}

TEST_F(PyTorch, ProductsOfFp32AreOfTheTypeThatTheKernelNames) {
  const double flop = 2.0 * 4 * 5 * 6;
  const auto with = [&](const std::string& kernel) {
    Trace trace;
    return files.point(trace.op("aten::mm", inputs("[4, 6], [6, 5]", two_floats)).kernel(kernel, 2).text());
  };
  EXPECT_DOUBLE_EQ(operations(with("cutlass_80_tensorop_s1688gemm_64x64"), Unit::multiply_add, DType::tf32), flop);
  EXPECT_DOUBLE_EQ(operations(with("ampere_sgemm_32x32_tn"), Unit::multiply_add, DType::fp32), flop);
  EXPECT_TRUE(lacks(with("some_gemm"), "the type of 240 operations")) << with("some_gemm").imported->unknown.front();
}

TEST_F(PyTorch, ConvolutionsAndAttentionFollowTheirArguments) {
  // 2 images of 3 channels, 9 x 7, by 4 filters of 3 x 3, stride 2, padding 1: 5 x 4
  const auto convolve = [](Trace& trace, const std::string& kernel) {
    trace.op("aten::cudnn_convolution",
             inputs("[2, 3, 9, 7], [4, 3, 3, 3], [], [], []",
                    R"("c10::BFloat16", "c10::BFloat16", "ScalarList", "ScalarList", "ScalarList")",
                    R"("", "", "[1, 1]", "[2, 2]", "[1, 1]")"));
    trace.kernel(kernel, 2);
  };
  const auto convolution = [&](const std::string& kernel) {
    Trace trace;
    convolve(trace, kernel);
    return files.point(trace.text());
  };
  const Point direct = convolution("implicit_gemm");
  EXPECT_DOUBLE_EQ(operations(direct, Unit::multiply_add, DType::bf16), 2.0 * (2 * 4 * 5 * 4) * (3 * 3 * 3));
  EXPECT_DOUBLE_EQ(direct.stages.front().bytes_written, 2.0 * 2 * 4 * 5 * 4);
  EXPECT_EQ(direct.params, "bf16[2,3,9,7] bf16[4,3,3,3] stride 2x2 padding 1x1 dilation 1x1");
  EXPECT_TRUE(lacks(convolution("winograd_3x3"), "operations")) << "a transform does fewer";
  Trace both;
  convolve(both, "implicit_gemm");
  convolve(both, "winograd_3x3");
  const auto apart = files.read(both.text()).points;
  ASSERT_EQ(apart.size(), 2U) << "calls with a transform are a kernel of their own";
  EXPECT_EQ(apart[0].params, direct.params);
  EXPECT_DOUBLE_EQ(operations(apart[0], Unit::multiply_add, DType::bf16),
                   operations(direct, Unit::multiply_add, DType::bf16));
  EXPECT_EQ(apart[1].params, direct.params + " winograd");
  EXPECT_TRUE(lacks(apart[1], "operations"));
  const auto attention = [&](const std::string& causal) {
    Trace trace;  // 2 sequences, 10 rows, 3 heads of 8
    trace.op("aten::_flash_attention_forward",
             inputs("[2, 10, 3, 8], [2, 10, 3, 8], [2, 10, 3, 8], [], [], [], [], [], []",
                    two_halves + R"(, "c10::Half", "", "", "Scalar", "Scalar", "Scalar", "Scalar")",
                    R"("", "", "", "", "", "10", "10", "0.", ")" + causal + "\""));
    return files.point(trace.kernel("flash_fwd", 2).text());
  };
  EXPECT_DOUBLE_EQ(operations(attention("False"), Unit::multiply_add, DType::fp16), 2.0 * 6 * 10 * 10 * 16);
  EXPECT_DOUBLE_EQ(operations(attention("True"), Unit::multiply_add, DType::fp16), 2.0 * 6 * (10 * 11 / 2) * 16);
  EXPECT_EQ(attention("").op, "flash_fwd") << "without the mask its work is not known";
}

TEST_F(PyTorch, ElementwiseOperatorsMoveInputsAndOutputsOnce) {
  const auto point = [&](const std::string& op, const std::string& of) {
    return files.point(Trace().op(op, of).kernel("elementwise_kernel", 2).text());
  };
  const Point sum =
      point("aten::add", inputs("[8, 6], [6], []", R"("float", "float", "Scalar")", "", "[6, 1], [1], []"));
  EXPECT_DOUBLE_EQ(operations(sum, Unit::vector, DType::fp32), 48);
  EXPECT_DOUBLE_EQ(sum.stages.front().bytes_read, 4 * (48 + 6.0));
  EXPECT_DOUBLE_EQ(sum.stages.front().bytes_written, 4 * 48.0);
  EXPECT_FALSE(lacks(sum, "which inputs are expanded"));
  const Point copy =
      point("aten::copy_", inputs("[8, 6], [8, 6]", R"("c10::BFloat16", "double")", "", "[6, 1], [0, 1]"));
  EXPECT_DOUBLE_EQ(copy.stages.front().bytes_read, 8 * 6.0) << "one row, expanded";
  EXPECT_DOUBLE_EQ(copy.stages.front().bytes_written, 2 * 48.0);
  EXPECT_FALSE(lacks(copy, "operations")) << "it has none";
  EXPECT_TRUE(lacks(point("aten::exp", inputs("[8]", "\"float\"")), "operations"));
  EXPECT_TRUE(lacks(point("aten::exp", inputs("[8]", "\"float\"")), "which inputs are expanded"));
  EXPECT_EQ(point("aten::mul", inputs("[8], [8]", R"("c10::Half", "float")")).op, "elementwise_kernel")
      << "the type of the output is not recorded";
}

TEST_F(PyTorch, OperatorsOfTheHostHaveTheirOwnTime) {
  files.into.target.device.backend = "openmp";
  Trace trace;
  trace.op("aten::linear", inputs("[2, 8], [4, 8], [4]", R"("float", "float", "float")"), 50);
  trace.inside("aten::addmm", inputs("[4], [2, 8], [8, 4]", R"("float", "float", "float")"), 5, 40);
  trace.inside("aten::expand", "", 6, 10);
  const auto result = files.read(trace.text());
  ASSERT_EQ(result.points.size(), 3U);
  EXPECT_EQ(result.points.at(0).op, "aten::linear");
  EXPECT_DOUBLE_EQ(result.points.at(0).time.value, 10e-6);
  EXPECT_TRUE(lacks(result.points.at(0), "operations")) << "the product is that of addmm";
  EXPECT_DOUBLE_EQ(result.points.at(1).time.value, 30e-6);
  EXPECT_DOUBLE_EQ(operations(result.points.at(1), Unit::multiply_add, DType::fp32), 2.0 * 2 * 8 * 4);
}

TEST_F(PyTorch, FiguresThatAreNoJsonAreReadOver) {
  Trace trace;
  std::string text = trace.op("a: inf").kernel("k: nan", 2).text();
  text.insert(text.find("\"device\": 0"), "\"memory bandwidth (GB/s)\": inf, \"est. occupancy %\": -nan, ");
  EXPECT_EQ(files.point(text).imported->name, "k: nan");
}

TEST_F(PyTorch, WhatHoldsNoKernelsIsRefusedByName) {
  const auto says = [&](const std::string& text, const std::string& what) {
    return files.message(text).find(what) != std::string::npos;
  };
  const std::string whole = Trace().op("aten::mm").kernel("k", 2).text();
  EXPECT_TRUE(says(whole.substr(0, whole.size() - 40), "not valid JSON"));
  EXPECT_TRUE(says(Trace().op("aten::mm").text(), "no kernel of a GPU")) << "the device is a GPU";
  EXPECT_TRUE(
      says(Trace().op("a").kernel("k", 1).kernel("k", 1, "cudaLaunchKernel", "kernel", 1).text(), "2 devices (0, 1"));
  EXPECT_TRUE(
      says("{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"gc\", \"name\": \"x\"}]}", "without operators or kernels"));
  EXPECT_TRUE(says("{\"schema\": \"1.1.1\", \"start_ts\": 5, \"nodes\": []}", "execution trace"));
  EXPECT_TRUE(
      says("  Name    Self CPU %      Self CPU   # of Calls  \n  aten::mm  50.00%  1.000us  1\n", "printed table"));
  files.into.target.device.backend = "openmp";
  EXPECT_TRUE(says(whole, "ran on a GPU"));
  EXPECT_TRUE(
      says(Trace().add("cuda_runtime", "cudaLaunchKernel", "7", 1, 2, "\"correlation\": 1").op("aten::mm").text(),
           "only what the host did to launch"));
}

}  // namespace
}  // namespace gable
