#include "backends/kokkos/runtime.hpp"

#include <fmt/format.h>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace gable::kokkos {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
template <class T>
struct InFront {
  T argument;
  unsigned char behind;
};
using View = Kokkos::View<float*, Space>;
/// Kokkos fills memory through such a view.
using AnyView = Kokkos::View<unsigned char*, Kokkos::LayoutRight, Kokkos::Device<Space, Kokkos::AnonymousSpace>,
                             Kokkos::MemoryTraits<0>>;
/// As kernels are: an array, then numbers that may lie in what its type leaves free.
struct Functor {
  View array;
  std::int64_t count;
  unsigned char flag;
};

/// {size, place of what is behind it} of each of these types.
template <class... Argument>
struct Measures {
  static constexpr int count = 2 * sizeof...(Argument);

  KOKKOS_FUNCTION static void write(std::size_t* to) { (write_one<Argument>(to), ...); }

 private:
  template <class T>
  KOKKOS_FUNCTION static void write_one(std::size_t*& to) {
    alignas(InFront<T>) unsigned char room[sizeof(InFront<T>)];
    const auto* const both = reinterpret_cast<const InFront<T>*>(room);
    *to++ = sizeof(T);
    *to++ = static_cast<std::size_t>(&both->behind - room);
  }
};
using Arguments = Measures<View, AnyView, Kokkos::RangePolicy<Space>, Kokkos::TeamPolicy<Space>, Functor>;
constexpr const char* names[] = {"a view", "a view of any memory", "a range policy", "a team policy", "a functor"};

/// Has nothing but a pointer, which lies the same in every layout.
struct WriteMeasures {
  std::size_t* to;
  KOKKOS_FUNCTION void operator()(int) const { Arguments::write(to); }
};

std::string compilers() {
#if defined(__CUDACC__)
  return fmt::format("nvcc {}.{} with {}", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __VERSION__);
#else
  return __VERSION__;
#endif
}

}  // namespace

std::vector<Layout> layouts() {
  std::vector<Layout> all;
  if constexpr (!std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) {
    std::size_t host[Arguments::count];
    Arguments::write(host);
    const Kokkos::View<std::size_t*, Space::memory_space> on_device(
        Kokkos::view_alloc("gable::layouts", Kokkos::WithoutInitializing), Arguments::count);
    const auto device = Kokkos::create_mirror_view(on_device);
    Kokkos::deep_copy(on_device, device);  // zeros, which a kernel leaves that finds neither its range nor its pointer
    Kokkos::parallel_for("gable::layouts", Kokkos::RangePolicy<Space>(0, 1), WriteMeasures{on_device.data()});
    Kokkos::deep_copy(device, on_device);
    for (int i = 0; i < Arguments::count; ++i) {
      all.push_back({fmt::format("{}{}", i % 2 == 0 ? "size of " : "place of what is behind ", names[i / 2]), host[i],
                     device[i]});
    }
  }
  return all;
}

std::string layout_fault(const std::vector<Layout>& layouts) {
  for (const Layout& layout : layouts) {
    if (layout.host == layout.device) continue;
    return fmt::format(
        "Kokkos {}, compiled by {}, cannot be used: the {} is {} bytes for the host and {} for the device, so kernels "
        "would read wrong arguments; take another Kokkos or compiler",
        version(), compilers(), layout.of, layout.host, layout.device);
  }
  return "";
}

}  // namespace gable::kokkos
