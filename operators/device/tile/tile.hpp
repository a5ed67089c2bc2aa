#pragma once
#include <Kokkos_Core.hpp>
#include <string>

#include "core/huge_pages.hpp"
#include "operators/device/chunk.hpp"
#include "operators/device/function.hpp"

/// The tile primitive: the piece of a matrix product that one thread of a host holds in registers, or one warp
/// (AMD: wave) of a GPU, which is one thread of a Kokkos team whose vector length is its width.
/// Operators use what is made of it, Product (product.hpp) and FusedAttention (attention.hpp), which are blocked for
/// caches on a host and for scratch and registers on a GPU. Both forms of the primitive have
///
///   panels         an operand's block in fast memory (host: a cache, GPU: scratch), padded with zeros to whole tiles
///   staging        copies into panels, in groups: commit(), wait<n>() until at most n groups are under way
///                  (NVIDIA: asynchronous; AMD: through registers, by land(); a host's are done when they return)
///   fragments      of the left and the right operand, loaded from panels, or taken from an accumulator
///   Accumulator    the tile: clear(), for_each(function) with row, column and the neighbours that this thread holds
///   multiply       accumulator += left x right over the depth of a panel
///   row reductions largest element and sum of each row
///
/// Host: host.hpp, on Lanes. GPUs: warp/, written against a machine's instructions: cuda.hpp, hip.hpp and what adds to
/// them. Every thread of a warp calls them together, with the same arguments.
namespace gable::device::tile {

/// Whether this device has a form of the primitive. Operators list kernels made of tiles only where it has; of AMD's
/// GPUs those with matrix cores of fp64 (CDNA2 and later), and RDNA3.
#if defined(__CUDACC__) || defined(KOKKOS_ARCH_AMD_GFX90A) || defined(KOKKOS_ARCH_AMD_GFX942) || \
    defined(KOKKOS_ARCH_AMD_GFX942_APU) || defined(KOKKOS_ARCH_AMD_GFX950) || defined(KOKKOS_ARCH_AMD_GFX1100)
inline constexpr bool available = true;
#else
inline constexpr bool available = on_host;
#endif
/// Whether its products take operands of storage type T, and whether it has fused attention: RDNA3's multiplies what
/// its matrix instructions do, and no more.
#if defined(KOKKOS_ARCH_AMD_GFX1100)
template <class T>
inline constexpr bool multiplies = sizeof(T) <= 2;
inline constexpr bool attends = false;
#else
template <class T>
inline constexpr bool multiplies = available;
inline constexpr bool attends = available;
#endif

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
