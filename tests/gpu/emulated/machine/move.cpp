// mov, cvta and trap.
#include <algorithm>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

std::uint64_t low_bits(std::size_t bits) { return ~std::uint64_t{0} >> (64 - bits); }

/// There is no clock: the time is how many instructions were executed.
bool is_clock(std::string_view name) { return name == "%clock" || name == "%clock64" || name == "%globaltimer"; }

/// mov d, {a, b, …} and mov {a, b, …}, s.
void decode_pack(std::size_t bits, Instruction& to) {
  to.execute = [destinations = to.destinations, sources = to.sources, bits](Warp& warp, LaneMask mask) {
    const std::size_t source_bits = bits / sources.size(), destination_bits = bits / destinations.size();
    LaneValues whole{}, part;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const std::uint64_t* source = warp.values(sources[i]);
      for (std::size_t lane = 0; lane < warp_size; ++lane)
        whole[lane] |= (source[lane] & low_bits(source_bits)) << source_bits * i;
    }
    for (std::size_t i = 0; i < destinations.size(); ++i) {
      for (std::size_t lane = 0; lane < warp_size; ++lane)
        part[lane] = whole[lane] >> destination_bits * i & low_bits(destination_bits);
      write(warp, mask, destinations[i], part);
    }
  };
}

void decode_mov(const Statement& statement, Operands& operands, Instruction& to) {
  const auto bits = static_cast<std::size_t>(statement.type().register_bits());
  if (statement.operands.size() != 2 || bits > 64 || bits == 0) refuse(statement, "a form that is not emulated");
  to.destinations = operands.values(statement.operand(0));
  const Register destination = to.destinations.at(0);
  if (is_clock(statement.operand(1))) {
    to.execute = [destination, bits](Warp& warp, LaneMask mask) {
      LaneValues time;
      time.fill(executed_instructions() & low_bits(bits));
      write(warp, mask, destination, time);
    };
    return;
  }
  to.sources = operands.values(statement.operand(1));
  const std::size_t parts = std::max(to.destinations.size(), to.sources.size());
  if (std::min(to.destinations.size(), to.sources.size()) != 1 || bits % parts != 0) {
    refuse(statement, "a form that is not emulated");
  }
  if (parts > 1) return decode_pack(bits, to);
  to.execute = [destination, source = to.sources[0], ones = low_bits(bits)](Warp& warp, LaneMask mask) {
    std::uint64_t* result = warp.values(destination);
    const std::uint64_t* from = warp.values(source);
    for_lanes(mask, [&](std::size_t lane) { result[lane] = from[lane] & ones; });
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

}  // namespace

bool decode_move(const Statement& statement, Operands& operands, Instruction& to) {
  if (statement.name == "mov") {
    decode_mov(statement, operands, to);
  } else if (statement.name == "cvta") {
    decode_cvta(statement, operands, to);
  } else if (statement.name == "trap") {
    to.execute = [](Warp&, LaneMask) { throw EmulationError("the kernel gives up"); };
  } else {
    return false;
  }
  return true;
}

}  // namespace gable::emulated
