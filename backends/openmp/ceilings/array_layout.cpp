#include "backends/openmp/ceilings/array_layout.hpp"

#include <algorithm>

#include "backends/openmp/isa/isa_table.hpp"

namespace gable::openmp {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t page_doubles = page_bytes / sizeof(double);
/// Kernels take no other lengths, and arrays begin at no other offsets.
constexpr std::size_t vector_doubles = 64;
constexpr std::size_t least_lead_bytes = 1024;

std::size_t part_bytes(std::size_t doubles) { return doubles / isa::store_streams * sizeof(double); }

/// Of the streams of loads of an array that begins `offset` doubles behind `a`, which is stored to.
std::size_t lead_of(std::size_t offset, std::size_t part) {
  std::size_t least = page_bytes;
  for (std::size_t from = 0; from < isa::store_streams; ++from) {
    for (std::size_t to = 0; to < isa::store_streams; ++to) {
      if (offset == 0 && from == to) continue;  // the element itself, which is loaded first
      const std::size_t load = (offset * sizeof(double) + from * part) % page_bytes;
      least = std::min(least, (to * part + page_bytes - load) % page_bytes);
    }
  }
  return least;
}

/// Begins where loads stay behind stores. Of the eight offsets in a page each pair of a load's and a store's half
/// forbids two, and there are three such pairs: two offsets are left, for b and c.
ArrayLayout layout_of(Access access, std::size_t doubles) {
  const std::size_t pages = (doubles + page_doubles - 1) / page_doubles * page_doubles;
  std::size_t skew = 0;
  const auto next_skew = [&] {
    do skew += vector_doubles;
    while (lead_of(skew, part_bytes(doubles)) < least_lead_bytes);
    return skew;
  };
  ArrayLayout layout{.doubles = doubles};
  if (arrays_of(access) > 1) layout.b = pages + next_skew();
  if (arrays_of(access) > 2) layout.c = 2 * pages + next_skew();
  return layout;
}

}  // namespace

std::size_t store_lead_bytes(Access access, const ArrayLayout& layout) {
  const std::size_t part = part_bytes(layout.doubles);
  if (access == Access::update) return lead_of(0, part);
  if (access == Access::copy) return lead_of(layout.b, part);
  if (access == Access::triad) return std::min(lead_of(layout.b, part), lead_of(layout.c, part));
  return page_bytes;
}

ArrayLayout array_layout(Access access, std::size_t doubles, std::size_t room) {
  std::size_t longest = std::max(vector_doubles, doubles / vector_doubles * vector_doubles);
  while (longest > vector_doubles && layout_of(access, longest).extent() > room) longest -= vector_doubles;
  for (std::size_t length = longest; length >= vector_doubles && 2 * length >= longest; length -= vector_doubles) {
    const auto layout = layout_of(access, length);
    if (store_lead_bytes(access, layout) >= least_lead_bytes) return layout;
  }
  return layout_of(access, longest);
}

}  // namespace gable::openmp
