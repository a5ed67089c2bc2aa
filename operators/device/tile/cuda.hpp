#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "operators/device/isa/number.hpp"
#include "operators/device/isa/pair.hpp"
#include "operators/device/tile/warp/mma.hpp"

namespace gable::device::tile {

/// The instructions of an NVIDIA GPU from sm_80 on that the tile primitive (warp/) is made of. Every lane of a warp
/// calls those that exchange data together. Scratch is shared memory. Host code may name these functions, because
/// Kokkos' functors are compiled for both sides, but never runs them.
struct CudaMachine {
  using Form = warp::Mma;

  /// Lane of the warp, which is the x coordinate in a thread block of 32 x warps threads.
  GABLE_FUNCTION static int lane() {
#if defined(__CUDA_ARCH__)
    return static_cast<int>(threadIdx.x);
#else
    return 0;
#endif
  }
  /// A barrier of the thread block: after it every thread sees what the others wrote to scratch before.
  GABLE_FUNCTION static void barrier() {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  /// The same for a warp and what its lanes wrote.
  GABLE_FUNCTION static void warp_barrier() {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
  }
  /// What this thread wrote before it other blocks see before what it writes then; and it reads nothing older.
  GABLE_FUNCTION static void fence() {
#if defined(__CUDA_ARCH__)
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
#endif
  }
  /// Adds one to a counter that blocks share; returns what it was.
  GABLE_FUNCTION static int add_one([[maybe_unused]] int* counter) {
#if defined(__CUDA_ARCH__)
    return atomicAdd(counter, 1);
#else
    return 0;
#endif
  }

  /// Where scratch lies in the window of shared memory, bytes.
  GABLE_FUNCTION static std::uint32_t address([[maybe_unused]] const void* scratch) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(scratch));
#else
    return 0;
#endif
  }

  /// What a thread keeps of a copy under way.
  struct Segment {};
  /// Begins an asynchronous copy of `width` bytes (4, 8, 16) from global memory to scratch, of which the first `bytes`
  /// are read and the others become 0. Both addresses are multiples of the width.
  template <int width>
  GABLE_FUNCTION static Segment copy([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                     [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__)
    if constexpr (width == 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address(to)), "l"(from), "r"(bytes)
                   : "memory");
    } else {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address(to)), "l"(from), "n"(width), "r"(bytes)
                   : "memory");
    }
#endif
    return {};
  }
  /// The same of a whole segment that is read once: of what lies in the L2 cache it goes first.
  GABLE_FUNCTION static Segment copy_once([[maybe_unused]] void* to, [[maybe_unused]] const void* from,
                                          [[maybe_unused]] int bytes) {
#if defined(__CUDA_ARCH__)
    std::uint64_t policy = 0;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(address(to)), "l"(from),
                 "r"(bytes), "l"(policy)
                 : "memory");
#endif
    return {};
  }
  GABLE_FUNCTION static void land(Segment) {}
  /// Closes a group of this thread's copies.
  GABLE_FUNCTION static void commit() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }
  /// Waits until at most `groups` of this thread's groups are under way.
  template <int groups>
  GABLE_FUNCTION static void wait() {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
  }

  /// Four 8 x 8 matrices of 2-byte elements, or of pairs of bytes, from scratch; the lane gives the address of one of
  /// their 32 rows.
  template <class T>
  GABLE_FUNCTION static void load_matrices(std::uint32_t (&words)[4], [[maybe_unused]] const T* row) {
#if defined(__CUDA_ARCH__)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address(row))
                 : "memory");
#else
    for (auto& word : words) word = 0;
#endif
  }
  /// The same, each matrix transposed.
  template <class T>
  GABLE_FUNCTION static void load_matrices_transposed(std::uint32_t (&words)[4], [[maybe_unused]] const T* row) {
#if defined(__CUDA_ARCH__)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address(row))
                 : "memory");
#else
    for (auto& word : words) word = 0;
#endif
  }
  /// Four neighbours, aligned to 16 bytes.
  GABLE_FUNCTION static void load_four(float (&values)[4], const float* from) {
    const auto four = *reinterpret_cast<const Four*>(from);
    for (int i = 0; i < 4; ++i) values[i] = four.value[i];
  }

  /// mma.sync.m16n8k16: `upper` and `lower` hold the lane's elements of rows 0-7 and 8-15, which sums are added to.
  template <class T>
  GABLE_FUNCTION static void mma([[maybe_unused]] float (&upper)[2], [[maybe_unused]] float (&lower)[2],
                                 [[maybe_unused]] const std::uint32_t (&left)[4], [[maybe_unused]] std::uint32_t right0,
                                 [[maybe_unused]] std::uint32_t right1) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, Bf16>) {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
          : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
    } else {
      asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
          "{%0, %1, %2, %3};"
          : "+f"(upper[0]), "+f"(upper[1]), "+f"(lower[0]), "+f"(lower[1])
          : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
    }
