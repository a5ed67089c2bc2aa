#include "backends/openmp/ceilings/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "backends/openmp/ceilings/row.hpp"

namespace gable::openmp {
namespace {

constexpr DType dtypes[] = {DType::fp64, DType::fp32, DType::fp16, DType::bf16, DType::int8};

/// IEEE binary16 of a finite value of moderate size (|x| < 65504, rounding towards zero; subnormals become 0).
std::uint16_t to_fp16(float value) {
  std::uint32_t bits{};
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const auto exponent = static_cast<std::int32_t>(bits >> 23 & 0xFFU) - 127 + 15;
  if (exponent <= 0) return static_cast<std::uint16_t>(sign);
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(exponent) << 10 | (bits >> 13 & 0x3FFU));
}

/// Standard normal values in the storage type (int8: 32 x normal, clipped): what activations and weights look like.
std::vector<std::byte> random_normal(DType dtype, std::size_t count, std::uint64_t seed) {
  const auto size = static_cast<std::size_t>(size_bytes(dtype));
  std::vector<std::byte> bytes(count * size);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  // A prime period: rows of the matrix differ, and filling takes no longer than measuring.
  constexpr std::size_t period = 65537;
  const auto store = [&](std::byte* at, double value) {
    if (dtype == DType::fp64) {
      std::memcpy(at, &value, sizeof value);
      return;
    }
    const auto single = static_cast<float>(value);
    if (dtype == DType::fp32) {
      std::memcpy(at, &single, sizeof single);
    } else if (dtype == DType::fp16) {
      const auto half = to_fp16(single);
      std::memcpy(at, &half, sizeof half);
    } else if (dtype == DType::bf16) {
      std::uint32_t bits{};
      std::memcpy(&bits, &single, sizeof bits);
      const auto upper = static_cast<std::uint16_t>(bits >> 16);
      std::memcpy(at, &upper, sizeof upper);
    } else {
      const auto integer = static_cast<std::int8_t>(std::clamp(std::lround(32.0 * value), -127L, 127L));
      std::memcpy(at, &integer, sizeof integer);
    }
  };
  const std::size_t drawn = std::min(count, period);
  for (std::size_t i = 0; i < drawn; ++i) store(bytes.data() + i * size, normal(random));
  for (std::size_t i = drawn; i < count; i += period) {
    std::memcpy(bytes.data() + i * size, bytes.data(), std::min(period, count - i) * size);
  }
  return bytes;
}

/// C = A B, n x n.
class GemmBenchmark final : public measure::Benchmark {
 public:
  GemmBenchmark(Setup& setup, const Types& types, std::int64_t n)
      : library_(*setup.library),
        team_(setup.team),
        a_(random_normal(types.a, static_cast<std::size_t>(n * n), 1)),
        b_(random_normal(types.b, static_cast<std::size_t>(n * n), 2)),
        c_(static_cast<std::size_t>(static_cast<double>(n * n) * size_bytes(types.out))) {
    call_ = {n, n, n, n, n, n, types, a_.data(), b_.data(), c_.data(), nullptr};
  }

  measure::Sample run(std::uint64_t calls) override {
    const auto all = [&] {
      for (std::uint64_t i = 0; i < calls; ++i) library_.gemm(call_);
    };
    return team_->timed_beside(all);
  }
  double bytes() const { return static_cast<double>(a_.size() + b_.size() + c_.size()); }

 private:
  VendorLibrary& library_;
  std::shared_ptr<Team> team_;
  std::vector<std::byte> a_, b_, c_;
  GemmCall call_;
};

std::int64_t gemm_size(const Setup& setup) {
  if (!setup.full()) return 1024;
  return setup.threads() < 32 ? 2048 : 4096;
}

/// The unit the library works on: tiles where the CPU has them for the type.
Unit unit_of(const Setup& setup, DType dtype) {
  return compute_kernels(setup.instructions, "matrix", dtype).empty() ? Unit::vector : Unit::matrix;
}

Types gemm_types(DType dtype) {
  auto types = uniform_types(dtype);
  if (dtype == DType::int8) types.out = DType::int32;
  return types;
}

Item gemm_item(const SharedSetup& setup, DType dtype) {
  const Unit unit = unit_of(*setup, dtype);
  auto row = new_row(*setup, CeilingKind::compute, std::string(to_string(unit)), std::string(rate_unit(unit, dtype)));
  const auto types = gemm_types(dtype);
  row.dtype = dtype;
  row.accumulate = types.accumulate;
  row.at = OperatingPoint::library;
  row.data_pattern = "random_normal";
  auto* library = setup->library;
  const auto reason = library == nullptr ? "no vendor library in this build" : library->refuses_gemm(types);
  if (library != nullptr && reason.empty()) {
    row.implementation = library->name(types);
  } else {
    row.status = Status::unsupported;
    row.reason = reason;
  }
  const auto n = gemm_size(*setup);
  auto title = fmt::format("{} GEMM, {} x {} x {}, vendor library", to_string(dtype), n, n, n);
  const double expected_s = setup->policies.library.time_limit_s;
  return row_item(setup, std::move(row), std::move(title), expected_s, [types, n](Setup& s, Ceiling& r) {
    GemmBenchmark benchmark(s, types, n);
    const auto size = static_cast<double>(n);
    r.value = measure::measure(benchmark, {2.0 * size * size * size, true}, s.policies.library);
    r.working_set_bytes = benchmark.bytes();
  });
}

}  // namespace

std::vector<Item> library_ceilings(const SharedSetup& setup) {
  std::vector<Item> items;
  for (const auto dtype : dtypes) {
    const auto& asked = setup->request.dtypes;
    if (!asked.empty() && std::find(asked.begin(), asked.end(), dtype) == asked.end()) continue;
    items.push_back(gemm_item(setup, dtype));
  }
  return items;
}

}  // namespace gable::openmp
