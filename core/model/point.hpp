#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ceiling.hpp"
#include "core/model/dtype.hpp"
#include "core/model/estimate.hpp"
#include "core/model/imported.hpp"
#include "core/model/work.hpp"

namespace gable {

enum class Regime { compute_bound, memory_bound, overhead_bound, link_bound, below_roof };
std::string_view to_string(Regime regime);
std::optional<Regime> parse_regime(std::string_view text);

/// One operator (or user kernel) run on one device. Regime, limit and fraction are the model's answer over the ceilings
/// of the same result; they are absent where no ceiling applies.
struct Point {
  std::string id;
  std::string device;
  Scope scope{Scope::node};
  int threads{};
  std::string op;
  std::string implementation;  ///< kokkos, vendor name, user_implementation
  Types types;
  std::string params;           ///< "m=4096,n=4096"
  std::vector<Stage> stages;    ///< compulsory work
  bool cold{false};             ///< buffers rotated: every run finds its data in main memory
  int launches{1};              ///< runs on arrays of their own that are timed as one; `stages` holds the work of all
  bool graph{false};            ///< replays of a graph
  std::optional<double> count;  ///< how often the workload that was asked for does it
  std::string label;            ///< what it is called there
  Estimate time;                ///< s per run
  Conditions conditions;
  std::optional<Regime> regime;
  std::string limit;                        ///< which ceiling binds, e.g. "DRAM triad (ordinary)"
  std::optional<Unit> limit_unit;           ///< its unit, where it is a compute roof
  std::optional<double> bound_s;            ///< s, the model's least time
  std::optional<double> fraction_of_limit;  ///< bound_s / time
  /// It was compared with main memory as it was in so many rounds of a stream; bound_s is the median share that it
  /// reached beside them, of its time (ByRounds). 0 where the figures of the rows decide.
  int compared_rounds{};
  std::optional<Imported> imported{};  ///< of a profiler; the work is what it counted
  Status status{Status::ok};
  std::string reason;
};
inline const Estimate* estimate_of(const Point& row) { return &row.time; }
inline std::string_view unit_of(const Point&) { return "s"; }

/// Point::implementation of a kernel that is the user's own: its row is from a file of points, not run by gable.
inline constexpr std::string_view user_implementation = "user";
bool is_user(const Point& point);
/// Whether gable itself ran it: it is neither the user's nor of a profiler.
bool ran_here(const Point& point);

/// Launches that one run of it takes.
int launches_of_run(const Point& point);

// Derived figures as tables and pictures show them; nothing where a row has no such figure.

/// A positive, finite figure; rows that were not measured hold 0.
std::optional<double> figure(double value);
std::optional<double> flops_of(const Point& point);      ///< flop
std::optional<double> bytes_of(const Point& point);      ///< byte
std::optional<double> intensity_of(const Point& point);  ///< flop/byte
std::optional<double> flop_per_s(const Point& point);
std::optional<double> byte_per_s(const Point& point);
/// How it was run, where that is not one launch on data in the caches: "cold", "100 launches", "graph". The user's own
/// kernels are only judged as cold, which is not said.
std::string manner_of(const Point& point);

}  // namespace gable
