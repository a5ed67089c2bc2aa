#include "operators/attention.hpp"

#include "operators/device/tile/attention.hpp"
#include "operators/device/tile/implementations.hpp"

namespace gable::operators {
namespace {

using namespace gable::device;

template <class T>
struct AttentionFusedKernel : UniformTypes<T>, tile::FusedAttention<T> {
  AttentionFusedKernel(const AttentionFused::Params& p, const Buffers& buffers)
      : tile::FusedAttention<T>({p.h, p.kv, p.l, p.d, Attention::is_causal(p)}, buffers.input<T>(0),
                                buffers.input<T>(1), buffers.input<T>(2), buffers.output<T>(0)) {}
};

}  // namespace

const OperatorEntry& attention_fused_entry() {
  return entry_of<AttentionFused>(tile::implementations<AttentionFused, AttentionFusedKernel, tile::attends>());
}

}  // namespace gable::operators
