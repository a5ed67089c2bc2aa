#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ceiling.hpp"
#include "core/model/dtype.hpp"
#include "core/model/point.hpp"
#include "core/model/work.hpp"

namespace gable {

/// A compute roof: P for one unit and type. It applies to work whose types match: dtype is Types::compute and
/// accumulate Types::accumulate for scalar, vector and matrix units; for exp (op/s) dtype is
/// Types::accumulate, for convert (op/s) it is Types::a, and the roof's accumulate does not matter. Multiply-add work
/// meets vector and matrix roofs (Roofline::peak()).
struct ComputeRoof {
  Unit unit{};
  DType dtype{};
  DType accumulate{};
  OperatingPoint at{OperatingPoint::none};
  double flop_per_s{};
  double low{}, high{};  ///< 95 % interval; equal to flop_per_s where there is none
  std::string label;
  bool operator==(const ComputeRoof&) const = default;
};

/// A bandwidth roof: B of one memory level for one access mix. Access::none (a datasheet figure) stands for every mix
/// that no measured one covers, but not for lines at random. Non-temporal roofs are drawn, never applied.
struct BandwidthRoof {
  std::string level;
  Access access{Access::none};
  Stores stores{Stores::none};
  double byte_per_s{};
  double low{}, high{};
  std::string label;
  bool link{false};  ///< PCIe, NVLink …: applied to stages that name it in Stage::inner
  /// Whether it is applied to bytes that move in order.
  bool is_of_streams() const { return stores != Stores::non_temporal && access != Access::random; }
  bool operator==(const BandwidthRoof&) const = default;
};

/// What a sweep over working sets says of one level, for one mix of reads and writes: the part of its bytes that a pass
/// takes at the level's roof, the time of the sweep over that of the roof, at most 1.
struct SweptShare {
  double read_fraction{};
  std::vector<double> set_bytes{};  ///< ascending
  std::vector<double> share{};
};

/// A memory level, innermost first, of the scope.
struct Level {
  std::string name;
  double capacity_bytes{};  ///< 0 means unbounded (DRAM); what is whole of it where that was measured (told_bytes > 0)
  double told_bytes{};      ///< what the system says, where capacity_bytes is not that; else 0
  /// Passes over up to so many bytes run at the level's own bandwidth, by sweeps; 0 where none shows it.
  double whole_bytes{};
  std::vector<SweptShare> swept{};  ///< by ascending fraction of reads; empty where there is no sweep or no roof
};

/// How much of a cache larger passes still find there.
enum class Residency {
  expected,  ///< less and less from twice the cache's size on: what a bound counts on
  most,      ///< all that the cache holds, up to four times its size: what no program beats
};

/// Bytes a stage draws from each level, same order as `levels` (innermost first; empty in, empty out).
///
/// Cold: all Q compulsory bytes from the outermost level. Hot, with working set W and capacities C: the innermost level
/// with W < 4 C serves Q; of that, each next level outward serves Q (1 - k (sum of C inside it) / W). With k = 1 that
/// is the least there can be: no replacement policy finds more than the caches' contents at the start of a run, and
/// only exclusive caches hold their sum (the counting argument of Hong and Kung, STOC 1981). Expected is k = 1 up to W
/// = 2 C of the largest cache inside; from there k falls in proportion to W, to 0 at 4 C: caches replace what was not
/// used for long, and a sweep much larger than the cache has replaced its data before they return. So the expected
/// traffic has no step at any W.
///
/// Where the levels were swept (set_sweeps()), what is expected is what was measured: the innermost level whose
/// whole_bytes hold W serves Q, or, where the sweep was faster at W than that level's roof, the part of Q that takes
/// the sweep's time there. Then the next level inside serves Q too, or the part that takes that time there.
std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold,
                                  Residency residency = Residency::expected);

/// Bytes of lines that a stage reads at random, by the level that serves them at least, as least_traffic() has the
/// rest. Of lines spread over S bytes, caches that hold C serve C/S at most, so a level serves 1 - (sum of C inside it)
/// / S of them. Cold: the outermost level serves each line that is asked for at all once, of L lines L (1 - (1 -
/// 1/L)^reads) in expectation, at least.
std::vector<double> random_traffic(const Stage& stage, std::span<const Level> levels, bool cold,
                                   Residency residency = Residency::expected);

