#include <cstring>

#include "tests/gpu/emulated/machine/global_memory.hpp"
#include "tests/gpu/emulated/machine/lanewise.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

/// cp.async, taken apart: bytes of each copy, and a register that says how many of them are read (`size`), or whether
/// none is (`ignore`).
struct CopyStatement {
  Address to, from;
  std::uint64_t bytes;
  Register size = no_register, ignore = no_register;

  std::uint64_t bytes_read(Warp& warp, int lane) const {
    if (ignore != no_register) return warp.values(ignore)[lane] != 0 ? 0 : bytes;
    if (size == no_register) return bytes;
    const std::uint64_t read = warp.values(size)[lane] & 0xffffffffU;
    if (read > bytes) {
      throw EmulationError("cp.async of " + std::to_string(bytes) + " bytes is to read " + std::to_string(read));
    }
    return read;
  }

  void begin(Warp& warp, int lane) const {
    const auto address_of = [&](const Address& a) {
      return warp.values(a.base)[lane] + static_cast<std::uint64_t>(a.offset);
    };
    const std::uint64_t offset = address_of(to) & 0xffffffffU, source = address_of(from);
    const std::uint64_t read = bytes_read(warp, lane);
    if (((offset | source) & (bytes - 1)) != 0) {
      throw EmulationError("cp.async is misaligned: source and destination are multiples of its size");
    }
    if (read > 0 && !is_allocated(source, read)) {
      throw EmulationError("cp.async reads " + std::to_string(read) +
                           " bytes that lie in no allocation: " + nearest_allocation(source));
    }
    warp.block->shared.use(MemoryAccess::Kind::copy, offset, bytes, warp.index, warp.clock);
    std::memset(warp.block->shared.data() + offset, 0xff, bytes);
    warp.open_copies[static_cast<std::size_t>(lane)].push_back(
        {offset, source, static_cast<std::uint32_t>(read), static_cast<std::uint32_t>(bytes - read)});
  }
};

void commit(Warp& warp, int lane) {
  auto& open = warp.open_copies[static_cast<std::size_t>(lane)];
  warp.copy_groups[static_cast<std::size_t>(lane)].push_back(std::move(open));
  open.clear();
}

/// Lands the oldest groups of a lane until `left` are left.
void wait(Warp& warp, int lane, std::uint64_t left) {
  auto& groups = warp.copy_groups[static_cast<std::size_t>(lane)];
  while (groups.size() > left) {
    land(warp, groups.front());
    groups.erase(groups.begin());
  }
}

void decode_copies(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement,
        " async ca cg shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B L2::evict_first "
        "L2::evict_last ");
  const auto bytes = literal(statement.operand(2));
  const bool known = bytes == 16 || (statement.has("ca") && (bytes == 4 || bytes == 8));
  if (!known) refuse(statement, "a size of cp.async that is not there");
  CopyStatement copy{operands.address(statement.operand(0)), operands.address(statement.operand(1)), *bytes};
  to.sources = {copy.to.base, copy.from.base};
  const std::size_t optional = statement.operands.size() - (statement.has("L2::cache_hint") ? 1 : 0);
  if (optional > 3) {
    const std::string& last = statement.operand(3);
    (operands.bits(last) == 1 ? copy.ignore : copy.size) = operands.value(last);
    to.sources.push_back(operands.value(last));
  }
  to.execute = [copy](Warp& warp, LaneMask mask) { for_lanes(mask, [&](int lane) { copy.begin(warp, lane); }); };
}

}  // namespace

void land(Warp& warp, const std::vector<Copy>& copies) {
  SharedMemory& shared = warp.block->shared;
  for (const Copy& copy : copies) {
    std::memcpy(shared.data() + copy.to, reinterpret_cast<const void*>(copy.from), copy.bytes);
    std::memset(shared.data() + copy.to + copy.bytes, 0, copy.zeros);
    shared.end_copy(copy.to, copy.bytes + copy.zeros, warp.index, warp.clock);
  }
}

bool decode_copy(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name != "cp" || !statement.has("async") || statement.has("mbarrier")) return false;
  if (statement.has("bulk")) refuse(statement, "cp.async.bulk is not emulated");
  if (statement.has("commit_group")) {
    to.execute = [](Warp& warp, LaneMask mask) { for_lanes(mask, [&](int lane) { commit(warp, lane); }); };
  } else if (statement.has("wait_all")) {
    to.execute = [](Warp& warp, LaneMask mask) {
      for_lanes(mask, [&](int lane) {
        commit(warp, lane);
        wait(warp, lane, 0);
      });
    };
  } else if (statement.has("wait_group")) {
    const auto left = literal(statement.operand(0));
    if (!left) refuse(statement, "the number of groups is no literal");
    to.execute = [left = *left](Warp& warp, LaneMask mask) {
      for_lanes(mask, [&](int lane) { wait(warp, lane, left); });
    };
  } else {
    decode_copies(statement, operands, to);
  }
  return true;
}

}  // namespace gable::emulated
