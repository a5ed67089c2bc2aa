#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/operator_spec.hpp"
#include "core/sequence.hpp"

/// What every operator's header is written with.
namespace gable::operators {

/// fp64, fp32, fp16, bf16: one storage type throughout.
std::vector<Types> floating_types();
/// fp64, fp32: for operators whose results need them.
std::vector<Types> wide_types();

/// Working sets that `measure` runs a memory-bound operator at, byte: 0.6 of the aggregate L2, and main memory: five
/// times all caches together (at least 64 MiB), where the model counts on no cache to hold a part. Where an eighth of
/// the free memory is less it is that, but never less than four times the caches: a size too large for the memory is
/// skipped.
std::vector<double> working_sets(const DeviceInfo& device);

/// An operator's Params for each of them: what `of` makes of its bytes.
template <class P, class Of>
std::vector<P> for_working_sets(const DeviceInfo& device, const Of& of) {
  return mapped(working_sets(device), of);
}

/// How many units of so many bytes fit into a working set; one at least.
inline Index units_in(double bytes, double bytes_per_unit) {
  return std::max<Index>(1, static_cast<Index>(bytes / bytes_per_unit));
}

/// The sizes of an operator over n elements. P is the operator's {n}.
template <class P>
std::vector<P> elements_for_working_sets(const DeviceInfo& device, double bytes_per_element) {
  return for_working_sets<P>(device, [=](double bytes) { return P{units_in(bytes, bytes_per_element)}; });
}

/// The same for an operator over rows of n elements: as many rows as the working set holds. P is the operator's {m, n}.
template <class P>
std::vector<P> rows_for_working_sets(const DeviceInfo& device, Index n, double bytes_per_element) {
  const double row = static_cast<double>(n) * bytes_per_element;
  return for_working_sets<P>(device, [=](double bytes) { return P{units_in(bytes, row), n}; });
}

/// What operators on arrays of n elements share.
struct ArrayOperator {
  struct Params {
    Index n;
  };
  static std::vector<Params> conformance_params() { return {{1}, {7}, {64}, {1001}, {100003}}; }
};
/// The same, of one that streams so many of them.
template <int arrays>
struct StreamOperator : ArrayOperator {
  static std::vector<Params> default_params(const DeviceInfo& device, const Types& types) {
    return elements_for_working_sets<Params>(device, arrays * size_bytes(types.a));
  }
};

/// Sizes of an operator on a matrix, row-major.
struct MatrixSize {
  Index m, n;
};

/// Throws Error, naming operator and parameter, for a size above 2^31 - 1, the most that 32-bit indices can count.
void demand_int32(std::string_view op, std::string_view parameter, Index size, std::string_view kind);

/// One launch that moves elements and computes nothing; working set = all bytes.
Stage moving_stage(double elements_read, double elements_written, const Types& types);

/// One launch of an operator that reads and writes each array once, in vector units: flops, `exps` exponentials
/// (already within flops, as one each), and for 2-byte types one conversion per element read or written. Counts are
/// elements; working set = all bytes.
Stage streaming_stage(double flops, double exps, double elements_read, double elements_written, const Types& types);

/// One launch whose flops are products, done by whichever unit is the fastest for the types. No conversions are
/// counted: a unit that multiplies the storage type needs none.
Stage product_stage(double flops, double elements_read, double elements_written, const Types& types);

/// Error bound relative to max(1, |want|) of an operator that rounds its result once to `out` and does `operations`
/// roundings in the accumulate type before: half a unit in the last place, plus 2 units a step.
double rounding_tolerance(const Types& types, double operations);

/// A number that depends on i and stream only and looks random: splitmix64's finaliser (Steele, Lea, Flood, 2014).
inline std::uint64_t hash(Index i, Index stream) {
  std::uint64_t x = static_cast<std::uint64_t>(i + 1) * 0x9e3779b97f4a7c15ULL;
  x += static_cast<std::uint64_t>(stream) * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// A fixed pseudo-random whole number in [0, below) for the i-th index or label of an operator.
inline Index pseudo_random(Index i, Index below) {
  return static_cast<Index>(hash(i, 0) % static_cast<std::uint64_t>(below));
}

/// Uniform in [0, 1).
inline double random_unit(Index i, Index stream) { return static_cast<double>(hash(i, stream) >> 11) * 0x1p-53; }

/// Uniform in [0, count), count below 2^32.
inline Index random_below(Index count, Index i, Index stream) {
  return static_cast<Index>(((hash(i, stream) >> 32) * static_cast<std::uint64_t>(count)) >> 32);
}

}  // namespace gable::operators
