#pragma once
#include <Kokkos_Core.hpp>
#include <string>

#include "operators/device/chunk.hpp"
#include "operators/device/huge_pages.hpp"

namespace gable::device::tile {

/// Panels (blocks, parts) of `width` that cover `count`.
GABLE_FUNCTION Index panels_of(Index count, int width) { return (count + width - 1) / width; }

/// Workspace of a kernel, not initialised; on huge pages where the host has them.
template <class A>
Kokkos::View<A*, Exec::memory_space> make_workspace(const char* name, Index count) {
  Kokkos::View<A*, Exec::memory_space> view(Kokkos::view_alloc(std::string(name), Kokkos::WithoutInitializing),
                                            static_cast<std::size_t>(count));
  if constexpr (on_host) advise_huge_pages(view.data(), view.size() * sizeof(A));
  return view;
}

}  // namespace gable::device::tile
