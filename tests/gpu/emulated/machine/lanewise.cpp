#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {

void allow(const Statement& statement, std::string_view known) {
  for (const std::string& modifier : statement.modifiers) {
    if (type_of(modifier).kind != Type::Kind::none || known.find(" " + modifier + " ") != std::string_view::npos)
      continue;
    refuse(statement, "." + modifier + " is not emulated here");
  }
}

void write(Warp& warp, LaneMask mask, Register to, const LaneValues& values) {
  if (to == no_register) return;
  std::uint64_t* destination = warp.values(to);
  for_lanes(mask, [&](std::size_t lane) { destination[lane] = values[lane]; });
}

void make_lanewise(const Statement& statement, Operands& operands, Instruction& to, std::size_t count,
                   LaneFunction function) {
  if (statement.operands.size() != 1 + count) refuse(statement, "a form that is not emulated");
  const Register destination = operands.value(statement.operand(0));
  to.destinations = {destination};
  for (std::size_t i = 0; i < count; ++i) to.sources.push_back(operands.value(statement.operand(i + 1)));
  to.execute = [destination, from = to.sources, function = std::move(function)](Warp& warp, LaneMask mask) {
    std::array<const std::uint64_t*, 4> sources;
    for (std::size_t i = 0; i < from.size(); ++i) sources[i] = warp.values(from[i]);
    LaneValues results;
    function(sources.data(), results);
    write(warp, mask, destination, results);
  };
}

std::string spelled(const Statement& statement, bool with_types) {
  std::string name = statement.name;
  for (const std::string& modifier : statement.modifiers) {
    if (with_types || type_of(modifier).kind == Type::Kind::none) name += "." + modifier;
  }
  return name;
}

bool decode_by(const std::vector<Opcode>& all, std::string_view name, const Statement& statement, Operands& operands,
               Instruction& to) {
  for (const Opcode& one : all) {
    if (one.name != name) continue;
    one.decode(statement, operands, to);
    return true;
  }
  return false;
}

}  // namespace gable::emulated
