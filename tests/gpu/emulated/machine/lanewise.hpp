#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
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
void allow(const Statement& statement, std::string_view known);

/// Writes a register in the lanes of the mask.
void write(Warp& warp, LaneMask mask, Register to, const LaneValues& values);

/// What an instruction makes in each lane of the registers of its sources.
using LaneFunction = std::function<void(const std::uint64_t* const* sources, LaneValues& results)>;

/// Makes of "name d, a, b, …", which has `count` sources, the instruction d = function(a, b, …). It is computed in all
/// lanes and written in those of the mask.
void make_lanewise(const Statement& statement, Operands& operands, Instruction& to, std::size_t count,
                   LaneFunction function);

/// Of a function of a source of each type in one lane: of all lanes, which the compiler makes vectors of.
template <class... Sources, class Function>
void in_all_lanes(const Function& function, const std::uint64_t* const* sources, LaneValues& results) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    for (std::size_t lane = 0; lane < warp_size; ++lane) {
      results[lane] = bits_of(canonical(function(value_of<Sources>(sources[i][lane])...)));
    }
  }
  (std::index_sequence_for<Sources...>{});
}

/// An instruction by its name, and what decodes it: a function, or make_lanewise() with a lambda that captures nothing
/// and whose parameters have the types of the sources.
struct Opcode {
  using Decode = void (*)(const Statement&, Operands&, Instruction&);
  std::string_view name;
  Decode decode;

  Opcode(std::string_view its_name, Decode its_decode) : name(its_name), decode(its_decode) {}
  template <class Function>
  Opcode(std::string_view its_name, Function) : name(its_name), decode(decode_of<Function>(&Function::operator())) {}

 private:
  template <class Function, class... Sources>
  static void of_all_lanes(const std::uint64_t* const* sources, LaneValues& results) {
    in_all_lanes<Sources...>(Function{}, sources, results);
  }
  template <class Function, class Result, class... Sources>
  static Decode decode_of(Result (Function::*)(Sources...) const) {
    return [](const Statement& statement, Operands& operands, Instruction& to) {
      make_lanewise(statement, operands, to, sizeof...(Sources), &of_all_lanes<Function, Sources...>);
    };
  }
};

/// A statement's name and modifiers: "mul.lo.s32". Without types: "mul.lo".
std::string spelled(const Statement& statement, bool with_types = false);

/// Decodes a statement by the operation of a name; false if there is none.
bool decode_by(const std::vector<Opcode>& all, std::string_view name, const Statement& statement, Operands& operands,
               Instruction& to);

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
