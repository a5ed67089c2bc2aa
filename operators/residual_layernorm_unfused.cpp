#include "operators/residual_layernorm_unfused.hpp"

#include "operators/device/add.hpp"
#include "operators/device/layernorm_rows.hpp"
#include "operators/device/operator_kit.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct ResidualLayernormUnfusedKernel : UniformTypes<T> {
  Index m;
  T* h;
  AddBody<T> sum;
  LayernormWalks<T> normal;

  ResidualLayernormUnfusedKernel(const ResidualLayernorm::Params& p, const Buffers& buffers)
      : m(p.m),
        h(buffers.output<T>(0)),
        sum{buffers.input<T>(0), buffers.input<T>(1)},
        normal{buffers.output<T>(1), p.n, {h, {buffers.input<T>(2), buffers.input<T>(3), p.n}}} {}
  void run(const Exec& exec) const {
    elementwise(exec, h, m * normal.columns, m * normal.columns, sum);
    for_rows<T>(exec, m, normal.columns, normal);
  }
};

}  // namespace

const OperatorEntry& residual_layernorm_unfused_entry() {
  static const OperatorEntry entry{
      &spec_of<ResidualLayernormUnfused>(),
      {floating_implementation<ResidualLayernormUnfused, ResidualLayernormUnfusedKernel>("kokkos")}};
  return entry;
}

}  // namespace gable::operators
