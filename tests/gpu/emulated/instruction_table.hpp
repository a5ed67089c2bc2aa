#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {

using Bits = std::uint64_t;

constexpr Bits bits32(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr Bits bits64(double value) { return std::bit_cast<std::uint64_t>(value); }
constexpr Bits all32 = 0xffffffff, all64 = ~Bits{0}, sign32 = 0x80000000, sign64 = 0x8000000000000000;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Bits one = bits32(1), two = bits32(2), nan32 = 0x7fffffff, inf32 = bits32(infinity);

/// The sources of an instruction and what it makes of them.
struct Case {
  std::vector<Bits> sources;
  Bits result;
};

/// An instruction and cases of it. `registers` has a letter for the result and for each source: h, r, w: 16, 32 and 64
/// bits, f, d: fp32 and fp64, p: a predicate (the result only, 1 if true). `tail` follows the sources.
struct Row {
  std::string instruction, registers;
  std::vector<Case> cases;
  std::string tail{};
};

inline std::string register_name(char letter, std::size_t number) {
  return (letter == 'w' ? "%rd" : letter == 'd' ? "%fd" : std::string("%") + letter) + std::to_string(number);
}

/// The message of the EmulationError that statements throw, empty if they throw none; %r0 has the lane's number.
inline std::string failure_of(const std::string& statements) {
  std::vector<Bits> numbers(32);
  std::iota(numbers.begin(), numbers.end(), Bits{0});
  try {
    in_lanes(statements, "%r9", 32, {numbers, {2}, {3}});
  } catch (const EmulationError& error) {
    return error.what();
  }
  return "";
}

/// Runs each instruction with a case in each lane.
inline void expect_results(const std::vector<Row>& table) {
  for (const Row& row : table) {
    const char kind = row.registers[0];
    std::string result = register_name(kind, 99), statement = row.instruction + " " + result;
    std::vector<std::vector<Bits>> inputs(row.registers.size() - 1);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      statement += ", " + register_name(row.registers[i + 1], i);
      for (const Case& one_case : row.cases) inputs[i].push_back(one_case.sources.at(i));
    }
    statement += row.tail + ";";
    if (kind == 'p') statement += "selp.b32 %r99, 1, 0, " + std::exchange(result, "%r99") + ";";
    const int bits = kind == 'h' ? 16 : kind == 'w' || kind == 'd' ? 64 : 32;
    std::vector<Bits> results;
    ASSERT_NO_THROW(results = in_lanes(statement, result, bits, inputs)) << statement;
    for (std::size_t lane = 0; lane < row.cases.size(); ++lane) {
      EXPECT_EQ(results[lane], row.cases[lane].result) << statement << " case " << lane << std::hex << ": "
                                                       << results[lane] << ", expected " << row.cases[lane].result;
    }
  }
}

}  // namespace gable::emulated
