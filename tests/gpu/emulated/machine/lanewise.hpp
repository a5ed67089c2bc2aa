#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/operands.hpp"

namespace gable::emulated {

using LaneValues = std::array<std::uint64_t, warp_size>;

[[noreturn]] inline void refuse(const Statement& statement, const std::string& why) {
  throw EmulationError(why + ": " + statement.text);
}

/// Throws EmulationError if a statement has a modifier that is neither a type nor among `known` (words with spaces
/// around each).
inline void allow(const Statement& statement, std::string_view known) {
  for (const std::string& modifier : statement.modifiers) {
    if (type_of(modifier).kind != Type::Kind::none || known.find(" " + modifier + " ") != std::string_view::npos)
      continue;
    refuse(statement, "." + modifier + " is not emulated here");
  }
}

/// Writes a register in the lanes of the mask.
inline void write(Warp& warp, LaneMask mask, Register to, const LaneValues& values) {
  if (to == no_register) return;
  std::uint64_t* destination = warp.values(to);
  for_lanes(mask, [&](int lane) { destination[lane] = values[static_cast<std::size_t>(lane)]; });
}

/// destination = operation(sources), source by source of the types given. It is computed in all lanes, which the
/// compiler makes vectors of, and written in those of the mask.
template <class... Sources, class Operation, std::size_t... i>
void compute(Warp& warp, LaneMask mask, Register destination, const std::array<Register, sizeof...(Sources)>& sources,
             const Operation& operation, std::index_sequence<i...>) {
  const std::array<const std::uint64_t*, sizeof...(Sources)> from{warp.values(sources[i])...};
  LaneValues result;
  for (std::size_t lane = 0; lane < warp_size; ++lane) {
    result[lane] = bits_of(operation(value_of<Sources>(from[i][lane])...));
  }
  write(warp, mask, destination, result);
}

/// Makes of "name d, a, b, …" the instruction d = operation(a, b, …), with a, b, … of the types given.
template <class... Sources, class Operation>
void lanewise(const Statement& statement, Operands& operands, Instruction& to, Operation operation) {
  if (statement.operands.size() != 1 + sizeof...(Sources)) refuse(statement, "a form that is not emulated");
  const Register destination = operands.value(statement.operand(0));
  std::array<Register, sizeof...(Sources)> sources{};
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = operands.value(statement.operand(i + 1));
  to.destinations = {destination};
  to.sources.assign(sources.begin(), sources.end());
  to.execute = [destination, sources, operation](Warp& warp, LaneMask mask) {
    compute<Sources...>(warp, mask, destination, sources, operation, std::index_sequence_for<Sources...>{});
  };
}

/// Calls `each` with a zero of the C++ type of an integer type; .b16, .b32 and .b64 count as unsigned.
template <class Each>
auto with_integer(const Statement& statement, const Type& type, Each&& each) {
  const bool is_signed = type.is_signed();
  if (!type.is_floating() && !type.pair) {
    switch (type.bits) {
      case 16:
        return is_signed ? each(std::int16_t{}) : each(std::uint16_t{});
      case 32:
        return is_signed ? each(std::int32_t{}) : each(std::uint32_t{});
      case 64:
        return is_signed ? each(std::int64_t{}) : each(std::uint64_t{});
      default:
        break;
    }
  }
  refuse(statement, "a type that is not emulated here");
}

}  // namespace gable::emulated
