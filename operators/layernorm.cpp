#include "operators/layernorm.hpp"

#include "operators/device/layernorm_rows.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct LayernormKernel : UniformTypes<T> {
  Index m;
  LayernormWalks<T> walks;

  LayernormKernel(const Layernorm::Params& p, const Buffers& buffers)
      : m(p.m),
        walks{buffers.output<T>(0), p.n, {buffers.input<T>(0), {buffers.input<T>(1), buffers.input<T>(2), p.n}}} {}
  void run(const Exec& exec) const { for_rows<T>(exec, m, walks.columns, walks); }
};

}  // namespace

const OperatorEntry& layernorm_entry() {
  static const OperatorEntry entry{&spec_of<Layernorm>(),
                                   {floating_implementation<Layernorm, LayernormKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
