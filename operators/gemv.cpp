#include "operators/gemv.hpp"

#include "operators/device/operator_kit.hpp"
#include "operators/device/quantised.hpp"
#include "operators/device/rows.hpp"
#include "operators/device/tile/tile.hpp"

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

template <class W, class X>
struct QuantisedBody {
  static constexpr bool grouped = std::is_same_v<W, Int4Pair>;
  /// Rows that a CPU thread takes at once: each element of x is loaded once for them.
  static constexpr int rows_at_once = on_host ? 4 : 1;
  static constexpr bool needs_registers = true;
  const W* w;
  const X* scales;
  const X* x;
  X* y;
  Index n, groups;
  const float* arranged;  ///< hosts: the whole blocks of x

  template <int N, int rows = 1, class Group>
  GABLE_FUNCTION void row(Index i, [[maybe_unused]] const Group& group, Index) const {
#if defined(GABLE_ARRAY_LANES)
    const W* source = w + i * stride();
    float total = 0;
    for_row_in_halves<N>(
        group, stride(), [&](auto, Index k) __attribute__((always_inline)) { return pack_at<N>(source + k); },
        [&](auto, Index k, const Pack<W, N>& weights) __attribute__((always_inline)) {
          const Index column = k * elements_of<W>;
          const float part = N == 1 ? dot_in_turn(weights.element, x + column, 1) : dot_of_pack(weights, x + column);
          total += grouped ? part * scale(i, column / GemvQuantised::group_columns) : part;
        });
    total = group.sum(total);
    if (group.rank() == 0) y[i] = narrow<X>(grouped ? total : total * scale(i, 0));
#else
    WeightLanes total[rows];
    float rest[rows] = {};
    for (auto& lanes : total) lanes = 0.0F;
    const Index length = grouped ? GemvQuantised::group_columns : n;
    for (Index g = 0; g < groups; ++g) add_group<rows>(total, rest, i, g, g * length, least(n, (g + 1) * length));
    for (int r = 0; r < rows; ++r) y[i + r] = narrow<X>(sum(total[r]) + rest[r]);
#endif
  }

 private:
  GABLE_FUNCTION Index stride() const { return n / elements_of<W>; }
  GABLE_FUNCTION float scale(Index i, Index g) const { return widen(scales[i * groups + g]); }
#if !defined(GABLE_ARRAY_LANES)
  static GABLE_FUNCTION Index least(Index a, Index b) { return a < b ? a : b; }
  /// Columns [begin, end) of rows from i on, which share a scale each.
  template <int rows>
  GABLE_FUNCTION void add_group(WeightLanes (&total)[rows], float (&rest)[rows], Index i, Index g, Index begin,
                                Index end) const {
    const Index blocks = (end - begin) / block_elements<W>, whole = begin + blocks * block_elements<W>;
    const W* source = w + i * stride();
    WeightLanes sums[rows];
    add_blocks<W, rows>(sums, source + begin / elements_of<W>, stride(), arranged + begin, blocks);
    for (int r = 0; r < rows; ++r) {
      const float factor = scale(i + r, g);
      total[r] += sums[r] * factor;
      if (whole == end) continue;
      rest[r] += factor *
                 dot_in_turn(source + r * stride() + whole / elements_of<W>, x + whole, (end - whole) / elements_of<W>);
    }
  }
#endif
};

template <class W, class X>
struct GemvQuantisedKernel {
  Index m;
  Kokkos::View<float*, Exec::memory_space> arranged;
  QuantisedBody<W, X> body;

  static Types types() { return {dtype_of<W>(), dtype_of<X>(), dtype_of<X>(), DType::fp32, DType::fp32}; }
  GemvQuantisedKernel(const GemvQuantised::Params& p, const Buffers& buffers)
      : m(p.m),
        arranged(tile::make_workspace<float>("gable::gemv_quantised::x", on_host ? p.n : 1)),
        body{buffers.input<W>(0),
             buffers.input<X>(1),
             buffers.input<X>(2),
             buffers.output<X>(0),
             p.n,
             GemvQuantised::groups(p, dtype_of<W>()),
             arranged.data()} {}
  void run(const Exec& exec) const {
#if !defined(GABLE_ARRAY_LANES)
    Kokkos::parallel_for("gable::gemv_quantised::arrange", ThreadPolicy(exec, 0, body.n / block_elements<W>),
                         Arrange<W, X>{body.x, arranged.data()});
#endif
    for_rows<std::int8_t>(exec, m, body.n / elements_of<W>, body);
  }
};

}  // namespace

const OperatorEntry& gemv_entry() {
  return entry_of<Gemv>(
      {floating_implementation<Gemv, GemvKernel>("kokkos"), vendor_implementation<Gemv, GemvVendor>("vendor")});
}
const OperatorEntry& gemv_quantised_entry() {
  return kernel_entry<GemvQuantised, GemvQuantisedKernel<std::int8_t, Fp16>, GemvQuantisedKernel<Fp8E4m3, Fp16>,
                      GemvQuantisedKernel<Int4Pair, Fp16>>();
}

}  // namespace gable::operators
