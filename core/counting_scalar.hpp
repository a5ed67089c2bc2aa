#pragma once
#include <algorithm>
#include <cmath>
#include <compare>

#include "core/operator.hpp"

namespace gable {

/// A double that counts what is done to it: add, subtract, multiply, divide, min, max, compare and square
/// root are 1 flop each; exp, log, tanh and erf are counted apart. Conversions and copies are free. Running a reference
/// on it gives the operations that the operator's work() must declare. Counts are per thread.
class CountingScalar {
 public:
  CountingScalar() = default;
  CountingScalar(double value) : value_(value) {}  // implicit, so that a reference may write S x = 0.0

  static void reset() { counted_ = {}; }
  static CountedWork counted() { return counted_; }

  explicit operator double() const { return value_; }

  friend CountingScalar operator+(CountingScalar x, CountingScalar y) { return flop(x.value_ + y.value_); }
  friend CountingScalar operator-(CountingScalar x, CountingScalar y) { return flop(x.value_ - y.value_); }
  friend CountingScalar operator*(CountingScalar x, CountingScalar y) { return flop(x.value_ * y.value_); }
  friend CountingScalar operator/(CountingScalar x, CountingScalar y) { return division(x.value_ / y.value_); }
  CountingScalar& operator+=(CountingScalar y) { return *this = *this + y; }
  CountingScalar& operator-=(CountingScalar y) { return *this = *this - y; }
  CountingScalar& operator*=(CountingScalar y) { return *this = *this * y; }
  CountingScalar& operator/=(CountingScalar y) { return *this = *this / y; }
  /// A sign flip is folded into the operation next to it and costs nothing.
  friend CountingScalar operator-(CountingScalar x) { return -x.value_; }

  friend bool operator==(CountingScalar x, CountingScalar y) { return (counted_.flops += 1, x.value_ == y.value_); }
  friend std::partial_ordering operator<=>(CountingScalar x, CountingScalar y) {
    return (counted_.flops += 1, x.value_ <=> y.value_);
  }
  friend CountingScalar min(CountingScalar x, CountingScalar y) { return flop(std::min(x.value_, y.value_)); }
  friend CountingScalar max(CountingScalar x, CountingScalar y) { return flop(std::max(x.value_, y.value_)); }
  friend CountingScalar sqrt(CountingScalar x) { return division(std::sqrt(x.value_)); }
  friend CountingScalar exp(CountingScalar x) { return special(std::exp(x.value_)); }
  friend CountingScalar log(CountingScalar x) { return special(std::log(x.value_)); }
  friend CountingScalar tanh(CountingScalar x) { return special(std::tanh(x.value_)); }
  friend CountingScalar erf(CountingScalar x) { return special(std::erf(x.value_)); }

 private:
  static CountingScalar flop(double value) { return (counted_.flops += 1, value); }
  static CountingScalar division(double value) { return (counted_.divisions += 1, flop(value)); }
  static CountingScalar special(double value) { return (counted_.exps += 1, value); }

  double value_{};
  static inline thread_local CountedWork counted_{};
};

}  // namespace gable
