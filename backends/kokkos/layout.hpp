#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace gable::kokkos {

/// What host and device must agree on, in bytes: a kernel reads its arguments where the device's compiler has them, and
/// they are written where the host's compiler has them.
struct Layout {
  std::string of;  ///< "size of a view"
  std::size_t host, device;
};

/// Sizes of what kernels get as arguments, and the place of a member behind each, as a kernel on the device has them;
/// none on a CPU. Needs a running Kokkos.
std::vector<Layout> layouts();

/// One line with the first that differs and who compiled it; empty where none does.
std::string layout_fault(const std::vector<Layout>& layouts);

}  // namespace gable::kokkos
