#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "backends/openmp/isa/isa.hpp"
#include "core/error.hpp"

namespace gable::isa {
namespace {

/// In [0, 1), from the generator's bits, because std distributions differ between libraries.
double unit_random(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-53; }

/// Addend of x <- x x + c.
double random_addend(std::mt19937_64& generator) { return -1.6 - 0.35 * unit_random(generator); }

double random_start(std::mt19937_64& generator) {
  const double size = 0.25 + 1.25 * unit_random(generator);
  return (generator() >> 63) != 0 ? size : -size;
}

/// |x| in [0.25, 2) to half precision, truncated.
std::uint16_t to_half(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(std::fabs(x), &exponent);  // [0.5, 1)
  const auto bits = (exponent + 14) * 1024 + static_cast<int>(mantissa * 2048) - 1024;
  return static_cast<std::uint16_t>(bits | (x < 0 ? 0x8000 : 0));
}

std::uint16_t to_bfloat(double x) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
}

/// Half precision is so coarse that x x + c can come out subnormal. With x = k/1024 and c = -m/1024 it does where
/// 0 < |k k - 1024 m| < 64, in units of 2^-20.
bool reaches_subnormal(double c) {
  const long m = static_cast<long>(-c * 1024);
  for (long k = 1024; k < 2048; ++k) {
    const long rest = std::labs(k * k - 1024 * m);
    if (rest != 0 && rest < 64) return true;
  }
  return false;
}

template <class T, class Convert>
void fill_chains(std::mt19937_64& generator, std::span<std::byte, operand_bytes> operands, Convert convert,
                 bool coarse = false) {
  for (std::size_t at = 0; at < operand_bytes; at += sizeof(T)) {
    double value = at < operand_bytes / 2 ? random_addend(generator) : random_start(generator);
    while (coarse && at < operand_bytes / 2 && reaches_subnormal(value)) value = random_addend(generator);
    const T element = convert(value);
    std::memcpy(operands.data() + at, &element, sizeof(T));
  }
}

}  // namespace

void fill_operands(std::string_view dtype, std::uint64_t seed, std::span<std::byte, operand_bytes> operands) {
  std::mt19937_64 generator(seed);
  if (dtype == "fp64") return fill_chains<double>(generator, operands, [](double x) { return x; });
  if (dtype == "fp32") return fill_chains<float>(generator, operands, [](double x) { return static_cast<float>(x); });
  if (dtype == "fp16") return fill_chains<std::uint16_t>(generator, operands, to_half, true);
  if (dtype == "bf16") return fill_chains<std::uint16_t>(generator, operands, to_bfloat);
  if (dtype == "int8" || dtype == "int32") {
    for (auto& byte : operands) byte = static_cast<std::byte>(1 + generator() % 255);
    return;
  }
  throw Error("no compute kernel has operands of type " + std::string(dtype));
}

}  // namespace gable::isa
