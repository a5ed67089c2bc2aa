// ld and st, and the checks of every access to memory.
#include "tests/gpu/emulated/machine/access.hpp"

#include <cstring>
#include <vector>

#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

/// In the local memory of the warp's threads or in the kernel's parameters.
bool lies_in_frame(const Warp& warp, std::uint64_t address, std::uint64_t bytes) {
  for (const auto* memory : {&warp.frame->local, &warp.block->parameters}) {
    const std::uint64_t at = address - reinterpret_cast<std::uint64_t>(memory->data());
    if (at < memory->size() && bytes <= memory->size() - at) return true;
  }
  return false;
}

/// Checks accesses of `bytes` one behind the other, `all` bytes together.
void check(Warp& warp, std::uint64_t address, std::uint64_t all, std::uint64_t bytes, bool shared, AccessKind kind) {
  if ((address & (bytes - 1)) != 0) {
    throw EmulationError(range_text(address, bytes) + " are misaligned: the address is no multiple of the size");
  }
  SharedMemory& memory = warp.block->shared;
  if (shared || memory.holds(address)) {
    memory.use(kind, shared ? address : memory.offset_of(address), all, warp.index, warp.clock);
  } else if (!is_allocated(address, all) && !lies_in_frame(warp, address, all)) {
    if (all == bytes) {
      throw EmulationError(range_text(address, bytes) + " lie in no allocation: " + nearest_allocation(address));
    }
    for (std::uint64_t i = 0; i < all; i += bytes) check(warp, address + i, bytes, bytes, shared, kind);
  }
}

/// ld and st, taken apart.
struct Transfer {
  bool shared;
  AccessKind kind;
  Address address;
  std::vector<Register> registers;
};

/// `bits`: those that the registers have.
template <class T>
void load(Warp& warp, LaneMask mask, const Transfer& from, std::uint64_t bits) {
  const LaneValues places = access(warp, mask, from.address, sizeof(T) * from.registers.size(), from.shared, from.kind);
  for (std::size_t i = 0; i < from.registers.size(); ++i) {
    if (from.registers[i] == no_register) continue;
    std::uint64_t* values = warp.values(from.registers[i]);
    for_lanes(mask, [&](int lane) {
      T element;
      std::memcpy(&element, reinterpret_cast<const T*>(places[static_cast<std::size_t>(lane)]) + i, sizeof(T));
      values[lane] = static_cast<std::uint64_t>(element) & bits;
    });
  }
}

template <class T>
void store(Warp& warp, LaneMask mask, const Transfer& to) {
  const LaneValues places = access(warp, mask, to.address, sizeof(T) * to.registers.size(), to.shared, to.kind);
  for (std::size_t i = 0; i < to.registers.size(); ++i) {
    const std::uint64_t* values = warp.values(to.registers[i]);
    for_lanes(mask, [&](int lane) {
      const T element = static_cast<T>(values[lane]);
      std::memcpy(reinterpret_cast<T*>(places[static_cast<std::size_t>(lane)]) + i, &element, sizeof(T));
    });
  }
}

/// The bits that each register of "{%r1, %r2}" or "%r1" has.
std::uint64_t register_bits(std::string_view text, const Operands& operands) {
  if (text.front() == '{') text = text.substr(1, text.size() - 2);
  std::uint64_t bits = ~std::uint64_t{0};
  for (const std::string& name : split(text, ',')) bits &= ~std::uint64_t{0} >> (64 - operands.bits(name));
  return bits;
}

}  // namespace

std::byte* access(Warp& warp, std::uint64_t address, std::uint64_t bytes, bool shared, AccessKind kind) {
  if (shared) address &= 0xffffffffU;
  check(warp, address, bytes, bytes, shared, kind);
  return shared ? warp.block->shared.data() + address : reinterpret_cast<std::byte*>(address);
}

LaneValues addresses_of(Warp& warp, const Address& address, bool shared) {
  const std::uint64_t* base = warp.values(address.base);
  const std::uint64_t bits = shared ? 0xffffffffU : ~std::uint64_t{0};
  LaneValues all;
  for (std::size_t i = 0; i < warp_size; ++i) all[i] = (base[i] + static_cast<std::uint64_t>(address.offset)) & bits;
  return all;
}

LaneValues access(Warp& warp, LaneMask mask, const Address& address, std::uint64_t bytes, bool shared,
                  AccessKind kind) {
  LaneValues all = addresses_of(warp, address, shared);
  for_runs(mask, all, bytes,
           [&](std::uint64_t begin, std::uint64_t count) { check(warp, begin, count, bytes, shared, kind); });
  if (shared) {
    for (std::uint64_t& one : all) one += reinterpret_cast<std::uint64_t>(warp.block->shared.data());
  }
  return all;
}

bool decode_memory(const Statement& statement, Operands& operands, Instruction& to) {
  const bool loads = statement.name == "ld";
  if (!loads && statement.name != "st") return false;
  allow(statement,
        " param global shared shared::cta local const v2 v4 v8 nc ca cg cs lu cv wb wt weak volatile relaxed acquire "
        "release cta gpu sys L1::no_allocate L1::evict_first L1::evict_last L2::64B L2::128B L2::256B ");
  const bool atomic =
      statement.has("volatile") || statement.has("relaxed") || statement.has("acquire") || statement.has("release");
  const AccessKind kind = loads    ? atomic ? AccessKind::atomic_read : AccessKind::read
                          : atomic ? AccessKind::atomic_write
                                   : AccessKind::write;
  const std::string& elements = statement.operand(loads ? 0 : 1);
  const Transfer transfer{names_shared_memory(statement), kind, operands.address(statement.operand(loads ? 1 : 0)),
                          operands.values(elements)};
  (loads ? to.destinations : to.sources) = transfer.registers;
  to.sources.push_back(transfer.address.base);
  const std::uint64_t bits = register_bits(elements, operands);
  const auto make = [&](auto zero) {
    using T = decltype(zero);
    if (loads) {
      to.execute = [transfer, bits](Warp& warp, LaneMask mask) { load<T>(warp, mask, transfer, bits); };
    } else {
      to.execute = [transfer](Warp& warp, LaneMask mask) { store<T>(warp, mask, transfer); };
    }
    return true;
  };
  const Type type = statement.type();
  return with_whole({type.is_signed() ? Type::Kind::signed_integer : Type::Kind::bits, type.register_bits()}, make);
}

}  // namespace gable::emulated
