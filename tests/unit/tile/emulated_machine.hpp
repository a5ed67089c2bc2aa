#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "operators/device/storage.hpp"
#include "operators/device/tile/warp/mfma.hpp"
#include "operators/device/tile/warp/mma.hpp"
#include "operators/device/tile/warp/wgmma.hpp"
#include "operators/device/tile/warp/wmma.hpp"

/// GPUs on the host for the tile primitive: the threads of a block run in turns, each until it waits for others, so
/// that the very source of the CUDA and the HIP form runs. What instructions exchange between lanes follows the texts
/// of the PTX ISA and of AMD's CDNA and RDNA ISA guides, not the project's own index functions. Misuse throws
/// std::logic_error: a lane that is elsewhere than the rest of its warp, an address outside scratch or outside the
/// arrays, or one that is not aligned.
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

/// Runs kernel(thread) for each of `threads` threads of a block of warps of `lanes`, with scratch full of NaN. Returns
/// how many accesses to scratch had to wait for a bank.
struct Report {
  long matrix_loads = 0;  ///< phases of eight lanes that read 16 bytes each
  long conflicts = 0;     ///< of them, those with two rows in one bank
  long copies = 0;        ///< NVIDIA: phases of eight lanes that copy 16 bytes each
  long copy_conflicts = 0;
};
Report run_block(int lanes, int threads, std::span<std::byte> scratch, std::span<const Allowed> memory,
                 const std::function<void(int)>& kernel);

/// What both machines have.
struct EmulatedThreads {
  static int lane();
  static void barrier();
  static void warp_barrier() { shuffle(0, lane()); }
  static void fence() {}
  static int add_one(int* counter) { return (*counter)++; }

  template <class T, class A, int count>
  static void store(T* to, const A (&pack)[count]) {
    check_aligned(to, count * sizeof(T) < 16 ? count * sizeof(T) : 16);
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

 protected:
  static void check_copy(const void* to, const void* from, int width, int bytes);
  static void check_scratch(const void* address, std::size_t bytes);

 private:
  static std::uint64_t shuffle(std::uint64_t bits, int lane);
  static void check_aligned(const void* address, std::size_t bytes);
};

/// NVIDIA: 32 lanes, asynchronous copies, ldmatrix and mma.sync.
struct EmulatedMma : EmulatedThreads {
  using Form = warp::Mma;
  struct Segment {};

  /// The copy takes place when the thread waits for its group, as late as the hardware might.
  template <int width>
  static Segment copy(void* to, const void* from, int bytes) {
    static_assert(width == 4 || width == 8 || width == 16);
    if constexpr (width == 16) count_copy(to);
    begin_copy(to, from, width, bytes);
    return {};
  }
  static Segment copy_once(void* to, const void* from, int bytes) { return copy<16>(to, from, bytes); }
  static void land(Segment) {}
  static void commit();
  template <int groups>
  static void wait() {
    wait_for(groups);
  }

  template <class T>
  static void load_matrices(std::uint32_t (&words)[4], const T* row) {
    static_assert(sizeof(T) <= 2);
    matrices(words, row, false);
  }
  template <class T>
  static void load_matrices_transposed(std::uint32_t (&words)[4], const T* row) {
    static_assert(sizeof(T) <= 2);
    matrices(words, row, true);
  }
  static void load_four(float (&values)[4], const float* from);

  template <int low, int high>
  static std::uint32_t pair_of_bytes(std::uint32_t word) {
    const auto at = [word](int i) { return static_cast<float>(static_cast<std::int8_t>(word >> (8 * i))); };
    return narrow_pair<Fp16>(at(low), at(high));
  }

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
  /// m16n8k32 of int8 as two of m16n8k16: those of the first and of the last two bytes of each word.
  template <class T>
  static void mma(std::int32_t (&upper)[2], std::int32_t (&lower)[2], const std::uint32_t (&left)[4],
                  std::uint32_t right0, std::uint32_t right1) {
    float sums[4] = {static_cast<float>(upper[0]), static_cast<float>(upper[1]), static_cast<float>(lower[0]),
                     static_cast<float>(lower[1])};
    for (const int shift : {0, 16}) {
      const auto bytes = [shift](std::uint32_t word) {
        return (word >> shift & 255U) | (word >> shift & 0xff00U) << 8;
      };
      mma_16(sums, {bytes(left[0]), bytes(left[1]), bytes(left[2]), bytes(left[3])}, {bytes(right0), bytes(right1)},
             [](std::uint16_t bits) { return static_cast<float>(static_cast<std::int8_t>(bits)); });
    }
    for (int i = 0; i < 2; ++i) {
      upper[i] = static_cast<std::int32_t>(sums[i]);
      lower[i] = static_cast<std::int32_t>(sums[2 + i]);
    }
  }
  static void mma(double (&sums)[2], double left, double right);
  static void mma(double (&upper)[2], double (&lower)[2], double left_upper, double left_lower, double right);

