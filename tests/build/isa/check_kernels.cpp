// Runs every kernel this CPU can run for a few iterations and compares with plain arithmetic. Speed is no matter here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "backends/openmp/isa/isa.hpp"
#include "core/error.hpp"

using namespace gable::isa;

namespace {

int failures = 0;
std::string checked;  ///< the table or kernel that is checked now

void expect(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  std::printf("FAILED %s %s\n", checked.c_str(), what.c_str());
}

struct Buffers {
  alignas(64) std::byte operands[operand_bytes];
  alignas(64) std::byte sink[sink_bytes];
};

template <class T>
T element(const std::byte* bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
T multiply_add(T a, T b, T c, bool fused) {
  if constexpr (std::is_floating_point_v<T>) {
    volatile T product = a * b;  // keeps this compiler from fusing
    return fused ? std::fma(a, b, c) : product + c;
  } else {
    return a * b + c;
  }
}

/// x <- x x + c is chaotic: if results are equal after a few steps, every step was the same operation.
template <class T>
void check_recurrence(const IsaTable& table, const ComputeKernel& kernel, Buffers& io) {
  constexpr std::uint64_t iterations = 3;
  const bool fused = std::string_view(kernel.instruction).find("fm") < 2 &&
                     std::string_view(kernel.instruction).find('+') == std::string_view::npos;
  const bool one_chain = std::string_view(kernel.variant) == "no_ilp";
  const int rounds = one_chain ? 16 : 2;
  const int chains = static_cast<int>(kernel.instructions) / rounds / (fused ? 1 : 2);
  const std::size_t all_lanes = kernel.unit[0] == 's' ? 1 : table.vector_bits / 8 / sizeof(T);
  const std::size_t lanes = std::min(all_lanes, sink_bytes / sizeof(T));
  kernel.run(iterations, io.operands, io.sink);
  const std::size_t half = operand_bytes / 2 / sizeof(T);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    T sum{};
    for (int chain = 0; chain < chains; ++chain) {
      const std::size_t vector = chain % (half / all_lanes);
      T x = element<T>(io.operands, half + vector * all_lanes + lane);
      const T c = element<T>(io.operands, lane);
      for (std::uint64_t i = 0; i < iterations * rounds; ++i) x = multiply_add(x, x, c, fused);
      sum = chain == 0 ? x : sum + x;
    }
    expect(element<T>(io.sink, lane) == sum, "recurrence");
  }
  expect(kernel.operations == 2.0 * chains * rounds * static_cast<double>(all_lanes), "operations per iteration");
}

/// Products added and taken away again: the sums return to their starting values up to rounding, and stay there.
template <class T>
void check_returns(const ComputeKernel& kernel, Buffers& io) {
  kernel.run(0, io.operands, io.sink);
  std::vector<T> before;
  for (std::size_t i = 0; i < 16 / sizeof(T); ++i) before.push_back(element<T>(io.sink, i));
  kernel.run(1000, io.operands, io.sink);
  for (std::size_t i = 0; i < before.size(); ++i) {
    expect(std::fabs(element<T>(io.sink, i) - before[i]) < 1e-4, "sums do not return");
  }
}

/// With every byte 3, an int32 lane gains 9 per multiply-add: tells whether the operations are counted right.
void check_int8(const IsaTable& table, const ComputeKernel& kernel, Buffers& io) {
  std::memset(io.operands, 3, operand_bytes);
  kernel.run(0, io.operands, io.sink);
  const auto before = element<std::uint32_t>(io.sink, 0);
  kernel.run(5, io.operands, io.sink);
  const double gained = element<std::uint32_t>(io.sink, 0) - before;
  expect(gained == 5 * 9 * kernel.operations / 2 / (table.vector_bits / 32.0), "operations per iteration");
}

/// Two tiles A, B and a B with other bits, each of 16 rows of 64 bytes: the sink holds the first row of 2 n (A0 + A1)
/// (B + B'), where byte b of column c in row j of a B belongs to k = 4 j + b (Intel's definition of tdpbssd). Sums wrap
/// around.
void check_int8_tiles(const ComputeKernel& kernel, Buffers& io) {
  constexpr std::size_t tile = 1024;
  constexpr std::uint32_t n = 5;
  const auto at = [&](std::size_t i) { return static_cast<std::int32_t>(element<std::int8_t>(io.operands, i)); };
  kernel.run(n, io.operands, io.sink);
  for (std::size_t column = 0; column < 16; ++column) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t b = 2 * tile + k / 4 * 64 + column * 4 + k % 4;
      const auto other = static_cast<std::int8_t>(element<std::uint8_t>(io.operands, b) ^ 0x55U);
      sum += (at(k) + at(tile + k)) * (at(b) + other);
    }
    expect(element<std::uint32_t>(io.sink, column) == static_cast<std::uint32_t>(2 * n * sum),
           "column of a tile's product");
  }
}

