#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  for_lanes(mask, [&](std::size_t lane) { destination[lane] = values[lane]; });
}

/// Makes of "name d, a, b, …" the instruction d = function(a, b, …), with a, b, … of the types given. It is computed in
/// all lanes, which the compiler makes vectors of, and written in those of the mask.
template <class... Sources, class Function>
void lanewise(const Statement& statement, Operands& operands, Instruction& to, Function function) {
  if (statement.operands.size() != 1 + sizeof...(Sources)) refuse(statement, "a form that is not emulated");
  const Register destination = operands.value(statement.operand(0));
  std::array<Register, sizeof...(Sources)> sources{};
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i] = operands.value(statement.operand(i + 1));
  to.destinations = {destination};
  to.sources.assign(sources.begin(), sources.end());
  to.execute = [destination, sources, function](Warp& warp, LaneMask mask) {
    LaneValues results;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      const std::array<const std::uint64_t*, sizeof...(Sources)> from{warp.values(sources[i])...};
      for (std::size_t lane = 0; lane < warp_size; ++lane) {
        results[lane] = bits_of(canonical(function(value_of<Sources>(from[i][lane])...)));
      }
    }
    (std::index_sequence_for<Sources...>{});
    write(warp, mask, destination, results);
  };
}

/// An instruction by its name, and what decodes it: a function, or lanewise() with a lambda that captures nothing and
/// whose parameters have the types of the sources.
struct Opcode {
  using Decode = void (*)(const Statement&, Operands&, Instruction&);
  std::string_view name;
  Decode decode;

  Opcode(std::string_view its_name, Decode its_decode) : name(its_name), decode(its_decode) {}
  template <class Function>
  Opcode(std::string_view its_name, Function) : name(its_name), decode(decode_of<Function>(&Function::operator())) {}

 private:
  template <class Function, class Result, class... Sources>
  static Decode decode_of(Result (Function::*)(Sources...) const) {
    return [](const Statement& statement, Operands& operands, Instruction& to) {
      lanewise<Sources...>(statement, operands, to, Function{});
    };
  }
};

/// A statement's name and modifiers: "mul.lo.s32". Without types: "mul.lo".
inline std::string spelled(const Statement& statement, bool with_types = false) {
  std::string name = statement.name;
  for (const std::string& modifier : statement.modifiers) {
    if (with_types || type_of(modifier).kind == Type::Kind::none) name += "." + modifier;
  }
  return name;
}

/// Decodes a statement by the operation of a name; false if there is none.
inline bool decode_by(const std::vector<Opcode>& all, std::string_view name, const Statement& statement,
                      Operands& operands, Instruction& to) {
  for (const Opcode& one : all) {
    if (one.name != name) continue;
    one.decode(statement, operands, to);
    return true;
  }
  return false;
}

/// Calls `each`, which returns whether it could do it, with a zero of the C++ type of an integer type of 16, 32 or 64
/// bits; .b16, .b32 and .b64 count as unsigned. False for other types.
template <class Each>
bool with_integer(const Type& type, Each&& each) {
  if (type.is_floating() || type.pair) return false;
  if (type.bits == 16) return type.is_signed() ? each(std::int16_t{}) : each(std::uint16_t{});
  if (type.bits == 32) return type.is_signed() ? each(std::int32_t{}) : each(std::uint32_t{});
  if (type.bits == 64) return type.is_signed() ? each(std::int64_t{}) : each(std::uint64_t{});
  return false;
}

/// with_integer() for bytes too.
template <class Each>
bool with_whole(const Type& type, Each&& each) {
  if (type.bits == 8) return type.is_signed() ? each(std::int8_t{}) : each(std::uint8_t{});
  return with_integer(type, each);
}

}  // namespace gable::emulated
