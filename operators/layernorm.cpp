#include "operators/layernorm.hpp"

#include "operators/device/layernorm_rows.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct LayernormKernel : UniformTypes<T>, LayernormWalks<T> {
  LayernormKernel(const Layernorm::Params& p, const Buffers& buffers)
      : LayernormWalks<T>{
            p.m, {buffers.output<T>(0), p.n, {buffers.input<T>(0), {buffers.input<T>(1), buffers.input<T>(2), p.n}}}} {}
};

}  // namespace

const OperatorEntry& layernorm_entry() { return floating_entry<Layernorm, LayernormKernel>(); }

}  // namespace gable::operators
