#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/machine/memory_order.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

[[noreturn]] void fail(std::uint64_t address, std::uint64_t bytes, const std::string& why) {
  char text[80];
  std::snprintf(text, sizeof text, "%llu bytes at 0x%llx ", static_cast<unsigned long long>(bytes),
                static_cast<unsigned long long>(address));
  throw EmulationError(text + why);
}

bool lies_in(const std::vector<std::byte>& memory, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(memory.data());
  return at < memory.size() && bytes <= memory.size() - at;
}

/// In the local memory of the warp's threads or in the kernel's parameters.
bool lies_in_frame(const Warp& warp, std::uint64_t address, std::uint64_t bytes) {
  return lies_in(warp.frame->local, address, bytes) || lies_in(warp.block->parameters, address, bytes);
}

std::byte* shared_access(Warp& warp, std::uint64_t offset, std::uint64_t bytes, MemoryAccess::Kind kind) {
  SharedMemory& shared = warp.block->shared;
  shared.use(kind, offset, bytes, warp.index, warp.clock);
  return shared.data() + offset;
}

std::byte* parameter_access(const Warp& warp, std::uint64_t address, std::uint64_t bytes) {
  if (!lies_in_frame(warp, address, bytes)) fail(address, bytes, "are out of the parameters");
  return reinterpret_cast<std::byte*>(address);
}

/// ld and st, taken apart.
struct Transfer {
  enum class Space { generic, shared, parameter };
  Space space = Space::generic;
  MemoryAccess::Kind kind = MemoryAccess::Kind::read;
  MemoryOrder order;
  Address address;
  std::vector<Register> registers;
  std::vector<std::uint64_t> masks;  ///< the bits that each register of a load has
  std::uint64_t bytes = 0;           ///< of all elements

  /// Where each lane's elements lie.
  std::array<std::byte*, warp_size> places(Warp& warp, LaneMask mask) const {
    std::array<std::byte*, warp_size> all{};
    const std::uint64_t* base = warp.values(address.base);
    for_lanes(mask, [&](int lane) {
      const std::uint64_t at = base[lane] + static_cast<std::uint64_t>(address.offset);
      all[static_cast<std::size_t>(lane)] = space == Space::parameter
                                                ? parameter_access(warp, at, bytes)
                                                : access(warp, at, bytes, space == Space::shared, kind);
    });
    return all;
  }
};

template <class T>
void load(Warp& warp, LaneMask mask, const Transfer& from) {
  const auto places = from.places(warp, mask);
  if (from.order.atomic) from.order.after_read(warp);
  for (std::size_t i = 0; i < from.registers.size(); ++i) {
    if (from.registers[i] == no_register) continue;
    std::uint64_t* values = warp.values(from.registers[i]);
    for_lanes(mask, [&](int lane) {
      T element;
      std::memcpy(&element, places[static_cast<std::size_t>(lane)] + i * sizeof(T), sizeof(T));
      values[lane] = static_cast<std::uint64_t>(element) & from.masks[i];
    });
  }
}

template <class T>
void store(Warp& warp, LaneMask mask, const Transfer& to) {
  if (to.order.atomic) to.order.before_write(warp);
  const auto places = to.places(warp, mask);
  for (std::size_t i = 0; i < to.registers.size(); ++i) {
    const std::uint64_t* values = warp.values(to.registers[i]);
    for_lanes(mask, [&](int lane) {
      const T element = static_cast<T>(values[lane]);
      std::memcpy(places[static_cast<std::size_t>(lane)] + i * sizeof(T), &element, sizeof(T));
    });
  }
}

template <class T>
void make_transfer(bool is_load, Transfer transfer, Instruction& to) {
  transfer.bytes = sizeof(T) * transfer.registers.size();
  if (is_load) {
    to.execute = [transfer](Warp& warp, LaneMask mask) { load<T>(warp, mask, transfer); };
  } else {
    to.execute = [transfer](Warp& warp, LaneMask mask) { store<T>(warp, mask, transfer); };
  }
}

/// The bits of the register of each element of "{%r1, %r2}" or "%r1".
std::vector<std::uint64_t> register_masks(const std::string& text, const Operands& operands) {
  const bool braced = text.front() == '{';
  std::vector<std::uint64_t> masks;
  for (const std::string& name : split(braced ? std::string_view(text).substr(1, text.size() - 2) : text, ',')) {
    masks.push_back(~std::uint64_t{0} >> (64 - operands.bits(name)));
  }
  return masks;
}

}  // namespace

std::byte* access(Warp& warp, std::uint64_t address, std::uint64_t bytes, bool shared, MemoryAccess::Kind kind) {
  if (shared) address &= 0xffffffffU;
  if ((address & (bytes - 1)) != 0) fail(address, bytes, "are misaligned: the address is no multiple of the size");
  if (shared) return shared_access(warp, address, bytes, kind);
  SharedMemory& memory = warp.block->shared;
  if (memory.holds(address)) return shared_access(warp, memory.offset_of(address), bytes, kind);
  if (!lies_in_frame(warp, address, bytes) && !is_allocated(address, bytes)) {
    fail(address, bytes, "lie in no allocation: " + nearest_allocation(address));
  }
  return reinterpret_cast<std::byte*>(address);
}

bool decode_memory(const Statement& statement, Operands& operands, Instruction& to) {
  const bool is_load = statement.name == "ld" || statement.name == "ldu";
  if (!is_load && statement.name != "st") return false;
  Transfer transfer;
  transfer.order = MemoryOrder::of(statement);
  const bool atomic = transfer.order.atomic;
  transfer.kind = is_load  ? atomic ? MemoryAccess::Kind::atomic_read : MemoryAccess::Kind::read
                  : atomic ? MemoryAccess::Kind::atomic_write
                           : MemoryAccess::Kind::write;
  const bool parameter = statement.has("param") || statement.has("param::entry") || statement.has("param::func");
  if (parameter) transfer.space = Transfer::Space::parameter;
  if (names_shared_memory(statement)) transfer.space = Transfer::Space::shared;
  const std::string& elements = statement.operand(is_load ? 0 : 1);
  transfer.address = operands.address(statement.operand(is_load ? 1 : 0));
  transfer.registers = operands.values(elements);
  if (is_load) transfer.masks = register_masks(elements, operands);
  (is_load ? to.destinations : to.sources) = transfer.registers;
  to.sources.push_back(transfer.address.base);

  const Type type = statement.type();
  switch (type.register_bits()) {
    case 8:
      type.is_signed() ? make_transfer<std::int8_t>(is_load, transfer, to)
                       : make_transfer<std::uint8_t>(is_load, transfer, to);
      return true;
    case 16:
      type.is_signed() ? make_transfer<std::int16_t>(is_load, transfer, to)
                       : make_transfer<std::uint16_t>(is_load, transfer, to);
      return true;
    case 32:
      type.is_signed() ? make_transfer<std::int32_t>(is_load, transfer, to)
                       : make_transfer<std::uint32_t>(is_load, transfer, to);
      return true;
    case 64:
      make_transfer<std::uint64_t>(is_load, transfer, to);
      return true;
    default:
      refuse(statement, "a type that is not emulated here");
  }
}

}  // namespace gable::emulated
