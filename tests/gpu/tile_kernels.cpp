#include "tests/gpu/tile_kernels.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "operators/device/tile/gpu_product.hpp"

namespace gable::gpu::test {
namespace {

using namespace gable::device;

template <class T>
Kokkos::View<T*, Exec::memory_space> on_device(const std::vector<double>& values) {
  Kokkos::View<T*, Exec::memory_space> device("values", values.size());
  const auto host = Kokkos::create_mirror_view(device);
  std::transform(values.begin(), values.end(), host.data(), [](double x) { return from_double<T>(x); });
  Kokkos::deep_copy(device, host);
  return device;
}

template <class Machine, class T, bool TransposedB, bool TransposedA>
std::vector<double> run_product(const TileSize& size, const std::vector<double>& a, const std::vector<double>& b) {
  const auto left = on_device<T>(a), right = on_device<T>(b);
  Kokkos::View<tile::Result<T>*, Exec::memory_space> c("c", static_cast<std::size_t>(size.batch * size.m * size.n));
  const Exec exec;
  tile::BlockedProduct<Machine, T, TransposedB, TransposedA, tile::AsTheyAre>(
      {size.batch, size.m, size.n, size.k}, left.data(), right.data(), c.data(), Accumulate<T>(1), {})
      .run(exec);
  exec.fence();
  const auto host = Kokkos::create_mirror_view(c);
  Kokkos::deep_copy(host, c);
  std::vector<double> values(host.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element_at(host.data(), static_cast<std::int64_t>(i));
  return values;
}

template <class T>
double as_stored(double x) {
  const auto element = from_double<tile::Result<T>>(x);
  return element_at(&element, 0);
}

template <class Machine, class T, bool TransposedB, bool TransposedA = false>
TileKernel kernel(const std::string& form_and_type) {
  using Block = tile::warp::ProductBlock<Machine, T, TransposedB, TransposedA>;
  const std::string order = TransposedA ? "_transposed_a" : TransposedB ? "_transposed_b" : "";
  return {form_and_type + order,
          TransposedA,
          TransposedB,
          Block::least_stages * Block::stage_bytes,
          &tile::most_scratch_bytes<Block>,
          &as_stored<T>,
          &run_product<Machine, T, TransposedB, TransposedA>};
}

template <class Machine, class T>
void add_orders(std::vector<TileKernel>& list, const std::string& form_and_type) {
  list.push_back(kernel<Machine, T, false>(form_and_type));
  list.push_back(kernel<Machine, T, true>(form_and_type));
  list.push_back(kernel<Machine, T, false, true>(form_and_type));
}

/// A template, so that they are compiled only where the device has the primitive.
template <class Machine>
void add_by_warps(std::vector<TileKernel>& list) {
  if constexpr (tile::available) {
    add_orders<Machine, Fp16>(list, "warps_fp16");
    add_orders<Machine, Bf16>(list, "warps_bf16");
    list.push_back(kernel<Machine, std::int8_t, true>("warps_int8"));
  }
}

}  // namespace

std::vector<TileKernel> tile_kernels() {
  std::vector<TileKernel> list;
  add_by_warps<tile::Machine>(list);
#if defined(GABLE_WGMMA)
  add_orders<tile::GroupMachine, Fp16>(list, "groups_fp16");
  add_orders<tile::GroupMachine, Bf16>(list, "groups_bf16");
  list.push_back(kernel<tile::GroupMachine, std::int8_t, true>("groups_int8"));
  list.push_back(kernel<tile::GroupMachine, Fp8E4m3, true>("groups_fp8_e4m3"));
#endif
  return list;
}

}  // namespace gable::gpu::test
