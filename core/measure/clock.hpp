#pragma once

namespace gable::measure {

/// Source of time. Real, or simulated in tests.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic time, s.
  virtual double now() = 0;
  /// Smallest step the clock can show, s.
  virtual double resolution() const = 0;
  /// Waits without working (cool-down gaps).
  virtual void sleep(double seconds) = 0;
  /// How long the calling thread has waited for a processor so far, s; 0 where unknown.
  virtual double waited_s() { return 0; }
};

/// std::chrono::steady_clock; resolution is measured once.
Clock& steady_clock();

}  // namespace gable::measure
