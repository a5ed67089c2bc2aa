#include "operators/device/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "operators/device/fill.hpp"

namespace gable::device {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard_value = 0xa5;

/// Calls function(T{}) with that of the types T which `dtype` stands for; false where it is none of them.
template <class... T, class Function>
bool with_one_of(DType dtype, const Function& function) {
  return ((dtype_of<T>() == dtype && (function(T{}), true)) || ...);
}
/// Calls function(T{}) with the storage type of `dtype`.
template <class Function>
void with_storage(DType dtype, const Function& function) {
  const DType stored = dtype == DType::tf32 ? DType::fp32 : dtype;
  if (!with_one_of<double, float, Fp16, Bf16, Fp8E4m3, std::int32_t, std::int8_t, Int4Pair>(stored, function)) {
    throw Error(fmt::format("no storage type for {}", to_string(dtype)));
  }
}

/// Storage units, of one or two elements, that an array of `count` elements takes.
template <class T>
std::size_t units(Index count) {
  return static_cast<std::size_t>((count + elements_of<T> - 1) / elements_of<T>);
}

template <class T>
T unit_at(const std::function<double(Index)>& value, Index unit, Index count) {
  if constexpr (std::is_same_v<T, Int4Pair>) {
    return Int4Pair::of(static_cast<int>(value(2 * unit)),
                        2 * unit + 1 < count ? static_cast<int>(value(2 * unit + 1)) : 0);
  } else {
    (void)count;
    return from_double<T>(value(unit));
  }
}

/// Fills with the spec's own values on the host; if the device is the host, each thread fills the chunk it will read.
template <class T>
void fill_with(const std::function<double(Index)>& value, T* data, Index count) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using HostPolicy = Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<Index>>;
  const auto all = static_cast<Index>(units<T>(count));
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const Kokkos::View<T*, Exec::memory_space, Unmanaged> target(data, static_cast<std::size_t>(all));
  const auto mirror = Kokkos::create_mirror_view(target);
  T* const values = mirror.data();
  const Index parts = Host().concurrency();
  Kokkos::parallel_for("gable::fill_with", HostPolicy(0, parts), [&value, values, all, count, parts](Index part) {
    const Chunk chunk = chunk_of(all, part, parts, chunk_grain);
    for (Index i = chunk.begin; i < chunk.end; ++i) values[i] = unit_at<T>(value, i, count);
  });
  Host().fence("gable: values made");
  Kokkos::deep_copy(target, mirror);
}

}  // namespace

void* Buffers::Buffer::data() const { return bytes.data() + guard_bytes; }

Buffers::Buffers(const std::vector<BufferSpec>& specs, std::uint64_t seed) {
  const Exec exec;
  for (const BufferSpec& spec : specs) {
    const std::uint64_t stream = seed * 0x2545f4914f6cdd1dULL + buffers_.size() * 0xd1342543de82ef95ULL;
    const bool read = is_read(spec.role);
    with_storage(spec.dtype, [&](auto sample) {
      using T = decltype(sample);
      const std::size_t size = units<T>(spec.count) * sizeof(T);
      const std::size_t end = guard_bytes + size;
      const Bytes bytes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(spec.name)),
                        end + guard_bytes);
      if constexpr (on_host) advise_huge_pages(bytes.data(), bytes.size());
      auto* data = reinterpret_cast<T*>(bytes.data() + guard_bytes);
      if (read && spec.value) {
        exec.fence("gable: buffer allocated");
        fill_with(spec.value, data, spec.count);
      } else {
        const auto count = static_cast<Index>(units<T>(spec.count));
        Fill<T>{data, count, 0, stream, read ? spec.low : 1.0, read ? spec.high : -1.0}.run(exec);
      }
      using Range = Kokkos::pair<std::size_t, std::size_t>;
      Kokkos::deep_copy(exec, Kokkos::subview(bytes, Range(0, guard_bytes)), guard_value);
      Kokkos::deep_copy(exec, Kokkos::subview(bytes, Range(end, end + guard_bytes)), guard_value);
      buffers_.push_back({std::string(spec.name), spec.count, spec.dtype, spec.role, bytes});
    });
  }
  exec.fence("gable: buffers filled");
}

const Buffers::Buffer& Buffers::at(bool (*wanted)(Role), std::size_t i) const {
  for (const Buffer& buffer : buffers_) {
    if (wanted(buffer.role) && i-- == 0) return buffer;
  }
  throw Error("operator kernel asks for a buffer that its spec does not list");
}

void* Buffers::find(bool (*wanted)(Role), std::size_t i, DType dtype) const {
  const Buffer& buffer = at(wanted, i);
  if (buffer.dtype != dtype && !(buffer.dtype == DType::tf32 && dtype == DType::fp32)) {
    throw Error(fmt::format("buffer '{}' holds {}, the kernel asks for {}", buffer.name, to_string(buffer.dtype),
                            to_string(dtype)));
  }
  return buffer.data();
}

std::vector<std::vector<double>> Buffers::values(bool (*wanted)(Role)) const {
  std::vector<std::vector<double>> result;
  for (const Buffer& buffer : buffers_) {
    if (!wanted(buffer.role)) continue;
    const auto copy = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, buffer.bytes);
    const unsigned char* begin = copy.data();
    const unsigned char* end = begin + copy.size();
    const auto intact = [](unsigned char byte) { return byte == guard_value; };
    if (!std::all_of(begin, begin + guard_bytes, intact) || !std::all_of(end - guard_bytes, end, intact)) {
      throw Error(fmt::format("a kernel wrote outside of buffer '{}'", buffer.name));
    }
    auto& values = result.emplace_back(static_cast<std::size_t>(buffer.count));
    with_storage(buffer.dtype, [&](auto sample) {
      const auto* data = reinterpret_cast<const decltype(sample)*>(begin + guard_bytes);
      for (Index i = 0; i < buffer.count; ++i) values[static_cast<std::size_t>(i)] = element_at(data, i);
    });
  }
  return result;
}

void Buffers::set_input(std::size_t i, Index element, double value) const {
  const Buffer& buffer = at(is_read, i);
  if (element < 0 || element >= buffer.count) {
    throw Error(fmt::format("buffer '{}' has no element {}", buffer.name, element));
  }
  with_storage(buffer.dtype, [&](auto sample) {
    using T = decltype(sample);
    if constexpr (elements_of<T> != 1) {
      throw Error(fmt::format("elements of {} are not set one by one", to_string(buffer.dtype)));
    } else {
      const T stored = from_double<T>(value);
      const auto offset = guard_bytes + static_cast<std::size_t>(element) * sizeof(T);
      const Kokkos::View<const unsigned char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> source(
          reinterpret_cast<const unsigned char*>(&stored), sizeof(T));
      Kokkos::deep_copy(Kokkos::subview(buffer.bytes, Kokkos::pair(offset, offset + sizeof(T))), source);
    }
  });
}

}  // namespace gable::device
