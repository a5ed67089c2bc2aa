#include "operators/device/buffers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "operators/device/fill.hpp"
#include "operators/device/huge_pages.hpp"

namespace gable::device {
namespace {

constexpr std::size_t guard_bytes = 256;
constexpr unsigned char guard_value = 0xa5;

/// Calls function(T{}) with the storage type of `dtype`.
template <class Function>
void with_storage(DType dtype, const Function& function) {
  switch (dtype) {
    case DType::fp64:
      return function(double{});
    case DType::tf32:
    case DType::fp32:
      return function(float{});
    case DType::fp16:
      return function(Fp16{});
    case DType::bf16:
      return function(Bf16{});
    case DType::int32:
      return function(std::int32_t{});
    case DType::int8:
      return function(std::int8_t{});
    default:
      throw Error(fmt::format("no storage type for {}", to_string(dtype)));
  }
}

}  // namespace

void* Buffers::Buffer::data() const { return bytes.data() + guard_bytes; }

Buffers::Buffers(const std::vector<BufferSpec>& specs, std::uint64_t seed) {
  const Exec exec;
  for (const BufferSpec& spec : specs) {
    const std::uint64_t stream = seed * 0x2545f4914f6cdd1dULL + buffers_.size() * 0xd1342543de82ef95ULL;
    const bool is_input = spec.role == Role::input;
    with_storage(spec.dtype, [&](auto sample) {
      using T = decltype(sample);
      const std::size_t size = static_cast<std::size_t>(spec.count) * sizeof(T);
      const std::size_t end = guard_bytes + size;
      const Bytes bytes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(spec.name)),
                        end + guard_bytes);
      if constexpr (on_host) advise_huge_pages(bytes.data(), bytes.size());
      auto* data = reinterpret_cast<T*>(bytes.data() + guard_bytes);
      Fill<T>{data, spec.count, 0, stream, is_input ? spec.low : 1.0, is_input ? spec.high : -1.0}.run(exec);
      using Range = Kokkos::pair<std::size_t, std::size_t>;
      Kokkos::deep_copy(exec, Kokkos::subview(bytes, Range(0, guard_bytes)), guard_value);
      Kokkos::deep_copy(exec, Kokkos::subview(bytes, Range(end, end + guard_bytes)), guard_value);
      buffers_.push_back({std::string(spec.name), spec.count, spec.dtype, spec.role, bytes});
    });
  }
  exec.fence("gable: buffers filled");
}

const Buffers::Buffer& Buffers::at(Role role, std::size_t i) const {
  for (const Buffer& buffer : buffers_) {
    if (buffer.role == role && i-- == 0) return buffer;
  }
  throw Error("operator kernel asks for a buffer that its spec does not list");
}

void* Buffers::find(Role role, std::size_t i, DType dtype) const {
  const Buffer& buffer = at(role, i);
  if (buffer.dtype != dtype && !(buffer.dtype == DType::tf32 && dtype == DType::fp32)) {
    throw Error(fmt::format("buffer '{}' holds {}, the kernel asks for {}", buffer.name, to_string(buffer.dtype),
                            to_string(dtype)));
  }
  return buffer.data();
}

std::vector<std::vector<double>> Buffers::values(Role role) const {
  std::vector<std::vector<double>> result;
  for (const Buffer& buffer : buffers_) {
    if (buffer.role != role) continue;
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
      std::transform(data, data + buffer.count, values.begin(), [](auto x) { return static_cast<double>(widen(x)); });
    });
  }
  return result;
}

}  // namespace gable::device
