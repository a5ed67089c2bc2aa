#pragma once
#include <Kokkos_Core.hpp>

#include "operators/device/chunk.hpp"
#include "operators/device/exp.hpp"
#include "operators/device/pack.hpp"
#include "operators/device/tile/size.hpp"
#include "operators/device/tile/tile.hpp"

namespace gable::device::tile {

/// Memory of DecodeParts.
class DecodeWorkspace {
 public:
  DecodeWorkspace(const DecodeSize& size, Index splits)
      : parts_{splits, size.group, panels_of(size.d, padding) * padding, nullptr, nullptr, nullptr},
        data_(make_workspace<float>("gable::attention::parts", size.rows * splits * size.group * (parts_.stride + 2))) {
    const Index count = size.rows * splits * size.group;
    parts_.sums = data_.data();
    parts_.largest = parts_.sums + count * parts_.stride;
    parts_.total = parts_.largest + count;
  }
  const DecodeParts& parts() const { return parts_; }

  /// Sums of values take whole steps: on a host two registers, on a GPU at most 16 elements.
  static constexpr int padding = on_host ? pack_size<float> : 16;

 private:
  DecodeParts parts_;
  Kokkos::View<float*, Exec::memory_space> data_;
};

/// The result of a query out of its parts: a CPU's thread takes a query, a GPU's an element.
template <class T>
struct DecodeCombine {
  static constexpr int pack = on_host ? register_bytes / static_cast<int>(sizeof(float)) : 1;
  DecodeParts parts;
  Index queries, d;
  T* o;

  /// Enqueues.
  void run(const Exec& exec) const {
    Kokkos::parallel_for("gable::attention_combine", ThreadPolicy(exec, 0, on_host ? queries : queries * d), *this);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if constexpr (on_host) {
      for (Index column = 0; column < d; column += pack) columns(i, column);
    } else {
      columns(i / d, i % d);
    }
  }

 private:
  GABLE_FUNCTION void columns(Index query, Index column) const {
    float largest = parts.largest[parts.at(query, 0)];
    for (Index split = 1; split < parts.splits; ++split) {
      const float other = parts.largest[parts.at(query, split)];
      largest = other > largest ? other : largest;
    }
    float total = 0;
    Lanes<float, pack> sum(0.0F);
    for (Index split = 0; split < parts.splits; ++split) {
      const Index at = parts.at(query, split);
      const float weight = exp(Lanes<float, pack>(parts.largest[at] - largest))[0];
      total += parts.total[at] * weight;
      sum += load<pack>(parts.sums + at * parts.stride + column) * weight;
    }
    T* target = o + query * d + column;
    if (d - column >= pack) {
      store<pack>(target, sum * (1 / total));
    } else {
      store<pack>(target, sum * (1 / total), static_cast<int>(d - column));
    }
  }
};

}  // namespace gable::device::tile
