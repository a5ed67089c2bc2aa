#include "backends/openmp/ceilings/array_layout.hpp"

#include <algorithm>
#include <initializer_list>

#include "backends/openmp/isa/isa_table.hpp"

namespace gable::openmp {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t page_doubles = page_bytes / sizeof(double);
/// Kernels take no other lengths.
constexpr std::size_t vector_doubles = 64;
/// Keeps arrays from beginning at the same offset within a page.
constexpr std::size_t skew_doubles = 64;

/// Whole pages and the skew.
ArrayLayout layout_of(std::size_t doubles) {
  return {doubles, (doubles + page_doubles - 1) / page_doubles * page_doubles + skew_doubles};
}

}  // namespace

std::size_t store_lead_bytes(Access access, const ArrayLayout& layout) {
  const bool updates = access == Access::update;
  if (!updates && access != Access::copy && access != Access::triad) return page_bytes;
  const std::size_t part = layout.doubles / isa::store_streams * sizeof(double);
  std::size_t least = page_bytes;
  for (int array = updates ? 0 : 1; array < arrays_of(access); ++array) {
    for (std::size_t from = 0; from < isa::store_streams; ++from) {
      for (std::size_t to = 0; to < isa::store_streams; ++to) {
        const std::size_t load = static_cast<std::size_t>(array) * layout.distance * sizeof(double) + from * part;
        const std::size_t ahead = (to * part + page_bytes - load % page_bytes) % page_bytes;
        // 0 of an update is the load and the store of one element, in this order: the store before it is a page ahead
        const bool same = updates && from == to;
        least = std::min(least, same ? page_bytes : ahead);
      }
    }
  }
  return least;
}

ArrayLayout array_layout(Access access, std::size_t doubles, std::size_t room) {
  constexpr std::size_t least_lead = 1024;
  const auto others = static_cast<std::size_t>(arrays_of(access) - 1);
  std::size_t longest = std::max(vector_doubles, doubles / vector_doubles * vector_doubles);
  while (longest > vector_doubles && layout_of(longest).distance * others + longest > room) longest -= vector_doubles;
  for (std::size_t length = longest; length >= vector_doubles && 2 * length >= longest; length -= vector_doubles) {
    if (store_lead_bytes(access, layout_of(length)) >= least_lead) return layout_of(length);
  }
  return layout_of(longest);
}

}  // namespace gable::openmp
