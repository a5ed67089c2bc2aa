#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// By what bounds it: the arithmetic of matrix products, bytes of main memory, anything else.
enum class WorkClass { products, streams, others };
constexpr auto names_of(WorkClass) { return names_up_to<WorkClass::others>("products", "streams", "others"); }

/// Which part of its bounds a measured device reaches: the median over its operators, and from where to where.
struct Reached {
  double median{}, least{}, most{};
  std::size_t rows{};
};

/// That of each class that it was measured in, of all its operators for the other classes, and of each operator.
struct Efficiency {
  std::map<WorkClass, Reached> by_class;
  Reached all;
  std::map<std::string, AssumedPart> by_row;  ///< by label_of() of the key, hot or cold; of both, of the cold one
  std::map<std::pair<WorkClass, std::string>, Reached> by_operator;  ///< by label_of() without a size
  /// Of that very operator and size where it was measured, else of its other sizes, else of its class, else of all.
  AssumedPart in(WorkClass of, PointKey row) const;
};
/// By its operators of the whole node that have a bound under its own roofs, or those of its datasheet; more than the
/// bound counts as all of it. Nothing where there are none.
std::optional<Efficiency> efficiency_of(const Subject& subject, bool of_datasheet);

/// Nothing where a subject's memory holds some work, or nobody knows.
using MisfitOf = std::function<std::optional<Misfit>(const Subject&)>;

/// What subjects are compared by where nobody measured the work on all of them.
struct Bounds {
  std::string workload;                     ///< its name
  std::optional<std::size_t> assumed_of{};  ///< whose efficiency subjects have that were not measured
  Efficiency efficiency{};                  ///< of that one
  bool of_datasheet{};                      ///< under its datasheet, not under its measured roofs
  std::vector<Basis> roofs{};               ///< whose bounds these are, one a subject
  std::vector<std::string> notes{};         ///< of types that a subject has no unit for
};

/// Replaces the operators of every subject by this work: least times by its roofs, everything from main memory. Figures
/// of measured roofs have their intervals, those of datasheets none. Where an efficiency is assumed, each time is the
/// bound over the subject's own efficiency in that operator, else in the work's class, else over those of the subject
/// named, whose launches datasheets take as well. Where a subject has nothing but a datasheet, roofs and efficiencies
/// are of datasheets, but for measured subjects that have none. Roofs are of the kind that the efficiency is of, where
/// the subject has such; else its times have a Scale of their own. Work that lacks a roof which may decide is left out
/// of that subject. Throws Error where the subject named has no efficiency.
Bounds use_bounds(std::span<Subject> subjects, const std::string& workload, std::span<const Point> work,
                  std::optional<std::size_t> assumed_of, const MisfitOf& misfit_of = {});

}  // namespace gable::questions
