#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gable::emulated {

/// The unsigned type of `bytes` bytes.
template <std::size_t bytes>
using UnsignedOf = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t, std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

/// The lower bits of a register as a value of type T.
template <class T>
T value_of(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<UnsignedOf<sizeof(T)>>(bits));
}

/// A value as a register holds it, with zeros above.
template <class T>
std::uint64_t bits_of(T value) {
  return std::bit_cast<UnsignedOf<sizeof(T)>>(value);
}

/// A GPU has one fp32 that is not a number.
template <class T>
T canonical(T value) {
  return value;
}
inline float canonical(float value) { return value == value ? value : value_of<float>(0x7fffffff); }

}  // namespace gable::emulated
