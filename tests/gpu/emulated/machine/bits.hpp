#pragma once
#include <cstdint>
#include <cstring>

namespace gable::emulated {

/// The lower bits of a register as a value of type T.
template <class T>
T value_of(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// A value as a register holds it, with zeros above.
template <class T>
std::uint64_t bits_of(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

}  // namespace gable::emulated
