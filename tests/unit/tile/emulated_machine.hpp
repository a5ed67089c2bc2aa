#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>

#include "operators/device/storage.hpp"

/// A GPU on the host for the tile primitive: the threads of a block run in turns, each until it waits for others, so
/// that the very source of the CUDA form runs. What instructions exchange between lanes follows the PTX ISA's text, not
/// the project's own index functions. Misuse throws std::logic_error: a lane that is elsewhere than the rest of its
/// warp, an address outside scratch or outside the arrays, or one that is not aligned.
namespace gable::device::tile::test {

/// Memory that a kernel may read besides scratch.
struct Allowed {
  const std::byte* begin;
  const std::byte* end;
};
template <class T>
Allowed allowed(const T* data, std::size_t count) {
  const auto* begin = reinterpret_cast<const std::byte*>(data);
  return {begin, begin + count * sizeof(T)};
}

/// Runs kernel(thread) for each of `threads` threads of a block, with scratch full of NaN. Returns how many accesses to
/// scratch had to wait for a bank.
struct Report {
  long matrix_loads = 0;  ///< phases of eight rows
  long conflicts = 0;     ///< of them, those with two rows in one bank
};
Report run_block(int threads, std::span<std::byte> scratch, std::span<const Allowed> memory,
                 const std::function<void(int)>& kernel);

struct EmulatedMachine {
  static int lane();
  static void barrier();

  /// The copy takes place when the thread waits for its group, as late as the hardware might.
  template <int width>
  static void copy(void* to, const void* from, int bytes) {
    static_assert(width == 4 || width == 8 || width == 16);
    begin_copy(to, from, width, bytes);
  }
  static void commit();
  template <int groups>
  static void wait() {
    wait_for(groups);
  }

  template <class T>
  static void load_matrices(std::uint32_t (&words)[4], const T* row) {
    static_assert(sizeof(T) == 2);
    matrices(words, row, false);
  }
  template <class T>
  static void load_matrices_transposed(std::uint32_t (&words)[4], const T* row) {
    static_assert(sizeof(T) == 2);
    matrices(words, row, true);
  }
  static void load_four(float (&values)[4], const float* from);

  template <class T>
  static void mma(float (&upper)[2], float (&lower)[2], const std::uint32_t (&left)[4], std::uint32_t right0,
                  std::uint32_t right1) {
    float sums[4] = {upper[0], upper[1], lower[0], lower[1]};
    const std::uint32_t right[2] = {right0, right1};
    mma_16(sums, left, right, [](std::uint16_t bits) { return static_cast<float>(widen(T{bits})); });
    for (int i = 0; i < 2; ++i) {
      upper[i] = sums[i];
      lower[i] = sums[2 + i];
    }
  }
  static void mma(double (&sums)[2], double left, double right);

  template <class T>
  static std::uint32_t pack(float low, float high) {
    return narrow<T>(low).bits | static_cast<std::uint32_t>(narrow<T>(high).bits) << 16;
  }
  template <class T, class A, int count>
  static void store(T* to, const A (&pack)[count]) {
    check_aligned(to, count * sizeof(T));
    for (int i = 0; i < count; ++i) to[i] = narrow<T>(pack[i]);
  }

  template <class A>
  static A exchange(A value, int mask) {
    return from_lane(value, lane() ^ mask);
  }
  template <class A>
  static A from_lane(A value, int lane) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = shuffle(bits, lane);
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  static float fma(float x, float y, float z) { return std::fma(x, y, z); }
  static double fma(double x, double y, double z) { return std::fma(x, y, z); }
  static float exp2(float x) { return std::exp2(x); }
  static double exp2(double x) { return std::exp2(x); }

 private:
  static void begin_copy(void* to, const void* from, int width, int bytes);
  static void wait_for(int groups);
  static void matrices(std::uint32_t (&words)[4], const void* row, bool transposed);
  static void mma_16(float (&sums)[4], const std::uint32_t (&left)[4], const std::uint32_t (&right)[2],
                     float (*value)(std::uint16_t));
  static std::uint64_t shuffle(std::uint64_t bits, int lane);
  static void check_aligned(const void* address, std::size_t bytes);
};

}  // namespace gable::device::tile::test