 private:
  static void count_copy(const void* to);
  static void begin_copy(void* to, const void* from, int width, int bytes);
  static void wait_for(int groups);
  static void matrices(std::uint32_t (&words)[4], const void* row, bool transposed);
  static void mma_16(float (&sums)[4], const std::uint32_t (&left)[4], const std::uint32_t (&right)[2],
                     float (*value)(std::uint16_t));
};

/// NVIDIA's sm_90a: the same, and wgmma of warpgroups, which reads its operands from scratch as descriptors say (PTX
/// ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"). An instruction takes place when its group is
/// waited for, as late as the hardware might; until then its sums are unset. Misuse: operands that changed between
/// both, a copy begun to where they are, products without begin_products() before or commit_products() behind them,
/// descriptors that differ between threads.
struct EmulatedWgmma : EmulatedMma {
  using Form = warp::Wgmma;

  static std::uint32_t address(const void* scratch);

  template <int number, int threads>
  static void meet() {
    come_to(number, threads, true);
  }
  template <int number, int threads>
  static void arrive() {
    come_to(number, threads, false);
  }

  static void begin_products();
  template <class T, bool left_across, bool right_across>
  static void multiply_group(Accumulate<T> (&sums)[2][32][2], std::uint64_t left, std::uint64_t right) {
    static_assert(Form::multiplies<T, left_across, right_across>);
    begin_product({left_across, right_across, sizeof(T), &value_of<T>}, left, nullptr, right, true,
                  Sums::of(&sums[0][0][0], 32));
  }
  template <class T, bool right_across, int packs>
  static void multiply_group(float (&sums)[2][packs][2], const std::uint32_t (&left)[4], std::uint64_t right,
                             bool add) {
    static_assert(packs == 8 || packs == 16);
    begin_product({false, right_across, sizeof(T), &value_of<T>}, 0, left, right, add, Sums::of(&sums[0][0][0], packs));
  }
  static void commit_products();
  template <int groups>
  static void wait_products() {
    wait_for_products(groups);
  }
  template <class A, int packs>
  static void take_products(A (&)[2][packs][2]) {}

  /// How an instruction takes elements from scratch.
  struct Elements {
    bool left_across, right_across;
    std::size_t bytes;
    double (*value)(const std::byte*);
  };
  /// A thread's sums, in the order of Accumulator: [slot][pack][2].
  struct Sums {
    void* first;
    int packs;
    double (*get)(const void*, int);
    void (*set)(void*, int, double);
    double unset;

    template <class A>
    static Sums of(A* first, int packs) {
      return {first, packs, [](const void* from, int i) { return static_cast<double>(static_cast<const A*>(from)[i]); },
              [](void* to, int i, double value) { static_cast<A*>(to)[i] = static_cast<A>(value); },
              std::is_integral_v<A> ? -2e9 : std::nan("")};
    }
    int count() const { return 4 * packs; }
  };

 private:
  template <class T>
  static double value_of(const std::byte* from) {
    T element;
    std::memcpy(&element, from, sizeof element);
    return static_cast<double>(widen(element));
  }
  static void come_to(int barrier, int threads, bool waits);
  /// The left operand as a descriptor says, or, if there are any, in four words of each thread.
  static void begin_product(const Elements& elements, std::uint64_t left, const std::uint32_t* left_words,
                            std::uint64_t right, bool add, const Sums& sums);
  static void wait_for_products(int groups);
};

/// AMD: 64 lanes, copies through registers, matrix instructions of 16 x 16.
struct EmulatedMfma : EmulatedThreads {
  using Form = warp::Mfma;
  struct Segment {
    std::byte bytes[16];
    int width = 0;
    void* to = nullptr;
  };

  template <int width>
  static Segment copy(void* to, const void* from, int bytes) {
    check_copy(to, from, width, bytes);
    if (bytes != 0 && bytes != width) throw std::logic_error("a copy of a part of a segment");
    Segment segment{{}, width, to};
    if (bytes != 0) std::memcpy(segment.bytes, from, width);
    return segment;
  }
  static void land(const Segment& segment) {
    if (segment.to != nullptr) std::memcpy(segment.to, segment.bytes, static_cast<std::size_t>(segment.width));
  }
  static void commit() {}
  template <int groups>
  static void wait() {}

