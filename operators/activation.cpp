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
template <class T, template <class> class Body>
struct ActivationKernel : UniformTypes<T>, ElementwiseKernel<T, Body<T>> {
  template <class Params>
  ActivationKernel(const Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, Body<T>>{buffers.output<T>(0), p.n, p.n, {buffers.input<T>(0)}} {}
};
template <class T>
using ReluKernel = ActivationKernel<T, ReluBody>;
template <class T>
using GeluKernel = ActivationKernel<T, GeluBody>;
template <class T>
using SiluKernel = ActivationKernel<T, SiluBody>;

/// y[i,j] = f(x[i,j], b[j]).
template <class T, template <class> class Body>
struct BiasKernel : UniformTypes<T>, ElementwiseKernel<T, Body<T>> {
  template <class Params>
  BiasKernel(const Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, Body<T>>{
            buffers.output<T>(0), p.m * p.n, p.n, {buffers.input<T>(0), buffers.input<T>(1)}} {}
};
template <class T>
using BiasReluKernel = BiasKernel<T, BiasReluBody>;
template <class T>
using BiasGeluKernel = BiasKernel<T, BiasGeluBody>;

template <class T>
struct SwigluKernel : UniformTypes<T>, ElementwiseKernel<T, SwigluBody<T>> {
  SwigluKernel(const Swiglu::Params& p, const Buffers& buffers)
      : ElementwiseKernel<T, SwigluBody<T>>{
            buffers.output<T>(0), p.m * p.n, p.m * p.n, {buffers.input<T>(0), buffers.input<T>(1)}} {}
};

}  // namespace

const OperatorEntry& relu_entry() { return floating_entry<Relu, ReluKernel>(); }
const OperatorEntry& gelu_entry() { return floating_entry<Gelu, GeluKernel>(); }
const OperatorEntry& silu_entry() { return floating_entry<Silu, SiluKernel>(); }
const OperatorEntry& bias_relu_entry() { return floating_entry<BiasRelu, BiasReluKernel>(); }
const OperatorEntry& bias_gelu_entry() { return floating_entry<BiasGelu, BiasGeluKernel>(); }
const OperatorEntry& swiglu_entry() { return floating_entry<Swiglu, SwigluKernel>(); }

}  // namespace gable::operators
