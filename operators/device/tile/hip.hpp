#pragma once
#include <hip/hip_runtime.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "operators/device/isa/number.hpp"
#include "operators/device/storage.hpp"
#include "operators/device/tile/warp/mfma.hpp"

namespace gable::device::tile {

/// The instructions of an AMD GPU with matrix cores (gfx90a, gfx942, gfx950) that the tile primitive (warp/) is made
/// of. Scratch is LDS. Compiled, never run. Host code may name these functions, because Kokkos' functors are compiled
/// for both sides, but never runs them.
///
/// gfx90a's 2-byte matrix instructions take subnormal numbers as 0; gfx942's do not (PyTorch's notes on numerical
/// accuracy have both).
struct HipMachine {
  using Form = warp::Mfma;
  template <class Word>
  struct Element {
    Word value;
    Word* to;
  };

  /// Lane of the wave, which is the x coordinate in a thread block of 64 x waves threads.
  GABLE_FUNCTION static int lane() {
#if defined(__HIP_DEVICE_COMPILE__)
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  /// A barrier of the thread block: after it every thread sees what the others wrote to scratch before.
  GABLE_FUNCTION static void barrier() {
#if defined(__HIP_DEVICE_COMPILE__)
    __syncthreads();
#endif
  }
  /// What this thread wrote before it other blocks see before what it writes then; and it reads nothing older.
  GABLE_FUNCTION static void fence() {
#if defined(__HIP_DEVICE_COMPILE__)
    __threadfence();
#endif
  }
  /// Adds one to a counter that blocks share; returns what it was.
  GABLE_FUNCTION static int add_one([[maybe_unused]] int* counter) {
#if defined(__HIP_DEVICE_COMPILE__)
    return atomicAdd(counter, 1);
#else
    return 0;
#endif
  }

  /// What a thread keeps of a copy under way: its bytes and where they go, if anywhere.
  struct Segment {
    std::uint32_t word[4];
    void* to;
  };
  /// Begins a copy of `width` bytes (4, 8, 16) from global memory to scratch, or if `bytes` is 0 of none: they become
  /// 0. Rows that are copied in segments are made of whole ones (Source), so `bytes` is nothing else than 0 or the
  /// width. Both addresses are multiples of the width. What was read is in registers until land() stores it.
  template <int width>
  GABLE_FUNCTION static auto copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                  [[maybe_unused]] int bytes) {
    if constexpr (width == 16) {
      Segment segment{};
#if defined(__HIP_DEVICE_COMPILE__)
      Vector<std::uint32_t, 4> words = 0;
      if (bytes != 0) words = *(Global<Vector<std::uint32_t, 4>>)from;
#pragma unroll
      for (int i = 0; i < 4; ++i) segment.word[i] = words[i];
      segment.to = to;
#endif
      return segment;
    } else {
      using Word = std::conditional_t<width == 8, std::uint64_t, std::uint32_t>;
      return Element<Word>{bytes != 0 ? *static_cast<const Word*>(from) : Word{0}, static_cast<Word*>(to)};
    }
  }
  GABLE_FUNCTION static void land([[maybe_unused]] const Segment& segment) {
#if defined(__HIP_DEVICE_COMPILE__)
    if (segment.to == nullptr) return;
    *(Local<Vector<std::uint32_t, 4>>)segment.to =
        Vector<std::uint32_t, 4>{segment.word[0], segment.word[1], segment.word[2], segment.word[3]};
#endif
  }
  template <class Word>
  GABLE_FUNCTION static void land(const Element<Word>& element) {
    *element.to = element.value;
  }
  /// Nothing is under way but what land() stores.
  GABLE_FUNCTION static void commit() {}
  template <int groups>
  GABLE_FUNCTION static void wait() {}

  /// `bytes` (8, 16) of scratch, aligned to them.
  template <class Value, int bytes>
  GABLE_FUNCTION static Value load([[maybe_unused]] const void* from) {
#if defined(__HIP_DEVICE_COMPILE__)
    static_assert(sizeof(Value) == bytes);
    return std::bit_cast<Value>(*(Local<const Vector<std::uint32_t, bytes / 4>>)from);
#else
    return {};
#endif
  }

  /// Whether matrix instructions take 16 bytes of a lane at once.
#if defined(__gfx950__)
  template <class T>
  static constexpr bool by_segments = sizeof(T) <= 2;
#else
  template <class T>
  static constexpr bool by_segments = false;
#endif