  template <class Value, int bytes>
  static Value load(const void* from) {
    static_assert(sizeof(Value) == bytes);
    check_scratch(from, bytes);
    if constexpr (bytes == 16) count_load(from);
    Value value;
    std::memcpy(&value, from, bytes);
    return value;
  }

  template <class T>
  static constexpr bool by_segments = false;

  template <class T>
  static void mfma(Accumulate<T> (&sums)[4], const warp::Operand<T>& first, const warp::Operand<T>& second) {
    double all[4], a[4], b[4];
    for (int i = 0; i < 4; ++i) all[i] = sums[i];
    constexpr int at_once = warp::per_operand < T >> 4 ? 4 : warp::per_operand<T>;  // int8: as gfx90a does it
    for (int begin = 0; begin < warp::per_operand<T>; begin += at_once) {
      elements<T>(a, first, begin, at_once);
      elements<T>(b, second, begin, at_once);
      multiply(all, a, b, at_once, sizeof(T) == 8);
    }
    for (int i = 0; i < 4; ++i) sums[i] = static_cast<Accumulate<T>>(all[i]);
  }

 private:
  template <class T>
  static void elements(double (&values)[4], const warp::Operand<T>& operand, int begin, int count) {
    T element[warp::per_operand<T>];
    std::memcpy(element, &operand, sizeof element);
    for (int i = 0; i < count; ++i) values[i] = static_cast<double>(widen(element[begin + i]));
  }
  static void count_load(const void* from);
  /// D = A B + C of 16 x 16; `depth` elements of this lane of A and B.
  static void multiply(double (&sums)[4], const double (&a)[4], const double (&b)[4], int depth, bool is_fp64);
};

/// AMD's gfx950: the same, and 16x16x32 (fp16, bf16) and 16x16x64 (int8), in which lane l has of row (column) l % 16
/// the 16 bytes at the depth of its group l / 16 (CDNA4 ISA guide). Both operands have the same elements of the depth
/// in the same places, so such a product is the sum of those of its operands one after the other.
struct EmulatedMfma950 : EmulatedMfma {
  template <class T>
  static constexpr bool by_segments = sizeof(T) <= 2;

  using EmulatedMfma::mfma;
  template <class T>
  static void mfma(Accumulate<T> (&sums)[4], const warp::OperandSegment<T>& first,
                   const warp::OperandSegment<T>& second) {
    static_assert(by_segments<T>);
    for (int t = 0; t < first.count; ++t) EmulatedMfma::mfma<T>(sums, first.operand[t], second.operand[t]);
  }
};

/// AMD's RDNA3: 32 lanes, and WMMA of 16 x 16 x 16. Lane l brings row (column) l % 16 of A (B), all of its depth, so
/// lanes l and l + 16 the same; element i of its eight sums is in row 2 i + l / 16, column l % 16 (RDNA3 Instruction
/// Set Architecture, "Wave Matrix Multiply Accumulate"). Misuse: operands of two such lanes that differ.
struct EmulatedWmma : EmulatedMfma {
  using Form = warp::Wmma;

  template <class T>
  static void wmma(Accumulate<T> (&sums)[8], const warp::WaveOperand<T>& first, const warp::WaveOperand<T>& second) {
    WaveProduct product;
    for (int i = 0; i < 8; ++i) product.sums[i] = sums[i];
    elements<T>(product.a, first);
    elements<T>(product.b, second);
    multiply(product);
    for (int i = 0; i < 8; ++i) sums[i] = static_cast<Accumulate<T>>(product.sums[i]);
  }
  static std::uint32_t halves(std::uint32_t low, std::uint32_t high, bool upper) {
    return upper ? low >> 16 | (high & 0xffff0000U) : (low & 0xffffU) | high << 16;
  }

 private:
  /// What a lane brings to an instruction and gets of it.
  struct WaveProduct {
    double sums[8], a[16], b[16];
  };
  template <class T>
  static void elements(double (&values)[16], const warp::WaveOperand<T>& operand) {
    T element[16];
    static_assert(sizeof element == sizeof operand);
    std::memcpy(&element, &operand, sizeof element);
    for (int i = 0; i < 16; ++i) values[i] = static_cast<double>(widen(element[i]));
  }
  static void multiply(WaveProduct& product);
};

/// Whether operands of T that lie along the depth are read 16 bytes a lane at once: the loads that a report counts.
template <class Machine, class T>
inline constexpr bool loads_matrices = std::is_base_of_v<EmulatedMfma, Machine> ||
                                       (std::is_same_v<Machine, EmulatedMma> && sizeof(T) <= 2);

}  // namespace gable::device::tile::test
