#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/dtype.hpp"
#include "core/model/estimate.hpp"
#include "core/model/imported.hpp"
#include "core/status.hpp"

namespace gable {

enum class CeilingKind { compute, bandwidth, latency, overhead, link };
constexpr auto names_of(CeilingKind) {
  return names_up_to<CeilingKind::link>("compute", "bandwidth", "latency", "overhead", "link");
}
enum class Scope { node, socket, numa, core };
constexpr auto names_of(Scope) { return names_up_to<Scope::core>("node", "socket", "numa", "core"); }
/// burst: clock ramped up, before a power limiter or wide-vector clock acts; sustained: steady state; library: vendor
/// routine.
enum class OperatingPoint { none, burst, sustained, library };
constexpr auto names_of(OperatingPoint) {
  return names_up_to<OperatingPoint::library>("none", "burst", "sustained", "library");
}
/// Mix of a bandwidth ceiling. update reads and writes one array in place, triad reads two and writes one; random reads
/// single lines of 64 bytes in an order that nothing foretells, counted whole.
enum class Access { none, read, write, copy, update, triad, random };
constexpr auto names_of(Access) {
  return names_up_to<Access::random>("none", "read", "write", "copy", "update", "triad", "random");
}
enum class Stores { none, ordinary, non_temporal };
constexpr auto names_of(Stores) { return names_up_to<Stores::non_temporal>("none", "ordinary", "non_temporal"); }

/// Fraction of the counted (STREAM) bytes that are reads: read 1, copy and update 1/2, triad 2/3, write 0, random 1.
/// Throws Error for none.
double read_fraction(Access access);
/// Arrays that a loop goes through: read, write, update and random 1, copy 2, triad 3.
int arrays_of(Access access);

/// What the machine said of itself while a row was measured.
struct Conditions {
  std::optional<double> clock_hz{};  ///< observed, inside the kernel's own instruction class where that is possible
  std::string clock_source{};        ///< how the clock was taken, or why one that was is not believed; else empty
  std::optional<double> power_w{};
  std::optional<double> temperature_c{};
  std::optional<std::string> clock_limits{};   ///< what held the clock back, as the device names it; empty: nothing did
  std::optional<double> huge_page_fraction{};  ///< of the memory the measuring process had in use; its arrays are most
};

/// Variant of a stream of main memory that is measured once more, among the operators. A run joins its rounds with
/// those of the stream (worker/combine_rounds.hpp), so that no result has such a row.
inline constexpr std::string_view among_operators = "among_operators";

/// One measured limit of one device. `unit` is flop/s, op/s (integers, special functions), byte/s or s.
struct Ceiling {
  std::string id{};      ///< stable key of the row within a device, made of what identifies the quantity
  std::string device{};  ///< DeviceInfo::id
  Scope scope{Scope::node};
  int threads{};
  CeilingKind kind{};
  std::string
      name{};  ///< compute: scalar, vector, matrix, exp, convert; else level or mechanism: L1, DRAM, kokkos_launch …
  std::optional<DType> dtype{};  ///< storage type; none for bandwidth
  std::optional<DType> accumulate{};
  Access access{Access::none};
  Stores stores{Stores::none};
  OperatingPoint at{OperatingPoint::none};
  std::string implementation{};  ///< avx2, avx512, openblas, kokkos …
  /// Empty, or no_fma, no_ilp, a GEMM size … : a row beside the main one, and no roof.
  std::string variant{};
  std::optional<std::string> algorithm{};  ///< what a vendor's library chose by itself, in its own numbers
  std::string data_pattern{};              ///< random_normal, index, …; never zeros
  std::string unit{};
  Estimate value{};
  std::optional<double> working_set_bytes{};
  std::optional<double> with_write_allocate{};  ///< byte/s counting the line fill before an ordinary store; only where
                                                ///< stores are ordinary
  Conditions conditions{};
  std::optional<double> datasheet{};  ///< theoretical figure from the catalogue or topology, same unit
  std::string datasheet_source{};
  std::optional<double> theory_at_clock{};  ///< units x rate x observed clock, same unit
  std::optional<Imported> imported{};       ///< of another tool: drawn in tables, never a roof
  Status status{Status::ok};
  std::string reason{};
};
inline const Estimate* estimate_of(const Ceiling& row) { return &row.value; }
inline std::string_view unit_of(const Ceiling& row) { return row.unit; }

inline bool is_among_operators(const Ceiling& row) { return row.variant == among_operators; }
/// Names of the overheads that are the cost of a launch: of one that the caller waits for, and of one that is queued.
inline constexpr std::string_view awaited_launch = "kokkos_launch", queued_launch = "kokkos_enqueue";
/// Name of the row with the cost of a kernel in a replayed graph.
inline constexpr std::string_view graph_node_launch = "graph_node";
inline bool is_launch(const Ceiling& row) {
  return row.kind == CeilingKind::overhead && (row.name == awaited_launch || row.name == queued_launch);
}

/// value / datasheet x 100, if both are there.
std::optional<double> percent_of_datasheet(const Ceiling& ceiling);
/// The same in words: "97.2 %"; above 100 with the cause, "104.0 % (clock above the datasheet's)", or, where the
/// observed clock does not explain it, "above 100 % (not explained)". Empty where there is none.
std::string share_of_datasheet(const Ceiling& ceiling);
/// value / theory_at_clock x 100, if both are there.
std::optional<double> percent_at_clock(const Ceiling& ceiling);
/// Why the row is suspect: the lower end of its interval (its value, without one) exceeds 101 % of theory_at_clock.
/// Empty if it does not, or if there is no such figure.
std::string implausible(const Ceiling& ceiling);

/// A measured curve kept whole: bandwidth against working set, flop/s against cores, …
struct Curve {
  std::string id{};
  std::string device{};
  Scope scope{Scope::node};
  int threads{};
  std::string name{};  ///< working_set_sweep, core_scaling, numa_distance …
  std::string series{};
  std::string x_name{}, x_unit{}, y_name{}, y_unit{};
  std::vector<double> x{}, y{};
  /// y of every round, one round behind the other, rounded; y is then the median over the rounds. Empty where there was
  /// one round.
  std::vector<double> of_rounds{};
  Status status{Status::ok};
  std::string reason{};
};
/// Name of the curves of bandwidth against working set. Their series are mixes of reads and writes.
inline constexpr std::string_view working_set_sweep = "working_set_sweep";
/// Name of the curves of latency against working set: a chain of dependent loads. Their series is one of these.
inline constexpr std::string_view latency_sweep = "latency_sweep";
inline constexpr std::string_view chase_series = "chase", small_page_chase_series = "chase_small_pages";
/// Whether it says what of the caches is found, which neighbours change from round to round: a chase, or reads.
inline bool is_ladder(const Curve& curve) {
  return curve.name == latency_sweep || (curve.name == working_set_sweep && curve.series == to_string(Access::read));
}
inline const Estimate* estimate_of(const Curve&) { return nullptr; }
inline std::string_view unit_of(const Curve&) { return {}; }

}  // namespace gable
