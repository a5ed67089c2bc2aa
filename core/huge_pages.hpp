#pragma once
#include <cstddef>
#include <cstdint>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gable {

/// Asks for huge pages before the first touch: operators and bandwidth ceilings of all kinds then walk the same kind of
/// page, and the text of a large file is filled with fewer page faults. Only for memory of several huge pages; the
/// kernel may decline, which costs speed only.
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

}  // namespace gable