/// Fixed cost of one launch, and whether it adds to the work (synchronous) or hides behind it (queued).
struct Overhead {
  double seconds{};
  bool synchronous{true};
  std::string label;
  std::optional<double> low{};  ///< lower end of its 95 % interval
};

/// A roof that work needs and that is not there.
struct MissingRoof {
  std::string name;            ///< "exp fp32", "DRAM bandwidth"
  std::optional<Unit> unit{};  ///< of a compute roof
  std::string level{};         ///< of a bandwidth
  bool operator==(const MissingRoof&) const = default;
};

/// The term that decides a time bound.
struct Limit {
  LimitKind kind{LimitKind::none};
  std::string label;                         ///< label of the roof, for people and for Point::limit
  std::size_t stage{};                       ///< index of the stage with the largest share of the bound
  std::optional<ComputeRoof> compute{};      ///< the roof of a compute limit
  std::optional<BandwidthRoof> bandwidth{};  ///< the roof that a bandwidth or link limit is named after
};

/// "memory-bound: DRAM read": the regime of a bound and the roof that decides it.
std::string limit_text(const Limit& limit);
/// Its first part: "memory-bound"; "no roof" for none.
std::string_view bound_name(LimitKind kind);

/// Whether two bounds are decided by the same roof.
bool same_roof(const Limit& a, const Limit& b);

struct Bound {
  double time_s{};      ///< least time of all stages, s; work_s + overhead_s
  double work_s{};      ///< its part that is arithmetic or traffic
  double overhead_s{};  ///< its part that is fixed cost not hidden behind work
  Limit limit;
};

/// What roofs say of work.
struct Judgement {
  /// By the roofs that are there. Terms without a roof are left out, so that its time stays a least time; nothing if no
  /// roof applies to any term.
  std::optional<Bound> bound;
  /// The roofs of terms that are left out and that may decide, each once. Of the levels that data move through, the
  /// outermost is the slowest and counts; so do units with work and levels with a stated traffic, not the launch
  /// overhead.
  std::vector<MissingRoof> missing;
  bool stands() const { return bound && missing.empty(); }
  /// Names of the missing roofs: "exp fp32", "DRAM bandwidth".
  std::vector<std::string> missing_names() const;
};

/// The roofs of one device at one scope. Formulas: Williams, Waterman, Patterson, CACM 52(4), 2009; hierarchical form
/// as in docs/method.md. Every figure is the caller's: measured, from the catalogue or explicit.
class Roofline {
 public:
  void add(ComputeRoof roof);
  void add(BandwidthRoof roof);
  /// A lower bound (`low`) on the unit's rate, from a row that is no roof: of a narrower instruction set, or disturbed.
  /// slowest_rate() uses it where the roof is missing.
  void add_reached(ComputeRoof rate);
  /// Gives the roofs of this one's level and mix its rate, as if their rows said so without an interval; those of
  /// non-temporal stores change by the same factor. Where there is none this one is added.
  void set_rate(const BandwidthRoof& roof);
  void set_levels(std::vector<Level> innermost_first);
  /// Capacities, and what passes of every size take, from sweeps of bandwidth over working sets (working_set_sweep) of
  /// the same scope and threads. Roofs and levels have to be there; curves that are not ok, or of something else, and
  /// those that show no step of a cache, change nothing.
  void set_sweeps(std::span<const Curve> curves);
  void set_overhead(Overhead overhead);

  const std::vector<ComputeRoof>& compute() const { return compute_; }
  const std::vector<BandwidthRoof>& bandwidth() const { return bandwidth_; }
  const std::vector<ComputeRoof>& reached() const { return reached_; }
  const std::vector<Level>& levels() const { return levels_; }
  const std::optional<Overhead>& overhead() const { return overhead_; }