template <class T>
void check_exp(const ComputeKernel& kernel, Buffers& io, double limit) {
  std::mt19937_64 generator(7);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    T x[16 / sizeof(T)];
    for (auto& value : x) value = static_cast<T>((static_cast<double>(generator() >> 11) * 0x1p-52 - 1) * limit);
    for (std::size_t at = 0; at < operand_bytes; at += 16) std::memcpy(io.operands + at, x, 16);
    kernel.run(1, io.operands, io.sink);
    for (std::size_t i = 0; i < 16 / sizeof(T); ++i) {
      const long double exact = std::exp(static_cast<long double>(x[i]));
      const T nearest = static_cast<T>(exact);
      const long double ulp = static_cast<long double>(std::nextafter(nearest, static_cast<T>(INFINITY))) - nearest;
      worst = std::max(worst, static_cast<double>(std::fabs(element<T>(io.sink, i) - exact) / ulp));
    }
  }
  std::printf("%s: largest error %.3f ulp\n", checked.c_str(), worst);
  expect(worst <= 2, "error above 2 ulp");
}

template <class T>
void check_divide(const ComputeKernel& kernel, Buffers& io) {
  const T dividend = element<T>(io.operands, 0), divisor = element<T>(io.operands, operand_bytes / 2 / sizeof(T));
  for (std::size_t at = 0; at < operand_bytes; at += sizeof(T))
    std::memcpy(io.operands + at, at < operand_bytes / 2 ? &dividend : &divisor, sizeof(T));
  kernel.run(3, io.operands, io.sink);
  for (std::size_t i = 0; i < 16 / sizeof(T); ++i) expect(element<T>(io.sink, i) == dividend / divisor, "quotient");
}

/// Intel's definition of vcvtneps2bf16: a subnormal number becomes a zero of its sign, whatever MXCSR says.
std::uint16_t as_bf16_instruction(std::uint16_t value) { return (value & 0x7f80) == 0 ? value & 0x8000 : value; }

/// Every finite 2-byte value and the infinities survive the way to fp32 and back, as far as the instruction lets them.
void check_convert(const ComputeKernel& kernel, Buffers& io) {
  const unsigned exponent = std::string_view(kernel.dtype) == "fp16" ? 0x7c00 : 0x7f80;
  const bool flushes = std::string_view(kernel.instruction).find("vcvtneps2bf16") != std::string_view::npos;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & exponent) == exponent && (bits & ~exponent & 0x7fff) != 0) continue;  // NaN
    const auto value = static_cast<std::uint16_t>(bits);
    for (std::size_t at = 0; at < operand_bytes; at += 2) std::memcpy(io.operands + at, &value, 2);
    const std::uint16_t wanted = flushes ? as_bf16_instruction(value) : value;
    kernel.run(1, io.operands, io.sink);
    for (std::size_t i = 0; i < 8; ++i) expect(element<std::uint16_t>(io.sink, i) == wanted, "value changed");
  }
}

void check_compute(const IsaTable& table, const ComputeKernel& kernel) {
  static Buffers io;
  const std::string_view unit = kernel.unit, dtype = kernel.dtype, instruction = kernel.instruction;
  fill_operands(dtype, 42, io.operands);
  if (unit == "exp") return dtype == "fp32" ? check_exp<float>(kernel, io, 87) : check_exp<double>(kernel, io, 708);
  if (unit == "convert") return check_convert(kernel, io);
  if (unit == "divide") return dtype == "fp32" ? check_divide<float>(kernel, io) : check_divide<double>(kernel, io);
  if (dtype == "int8") {
    if (table.name == std::string_view("amx")) return check_int8_tiles(kernel, io);
    return check_int8(table, kernel, io);
  }
  if (dtype == "bf16" || instruction == "fmla+fmls") {
    if (dtype == "fp64") return check_returns<double>(kernel, io);
    if (dtype == "fp32" || dtype == "bf16") return check_returns<float>(kernel, io);
    return kernel.run(1000, io.operands, io.sink);  // fp16: this compiler has no such type to compare in
  }
  if (std::string_view(kernel.variant) == "fma_add" || dtype == "fp16") {
    kernel.run(1000, io.operands, io.sink);
    if (dtype == "fp64") expect(std::fabs(element<double>(io.sink, 0)) < 100, "unbounded");
    if (dtype == "fp32") expect(std::fabs(element<float>(io.sink, 0)) < 100, "unbounded");
    return;
  }
  if (dtype == "fp64") check_recurrence<double>(table, kernel, io);
  if (dtype == "fp32") check_recurrence<float>(table, kernel, io);
  if (dtype == "int32") check_recurrence<std::uint32_t>(table, kernel, io);
}

