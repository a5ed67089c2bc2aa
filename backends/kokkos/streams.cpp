#include "backends/kokkos/items.hpp"

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
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

constexpr bool on_host = std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>;

/// Elements that one call copies or adds: a CPU's compiler makes vectors of the loop itself; a GPU's thread moves 16
/// bytes, its widest access.
struct alignas(on_host ? 8 : 16) Pack {
  static constexpr std::int64_t size = on_host ? 1 : 2;
  double value[size];
};
KOKKOS_INLINE_FUNCTION Pack* pack(const Values& values, std::int64_t i) {
  return reinterpret_cast<Pack*>(values.data()) + i;
}

/// Elements that one call sums: on a CPU several vectors into as many independent sums, because one sum would wait for
/// itself at every addition; on a GPU four accesses, a quarter of the array apart, so that neighbouring threads read
/// neighbouring packs and all four are under way at once.
inline constexpr std::int64_t block = on_host ? 64 : 4 * Pack::size;

struct Sum {
  Values a;
  std::int64_t blocks;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    if constexpr (on_host) {
      const double* const first = a.data() + i * block;
      constexpr std::int64_t sums = 16;
      double part[sums];
      for (std::int64_t j = 0; j < sums; ++j) part[j] = first[j];
      for (std::int64_t k = sums; k < block; k += sums) {
        for (std::int64_t j = 0; j < sums; ++j) part[j] += first[k + j];
      }
      for (std::int64_t j = 1; j < sums; ++j) part[0] += part[j];
      sum += part[0];
    } else {
      const Pack first = *pack(a, i), second = *pack(a, blocks + i);
      const Pack third = *pack(a, 2 * blocks + i), fourth = *pack(a, 3 * blocks + i);
      for (std::int64_t j = 0; j < Pack::size; ++j)
        sum += (first.value[j] + second.value[j]) + (third.value[j] + fourth.value[j]);
    }
  }
};

struct Copy {
  Values a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { *pack(a, i) = *pack(b, i); }
};

struct Triad {
  Values a, b, c;
  double k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Pack sum = *pack(b, i);
    const Pack factor = *pack(c, i);
    for (std::int64_t j = 0; j < Pack::size; ++j) sum.value[j] += k * factor.value[j];
    *pack(a, i) = sum;
  }
};

Values filled(const std::string& name, std::size_t count, std::uint64_t seed) {
  Values values(Kokkos::view_alloc(name, Kokkos::WithoutInitializing), count);
  if constexpr (on_host) advise_huge_pages(values.data(), values.size() * sizeof(double));
  Kokkos::parallel_for("gable::stream_fill", Range(0, static_cast<std::int64_t>(count)), Fill{values, seed});
  return values;
}

class Stream final : public measure::Benchmark {
 public:
  Stream(Access access, std::size_t count, measure::Timer timer)
      : access_(access), count_(static_cast<std::int64_t>(count)), timer_(std::move(timer)) {
    a_ = filled("gable::a", count, 1);
    if (access != Access::read) b_ = filled("gable::b", count, 2);
    if (access == Access::triad) c_ = filled("gable::c", count, 3);
    Space().fence();
  }

  measure::TimedBatch run(std::uint64_t iterations) override {
    const Space space;
    return measure::timed_by(timer_, [&] {
      for (std::uint64_t i = 0; i < iterations; ++i) {
        pass();
        if constexpr (on_host) space.fence();
      }
      space.fence();
    });
  }

 private:
  /// The sum goes to a member, so the reads cannot be dropped; the stores go to memory that outlives the call. It stays
  /// on the device, so that a pass does not wait for it.
  void pass() {
    if (access_ == Access::read) {
      Kokkos::parallel_reduce("gable::stream_read", Range(0, count_ / block), Sum{a_, count_ / block}, sum_);
    } else if (access_ == Access::copy) {
      Kokkos::parallel_for("gable::stream_copy", Range(0, count_ / Pack::size), Copy{a_, b_});
    } else {
      Kokkos::parallel_for("gable::stream_triad", Range(0, count_ / Pack::size), Triad{a_, b_, c_, 0.4});
    }
  }

  Access access_;
  std::int64_t count_;
  measure::Timer timer_;
  Values a_, b_, c_;
  Kokkos::View<double, Space> sum_{"gable::sum"};
};

int arrays(Access access) {
  if (access == Access::read || access == Access::copy || access == Access::triad) return arrays_of(access);
  throw Error(fmt::format("there is no portable stream '{}'", to_string(access)));
}

}  // namespace

double stream_bytes(Access access, std::size_t count) {
  return arrays(access) * static_cast<double>(count) * sizeof(double);
}

std::unique_ptr<measure::Benchmark> stream(Access access, std::size_t count, measure::Timer timer) {
  if (arrays(access) == 0 || count == 0 || count % 64 != 0) throw Error("a stream needs a multiple of 64 elements");
  return std::make_unique<Stream>(access, count, std::move(timer));
}

}  // namespace gable::kokkos
