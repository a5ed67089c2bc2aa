// mov, cvta and isspacep, and instructions that only end a kernel or do nothing that can be seen here.
#include <algorithm>
#include <array>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

std::uint64_t low_bits(int bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// mov d, {a, b, …}: each source takes `bits` bits.
void decode_pack(Register destination, const std::vector<Register>& sources, int bits, Instruction& to) {
  to.execute = [destination, sources, bits](Warp& warp, LaneMask mask) {
    LaneValues result{};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::uint64_t* source = warp.values(sources[i]);
      const int shift = bits * static_cast<int>(i);
      for (std::size_t lane = 0; lane < warp_size; ++lane) result[lane] |= (source[lane] & low_bits(bits)) << shift;
    }
    write(warp, mask, destination, result);
  };
}

/// mov {a, b, …}, s.
void decode_unpack(const std::vector<Register>& destinations, Register source, int bits, Instruction& to) {
  to.execute = [destinations, source, bits](Warp& warp, LaneMask mask) {
    LaneValues whole{};
    std::copy_n(warp.values(source), warp_size, whole.begin());
    for (const Register destination : destinations) {
      LaneValues part = whole;
      for (std::uint64_t& value : part) value &= low_bits(bits);
      write(warp, mask, destination, part);
      for (std::uint64_t& value : whole) value >>= bits;
    }
  };
}

/// There is no clock: the time is how many instructions were executed.
bool is_clock(std::string_view name) { return name == "%clock" || name == "%clock64" || name == "%globaltimer"; }

void decode_mov(const Statement& statement, Operands& operands, Instruction& to) {
  const Type type = statement.type();
  const int bits = type.register_bits();
  if (statement.operands.size() != 2 || bits > 64 || bits == 0) refuse(statement, "a form that is not emulated");
  to.destinations = operands.values(statement.operand(0));
  if (is_clock(statement.operand(1))) {
    to.execute = [destination = to.destinations.at(0), ones = low_bits(bits)](Warp& warp, LaneMask mask) {
      LaneValues time;
      time.fill(executed_instructions() & ones);
      write(warp, mask, destination, time);
    };
    return;
  }
  to.sources = operands.values(statement.operand(1));
  const auto parts = static_cast<int>(std::max(to.destinations.size(), to.sources.size()));
  if (std::min(to.destinations.size(), to.sources.size()) != 1 || bits % parts != 0) {
    refuse(statement, "a form that is not emulated");
  }
  const Register destination = to.destinations[0], source = to.sources[0];
  if (to.sources.size() > 1) return decode_pack(destination, to.sources, bits / parts, to);
  if (to.destinations.size() > 1) return decode_unpack(to.destinations, source, bits / parts, to);
  to.execute = [destination, source, ones = low_bits(bits)](Warp& warp, LaneMask mask) {
    std::uint64_t* result = warp.values(destination);
    const std::uint64_t* from = warp.values(source);
    for_lanes(mask, [&](int lane) { result[lane] = from[lane] & ones; });
  };
}

/// Generic addresses of shared memory are those of the memory that stands for it; of other memory, its addresses.
void decode_cvta(const Statement& statement, Operands& operands, Instruction& to) {
  const Register destination = operands.value(statement.operand(0)), source = operands.value(statement.operand(1));
  const bool shared = statement.has("shared") || statement.has("shared::cta"),
             to_shared = shared && statement.has("to");
  if (statement.type().bits != 64 || statement.has("shared::cluster")) refuse(statement, "a form that is not emulated");
  to.destinations = {destination};
  to.sources = {source};
  to.execute = [destination, source, shared, to_shared](Warp& warp, LaneMask mask) {
    const std::uint64_t* from = warp.values(source);
    const auto base = reinterpret_cast<std::uint64_t>(warp.block->shared.data());
    const std::uint64_t added = !shared ? 0 : to_shared ? 0 - base : base;
    LaneValues result;
    for (std::size_t lane = 0; lane < warp_size; ++lane) result[lane] = from[lane] + added;
    write(warp, mask, destination, result);
  };
}

void decode_isspacep(const Statement& statement, Operands& operands, Instruction& to) {
  const Register destination = operands.value(statement.operand(0)), source = operands.value(statement.operand(1));
  const bool shared = statement.has("shared") || statement.has("shared::cta"), local = statement.has("local");
  if (!shared && !local && !statement.has("global")) refuse(statement, "a form that is not emulated");
  to.destinations = {destination};
  to.sources = {source};
  to.execute = [destination, source, shared, local](Warp& warp, LaneMask mask) {
    const std::uint64_t* addresses = warp.values(source);
    const auto is_local = [&](std::uint64_t address) {
      for (const Frame* frame = warp.frame; frame != nullptr; frame = frame->caller) {
        if (address - reinterpret_cast<std::uint64_t>(frame->local.data()) < frame->local.size()) return true;
      }
      return false;
    };
    LaneValues result{};
    for_lanes(mask, [&](int lane) {
      const std::uint64_t address = addresses[lane];
      const bool in_shared = warp.block->shared.holds(address), in_local = is_local(address);
      result[static_cast<std::size_t>(lane)] = shared ? in_shared : local ? in_local : !in_shared && !in_local;
    });
    write(warp, mask, destination, result);
  };
}

/// All lanes that bar.warp.sync names have to be there. Lanes of other ways that meet here joined before.
void decode_warp_sync(const Statement& statement, Operands& operands, Instruction& to) {
  const Register members = operands.value(statement.operand(0));
  to.sources = {members};
  to.execute = [members](Warp& warp, LaneMask mask) {
    const auto named = static_cast<LaneMask>(warp.values(members)[__builtin_ctz(mask)]);
    for_lanes(named & ~mask, [&](int lane) {
      if (warp.state[static_cast<std::size_t>(lane)] == LaneState::done) return;
      throw EmulationError("lane " + std::to_string(lane) + " is named and is not here");
    });
  };
}

}  // namespace

bool decode_move(const Statement& statement, Operands& operands, Instruction& to) {
  static constexpr std::array<std::string_view, 8> unseen{"prefetch",      "prefetchu",      "nanosleep", "discard",
                                                          "applypriority", "griddepcontrol", "pmevent",   "setmaxnreg"};
  if (statement.name == "mov") {
    decode_mov(statement, operands, to);
  } else if (statement.name == "cvta") {
    decode_cvta(statement, operands, to);
  } else if (statement.name == "isspacep") {
    decode_isspacep(statement, operands, to);
  } else if (statement.name == "bar" && statement.has("warp")) {
    decode_warp_sync(statement, operands, to);
  } else if (statement.name == "trap" || statement.name == "brkpt") {
    to.execute = [](Warp&, LaneMask) { throw EmulationError("the kernel gives up"); };
  } else if (std::find(unseen.begin(), unseen.end(), statement.name) != unseen.end()) {
    to.execute = [](Warp&, LaneMask) {};
  } else {
    return false;
  }
  return true;
}

}  // namespace gable::emulated
