#pragma once
#include "core/operator.hpp"
#include "operators/device/pack.hpp"

namespace gable::device {

/// What a plane adds to the points of a pack, in it or in the planes above and below: the points themselves, and the
/// sums of their four neighbours across edges and of the four across corners of the plane.
template <class V>
struct PlaneSums {
  V centre, edges, corners;
};

template <class Access, class T>
GABLE_FUNCTION auto plane_sums(Access access, const T* at, Index row) {
  const auto pair = [&](Index offset) { return access.load(at + offset - 1) + access.load(at + offset + 1); };
  const auto centre = access.load(at);
  return PlaneSums<decltype(access.load(at))>{centre, pair(0) + (access.load(at - row) + access.load(at + row)),
                                              pair(-row) + pair(row)};
}

/// GPU: what the sums about a pack of N points are made of, fetched as aligned packs and the elements beside them: of a
/// pack at any other address each element would be a load.
template <class T, int N>
struct PlaneElements {
  Pack<T, N> row[3];
  T before[3], behind[3];
};
template <int N, class T>
GABLE_FUNCTION PlaneElements<T, N> plane_elements(const T* at, Index row) {
  PlaneElements<T, N> elements;
  for (int k = 0; k < 3; ++k) {
    const T* const from = at + (k - 1) * row;
    elements.row[k] = pack_at<N>(from);
    elements.before[k] = from[-1];
    elements.behind[k] = from[N];
  }
  return elements;
}
template <class T, int N>
GABLE_FUNCTION PlaneSums<Lanes<T, N>> plane_sums(const PlaneElements<T, N>& elements) {
  Lanes<T, N> row[3], pair[3];
  for (int k = 0; k < 3; ++k) {
    row[k] = widened(elements.row[k]);
    for (int i = 0; i < N; ++i) {
      const T left = i > 0 ? elements.row[k].element[i > 0 ? i - 1 : 0] : elements.before[k];
      pair[k].set(i, left + (i + 1 < N ? elements.row[k].element[i + 1 < N ? i + 1 : 0] : elements.behind[k]));
    }
  }
  return {row[1], pair[1] + (row[0] + row[2]), pair[0] + pair[2]};
}

}  // namespace gable::device
