#include "operators/activation.hpp"

#include "operators/device/activation.hpp"
#include "operators/device/elementwise.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct ReluBody {
  static constexpr bool rounding_ties_unspecified = true;  // nothing is rounded
  const T* x;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index) const {
    return max(Accumulate<T>(0), access.load(x + i));  // in this order NaN stays
  }
};

/// An activation in two halves: GeluFor, SiluFor.
template <class T, template <class, int> class Halves>
struct HalvesBody {
  static constexpr bool rounding_ties_unspecified = true;
  const T* x;

  template <template <int> class Access, int N>
  GABLE_FUNCTION Halves<T, N> begin(Access<N> access, Index i, Index) const {
    return Halves<T, N>(access.load(x + i));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const Halves<T, N>& begun) const {
    return begun.result();
  }
};

template <class T>
using GeluBody = HalvesBody<T, GeluFor>;
template <class T>
using SiluBody = HalvesBody<T, SiluFor>;

template <class T>
struct BiasReluBody {
  const T* x;
  const T* b;
  template <class Access>
  GABLE_FUNCTION auto operator()(Access access, Index i, Index j) const {
    return max(Accumulate<T>(0), access.load(x + i) + access.load(b + j));  // NaN stays
  }
};

template <class T>
struct SwigluBody {
  static constexpr bool rounding_ties_unspecified = true;
  const T* g;
  const T* u;

  template <template <int> class Access, int N>
  GABLE_FUNCTION SiluFor<T, N> begin(Access<N> access, Index i, Index) const {
    return SiluFor<T, N>(access.load(g + i), access.load(u + i));
  }
  template <int N>
  GABLE_FUNCTION LanesOf<T, N> finish(const SiluFor<T, N>& begun) const {
    return begun.result();
  }
};

/// y[i] = f(x[i]).
template <class T, class Op, template <class> class Body>
struct ActivationKernel : UniformTypes<T> {
  T* y;
  Index n;
  Body<T> body;

  ActivationKernel(const typename Op::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), n(p.n), body{buffers.input<T>(0)} {}
  void run(const Exec& exec) const { elementwise(exec, y, n, n, body); }
};
template <class T>
using ReluKernel = ActivationKernel<T, Relu, ReluBody>;
template <class T>
using GeluKernel = ActivationKernel<T, Gelu, GeluBody>;
template <class T>
using SiluKernel = ActivationKernel<T, Silu, SiluBody>;

/// y[i,j] = f(x[i,j] + b[j]).
template <class T, class Op, template <class> class Body>
struct BiasKernel : UniformTypes<T> {
  T* y;
  Index m, n;
  Body<T> body;

  BiasKernel(const typename Op::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), m(p.m), n(p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, m * n, n, body); }
};
template <class T>
using BiasReluKernel = BiasKernel<T, BiasRelu, BiasReluBody>;
template <class T>
using BiasGeluKernel = BiasKernel<T, BiasGelu, BiasGeluBody>;

template <class T>
struct SwigluKernel : UniformTypes<T> {
  T* y;
  Index count;
  SwigluBody<T> body;

  SwigluKernel(const Swiglu::Params& p, const Buffers& buffers)
      : y(buffers.output<T>(0)), count(p.m * p.n), body{buffers.input<T>(0), buffers.input<T>(1)} {}
  void run(const Exec& exec) const { elementwise(exec, y, count, count, body); }
};

}  // namespace

const OperatorEntry& relu_entry() {
  static const OperatorEntry entry{&spec_of<Relu>(), {floating_implementation<Relu, ReluKernel>("kokkos")}};
  return entry;
}

const OperatorEntry& gelu_entry() {
  static const OperatorEntry entry{&spec_of<Gelu>(), {floating_implementation<Gelu, GeluKernel>("kokkos")}};
  return entry;
}

const OperatorEntry& silu_entry() {
  static const OperatorEntry entry{&spec_of<Silu>(), {floating_implementation<Silu, SiluKernel>("kokkos")}};
  return entry;
}

const OperatorEntry& bias_relu_entry() {
  static const OperatorEntry entry{&spec_of<BiasRelu>(), {floating_implementation<BiasRelu, BiasReluKernel>("kokkos")}};
  return entry;
}

const OperatorEntry& bias_gelu_entry() {
  static const OperatorEntry entry{&spec_of<BiasGelu>(), {floating_implementation<BiasGelu, BiasGeluKernel>("kokkos")}};
  return entry;
}

const OperatorEntry& swiglu_entry() {
  static const OperatorEntry entry{&spec_of<Swiglu>(), {floating_implementation<Swiglu, SwigluKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
