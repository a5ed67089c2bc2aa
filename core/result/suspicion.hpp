#pragma once
#include "core/result/result.hpp"

namespace gable::result {

/// Makes rows suspect, with the reason, so that they are no roofs. In this order, so that a row which is already
/// suspect judges no other:
///  - any ceiling whose interval is wider than ± 25 % of its value;
///  - a bandwidth that does not fit its working set: the lower end exceeds 101 % of the upper end of the same bandwidth
///    (device, scope, threads, access, stores, operating point, variant alike; measured_again is as none) of the next
///    inner level, or 101 % of the theoretical bandwidth of the level;
///  - a latency whose lower end exceeds 101 % of the upper end of a level further out (device, scope, implementation,
///    variant alike);
///  - burst and sustained rows of a unit (device, scope, threads, types, variant alike) whose upper ends are less than
///    91 % of the lower end of what a library reached there, unless a burst of the unit is not;
///  - a burst row whose upper end is less than 99 % of the lower end of what its own implementation sustained;
///  - a burst row of a type whose unit does far less in it than in another: of what the unit can do at the observed
///  clock
///    in each (Ceiling::theory_at_clock; unit, device, scope, threads alike) its upper end is less than 70 % of the
///    lower end of the other's. One unit serves both, so somebody else had a part of it, or the kernel does not fill
///    it.
void mark_suspects(Result& result);

}  // namespace gable::result
