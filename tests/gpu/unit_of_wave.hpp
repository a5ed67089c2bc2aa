#pragma once
#include <cstdint>
#include <string_view>

namespace gable::gpu::test {

/// Registers that say where a wave of an AMD GPU runs: HW_ID (RDNA: HW_ID1), and of chips of several dies XCC_ID.
struct HardwareId {
  std::uint32_t hw_id, xcc_id;
};

/// Number of the compute unit (RDNA: workgroup processor) that they name, another one for each of a device; plain
/// arithmetic, so that a test compares it with the registers' layouts: CDNA has CU_ID in bits 8 to 11, SH_ID in 12,
/// SE_ID from 13 on, of three bits in gfx90a and of two in gfx942 and gfx950 (CDNA2 and CDNA3 ISA guides); RDNA3 WGP_ID
/// in 10 to 13, SA_ID in 16, SE_ID in 18 to 20 (RDNA3 ISA).
constexpr std::uint32_t unit_of_wave(std::string_view isa, const HardwareId& of) {
  const auto bits = [&of](int first, int count) { return of.hw_id >> first & ((1U << count) - 1U); };
  if (isa.starts_with("gfx11")) return (bits(18, 3) << 1 | bits(16, 1)) << 4 | bits(10, 4);
  const std::uint32_t engine = bits(13, isa == "gfx90a" ? 3 : 2);
  return (((of.xcc_id & 15U) << 3 | engine) << 1 | bits(12, 1)) << 4 | bits(8, 4);
}

}  // namespace gable::gpu::test
