#include "backends/gpu/benchmarks/benchmarks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/event_timer.hpp"
#include "backends/gpu/library.hpp"
#include "backends/gpu/operands.hpp"

namespace gable::gpu {
namespace {

constexpr std::uint64_t seed = 0x6e77;

Buffer random_matrix(DType type, std::size_t count, std::uint64_t with_seed, Stream stream) {
  Buffer matrix(encoded_bytes(type, count));
  const auto values = encode(type, normal_values(type, std::min(count, normal_period), with_seed));
  copy_async(matrix.as<void>(), values.data(), values.size(), Copy::to_device, stream);
  for (std::size_t filled = values.size(); filled < matrix.size_bytes();) {
    const auto more = std::min(filled, matrix.size_bytes() - filled);
    copy_async(matrix.as<std::byte>() + filled, matrix.as<void>(), more, Copy::on_device, stream);
    filled += more;
  }
  synchronize(stream);
  return matrix;
}

class LibraryBenchmark final : public GpuBenchmark {
 public:
  LibraryBenchmark(const GemmShape& shape, std::unique_ptr<GemmPlan> plan, Stream stream)
      : plan_(std::move(plan)),
        operations_(2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k)),
        timer_(stream),
        a_(random_matrix(shape.types.a, static_cast<std::size_t>(shape.m * shape.k), seed, stream)),
        b_(random_matrix(shape.types.b, static_cast<std::size_t>(shape.n * shape.k), seed + 1, stream)),
        c_(static_cast<std::size_t>(static_cast<double>(shape.m * shape.n) * size_bytes(shape.types.out))) {}

  double per_iteration() const override { return operations_; }

  measure::TimedBatch run(std::uint64_t products) override {
    const auto product = [&] { plan_->enqueue(a_.as<void>(), b_.as<void>(), c_.as<void>(), timer_.stream()); };
    return timer_.repeated(products, product, [this] { busy(); });
  }

 private:
  std::unique_ptr<GemmPlan> plan_;
  double operations_;
  EventTimer timer_;
  Buffer a_, b_, c_;
};

Types types_of(const GemmSpec& spec) {
  auto types = uniform_types(spec.storage);
  types.accumulate = spec.accumulate;
  if (spec.storage == DType::int8) types.out = DType::int32;
  if (spec.storage == DType::tf32) types.out = DType::fp32;
  const DType element = element_of(spec.storage);
  if (!is_integer(element) && size_bytes(element) <= 1) types.out = DType::bf16;
  return types;
}

}  // namespace

/// Of random matrices, k contiguous in both factors (the layout every type has). The result has the storage type; of
/// floating-point types of eight bits and less bf16, of int8 int32.
LibraryGemm DeviceMeasurements::library_gemm(const GemmSpec& spec) {
  const auto n = spec.n;
  const GemmShape shape{n, n, n, n, n, n, types_of(spec), true};
  auto planned = plan_gemm(shape);
  LibraryGemm made;
  if (!planned.plan) {
    made.reason = std::move(planned.reason);
    return made;
  }
  made.algorithm = planned.plan->algorithm();
  made.benchmark = std::make_unique<LibraryBenchmark>(shape, std::move(planned.plan), stream());
  return made;
}

}  // namespace gable::gpu
