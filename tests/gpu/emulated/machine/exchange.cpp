// What the lanes of a warp tell each other: shfl, vote.ballot and bar.warp.sync.
#include "tests/gpu/emulated/machine/lanewise.hpp"

namespace gable::emulated {
namespace {

/// What a lane reads where the ISA leaves it undefined: not a number, as in new memory.
constexpr std::uint64_t undefined_value = 0xffffffff;

/// Calls `each` with the lanes of each group that executes the instruction together, which is what the member masks of
/// its lanes say (Flow::meet: they are all here). Throws if such a mask lacks its own lane.
template <class Each>
void for_groups(LaneMask here, const std::uint64_t* members, const Each& each) {
  const auto lane_name = [](LaneMask mask) { return std::to_string(__builtin_ctz(mask)); };
  for (LaneMask rest = here; rest != 0;) {
    const auto mask = static_cast<LaneMask>(members[__builtin_ctz(rest)]);
    const LaneMask group = mask & here;
    if ((mask & rest & (~rest + 1)) == 0) {
      throw EmulationError("lane " + lane_name(rest) + " is not in its own member mask");
    }
    const LaneMask others =
        group & lanes_where([&](std::size_t lane) { return static_cast<LaneMask>(members[lane]) != mask; });
    if (others != 0) {
      throw EmulationError("lanes " + lane_name(rest) + " and " + lane_name(others) + " name different members");
    }
    each(group);
    rest &= ~group;
  }
}

/// Registers that an instruction writes, and those that it reads, of which there must be `count`: the last is a member
/// mask.
void fill_in(const Statement& statement, Operands& operands, Instruction& to, std::size_t count) {
  const std::size_t first = statement.name == "bar" ? 0 : 1;
  if (statement.operands.size() != count + first) refuse(statement, "a form that is not emulated");
  if (first != 0) to.destinations = operands.values(statement.operand(0));
  for (std::size_t i = 0; i < count; ++i) to.sources.push_back(operands.value(statement.operand(i + first)));
  to.flow = Flow::meet;
  to.members = to.sources.back();
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
    for_groups(mask, warp.values(from[3]), [&](LaneMask group) {
      for_lanes(group, [&](std::size_t lane) {
        const int clamp = static_cast<int>(limits[lane] & 31), segment = static_cast<int>(limits[lane] >> 8 & 31),
                  number = static_cast<int>(lane);
        const int last = (number & segment) | (clamp & ~segment);
        const int source = source_of(number, static_cast<int>(operand[lane] & 31), segment);
        const bool is_inside = source_of == &lower ? source >= last : source <= last;
        const int chosen = is_inside ? source : number;
        inside[lane] = is_inside;
        read[lane] = (group >> chosen & 1) != 0 ? values[chosen] & 0xffffffff : undefined_value;
      });
    });
    write(warp, mask, value, read);
    write(warp, mask, predicate, inside);
  };
}

/// Each lane of a group gets those of it that vote yes.
void decode_ballot(const Statement& statement, Operands& operands, Instruction& to) {
  fill_in(statement, operands, to, 2);
  to.execute = [result = to.destinations[0], from = to.sources](Warp& warp, LaneMask mask) {
    const std::uint64_t* votes = warp.values(from[0]);
    const LaneMask yes = lanes_where([&](std::size_t lane) { return votes[lane] != 0; });
    for_groups(mask, warp.values(from[1]), [&](LaneMask group) {
      LaneValues answers;
      answers.fill(yes & group);
      write(warp, group, result, answers);
    });
  };
}

void decode_warp_sync(const Statement& statement, Operands& operands, Instruction& to) {
  fill_in(statement, operands, to, 1);
  to.execute = [members = to.members](Warp& warp, LaneMask mask) {
    for_groups(mask, warp.values(members), [&](LaneMask) { warp.meet(); });
  };
}

}  // namespace

bool decode_exchange(const Statement& statement, Operands& operands, Instruction& to) {
  static const std::vector<Opcode> all{
      {"shfl.sync.up", &decode_shfl<lower>},     {"shfl.sync.down", &decode_shfl<higher>},
      {"shfl.sync.bfly", &decode_shfl<partner>}, {"shfl.sync.idx", &decode_shfl<numbered>},
      {"vote.sync.ballot", &decode_ballot},      {"bar.warp.sync", &decode_warp_sync},
  };
  return decode_by(all, spelled(statement), statement, operands, to);
}

}  // namespace gable::emulated
