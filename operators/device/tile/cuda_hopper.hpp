#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/tile/cuda.hpp"
#include "operators/device/tile/warp/wgmma.hpp"

#if defined(GABLE_WGMMA) && defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "GABLE_WGMMA asks for wgmma, an instruction of sm_90a alone, in code for another architecture"
#endif

/// The sums of a thread as the text of a wgmma names them, and as operands of an asm statement in the order of the
/// instruction (columns 8 p + 2 q + i of row 0, then of row 8): C++ has no shorter way to spell an instruction with 130
/// operands. `c` is the constraint, `v` the value of an Accumulator.
// clang-format off
#define GABLE_GROUP_NAMES_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15" \
  ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define GABLE_GROUP_NAMES_64 GABLE_GROUP_NAMES_32 \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47" \
  ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define GABLE_GROUP_NAMES_128 GABLE_GROUP_NAMES_64 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79" \
  ", %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95" \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111" \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
// clang-format on
#define GABLE_GROUP_4(c, v, p) c((v)[0][p][0]), c((v)[0][p][1]), c((v)[1][p][0]), c((v)[1][p][1])
#define GABLE_GROUP_16(c, v, p) \
  GABLE_GROUP_4(c, v, p), GABLE_GROUP_4(c, v, (p) + 1), GABLE_GROUP_4(c, v, (p) + 2), GABLE_GROUP_4(c, v, (p) + 3)
#define GABLE_GROUP_32(c, v, p) GABLE_GROUP_16(c, v, p), GABLE_GROUP_16(c, v, (p) + 4)
#define GABLE_GROUP_64(c, v, p) GABLE_GROUP_32(c, v, p), GABLE_GROUP_32(c, v, (p) + 8)
#define GABLE_GROUP_128(c, v) GABLE_GROUP_64(c, v, 0), GABLE_GROUP_64(c, v, 16)
/// Adds a product to v: p is the predicate "add to what is there", always true here; `tail` is what follows both
/// descriptors, the further arguments are the instruction's inputs.
#define GABLE_GROUP_PRODUCT(c, v, text, tail, ...)                                                                     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned." text " {" GABLE_GROUP_NAMES_128 \
               "}, %128, %129, " tail ";\n}"                                                                           \
               : GABLE_GROUP_128(c, v)                                                                                 \
               : __VA_ARGS__)
/// The same with a left operand in registers, for half or a quarter as many sums; `inputs` names what follows the sums.
#define GABLE_GROUP_HELD(text, names, add_name, inputs, sums, left, right, add, right_across)                     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " add_name ", 0;\nwgmma.mma_async.sync.aligned." text " {" names \
               "}, " inputs ";\n}"                                                                                \
               : sums                                                                                             \
               : "r"((left)[0]), "r"((left)[1]), "r"((left)[2]), "r"((left)[3]), "l"(right),                      \
                 "r"(static_cast<int>(add)), "n"(right_across))
#define GABLE_GROUP_HELD_64(types, v, ...)                                                                         \
  GABLE_GROUP_HELD("m64n64k16.f32." types, GABLE_GROUP_NAMES_32, "%37", "{%32, %33, %34, %35}, %36, p, 1, 1, %38", \
                   GABLE_GROUP_32("+f", v, 0), __VA_ARGS__)
#define GABLE_GROUP_HELD_128(types, v, ...)                                                                         \
  GABLE_GROUP_HELD("m64n128k16.f32." types, GABLE_GROUP_NAMES_64, "%69", "{%64, %65, %66, %67}, %68, p, 1, 1, %70", \
                   GABLE_GROUP_64("+f", v, 0), __VA_ARGS__)

namespace gable::device::tile {

/// The instructions of sm_90a for products: the matrix unit reads both operands from scratch (warp/wgmma.hpp).
struct HopperMachine : CudaMachine {
  using Form = warp::Wgmma;

  /// Waits for copies as CudaMachine does, and lets the matrix unit see what this thread wrote to scratch; others'
  /// follows with the next barrier.
  template <int groups>
  GABLE_FUNCTION static void wait() {
    CudaMachine::wait<groups>();
#if defined(__CUDA_ARCH__)
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }

  /// A barrier of a number (1 to 15) that so many threads come to: meet() waits for the others, arrive() does not.
  template <int number, int threads>
  GABLE_FUNCTION static void meet() {
#if defined(__CUDA_ARCH__)
    asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(threads) : "memory");
#endif
  }
  template <int number, int threads>
  GABLE_FUNCTION static void arrive() {
#if defined(__CUDA_ARCH__)
    asm volatile("bar.arrive %0, %1;" ::"n"(number), "n"(threads) : "memory");
#endif
  }

