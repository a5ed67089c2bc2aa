#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/questions/compare/comparison.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/questions/compare/total_cost.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {

struct TwoMachines {
  NamedResult a{"a.json", test::made_up_result("Slow")}, b{"b.json", test::made_up_result("Fast")};
  TwoMachines() {
    for (NamedResult* source : {&a, &b}) {
      test::add_peak(source->result, DType::fp32, 1e11);
      test::add_memory(source->result, 1e10);
    }
    run("gemm", 4, 1);
    run("softmax", 2, 2);
    for (Point& point : a.result.points) point.conditions.power_w = 400;
    for (Point& point : b.result.points) point.conditions.power_w = 500;
  }
  void run(const std::string& op, double time_a, double time_b) {
    test::add_point(a.result, op, 1e9, 1e9, time_a);
    test::add_point(b.result, op, 1e9, 1e9, time_b);
  }
  Compared compared(CompareOptions options = {}) const {
    Compared all{subjects_of(std::vector{a, b}), std::move(options), {}};
    all.answer = compare(all.subjects, all.options);
    return all;
  }
};

/// A costs 10000, B 16000; 5 years at 0.2 a kWh, PUE 1.5, half of the time at work.
inline CostAssumptions assumed() {
  return {.capital = {10000, 16000}, .years = 5, .tariff_per_kwh = 0.2, .pue = 1.5, .utilisation = 0.5};
}

/// Cost of a watt that is drawn in all hours of the five years: 5 x 8766 h x 1.5 x 0.2 / 1000.
inline constexpr double watt = 5 * 8766 * 1.5 * 0.2 / 1000;
constexpr double total_a = 10000 + watt * 0.5 * 400, total_b = 16000 + watt * 0.5 * 500;

inline const BreakEven& of(const TotalCost& cost, Assumption assumption, std::optional<std::size_t> subject = {}) {
  const auto found = std::ranges::find_if(
      cost.break_evens, [&](const BreakEven& one) { return one.assumption == assumption && one.subject == subject; });
  if (found == cost.break_evens.end()) throw Error("no such assumption");
  return *found;
}

}  // namespace gable::questions
