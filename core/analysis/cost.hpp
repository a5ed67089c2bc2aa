#pragma once

namespace gable::analysis {

/// Price of a result that takes time_s on a device that costs price_per_hour, in the price's own currency.
inline double cost_of_time(double time_s, double price_per_hour) { return time_s * price_per_hour / 3600; }

/// Work (flop, op, byte) that one unit of the currency pays for at rate work/s.
inline double work_per_price(double rate, double price_per_hour) { return rate * 3600 / price_per_hour; }

}  // namespace gable::analysis
