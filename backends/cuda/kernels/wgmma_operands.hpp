#pragma once

/// The 128 or 64 accumulators of a wgmma, as its text names them and as operands of an asm statement: neither C++ nor
/// the compiler has a shorter way to spell an instruction with 130 operands. `c` is the constraint, `d` the array.
#define GABLE_WGMMA_NAMES_64                                                         \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

#define GABLE_WGMMA_NAMES_128                                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

#define GABLE_WGMMA_8(c, d, i) \
  c(d[(i)]), c(d[(i) + 1]), c(d[(i) + 2]), c(d[(i) + 3]), c(d[(i) + 4]), c(d[(i) + 5]), c(d[(i) + 6]), c(d[(i) + 7])
#define GABLE_WGMMA_OPERANDS_64(c, d)                                                               \
  GABLE_WGMMA_8(c, d, 0), GABLE_WGMMA_8(c, d, 8), GABLE_WGMMA_8(c, d, 16), GABLE_WGMMA_8(c, d, 24), \
      GABLE_WGMMA_8(c, d, 32), GABLE_WGMMA_8(c, d, 40), GABLE_WGMMA_8(c, d, 48), GABLE_WGMMA_8(c, d, 56)
#define GABLE_WGMMA_OPERANDS_128(c, d)                                                                    \
  GABLE_WGMMA_8(c, d, 0), GABLE_WGMMA_8(c, d, 8), GABLE_WGMMA_8(c, d, 16), GABLE_WGMMA_8(c, d, 24),       \
      GABLE_WGMMA_8(c, d, 32), GABLE_WGMMA_8(c, d, 40), GABLE_WGMMA_8(c, d, 48), GABLE_WGMMA_8(c, d, 56), \
      GABLE_WGMMA_8(c, d, 64), GABLE_WGMMA_8(c, d, 72), GABLE_WGMMA_8(c, d, 80), GABLE_WGMMA_8(c, d, 88), \
      GABLE_WGMMA_8(c, d, 96), GABLE_WGMMA_8(c, d, 104), GABLE_WGMMA_8(c, d, 112), GABLE_WGMMA_8(c, d, 120)

/// Adds a wgmma to d. `text` is the instruction with its types, `tail` what follows d: the descriptors a and b, the
/// predicate p, "add to what is there", which is always true here, and the instruction's immediate operands.
#define GABLE_WGMMA(count, c, d, a, b, text, tail)                                                              \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n" text " {" GABLE_WGMMA_NAMES_##count "}, " tail ";\n}" \
               : GABLE_WGMMA_OPERANDS_##count(c, d)                                                             \
               : "l"(a), "l"(b))
