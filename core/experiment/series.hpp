#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/roofline.hpp"
#include "core/result/result.hpp"

namespace gable::experiment {

/// The measured hot points of one device, scope, operator, implementation and type, in the order of the result.
struct Series {
  std::string device;
  Scope scope{};
  std::string op, implementation;
  Types types;
  std::vector<const Point*> points;

  /// "relu fp32, kokkos, openmp"
  std::string subject() const;
};
/// Pointers into the result, which must outlive them.
std::vector<Series> series_of(const Result& result, std::string_view op);

/// The least time of a point under these roofs, s; nothing where they do not apply.
std::optional<double> bound_s(const Roofline& roofline, const Point& point);

/// A size among the named parameters of a point. Throws Error naming it if it is not there.
double size_of(const Point& point, std::string_view name);

}  // namespace gable::experiment
