#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/interchange/numbers.hpp"

/// LIKWID's tables of counters and metrics, in CSV (`-O`, `-o FILE.csv`) or drawn with lines, as likwid-perfctr and
/// likwid-mpirun write them.
namespace gable::interchange {

inline constexpr std::string_view whole_program = "whole program";

/// A figure as a file has it: the distance to the true one, relative, that its digits leave open; infinite of "0.0000".
struct Rounded {
  double value{};
  double rounding{};
};

/// One line of a table: a value for each thread; nothing where the thread holds no such counter ("-").
struct LikwidValues {
  std::string name, counter;  ///< "CAS_COUNT_RD", "MBOX0C0"; of metrics without counter
  std::vector<std::optional<Rounded>> values;
  bool broken{};  ///< one of them is "nan"
};

/// What the tables of one region and group hold.
struct LikwidRegion {
  std::string name{whole_program};
  std::string id;     ///< "Group 1"
  std::string group;  ///< MEM_DP
  int line{};
  std::vector<LikwidValues> info;    ///< "RDTSC Runtime [s]", "call count"
  std::vector<LikwidValues> events;  ///< raw
  std::vector<LikwidValues> metrics;

  const LikwidValues* metric(std::string_view metric) const;
  const LikwidValues* information(std::string_view entry) const;
};

/// Whether the text holds such tables.
bool has_likwid_tables(std::string_view text);
/// All of them, in the order of the file. Throws Error "line N: …" for a table that was cut off.
std::vector<LikwidRegion> likwid_regions(std::string_view text);

}  // namespace gable::interchange
