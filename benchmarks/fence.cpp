// gable_bench_fence_with, gable_bench_fence_without: time of one bf16 product by wgmma with the fence that stands
// before each stage of its ring (fence.proxy.async), and without. ptxas makes a barrier of memory of it; whether that
// waits for the stages that are still being copied, only a GPU can tell. Without the fence the matrix unit may read
// what a stage held before: the product is not guaranteed to be right then, and its time is all that counts.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/measure/statistics.hpp"
#include "operators/device/tile/cuda_hopper.hpp"
#include "operators/device/tile/warp/product_block.hpp"

namespace {

using namespace gable::device;

#if defined(GABLE_WITHOUT_FENCE)
struct Machine : tile::HopperMachine {
  template <int groups>
  GABLE_FUNCTION static void wait() {
    CudaMachine::wait<groups>();
  }
};
constexpr const char* name = "gable_bench_fence_without";
constexpr const char* what = "no fence.proxy.async: the product is not guaranteed to be right, only its time counts";
#else
using Machine = tile::HopperMachine;
constexpr const char* name = "gable_bench_fence_with";
constexpr const char* what = "fence.proxy.async before each stage";
#endif

using Block = tile::warp::ProductBlock<Machine, Bf16, false>;
constexpr int size = 8192, elements = size * size, warm_up = 20, launches = 60;
constexpr int alignment = Machine::Form::scratch_alignment;

__global__ void __launch_bounds__(Block::threads, 1) multiply(Block block) {
  extern __shared__ unsigned char scratch[];
  const auto ahead = static_cast<int>((0U - Machine::address(scratch)) % alignment);
  block(blockIdx.x, static_cast<int>(threadIdx.y * Block::lanes + threadIdx.x), scratch + ahead);
}

/// Whole numbers from -3 to 3.
__global__ void fill(Bf16* matrix, std::uint32_t seed) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  std::uint32_t state = (i ^ seed) * 747796405U + 2891336453U;
  state = (state >> ((state >> 28) + 4) ^ state) * 277803737U;
  matrix[i] = narrow<Bf16>(static_cast<float>((state >> 16) % 7) - 3.0F);
}

void check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s: %s\n", name, call, cudaGetErrorString(result));
  std::exit(2);
}

Bf16* matrix(std::uint32_t seed) {
  Bf16* memory = nullptr;
  check(cudaMalloc(&memory, elements * sizeof(Bf16)), "cudaMalloc");
  fill<<<elements / 256, 256>>>(memory, seed);
  check(cudaGetLastError(), "fill");
  return memory;
}

/// s of each launch.
std::vector<double> measure(const Block& block) {
  const int scratch_bytes = block.stages * Block::stage_bytes + alignment;
  check(cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, scratch_bytes), "scratch");
  cudaEvent_t begin{}, end{};
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  std::vector<double> times;
  for (int i = 0; i < warm_up + launches; ++i) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    multiply<<<static_cast<unsigned>(block.row_blocks * block.column_blocks), dim3(Block::lanes, Block::warps),
               static_cast<std::size_t>(scratch_bytes)>>>(block);
    check(cudaGetLastError(), "multiply");
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "multiply");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end), "cudaEventElapsedTime");
    if (i >= warm_up) times.push_back(static_cast<double>(ms) / 1e3);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    std::fprintf(stderr, "%s: it takes no arguments, but got '%s'\n", name, argv[1]);
    return 2;
  }
  const Block block{size,      size, size, size / Block::rows, size / Block::columns, matrix(1), matrix(2),
                    matrix(3), 1,    {},   Block::most_stages};
  const auto times = measure(block);
  namespace statistics = gable::measure;
  const double median = statistics::median(times), flop = 2.0 * size * size * size;
  const auto range = statistics::median_interval(times, 0.05, statistics::serial_correlation(times));
  std::printf("%s: bf16, %d cubed, by wgmma; %s\n", name, size, what);
  std::printf("median %.4f ms of %d launches", median * 1e3, launches);
  if (range) std::printf(", 95 %% interval %.4f to %.4f ms", range->low * 1e3, range->high * 1e3);
  std::printf("\n%.1f TFLOP/s\n", flop / median / 1e12);
  return 0;
}