  /// Highest compute roof for the types and unit, or null. Burst or sustained, whichever is higher (a disturbed burst
  /// can be lower), before none (datasheet); what a library reached is no upper bound and given only where `at` asks
  /// for it. No other type's roof stands in: neither a wider nor a narrower type's is an upper bound on every machine.
  /// For multiply_add the highest of the vector and matrix roofs, of operands multiplied as Types::compute or in any
  /// type that holds the values of both exactly: the one that they are stored in, or a wider one (fp8 in bf16).
  const ComputeRoof* peak(const Types& types, Unit unit, std::optional<OperatingPoint> at = {}) const;
  /// byte/s of a level for a mix of reads and writes: interpolated in s/byte between the measured mixes of ordinary
  /// stores; outside them the nearest one. Nothing if the level has no roof. What is updated in place is counted by the
  /// level's update roof, in s/byte beside the rest; without one it is like all other bytes.
  std::optional<double> byte_per_s(std::string_view level, const Traffic& mix = triad_traffic) const;

  /// The roof that byte_per_s() is named after: whose mix is nearest, of two measurements of it the faster, and update
  /// where most bytes move in place. Null where the level has none.
  const BandwidthRoof* nearest(std::string_view level, const Traffic& mix = triad_traffic) const;
  /// The highest roof of lines that a level reads at random. Null where it has none: no other mix stands in.
  const BandwidthRoof* random(std::string_view level) const;

  /// min(P, I x B_l) in flop/s for intensity I in flop/byte at the level. Throws Error without such roofs or for I <=
  /// 0.
  double attainable(const Types& types, Unit unit, double intensity, std::string_view level) const;
  /// P / B in flop/byte. Throws Error without such roofs.
  double ridge(const Types& types, Unit unit, std::string_view level) const;
  /// Least time of the stages, and what lacks for more than that. Hot (data stay where they fit between runs) or cold
  /// (everything comes from the outermost level): per stage the largest of operations / P of every roof (those of
  /// several units on one roof add up), traffic / B of every level (least_traffic()), lines at random / B where a level
  /// has such a roof (random_traffic()), and stage.inner / B; launches x T0 adds to that if synchronous, else is one
  /// more term of the maximum. Stages add up.
  Judgement judge(std::span<const Stage> stages, const Types& types, bool cold = false) const;

  /// The same roofs at that end of their intervals which allows most, with all that caches can hold (Residency::most).
  Roofline at_highest() const;
  /// The same device with so many times the arithmetic and the bandwidth of each level; links and launches stay.
  Roofline scaled(double compute, double bandwidth) const;
  Residency residency() const { return residency_; }

 private:
  const ComputeRoof* peak_of_products(const Types& types, std::optional<OperatingPoint> at) const;

  std::vector<ComputeRoof> compute_, reached_;
  std::vector<BandwidthRoof> bandwidth_;
  std::vector<Level> levels_;
  std::optional<Overhead> overhead_;
  Residency residency_{Residency::expected};
};

/// The roof that a row of bandwidth or of a link in byte/s is, whatever became of it.
BandwidthRoof bandwidth_roof(const Ceiling& row);

/// Whether work on these types may meet a compute roof of this unit and storage type, whatever it accumulates in: what
/// must be measured for the work to get a verdict.
bool may_need(const Types& types, Unit unit, DType dtype);

/// Regime of a measured time: the bound's limiting term, or below_roof when the bound explains less than `explained`
/// of the time. A memory-bound verdict is never given only because the intensity is under the ridge. Throws Error
/// unless time_s > 0.
Regime classify(const Bound& bound, double time_s, double explained = 0.5);

/// Roofs of one device and scope out of measured rows; rows that are not ok, variants and those
/// that other tools measured (Ceiling::imported) are no roofs. Those of compute are rates that were reached all the
/// same: variants that are ok by the lower end of their interval, suspect rows too, but by no more than the units can
/// do at the observed clock. The overhead is the row "kokkos_launch", taken as synchronous, or "kokkos_enqueue", taken
/// as queued: set_overhead() says otherwise. A compute row without accumulate type has that of uniform_types().
Roofline make_roofline(std::span<const Ceiling> ceilings, std::string_view device, Scope scope,
                       std::vector<Level> levels);

}  // namespace gable