#endif
  }
  /// mma.sync.m16n8k32 of int8, likewise.
  template <class T>
  GABLE_FUNCTION static void mma([[maybe_unused]] std::int32_t (&upper)[2], [[maybe_unused]] std::int32_t (&lower)[2],
                                 [[maybe_unused]] const std::uint32_t (&left)[4], [[maybe_unused]] std::uint32_t right0,
                                 [[maybe_unused]] std::uint32_t right1) {
#if defined(__CUDA_ARCH__)
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(upper[0]), "+r"(upper[1]), "+r"(lower[0]), "+r"(lower[1])
        : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right0), "r"(right1));
#endif
  }
  /// 16 rows of doubles, of which `upper` and `lower` hold the lane's sums of rows 0-7 and 8-15: mma.sync.m16n8k4 from
  /// sm_90 on, where it is nearly twice as fast as two of m8n8k4, which is what earlier devices have.
  GABLE_FUNCTION static void mma([[maybe_unused]] double (&upper)[2], [[maybe_unused]] double (&lower)[2],
                                 [[maybe_unused]] double left_upper, [[maybe_unused]] double left_lower,
                                 [[maybe_unused]] double right) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
        : "d"(left_upper), "d"(left_lower), "d"(right));
#else
    mma(upper, left_upper, right);
    mma(lower, left_lower, right);
#endif
  }
  /// mma.sync.m8n8k4 of doubles.
  GABLE_FUNCTION static void mma([[maybe_unused]] double (&sums)[2], [[maybe_unused]] double left,
                                 [[maybe_unused]] double right) {
#if defined(__CUDA_ARCH__)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(left), "d"(right));
#endif
  }

  /// Two int8 of a word as a pair of fp16: 1024 + x + 128, less 1152.
  template <int low, int high>
  GABLE_FUNCTION static std::uint32_t pair_of_bytes([[maybe_unused]] std::uint32_t word) {
    std::uint32_t pair = 0;
#if defined(__CUDA_ARCH__)
    constexpr std::uint32_t selector = low | 4U << 4 | high << 8 | 4U << 12;
    asm("sub.f16x2 %0, %1, %2;" : "=r"(pair) : "r"(__byte_perm(word ^ 0x80808080U, 0x64U, selector)), "r"(0x64806480U));
#endif
    return pair;
  }
  /// Stores a pack in storage type; `to` is aligned to it.
  template <class T, class A, int count>
  GABLE_FUNCTION static void store(T* to, const A (&pack)[count]) {
    if constexpr (sizeof(T) == 2) {
      *reinterpret_cast<std::uint32_t*>(to) = narrow_pair<T>(pack[0], pack[1]);
    } else {
      Aligned<T, count> all;
      for (int i = 0; i < count; ++i) all.value[i] = pack[i];
      *reinterpret_cast<Aligned<T, count>*>(to) = all;
    }
  }

  /// The value of the lane whose number differs by the bits of `mask`.
  template <class A>
  GABLE_FUNCTION static A exchange(A value, [[maybe_unused]] int mask) {
#if defined(__CUDA_ARCH__)
    return __shfl_xor_sync(0xffffffffU, value, mask);
#else
    return value;
#endif
  }
  /// The value of lane `lane`.
  template <class A>
  GABLE_FUNCTION static A from_lane(A value, [[maybe_unused]] int lane) {
#if defined(__CUDA_ARCH__)
    return __shfl_sync(0xffffffffU, value, lane);
#else
    return value;
#endif
  }

  GABLE_FUNCTION static float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
  GABLE_FUNCTION static double fma(double x, double y, double z) { return ::fma(x, y, z); }
  /// Attention and softmax need no result below 2^-126: the largest weight of a row is 1.
  template <class A>
  GABLE_FUNCTION static A exp2(A x) {
    return isa::Number<A>::exp2(x);
  }

 private:
  template <class T, int count>
  struct alignas(count * sizeof(T)) Aligned {
    T value[count];
  };
  using Four = Aligned<float, 4>;
};

}  // namespace gable::device::tile
