#pragma once
#include <bit>
#include <cstdint>

#include "operators/device/function.hpp"

namespace gable::device {

/// AMD: every load in front of this is begun before the pack is used. The pack goes through a statement that the
/// compiler moves no load across; left alone, it begins some only after it has waited for the first, where addresses
/// are too far apart for an instruction's offset or fewer registers look better. NVIDIA's needs no such help.
template <class Pack>
GABLE_FUNCTION void wait_for([[maybe_unused]] Pack& pack) {
#if defined(__HIP_DEVICE_COMPILE__)
  if constexpr (sizeof pack == 16) {
    using Words = std::uint32_t __attribute__((ext_vector_type(4)));
    auto words = std::bit_cast<Words>(pack);
    asm volatile("" : "+v"(words));
    pack = std::bit_cast<Pack>(words);
  }
#endif
}

}  // namespace gable::device
