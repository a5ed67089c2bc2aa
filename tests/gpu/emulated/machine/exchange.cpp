// What the lanes of a warp tell each other: shfl, vote, match, redux, elect and activemask.
#include <algorithm>

#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

using U32 = std::uint32_t;

/// What a lane reads where the ISA leaves it undefined: not a number, as in new memory.
constexpr std::uint64_t undefined_value = 0xffffffff;

/// Calls `each` with the lanes of each group that executes the instruction together, which is what the member masks of
/// its lanes say. Throws if such a mask lacks its own lane or has a lane that is not here, unless that lane has ended.
template <class Each>
void for_groups(const Warp& warp, LaneMask here, const std::uint64_t* members, Each&& each) {
  for (LaneMask rest = here; rest != 0;) {
    const int first = __builtin_ctz(rest);
    const auto mask = static_cast<LaneMask>(members[first]);
    if ((mask >> first & 1) == 0) {
      throw EmulationError("lane " + std::to_string(first) + " is not in its own member mask");
    }
    if (const LaneMask missing = mask & ~here & warp.alive(); missing != 0) {
      throw EmulationError("lane " + std::to_string(__builtin_ctz(missing)) + " is in the member mask and not here");
    }
    const LaneMask group = mask & here;
    for_lanes(group, [&](int lane) {
      if (static_cast<LaneMask>(members[lane]) == mask) return;
      throw EmulationError("lanes " + std::to_string(first) + " and " + std::to_string(lane) +
                           " name different members");
    });
    each(group);
    rest &= ~group;
  }
}

/// The register and, behind "|", the predicate that an instruction writes.
struct Results {
  Register value = no_register, predicate = no_register;

  Results(const Statement& statement, Operands& operands, Instruction& to) {
    const std::vector<Register> all = operands.values(statement.operand(0));
    value = all.at(0);
    if (all.size() > 1) predicate = all[1];
    for (const Register one : all) {
      if (one != no_register) to.destinations.push_back(one);
    }
  }
};

std::vector<Register> sources(const Statement& statement, Operands& operands, std::size_t count) {
  if (statement.operands.size() != count + 1) refuse(statement, "a form that is not emulated");
  std::vector<Register> all;
  for (std::size_t i = 1; i <= count; ++i) all.push_back(operands.value(statement.operand(i)));
  return all;
}

/// Which lane a lane reads and whether that is inside its segment, by the formulas of the PTX ISA. `limits` has the
/// clamp value in bits 0 to 4 and the segment mask in bits 8 to 12.
enum class Direction : unsigned char { up, down, butterfly, index };
std::pair<int, bool> source_lane(Direction direction, int lane, U32 operand, U32 limits) {
  const int b = static_cast<int>(operand & 31), clamp = static_cast<int>(limits & 31);
  const int segment = static_cast<int>(limits >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  switch (direction) {
    case Direction::up:
      return {lane - b, lane - b >= last};
    case Direction::down:
      return {lane + b, lane + b <= last};
    case Direction::butterfly:
      return {lane ^ b, (lane ^ b) <= last};
    default: {
      const int from = (lane & segment) | (b & ~segment);
      return {from, from <= last};
    }
  }
}

void decode_shfl(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " sync up down bfly idx ");
  const Direction direction = statement.has("up")     ? Direction::up
                              : statement.has("down") ? Direction::down
                              : statement.has("bfly") ? Direction::butterfly
                                                      : Direction::index;
  const Results results(statement, operands, to);
  to.sources = sources(statement, operands, 4);
  to.execute = [=, from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t *values = warp.values(from[0]), *operand = warp.values(from[1]), *limits = warp.values(from[2]);
    LaneValues read{}, inside{};
    for_groups(warp, mask, warp.values(from[3]), [&](LaneMask group) {
      for_lanes(group, [&](int lane) {
        auto [source, is_inside] =
            source_lane(direction, lane, static_cast<U32>(operand[lane]), static_cast<U32>(limits[lane]));
        if (!is_inside) source = lane;
        const auto at = static_cast<std::size_t>(lane);
        inside[at] = is_inside;
        read[at] = (group >> source & 1) != 0 ? values[source] & 0xffffffff : undefined_value;
      });
    });
    write(warp, mask, results.value, read);
    write(warp, mask, results.predicate, inside);
  };
}

