#include "operators/gemv.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/rows.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct GemvBody {
  using A = Accumulate<T>;
  const T* a;
  const T* x;
  T* y;
  Index n;

  /// Rows that a CPU thread takes at once: several read streams, and x is loaded and widened once for them.
  static constexpr int rows_at_once = on_host ? 4 : 1;

  template <int N>
  struct Operands {
    Fetched<T, N> row, along;
  };
  template <int N, int rows = 1, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    constexpr int sums = rows == 1 ? slots : 1;
    const T* source = a + i * n;
    LanesOf<T, N> total[rows][sums];
    for (int r = 0; r < rows; ++r) {
      for (int s = 0; s < sums; ++s) total[r][s] = A(0);
    }
    if constexpr (on_host) {
      for_row<N>(
          group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
            const auto along = access.load(x + k);
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) total[r][s % sums] += access.load(source + r * n + k) * along;
          });
    } else {
      for_row_in_halves<N>(
          group, n,
          [&](auto access, Index k) __attribute__((always_inline)) {
            return Operands<N>{access.fetch(source + k), access.fetch(x + k)};
          },
          [&](auto, Index, const Operands<N>& at)
              __attribute__((always_inline)) { total[0][0] += lanes_of(at.row) * lanes_of(at.along); });
    }
    for (int r = 0; r < rows; ++r) {
      for (int s = 1; s < sums; ++s) total[r][0] += total[r][s];
      const A result = group.sum(sum(total[r][0]));
      if (group.rank() == 0) y[i + r] = narrow<T>(result);
    }
  }
};

template <class T>
struct GemvKernel : UniformTypes<T>, RowKernel<T, GemvBody<T>> {
  GemvKernel(const Gemv::Params& p, const Buffers& buffers)
      : RowKernel<T, GemvBody<T>>{p.m, p.n, {buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0), p.n}} {}
};

struct GemvVendor : VendorKernel<GemvCall, &VendorLibrary::gemv> {
  static std::string refuses(const Types& types, const VendorLibrary* vendor) { return vendor->refuses_gemv(types); }
  GemvVendor(const Gemv::Params& p, const Types& types, const Buffers& buffers, VendorLibrary* library)
      : VendorKernel{
            {p.m, p.n, p.n, types, buffers.input_pointer(0), buffers.input_pointer(1), buffers.output_pointer(0)},
            library} {}
};

}  // namespace

const OperatorEntry& gemv_entry() {
  return entry_of<Gemv>(
      {floating_implementation<Gemv, GemvKernel>("kokkos"), vendor_implementation<Gemv, GemvVendor>("vendor")});
}

}  // namespace gable::operators
