#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace gable::emulated {

/// The device's memory: memory of this process with a guard zone before and behind each allocation. New memory holds
/// 0xff in every byte, which is not a number in every floating-point type. None of this is for several threads at once.
std::byte* allocate(std::size_t bytes);

/// Whether `memory` was an allocation. Throws EmulationError if its guard zone was written; it is released all the
/// same.
bool release(const void* memory);

/// Throws EmulationError if a guard zone of any allocation was written.
void check_guard_zones();

/// Bytes of all allocations, without guard zones.
std::size_t allocated_bytes();

/// Memory that somebody else owns becomes accessible to kernels (variables of modules), until it is forgotten.
void remember(const void* memory, std::size_t bytes, bool constant = false);
void forget(const void* memory);

/// Whether [address, address + bytes) lies in one allocation.
bool is_allocated(std::uint64_t address, std::uint64_t bytes);

/// Who wrote and who read each byte from an address on, for those who want to know; 0 at first.
struct Shadow {
  std::uint32_t *written, *read;
};
Shadow shadow_of(std::uint64_t address);

/// Whether the allocation in which an address lies is constant memory.
bool is_constant(std::uint64_t address);

/// "8 bytes at 0x1f00".
std::string range_text(std::uint64_t address, std::uint64_t bytes);

/// Where the allocation nearest to `address` lies, for messages.
std::string nearest_allocation(std::uint64_t address);

}  // namespace gable::emulated
