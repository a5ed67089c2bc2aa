#pragma once

namespace gable::analysis {

/// Energy of a run of time_s at power_w, J.
inline double energy_j(double time_s, double power_w) { return time_s * power_w; }

/// Work (flop, op, byte) that a joule pays for at rate work/s and power_w.
inline double work_per_joule(double rate, double power_w) { return rate / power_w; }

}  // namespace gable::analysis
