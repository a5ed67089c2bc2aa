#include "operators/triad.hpp"

#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct TriadBody {
  const T* b;
  const T* c;
  Accumulate<T> k;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return access.load(b + i) + k * access.load(c + i);
  }
};

template <class T>
struct TriadKernel : UniformTypes<T> {
  T* a;
  Index n;
  TriadBody<T> body;

  TriadKernel(const Triad::Params& p, const Buffers& buffers)
      : a(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1), Accumulate<T>(Triad::k)} {}
  void run(const Exec& exec) const { elementwise(exec, a, n, n, body); }
};

}  // namespace

const OperatorEntry& triad_entry() {
  static const OperatorEntry entry{&spec_of<Triad>(), {floating_implementation<Triad, TriadKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
