#include "backends/kokkos/streams.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/error.hpp"
#include "core/measure/timed.hpp"

namespace gable::kokkos {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Values = Kokkos::View<double*, Space>;
using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>;

/// Values between 0.5 and 1.5 without a pattern a memory system could use.
struct Fill {
  Values values;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t x = (static_cast<std::uint64_t>(i) + seed) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    values(i) = 0.5 + static_cast<double>(x >> 11) * 0x1p-53;
  }
};

/// Elements that one call sums: on a CPU several vectors into as many independent sums, because one sum would wait for
/// itself at every addition; on a GPU one, and other threads do the rest.
inline constexpr std::int64_t block = std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace> ? 64 : 1;

struct Sum {
  Values a;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    const double* const first = a.data() + i * block;
    constexpr std::int64_t sums = block < 16 ? block : 16;
    double part[sums];
    for (std::int64_t j = 0; j < sums; ++j) part[j] = first[j];
    for (std::int64_t k = sums; k < block; k += sums) {
      for (std::int64_t j = 0; j < sums; ++j) part[j] += first[k + j];
    }
    for (std::int64_t j = 1; j < sums; ++j) part[0] += part[j];
    sum += part[0];
  }
};

struct Copy {
  Values a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) = b(i); }
};

struct Triad {
  Values a, b, c;
  double k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { a(i) = b(i) + k * c(i); }
};

Values filled(const std::string& name, std::size_t count, std::uint64_t seed) {
  Values values(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), count);
  Kokkos::parallel_for("gable::stream_fill", Range(0, static_cast<std::int64_t>(count)), Fill{values, seed});
  return values;
}

class Stream final : public measure::Benchmark {
 public:
  Stream(Access access, std::size_t count) : access_(access), range_(0, static_cast<std::int64_t>(count)) {
    a_ = filled("gable::a", count, 1);
    if (access != Access::read) b_ = filled("gable::b", count, 2);
    if (access == Access::triad) c_ = filled("gable::c", count, 3);
    Space().fence();
  }

  measure::Sample run(std::uint64_t iterations) override {
    const Space space;
    return measure::timed([&] {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        pass();
        space.fence();
      }
    });
  }

 private:
  /// The sum goes to a member, so the reads cannot be dropped; the stores go to memory that outlives the call.
  void pass() {
    if (access_ == Access::read) {
      Kokkos::parallel_reduce("gable::stream_read", Range(0, range_.end() / block), Sum{a_}, sum_);
    } else if (access_ == Access::copy) {
      Kokkos::parallel_for("gable::stream_copy", range_, Copy{a_, b_});
    } else {
      Kokkos::parallel_for("gable::stream_triad", range_, Triad{a_, b_, c_, 0.4});
    }
  }

  Access access_;
  Range range_;
  Values a_, b_, c_;
  double sum_{};
};

int arrays(Access access) {
  switch (access) {
    case Access::read:
      return 1;
    case Access::copy:
      return 2;
    case Access::triad:
      return 3;
    default:
      throw Error(fmt::format("there is no portable stream '{}'", to_string(access)));
  }
}

}  // namespace

double stream_bytes(Access access, std::size_t count) {
  return arrays(access) * static_cast<double>(count) * sizeof(double);
}

std::unique_ptr<measure::Benchmark> stream(Access access, std::size_t count) {
  if (arrays(access) == 0 || count == 0) throw Error("a stream needs at least one element");
  return std::make_unique<Stream>(access, count);
}

}  // namespace gable::kokkos
