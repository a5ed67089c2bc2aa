#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/pack.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::device::tile {

/// Memory of DecodeParts; blocks: of a GPU, for each split of all rows.
class DecodeWorkspace {
 public:
  DecodeWorkspace(const DecodeSize& size, Index splits, Index blocks = 0)
      : parts_{splits, size.group, panels_of(size.d, padding) * padding, nullptr, nullptr, nullptr, nullptr},
        data_(make_workspace<float>("gable::attention::parts", size.rows * splits * size.group * (parts_.stride + 2))),
        finished_("gable::attention::finished", static_cast<std::size_t>(blocks)) {
    const Index count = size.rows * splits * size.group;
    parts_.sums = data_.data();
    parts_.largest = parts_.sums + count * parts_.stride;
    parts_.total = parts_.largest + count;
    parts_.finished = finished_.data();
  }
  const DecodeParts& parts() const { return parts_; }

  /// Sums of values take whole steps: on a host two registers, on a GPU at most 16 elements.
  static constexpr int padding = on_host ? pack_size<float> : 16;

 private:
  DecodeParts parts_;
  Kokkos::View<float*, Exec::memory_space> data_;
  Kokkos::View<int*, Exec::memory_space> finished_;
};

}  // namespace gable::device::tile
