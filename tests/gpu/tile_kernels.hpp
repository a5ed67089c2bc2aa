#pragma once
#include <string>
#include <vector>

#include "core/operator.hpp"

namespace gable::gpu::test {

/// Sizes of a batch of products, elements.
struct TileSize {
  Index batch, m, n, k;
};

/// A product of the tile primitive in one form: A [batch,m,k] (transposed_a: [batch,k,m]), B [batch,k,n] (transposed_b:
/// [batch,n,k]), C [batch,m,n].
struct TileKernel {
  std::string name;  ///< form, type and order of the operands; letters, digits and underscores
  bool transposed_a, transposed_b;
  int needed_bytes;               ///< of scratch for a team
  int (*granted_bytes)();         ///< of scratch for a team by Kokkos, on the current device
  double (*as_stored)(double x);  ///< x as an element of C
  /// C on the current device. Elements of A and B must be numbers of the type.
  std::vector<double> (*run)(const TileSize&, const std::vector<double>& a, const std::vector<double>& b);
};

/// Those of this build. Kokkos need not have started.
std::vector<TileKernel> tile_kernels();

}  // namespace gable::gpu::test