  /// Before the first product of a group of them: sums that threads wrote are there.
  GABLE_FUNCTION static void begin_products() {
#if defined(__CUDA_ARCH__)
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#endif
  }
  /// Closes a group of products.
  GABLE_FUNCTION static void commit_products() {
#if defined(__CUDA_ARCH__)
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
  }
  /// Waits until at most `groups` groups of products are under way.
  template <int groups>
  GABLE_FUNCTION static void wait_products() {
#if defined(__CUDA_ARCH__)
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
#endif
  }
  /// Sums of products that have been waited for: what reads them is not moved to before the wait.
  template <class A, int packs>
  GABLE_FUNCTION static void take_products([[maybe_unused]] A (&sums)[2][packs][2]) {
#if defined(__CUDA_ARCH__)
#pragma unroll
    for (int p = 0; p < packs; ++p) {
      if constexpr (std::is_same_v<A, float>) {
        asm volatile("" : GABLE_GROUP_4("+f", sums, p)::"memory");
      } else {
        asm volatile("" : GABLE_GROUP_4("+r", sums, p)::"memory");
      }
    }
#endif
  }

  /// sums += A B for 64 rows and 256 columns over one step of depth, whose operands the descriptors name; along the
  /// depth, or across it. Every thread of the warpgroup calls it.
  template <class T, bool left_across, bool right_across>
  GABLE_FUNCTION static void multiply_group([[maybe_unused]] Accumulate<T> (&sums)[2][32][2],
                                            [[maybe_unused]] std::uint64_t left, [[maybe_unused]] std::uint64_t right) {
    static_assert(Form::multiplies<T, left_across, right_across>);
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, Bf16>) {
      GABLE_GROUP_PRODUCT("+f", sums, "m64n256k16.f32.bf16.bf16", "p, 1, 1, %130, %131", "l"(left), "l"(right),
                          "n"(left_across), "n"(right_across));
    } else if constexpr (std::is_same_v<T, Fp16>) {
      GABLE_GROUP_PRODUCT("+f", sums, "m64n256k16.f32.f16.f16", "p, 1, 1, %130, %131", "l"(left), "l"(right),
                          "n"(left_across), "n"(right_across));
    } else if constexpr (std::is_same_v<T, Fp8E4m3>) {
      GABLE_GROUP_PRODUCT("+f", sums, "m64n256k32.f32.e4m3.e4m3", "p, 1, 1", "l"(left), "l"(right));
    } else {
      GABLE_GROUP_PRODUCT("+r", sums, "m64n256k32.s32.s8.s8", "p", "l"(left), "l"(right));
    }
#endif
  }
  /// The same for 64 or 128 columns and a left operand of registers; sums = A B where not to `add`.
  template <class T, bool right_across, int packs>
  GABLE_FUNCTION static void multiply_group([[maybe_unused]] float (&sums)[2][packs][2],
                                            [[maybe_unused]] const std::uint32_t (&left)[4],
                                            [[maybe_unused]] std::uint64_t right, [[maybe_unused]] bool add) {
    static_assert(packs == 8 || packs == 16);
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, Bf16> && packs == 8) {
      GABLE_GROUP_HELD_64("bf16.bf16", sums, left, right, add, right_across);
    } else if constexpr (std::is_same_v<T, Bf16>) {
      GABLE_GROUP_HELD_128("bf16.bf16", sums, left, right, add, right_across);
    } else if constexpr (packs == 8) {
      GABLE_GROUP_HELD_64("f16.f16", sums, left, right, add, right_across);
    } else {
      GABLE_GROUP_HELD_128("f16.f16", sums, left, right, add, right_across);
    }
#endif
  }
};

#undef GABLE_GROUP_HELD_128
#undef GABLE_GROUP_HELD_64
#undef GABLE_GROUP_HELD
#undef GABLE_GROUP_PRODUCT
#undef GABLE_GROUP_128
#undef GABLE_GROUP_64
#undef GABLE_GROUP_32
#undef GABLE_GROUP_16
#undef GABLE_GROUP_4
#undef GABLE_GROUP_NAMES_128
#undef GABLE_GROUP_NAMES_64
#undef GABLE_GROUP_NAMES_32

}  // namespace gable::device::tile