void check_stream(const IsaTable& table, const StreamKernel& kernel) {
  constexpr std::size_t n = 256, guard = 64;
  alignas(64) static double memory[3][n + 2 * guard];
  const auto first = [](std::size_t i) { return -std::sqrt(1.0 + static_cast<double>(i)); };  // bits without a pattern
  for (std::size_t i = 0; i < n + 2 * guard; ++i) {
    memory[0][i] = first(i), memory[1][i] = 0.5 * static_cast<double>(i), memory[2][i] = 7.0 + static_cast<double>(i);
  }
  double *a = memory[0] + guard, *b = memory[1] + guard, *c = memory[2] + guard;
  alignas(64) std::uint64_t sink[8] = {};
  const std::string_view access = kernel.access;
  const bool reads = access == "read" || access == "random";
  std::uint64_t words = 0;
  for (std::size_t i = 0; i < n; ++i) {  // random: the first two words of each line
    if (access != "random" || i % 8 < 2) words ^= element<std::uint64_t>(reinterpret_cast<std::byte*>(a), i);
  }
  kernel.run(a, b, c, n, 3, sink);
  for (std::size_t i = 0; i < n; ++i) {
    const double before = first(i + guard);
    const double wanted = reads                ? before
                          : access == "write"  ? stream_scalar
                          : access == "copy"   ? b[i]
                          : access == "update" ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(before) ^ 1U)
                                               : b[i] + stream_scalar * c[i];
    expect(a[i] == wanted, "element " + std::to_string(i));
  }
  for (std::size_t i = 0; i < guard; ++i) {
    expect(memory[0][i] == first(i) && a[n + i] == first(guard + n + i), "wrote outside");
  }
  if (reads && table.vector_bits <= 512) {
    std::uint64_t seen = 0;
    for (const auto word : sink) seen ^= word;
    expect(seen == words, "not every word was read");
  }
}

void check_operands() {
  static Buffers one, two;
  fill_operands("fp64", 3, one.operands);
  fill_operands("fp64", 3, two.operands);
  expect(std::memcmp(one.operands, two.operands, operand_bytes) == 0, "operands: same seed, same values");
  for (std::size_t i = 0; i < operand_bytes / 8; ++i) {
    const double x = element<double>(one.operands, i);
    expect(i < operand_bytes / 16 ? x >= -1.95 && x <= -1.6 : std::fabs(x) >= 0.25 && std::fabs(x) <= 1.5,
           "operands: range");
  }
  try {
    fill_operands("fp8", 1, one.operands);
    expect(false, "operands: unknown type accepted");
  } catch (const gable::Error& error) {
    expect(std::string(error.what()).find("fp8") != std::string::npos, "operands: error names the type");
  }
}

/// Every addition adds 1, so the sum shows whether one was left out or folded.
void check_additions() {
  expect(dependent_additions(0) == 0 && dependent_additions(1) == 100 && dependent_additions(7) == 700,
         "additions: number");
}

}  // namespace

int main() {
  check_operands();
  check_additions();
  for (const auto& candidate : all_tables()) {
    std::printf("%s: %s\n", candidate.name.c_str(), candidate.refused.empty() ? "runs" : candidate.refused.c_str());
    if (!candidate.refused.empty()) continue;
    const auto& table = *candidate.table;
    checked = candidate.name;
    expect(candidate.name == table.name, "table has another name");
    for (const auto& kernel : table.compute) {
      checked = candidate.name + "/" + kernel.unit + "/" + kernel.dtype + "/" + kernel.variant;
      check_compute(table, kernel);
    }
    for (const auto& kernel : table.stream) {
      checked = candidate.name + "/" + kernel.access + "/" + kernel.stores;
      check_stream(table, kernel);
    }
  }
  checked.clear();
  expect(std::ranges::any_of(all_tables(), [](const auto& one) { return one.refused.empty(); }), "no table runs here");
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
