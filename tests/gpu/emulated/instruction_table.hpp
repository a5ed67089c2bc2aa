#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/gpu/emulated/ptx_kernel.hpp"

namespace gable::emulated {

using Bits = std::uint64_t;

constexpr Bits bits32(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr Bits bits64(double value) { return std::bit_cast<std::uint64_t>(value); }

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

/// Runs each instruction with a case in each lane.
inline void expect_results(const std::vector<Row>& table) {
  for (const Row& row : table) {
    const std::size_t sources = row.registers.size() - 1;
    const char kind = row.registers[0];
    std::string result = register_name(kind, 99), statement = row.instruction + " " + result;
    for (std::size_t i = 0; i < sources; ++i) statement += ", " + register_name(row.registers[i + 1], i);
    statement += row.tail + ";";
    if (kind == 'p') {
      statement += "selp.b32 %r99, 1, 0, " + result + ";";
      result = "%r99";
    }
    std::vector<std::vector<Bits>> inputs(sources);
    for (const Case& one : row.cases) {
      for (std::size_t i = 0; i < sources; ++i) inputs[i].push_back(one.sources.at(i));
    }
    const int bits = kind == 'h' ? 16 : kind == 'w' || kind == 'd' ? 64 : 32;
    std::vector<Bits> results;
    ASSERT_NO_THROW(results = in_lanes(statement, result, bits, inputs)) << statement;
    for (std::size_t lane = 0; lane < row.cases.size(); ++lane) {
      std::string text = statement;
      for (const Bits source : row.cases[lane].sources) text += " " + std::to_string(source);
      EXPECT_EQ(results[lane], row.cases[lane].result)
          << text << std::hex << ": " << results[lane] << ", expected " << row.cases[lane].result;
    }
  }
}

}  // namespace gable::emulated
