#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/operator.hpp"
#include "core/questions/interchange/format.hpp"

/// What a profiler counts of operators, beside what they are known to do.
namespace gable::questions {

/// An operator that runs under the profiler.
struct CounterCase {
  std::string op;
  Params params;
  DType dtype{};
  Stage truth;               ///< of one run
  bool bytes{};              ///< whether its bytes are known, too: they all come from main memory and go there
  std::string name() const;  ///< "axpy fp64"
};

/// The cases of a device: a product of every type that its counters know, and operators over arrays of 20 times its
/// caches, so that at most a twentieth of the bytes is served by them. On CPUs only operators that fetch no line in
/// order to overwrite it. Where so much memory is not free, arrays are as large as may be and bytes are not known.
/// Throws Error for an operator that is not among them.
std::vector<CounterCase> counter_cases(const DeviceInfo& device, Operators operators);

/// What one of `more` runs did, where `fewer` runs of the same program did `before` and `more` runs `after`: what comes
/// before and behind the runs cancels.
interchange::KernelWork work_of_one_run(const interchange::KernelWork& before, int fewer,
                                        const interchange::KernelWork& after, int more);

/// A figure that profilers count.
enum class CountedKind {
  operations,     ///< flop of a type, on all units
  bytes_read,     ///< that the main memory sent
  bytes_written,  ///< that it took
  bytes_moved,    ///< both together
  bytes_inner,    ///< of a cache
};
constexpr auto names_of(CountedKind) {
  return names_up_to<CountedKind::bytes_inner>("operations", "bytes_read", "bytes_written", "bytes_moved",
                                               "bytes_inner");
}
using gable::to_string;
struct CounterMetric {
  CountedKind kind{};
  DType dtype{};      ///< of operations
  std::string level;  ///< of bytes
  bool operator==(const CounterMetric&) const = default;
  std::string title() const;  ///< "fp64 flop", "DRAM read"
};

/// One metric of one case.
struct CounterReading {
  CounterMetric metric;
  std::string of;    ///< CounterCase::name()
  double truth{};    ///< flop or byte of one run
  double counted{};  ///< the same by the profiler
  double ratio() const { return counted / truth; }
};
/// `one_run`: by the profiler. A metric that is less than 1 % of the case's bytes is left out.
std::vector<CounterReading> readings_of(const CounterCase& one, const interchange::KernelWork& one_run,
                                        const std::string& main_memory);

enum class CounterVerdict {
  agrees,           ///< within 5 % in all cases
  constant_factor,  ///< the same factor in all of several cases: counted / factor is true
  wrong,            ///< off, by another factor from case to case, or in the only one
  not_counted,      ///< below 1 % of the truth in all cases
};
constexpr auto names_of(CounterVerdict) {
  return names_up_to<CounterVerdict::not_counted>("agrees", "constant_factor", "wrong", "not_counted");
}

struct JudgedMetric {
  CounterMetric metric;
  CounterVerdict verdict{};
  int cases{};
  double least{}, most{};        ///< counted / true over the cases
  std::optional<double> factor;  ///< where it is constant: their geometric mean
};
/// Every metric of the readings, in the order in which they come first.
std::vector<JudgedMetric> judge(const std::vector<CounterReading>& readings);

/// All that was found out.
struct CounterTrust {
  std::string profiler, device;
  int runs{};  ///< of the shorter profile of each pair
  std::vector<CounterReading> readings;
  std::vector<std::string> notes;
};
Answer answer_of(const CounterTrust& trust);

}  // namespace gable::questions
