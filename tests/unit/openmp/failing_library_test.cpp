// Libraries that are there and do not start: the functions here are found before oneDNN's and FFTW's.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <variant>

#include "backends/openmp/openmp_backend.hpp"
#include "backends/openmp/vendor_library.hpp"
#include "core/error.hpp"

extern "C" {
int dnnl_engine_create(void*, int, std::size_t) { return 5; }  // dnnl_runtime_error
int fftw_init_threads() { return 0; }
}

namespace gable::openmp {
namespace {

const Types bf16{DType::bf16, DType::bf16, DType::fp32, DType::fp32, DType::fp32};

/// What is said of a library that is asked, and whether it throws that.
std::string thrown_by(const std::function<std::string()>& ask) {
  try {
    return "not thrown: " + ask();
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

bool has(const char* library) {
  const auto all = library_versions();
  return std::any_of(all.begin(), all.end(), [library](const auto& one) { return one.first == library; });
}

TEST(ALibraryThatDoesNotStart, SaysSoWhenItIsAskedAndLeavesTheOthersAlone) {
  if (!has("onednn") || !has("fftw3")) GTEST_SKIP() << "a build without them";
  const auto libraries = make_vendor_library({0});
  EXPECT_EQ(thrown_by([&] { return libraries->refuses_gemm(bf16); }).rfind("onednn: ", 0), 0U);
  EXPECT_EQ(thrown_by([&] { return libraries->refuses_gemv(bf16); }).rfind("onednn: ", 0), 0U);
  EXPECT_EQ(thrown_by([&] { return libraries->refuses_fft(uniform_types(DType::fp64)); }), "fftw3: no threads");
  EXPECT_EQ(libraries->name(bf16), "onednn");
  EXPECT_EQ(libraries->fft_name(), "fftw3");
  const std::string wide = thrown_by([&] { return libraries->refuses_gemm(uniform_types(DType::fp64)); });
  EXPECT_EQ(wide.rfind("not thrown: ", 0), 0U) << wide;
}

TEST(ALibraryThatDoesNotStart, MakesErrorRowsOfItsCeilings) {
  if (!has("onednn")) GTEST_SKIP() << "a build without oneDNN";
  OpenMPBackend backend;
  Request request;
  request.threads = 1;
  backend.open(backend.probe().devices.at(0), request);
  int errors = 0;
  for (const Item& item : backend.ceilings()) {
    const auto* row = std::get_if<Ceiling>(&item.planned);
    if (row == nullptr || row->at != OperatingPoint::library) continue;
    const bool narrow = row->dtype != DType::fp64 && row->dtype != DType::fp32;
    EXPECT_EQ(row->status == Status::error, narrow) << item.id();
    errors += narrow ? 1 : 0;
    if (!narrow) continue;
    EXPECT_EQ(row->reason.rfind("onednn: ", 0), 0U) << row->reason;
    EXPECT_EQ(row->implementation, "onednn");
  }
  EXPECT_EQ(errors, 3);
}

}  // namespace
}  // namespace gable::openmp
