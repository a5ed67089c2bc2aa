// gable_bench_tool_overhead TOOL: what libgable-kokkos-tool.so costs for each kernel of an application, without fences:
// the calls that Kokkos makes before and after a kernel, by hand. Goal: below 1 us. Prints quartiles of 31 blocks of
// 20,000 kernels.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using Begin = void (*)(const char*, std::uint32_t, std::uint64_t*);
using End = void (*)(std::uint64_t);

template <class Function>
Function symbol(void* library, const char* name) {
  auto* found = ::dlsym(library, name);
  if (found == nullptr) {
    fmt::print(stderr, "gable_bench_tool_overhead: no {}\n", name);
    std::exit(2);
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace

int main(int argc, char** argv) {
  void* library = argc == 2 ? ::dlopen(argv[1], RTLD_NOW) : nullptr;
  if (library == nullptr) {
    fmt::print(stderr, "usage: gable_bench_tool_overhead libgable-kokkos-tool.so\n");
    return 2;
  }
  const auto begin = symbol<Begin>(library, "kokkosp_begin_parallel_for");
  const auto end = symbol<End>(library, "kokkosp_end_parallel_for");
  symbol<void (*)(const char*)>(library, "kokkosp_push_profile_region")("solver");
  constexpr int kernels = 20'000;
  const std::array<std::string, 4> names{"axpy", "Kokkos::View::initialization [x] via memset", "norm", "stencil<27>"};
  std::array<double, 31> blocks{};
  for (double& block : blocks) {
    const auto since = std::chrono::steady_clock::now();
    for (int i = 0; i < kernels; ++i) {
      std::uint64_t id = 0;
      begin(names[static_cast<std::size_t>(i) % names.size()].c_str(), 0, &id);
      end(id);
    }
    block = std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count() / kernels;
  }
  std::ranges::sort(blocks);
  fmt::print("a kernel costs {:.0f} ns more (quartiles of {} blocks: {:.0f} to {:.0f})\n", 1e9 * blocks[15],
             blocks.size(), 1e9 * blocks[7], 1e9 * blocks[23]);
}
