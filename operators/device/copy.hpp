#pragma once
#include <cstring>

#include "operators/device/pack.hpp"

namespace gable::device {

/// Copies N elements as they are, whatever their bits. On GPUs both must be aligned to the pack; on hosts any address
/// does.
template <int N, class T>
GABLE_FUNCTION void copy(const T* source, T* target) {
#if defined(GABLE_ARRAY_LANES)
  *reinterpret_cast<Pack<T, N>*>(target) = *reinterpret_cast<const Pack<T, N>*>(source);
#else
  std::memcpy(target, source, N * sizeof(T));
#endif
}

}  // namespace gable::device
