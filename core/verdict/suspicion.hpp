#pragma once
#include "core/result/result.hpp"

namespace gable::verdict {

/// Whether its interval is wider than ± 25 % of its value: it says nothing of the machine as a whole.
bool is_too_wide(const Ceiling& row);

/// Drops clocks that cannot be true (drop_impossible_clocks()). Then makes rows suspect, with the reason, so that they
/// are no roofs (but see MemorySpeed). In this order, so that a row which is already suspect judges no other:
///  - every row that was measured on an emulated device (DeviceInfo::emulator);
///  - any ceiling whose interval is wider than ± 25 % of its value;
///  - a bandwidth that does not fit its working set: the lower end exceeds 101 % of the upper end of the same bandwidth
///    (device, scope, threads, access, stores, operating point, variant alike) of the next inner
///    level, or 101 % of the theoretical bandwidth of the level;
///  - a latency whose lower end exceeds 101 % of the upper end of a level further out (device, scope, implementation,
///    variant alike);
///  - burst and sustained rows of a unit (device, scope, threads, types, variant alike) whose upper ends are less than
///    91 % of the lower end of what a library reached there, unless a burst of the unit is not;
///  - a burst row whose upper end is less than 99 % of the lower end of what its own implementation sustained;
///  - of CPUs, a burst or sustained row of a type in which its unit does far less than in another type: the share of
///    what the unit can do at the observed clock (Ceiling::theory_at_clock, by rates that the catalogue does not call
///    unconfirmed; unit, device, scope, threads and operating point alike) is less than 70 % of the other's, upper end
///    against lower end. One unit serves both: somebody else had a part of it, or the kernel does not fill it.
void mark_suspects(Result& result);

}  // namespace gable::verdict
