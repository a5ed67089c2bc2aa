#pragma once
#include "operators/device/storage.hpp"

/// The tile primitive of GPUs: what one warp (AMD: wave) does. It is written against a Machine, which has the
/// instructions of one kind of GPU (cuda.hpp, hip.hpp, hip_rdna3.hpp) as static functions, and names its Form: how the
/// lanes share a tile and its operands, and which instructions multiply (mma.hpp, wgmma.hpp, mfma.hpp, wmma.hpp). Tests
/// run the same source on emulated machines. No Kokkos here.
namespace gable::device::tile::warp {

/// One copy into a panel, the widest access of a thread.
inline constexpr int segment_bytes = 16;

template <class T>
inline constexpr int per_segment = segment_bytes / static_cast<int>(sizeof(T));

/// Where elements lie in a panel whose rows run along the depth: A [row, k], or a transposed B [column, k]; any number
/// of rows of as many bytes as the form says. A row's segments change places as the form says, so that threads that
/// read at once meet in no bank.
template <class Form, class T>
struct AlongDepth {
  static constexpr int depth = Form::row_bytes / static_cast<int>(sizeof(T));
  static constexpr int segments = Form::row_bytes / segment_bytes;

  /// Offset of element (row, k), k < depth.
  GABLE_FUNCTION static constexpr int at(int row, int k) {
    return row * depth + Form::template place_along<T>(row, k / per_segment<T>) * per_segment<T> + k % per_segment<T>;
  }
};

/// The same for a panel whose rows run across the depth: B [k, column], or a transposed A [k, row]; any number of rows
/// of `columns`.
template <class Form, class T, int columns>
struct AcrossDepth {
  static constexpr int segments = columns / per_segment<T>;
  static_assert(segments >= 8);

  GABLE_FUNCTION static constexpr int at(int k, int column) {
    return k * columns + Form::template place_across<T>(k, column / per_segment<T>) * per_segment<T> +
           column % per_segment<T>;
  }
};

/// Across the depth, too, whichever way the matrix runs: in the natural order, with a gap of a segment behind each row,
/// so that eight k of four neighbours, copied element by element, meet in no bank.
template <class T, int columns>
struct GappedDepth {
  static constexpr int segments = columns / per_segment<T>;
  static constexpr int pitch = columns + per_segment<T>;

  GABLE_FUNCTION static constexpr int at(int k, int column) { return k * pitch + column; }
};
/// A panel of it, an operand on either side.
template <class T, int columns>
struct GappedPanel {
  const T* panel;
  GABLE_FUNCTION const T* at(int k, int column) const { return panel + GappedDepth<T, columns>::at(k, column); }
};

/// Left operand in scratch across the depth (along it: the panel itself).
template <class Form, class T, int rows>
struct LeftAcross {
  const T* panel;
  GABLE_FUNCTION const T* at(int row, int k) const { return panel + AcrossDepth<Form, T, rows>::at(k, row); }
};
/// Right operand in scratch: a panel along the depth (columns of it are rows of the panel), or across it.
template <class Form, class T>
struct RightAlong {
  const T* panel;
  GABLE_FUNCTION const T* at(int k, int column) const { return panel + AlongDepth<Form, T>::at(column, k); }
};
template <class Form, class T, int columns>
struct RightAcross {
  const T* panel;
  GABLE_FUNCTION const T* at(int k, int column) const { return panel + AcrossDepth<Form, T, columns>::at(k, column); }
};

}  // namespace gable::device::tile::warp
