#include "core/counting_scalar.hpp"

#include <gtest/gtest.h>

namespace gable {
namespace {

TEST(CountingScalar, CountsEachOperationOnce) {
  CountingScalar::reset();
  const CountingScalar x = 2.0;
  CountingScalar y = x * x + x;  // 2
  y -= x / x;                    // 2
  y = max(sqrt(y), x);           // 2
  const bool less = x < y;       // 1
  EXPECT_TRUE(less);
  EXPECT_EQ(CountingScalar::counted().flops, 7);
  EXPECT_EQ(CountingScalar::counted().exps, 0);
}

TEST(CountingScalar, CountsExponentialsApart) {
  CountingScalar::reset();
  const CountingScalar x = 0.5;
  const double value = static_cast<double>(exp(x)) + static_cast<double>(tanh(x)) + static_cast<double>(erf(x)) +
                       static_cast<double>(log(x));
  EXPECT_NEAR(value, 1.6487212707 + 0.4621171573 + 0.5204998778 - 0.6931471806, 1e-9);
  EXPECT_EQ(CountingScalar::counted().flops, 0);
  EXPECT_EQ(CountingScalar::counted().exps, 4);
}

}  // namespace
}  // namespace gable
