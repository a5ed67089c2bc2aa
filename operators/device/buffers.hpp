#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// The arrays of one operator instance, in device memory, 64-byte aligned. Inputs are filled from the seed, by the
/// threads that will read them (first touch); outputs hold NaN (integers: the lowest value). A guard zone on both sides
/// of each array finds stray writes.
class Buffers {
 public:
  Buffers(const std::vector<BufferSpec>& specs, std::uint64_t seed);

  /// i-th input or output of the spec. T must be its storage type.
  template <class T>
  const T* input(std::size_t i) const {
    return static_cast<const T*>(find(Role::input, i, dtype_of<T>()));
  }
  template <class T>
  T* output(std::size_t i) const {
    return static_cast<T*>(find(Role::output, i, dtype_of<T>()));
  }
  /// The same without a type, for vendor calls.
  const void* input_pointer(std::size_t i) const { return at(Role::input, i).data(); }
  void* output_pointer(std::size_t i) const { return at(Role::output, i).data(); }

  /// Copies back, widened. Throws Error naming the buffer if its guard zone was written to.
  std::vector<std::vector<double>> values(Role role) const;

 private:
  using Bytes = Kokkos::View<unsigned char*, Kokkos::DefaultExecutionSpace::memory_space>;
  struct Buffer {
    std::string name;
    Index count;
    DType dtype;
    Role role;
    Bytes bytes;
    void* data() const;
  };

  const Buffer& at(Role role, std::size_t i) const;
  void* find(Role role, std::size_t i, DType dtype) const;

  std::vector<Buffer> buffers_;
};

}  // namespace gable::device