void decode_vote(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " sync all any uni ballot ");
  const Results results(statement, operands, to);
  std::string_view name = statement.operand(1);
  const bool negated = name.substr(0, 1) == "!";
  if (negated) name.remove_prefix(1);
  to.sources = {operands.value(name), operands.value(statement.operand(2))};
  const bool all = statement.has("all"), any = statement.has("any"), uniform = statement.has("uni");
  to.execute = [=, from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t* votes = warp.values(from[0]);
    LaneMask yes = 0;
    for (int lane = 0; lane < warp_size; ++lane) yes |= static_cast<LaneMask>((votes[lane] != 0) != negated) << lane;
    LaneValues result{};
    for_groups(warp, mask, warp.values(from[1]), [&](LaneMask group) {
      const LaneMask here = yes & group;
      const LaneMask answer = all ? here == group : any ? here != 0 : uniform ? here == group || here == 0 : here;
      for_lanes(group, [&](int lane) { result[static_cast<std::size_t>(lane)] = answer; });
    });
    write(warp, mask, results.value, result);
  };
}

/// match.any: the lanes with the same value. match.all: all lanes and true if every value is the same, else none.
void decode_match(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " sync any all ");
  const Results results(statement, operands, to);
  to.sources = sources(statement, operands, 2);
  const bool all = statement.has("all");
  const std::uint64_t significant = statement.type().bits == 64 ? ~std::uint64_t{0} : 0xffffffff;
  to.execute = [=, from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t* values = warp.values(from[0]);
    LaneValues result{}, same{};
    for_groups(warp, mask, warp.values(from[1]), [&](LaneMask group) {
      for_lanes(group, [&](int lane) {
        LaneMask equal = 0;
        for_lanes(group, [&](int other) {
          equal |= static_cast<LaneMask>(((values[lane] ^ values[other]) & significant) == 0) << other;
        });
        const auto at = static_cast<std::size_t>(lane);
        same[at] = equal == group;
        result[at] = all && equal != group ? 0 : equal;
      });
    });
    write(warp, mask, results.value, result);
    write(warp, mask, results.predicate, same);
  };
}

U32 reduced(std::string_view operation, bool is_signed, U32 a, U32 b) {
  if (operation == "add") return a + b;
  if (operation == "and") return a & b;
  if (operation == "or") return a | b;
  if (operation == "xor") return a ^ b;
  const bool less = is_signed ? static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) : a < b;
  return less == (operation == "min") ? a : b;
}

void decode_redux(const Statement& statement, Operands& operands, Instruction& to) {
  allow(statement, " sync add min max and or xor ");
  if (statement.type().is_floating() || statement.modifiers.size() < 3)
    refuse(statement, "a form that is not emulated");
  const Results results(statement, operands, to);
  to.sources = sources(statement, operands, 2);
  const bool is_signed = statement.type().is_signed();
  to.execute = [=, operation = statement.modifiers[1], from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t* values = warp.values(from[0]);
    LaneValues result{};
    for_groups(warp, mask, warp.values(from[1]), [&](LaneMask group) {
      const int first = __builtin_ctz(group);
      auto total = static_cast<U32>(values[first]);
      for_lanes(group & (group - 1),
                [&](int lane) { total = reduced(operation, is_signed, total, static_cast<U32>(values[lane])); });
      for_lanes(group, [&](int lane) { result[static_cast<std::size_t>(lane)] = total; });
    });
    write(warp, mask, results.value, result);
  };
}

/// elect.sync d|p, members: the lowest lane leads.
void decode_elect(const Statement& statement, Operands& operands, Instruction& to) {
  const Results results(statement, operands, to);
  to.sources = sources(statement, operands, 1);
  to.execute = [=, members = to.sources[0]](Warp& warp, LaneMask mask) {
    LaneValues leader{}, leads{};
    for_groups(warp, mask, warp.values(members), [&](LaneMask group) {
      const auto first = static_cast<std::size_t>(__builtin_ctz(group));
      for_lanes(group, [&](int lane) { leader[static_cast<std::size_t>(lane)] = first; });
      leads[first] = 1;
    });
    write(warp, mask, results.value, leader);
    write(warp, mask, results.predicate, leads);
  };
}

}  // namespace

bool decode_exchange(const Statement& statement, Operands& operands, Instruction& to) {
  const std::string& name = statement.name;
  if (name == "activemask") {
    const Results results(statement, operands, to);
    to.execute = [results](Warp& warp, LaneMask mask) {
      LaneValues all;
      all.fill(mask);
      write(warp, mask, results.value, all);
    };
    return true;
  }
  const auto decode = name == "shfl"    ? &decode_shfl
                      : name == "vote"  ? &decode_vote
                      : name == "match" ? &decode_match
                      : name == "redux" ? &decode_redux
                      : name == "elect" ? &decode_elect
                                        : nullptr;
  if (decode == nullptr) return false;
  if (!statement.has("sync")) refuse(statement, "without .sync it is no longer valid");
  decode(statement, operands, to);
  return true;
}

}  // namespace gable::emulated
