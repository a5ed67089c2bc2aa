#pragma once
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "core/operator.hpp"
#include "operators/device/storage.hpp"

namespace gable::device {

/// The arrays of one operator instance, in device memory, 64-byte aligned. What is read is filled from the seed or by
/// the spec's function, by the threads that will read it (first touch); outputs hold NaN (integers: the lowest value).
/// Guard zones on both sides of each array detect stray writes.
class Buffers {
 public:
  Buffers(const std::vector<BufferSpec>& specs, std::uint64_t seed);

  /// i-th buffer of the spec that is read, or written. What is updated in place counts on both sides and is the same
  /// memory. T must be its storage type: Int4Pair for int4.
  template <class T>
  const T* input(std::size_t i) const {
    return static_cast<const T*>(find(is_read, i, dtype_of<T>()));
  }
  template <class T>
  T* output(std::size_t i) const {
    return static_cast<T*>(find(is_written, i, dtype_of<T>()));
  }
  /// The same without a type, for vendor calls.
  const void* input_pointer(std::size_t i) const { return at(is_read, i).data(); }
  void* output_pointer(std::size_t i) const { return at(is_written, i).data(); }

  /// Copies back, widened: those whose role is wanted. Throws Error naming the buffer if its guard zone was written to.
  std::vector<std::vector<double>> values(bool (*wanted)(Role)) const;
  /// Sets an element of the i-th buffer that is read. Throws Error if there is none.
  void set_input(std::size_t i, Index element, double value) const;

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

  const Buffer& at(bool (*wanted)(Role), std::size_t i) const;
  void* find(bool (*wanted)(Role), std::size_t i, DType dtype) const;

  std::vector<Buffer> buffers_;
};

}  // namespace gable::device
