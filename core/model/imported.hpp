#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

namespace gable {

/// Operations of one type on one unit that a profiler counted.
struct TypedWork {
  DType dtype{};
  std::optional<DType> accumulate;  ///< of matrix units, where the counter tells it
  Unit unit{Unit::vector};
  double operations{};  ///< flop, of integers op, of one call
};

/// Where a row is from that Gable did not measure, and what it rests on.
struct Imported {
  std::string tool;                    ///< ncu, rocprofv3, likwid-perfctr, ert …
  std::optional<std::string> version;  ///< of the tool, where the file tells it
  std::string file;                    ///< its name without folders
  std::vector<std::string> counters;   ///< the counters, metrics or columns of the file that the figures rest on
  /// Of the calls that a point's time is the mean of, where the file tells every one's.
  std::optional<double> shortest_s{}, longest_s{};
  std::string name;                   ///< the kernel or region in full; empty where the row is called the same
  std::vector<TypedWork> operations;  ///< of a point: all that was counted, by type and unit
  /// What the counters do not say of the work: "bytes of DRAM", "operations of fp16". Its bound is a least time, and
  /// it gets no verdict.
  std::vector<std::string> unknown;
  std::vector<std::string> stated{};  ///< what was not counted and is none by what the user states (`--dtype`)
};

/// The start of Ceiling::implementation and Point::implementation of such rows, before the name of the tool.
inline constexpr const char* imported_by = "imported/";

}  // namespace gable
