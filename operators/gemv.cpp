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

  template <int N, class Group>
  GABLE_FUNCTION void row(Index i, const Group& group, Index) const {
    const T* source = a + i * n;
    LanesOf<T, N> total[slots];
    for (int s = 0; s < slots; ++s) total[s] = A(0);
    for_row<N>(
        group, n, [&](auto access, Index k, int s) __attribute__((always_inline)) {
          total[s] += access.load(source + k) * access.load(x + k);
        });
    for (int s = 1; s < slots; ++s) total[0] += total[s];
    const A result = group.sum(sum(total[0]));
    if (group.rank() == 0) y[i] = narrow<T>(result);
  }
};

template <class T>
struct GemvKernel : UniformTypes<T> {
  Index m, n;
  GemvBody<T> body;

  GemvKernel(const Gemv::Params& p, const Buffers& buffers)
      : m(p.m), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1), buffers.output<T>(0), p.n} {}
  void run(const Exec& exec) const { for_rows<T>(exec, m, n, body); }
};

struct GemvVendor {
  GemvCall call;
  VendorLibrary* vendor;

  static std::string refuses(const Types& types, const VendorLibrary* vendor) { return vendor->refuses_gemv(types); }
  GemvVendor(const Gemv::Params& p, const Types& types, const Buffers& buffers, VendorLibrary* library)
      : call{p.m,    p.n, p.n, types, buffers.input_pointer(0), buffers.input_pointer(1), buffers.output_pointer(0),
             nullptr},
        vendor(library) {}
  void run(const Exec& exec) {
    call.stream = stream_of(exec);
    vendor->gemv(call);
  }
};

}  // namespace

const OperatorEntry& gemv_entry() {
  static const OperatorEntry entry{
      &spec_of<Gemv>(),
      {floating_implementation<Gemv, GemvKernel>("kokkos"), vendor_implementation<Gemv, GemvVendor>("vendor")}};
  return entry;
}

}  // namespace gable::operators
