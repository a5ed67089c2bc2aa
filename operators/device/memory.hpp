#pragma once
#include <cstddef>
#include <cstdint>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "operators/device/function.hpp"

namespace gable::device {

/// Asks for the cache line at an address that will soon be read or written. Any address is allowed, also one beyond the
/// end of an array. GPUs hide latency by other threads: nothing there.
GABLE_FUNCTION void prefetch_read([[maybe_unused]] const void* address) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(address, 0, 3);
#endif
}
GABLE_FUNCTION void prefetch_write([[maybe_unused]] const void* address) {
#if !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__)
  __builtin_prefetch(address, 1, 3);
#endif
}

/// Asks for huge pages before the first touch, so that operators and the bandwidth ceilings walk the same kind of page.
/// Only for arrays of several huge pages; the kernel may decline, which is harmless.
inline void advise_huge_pages(void* data, std::size_t bytes) {
#ifdef __linux__
  constexpr std::uintptr_t huge_page = std::uintptr_t{2} << 20;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + huge_page - 1) / huge_page * huge_page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / huge_page * huge_page;
  if (end > begin + huge_page) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#else
  (void)data;
  (void)bytes;
#endif
}

}  // namespace gable::device
