#pragma once
#include <optional>
#include <string>

#include "core/model/ceiling.hpp"
#include "core/model/point.hpp"

/// Derived figures of rows as tables and pictures show them; nothing where a row has no such figure.
namespace gable::report {

/// A positive, finite figure; rows that were not measured hold 0.
std::optional<double> figure(double value);
std::optional<double> flops_of(const Point& point);      ///< flop
std::optional<double> bytes_of(const Point& point);      ///< byte
std::optional<double> intensity_of(const Point& point);  ///< flop/byte
std::optional<double> flop_per_s(const Point& point);
std::optional<double> byte_per_s(const Point& point);
/// How it was run, where that is not one launch on data in the caches: "cold", "100 launches", "graph". The user's own
/// kernels are only judged as cold, which is not said.
std::string manner_of(const Point& point);

}  // namespace gable::report