  /// sums += first x second for one 16 x 16 tile (warp::Mfma has the lanes' parts).
  template <class T>
  GABLE_FUNCTION static void mfma([[maybe_unused]] Accumulate<T> (&sums)[4],
                                  [[maybe_unused]] const warp::Operand<T>& first,
                                  [[maybe_unused]] const warp::Operand<T>& second) {
#if defined(__HIP_DEVICE_COMPILE__)
    Vector<Accumulate<T>, 4> all{sums[0], sums[1], sums[2], sums[3]};
    if constexpr (std::is_same_v<T, Fp16>) {
      using Halves = Vector<_Float16, 4>;
      all = __builtin_amdgcn_mfma_f32_16x16x16f16(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all, 0,
                                                  0, 0);
    } else if constexpr (std::is_same_v<T, Bf16>) {
      using Halves = Vector<short, 4>;
      all = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all,
                                                      0, 0, 0);
    } else if constexpr (std::is_same_v<T, std::int8_t>) {
#if defined(__gfx90a__)
      for (int half = 0; half < 2; ++half) {
        all = __builtin_amdgcn_mfma_i32_16x16x16i8(static_cast<int>(first.word[half]),
                                                   static_cast<int>(second.word[half]), all, 0, 0, 0);
      }
#else
      all =
          __builtin_amdgcn_mfma_i32_16x16x32_i8(std::bit_cast<long>(first), std::bit_cast<long>(second), all, 0, 0, 0);
#endif
    } else if constexpr (std::is_same_v<T, float>) {
      all = __builtin_amdgcn_mfma_f32_16x16x4f32(first, second, all, 0, 0, 0);
    } else {
      all = __builtin_amdgcn_mfma_f64_16x16x4f64(first, second, all, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = all[i];
#endif
  }

  /// The same by segments.
  template <class T>
  GABLE_FUNCTION static void mfma([[maybe_unused]] Accumulate<T> (&sums)[4],
                                  [[maybe_unused]] const warp::OperandSegment<T>& first,
                                  [[maybe_unused]] const warp::OperandSegment<T>& second) {
#if defined(__gfx950__)
    Vector<Accumulate<T>, 4> all{sums[0], sums[1], sums[2], sums[3]};
    if constexpr (std::is_same_v<T, Fp16>) {
      using Halves = Vector<_Float16, 8>;
      all = __builtin_amdgcn_mfma_f32_16x16x32_f16(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all, 0,
                                                   0, 0);
    } else if constexpr (std::is_same_v<T, Bf16>) {
      using Halves = Vector<__bf16, 8>;
      all = __builtin_amdgcn_mfma_f32_16x16x32_bf16(std::bit_cast<Halves>(first), std::bit_cast<Halves>(second), all, 0,
                                                    0, 0);
    } else {
      using Words = Vector<int, 4>;
      all = __builtin_amdgcn_mfma_i32_16x16x64_i8(std::bit_cast<Words>(first), std::bit_cast<Words>(second), all, 0, 0,
                                                  0);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) sums[i] = all[i];
#endif
  }

  /// Stores a pack in storage type; `to` is aligned to it.
  template <class T, class A>
  GABLE_FUNCTION static void store(T* to, const A (&pack)[4]) {
    struct alignas(sizeof(T) < 8 ? 4 * sizeof(T) : 16) All {
      T value[4];
    } all;
#pragma unroll
    for (int i = 0; i < 4; ++i) all.value[i] = narrow<T>(pack[i]);
    *reinterpret_cast<All*>(to) = all;
  }

  /// The value of the lane whose number differs by the bits of `mask`.
  template <class A>
  GABLE_FUNCTION static A exchange(A value, [[maybe_unused]] int mask) {
#if defined(__HIP_DEVICE_COMPILE__)
    return __shfl_xor(value, mask);
#else
    return value;
#endif
  }
  /// The value of lane `lane`.
  template <class A>
  GABLE_FUNCTION static A from_lane(A value, [[maybe_unused]] int lane) {
#if defined(__HIP_DEVICE_COMPILE__)
    return __shfl(value, lane);
#else
    return value;
#endif
  }

  GABLE_FUNCTION static float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
  GABLE_FUNCTION static double fma(double x, double y, double z) { return ::fma(x, y, z); }
  /// As in CudaMachine.
  template <class A>
  GABLE_FUNCTION static A exp2(A x) {
    return isa::Number<A>::exp2(x);
  }

 protected:
#if defined(__HIP_DEVICE_COMPILE__)
  template <class T, int count>
  using Vector = T __attribute__((ext_vector_type(count)));

 private:
  template <class T>
  using Global = const T __attribute__((address_space(1)))*;
  template <class T>
  using Local = T __attribute__((address_space(3)))*;
#endif
};

}  // namespace gable::device::tile
