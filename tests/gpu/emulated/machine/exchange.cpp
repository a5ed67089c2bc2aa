// What the lanes of a warp tell each other: shfl, vote and activemask.
#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

/// What a lane reads where the ISA leaves it undefined: not a number, as in new memory.
constexpr std::uint64_t undefined_value = 0xffffffff;

/// Lanes for which a condition holds.
template <class Condition>
LaneMask lanes_where(const Condition& holds) {
  LaneMask mask = 0;
  for (std::size_t lane = 0; lane < warp_size; ++lane) mask |= static_cast<LaneMask>(holds(lane)) << lane;
  return mask;
}

/// Calls `each` with the lanes of each group that executes the instruction together, which is what the member masks of
/// its lanes say. Throws if such a mask lacks its own lane or has a lane that is not here, unless that lane has ended.
template <class Each>
void for_groups(const Warp& warp, LaneMask here, const std::uint64_t* members, const Each& each) {
  const auto lane_name = [](LaneMask mask) { return std::to_string(__builtin_ctz(mask)); };
  for (LaneMask rest = here; rest != 0;) {
    const auto mask = static_cast<LaneMask>(members[__builtin_ctz(rest)]);
    const LaneMask group = mask & here;
    if ((mask & rest & (~rest + 1)) == 0) {
      throw EmulationError("lane " + lane_name(rest) + " is not in its own member mask");
    }
    const LaneMask missing = mask & ~here & warp.alive();
    if (missing != 0) throw EmulationError("lane " + lane_name(missing) + " is in the member mask and not here");
    const LaneMask others =
        group & lanes_where([&](std::size_t lane) { return static_cast<LaneMask>(members[lane]) != mask; });
    if (others != 0) {
      throw EmulationError("lanes " + lane_name(rest) + " and " + lane_name(others) + " name different members");
    }
    each(group);
    rest &= ~group;
  }
}

/// Registers that an instruction writes, and those that it reads, of which there must be `count`.
void fill_in(const Statement& statement, Operands& operands, Instruction& to, std::size_t count) {
  if (statement.operands.size() != count + 1) refuse(statement, "a form that is not emulated");
  to.destinations = operands.values(statement.operand(0));
  for (std::size_t i = 1; i <= count; ++i) to.sources.push_back(operands.value(statement.operand(i)));
}

// Which lane a lane reads, by the formulas of the PTX ISA: `b` is the second operand, the segment's mask is in bits 8
// to 12 of the third.
int lower(int lane, int b, int /*segment*/) { return lane - b; }
int higher(int lane, int b, int /*segment*/) { return lane + b; }
int partner(int lane, int b, int /*segment*/) { return lane ^ b; }
int numbered(int lane, int b, int segment) { return (lane & segment) | (b & ~segment); }

template <int (*source_of)(int lane, int b, int segment)>
void decode_shfl(const Statement& statement, Operands& operands, Instruction& to) {
  fill_in(statement, operands, to, 4);
  const Register predicate = to.destinations.size() > 1 ? to.destinations[1] : no_register;
  to.execute = [value = to.destinations[0], predicate, from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t *values = warp.values(from[0]), *operand = warp.values(from[1]), *limits = warp.values(from[2]);
    LaneValues read, inside;
    for_groups(warp, mask, warp.values(from[3]), [&](LaneMask group) {
      for_lanes(group, [&](int lane) {
        const int clamp = static_cast<int>(limits[lane] & 31), segment = static_cast<int>(limits[lane] >> 8 & 31);
        const int last = (lane & segment) | (clamp & ~segment);
        const int source = source_of(lane, static_cast<int>(operand[lane] & 31), segment);
        const bool is_inside = source_of == &lower ? source >= last : source <= last;
        const int chosen = is_inside ? source : lane;
        const auto at = static_cast<std::size_t>(lane);
        inside[at] = is_inside;
        read[at] = (group >> chosen & 1) != 0 ? values[chosen] & 0xffffffff : undefined_value;
      });
    });
    write(warp, mask, value, read);
    write(warp, mask, predicate, inside);
  };
}

// What all lanes of a group get, of those of it that vote yes.
LaneMask all_of(LaneMask yes, LaneMask group) { return yes == group; }
LaneMask any_of(LaneMask yes, LaneMask /*group*/) { return yes != 0; }
LaneMask unanimous(LaneMask yes, LaneMask group) { return yes == group || yes == 0; }
LaneMask ballot(LaneMask yes, LaneMask /*group*/) { return yes; }

template <LaneMask (*answer)(LaneMask, LaneMask)>
void decode_vote(const Statement& statement, Operands& operands, Instruction& to) {
  fill_in(statement, operands, to, 2);
  to.execute = [result = to.destinations[0], from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t* votes = warp.values(from[0]);
    const LaneMask yes = lanes_where([&](std::size_t lane) { return votes[lane] != 0; });
    for_groups(warp, mask, warp.values(from[1]), [&](LaneMask group) {
      LaneValues answers;
      answers.fill(answer(yes & group, group));
      write(warp, group, result, answers);
    });
  };
}

void decode_activemask(const Statement& statement, Operands& operands, Instruction& to) {
  fill_in(statement, operands, to, 0);
  to.execute = [result = to.destinations[0]](Warp& warp, LaneMask mask) {
    LaneValues all;
    all.fill(mask);
    write(warp, mask, result, all);
  };
}

}  // namespace

bool decode_exchange(const Statement& statement, Operands& operands, Instruction& to) {
  static const std::vector<Opcode> all{
      {"shfl.sync.up", &decode_shfl<lower>},      {"shfl.sync.down", &decode_shfl<higher>},
      {"shfl.sync.bfly", &decode_shfl<partner>},  {"shfl.sync.idx", &decode_shfl<numbered>},
      {"vote.sync.all", &decode_vote<all_of>},    {"vote.sync.any", &decode_vote<any_of>},
      {"vote.sync.uni", &decode_vote<unanimous>}, {"vote.sync.ballot", &decode_vote<ballot>},
      {"activemask", &decode_activemask},
  };
  return decode_by(all, spelled(statement), statement, operands, to);
}

}  // namespace gable::emulated
