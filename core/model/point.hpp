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
constexpr auto names_of(Regime) {
  return names_up_to<Regime::below_roof>("compute_bound", "memory_bound", "overhead_bound", "link_bound", "below_roof");
}
enum class LimitKind { none, compute, bandwidth, overhead, link };
constexpr auto names_of(LimitKind) {
  return names_up_to<LimitKind::link>("none", "compute", "bandwidth", "overhead", "link");
}

/// What the model says of a measured point. Made by set_verdict() (core/verdict/measured_judgement.hpp) alone and kept
/// in the result file; every question reads it here. Without a regime there is no verdict, only what it lacks.
struct Verdict {
  std::optional<Regime> regime;
  std::string limit;  ///< label of the ceiling that binds, e.g. "DRAM triad (ordinary)"
  LimitKind limit_kind{LimitKind::none};
  std::optional<Unit> limit_unit;           ///< of a compute roof
  std::optional<DType> limit_dtype;         ///< of a compute roof
  std::string limit_level;                  ///< of a bandwidth roof
  int limit_stage{};                        ///< the stage with the largest share of the bound
  std::optional<double> bound_s;            ///< s, the model's least time; without a verdict that of the roofs known
  std::optional<double> overhead_s;         ///< its part that is fixed cost not hidden behind work
  std::optional<double> fraction_of_limit;  ///< bound_s / time
  /// 95 % interval of the fraction: of the time's, or of the rounds where it was compared with these.
  std::optional<double> fraction_low, fraction_high;
  /// It was compared with main memory as it was in so many rounds of a stream; bound_s is the median share that it
  /// reached beside them, of its time (ByRounds). 0 where the figures of the rows decide.
  int compared_rounds{};
  /// Why there is no verdict: roofs that may decide and are not there, what the counters of an imported point do not
  /// tell of its work.
  std::vector<std::string> missing;

  /// Whether there is one, with all that is read of it: files from before some key was there may lack that.
  bool has_verdict() const;
};

/// One operator (or user kernel) run on one device, with what the model says of it.
struct Point : Verdict {
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
