#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// Those that a figure depends on most, and all others.
enum class CircumstanceKind { other, power_cap, threads };

/// Something beside the device itself under which figures were measured, as the files tell it.
struct Circumstance {
  std::string name;  ///< "power cap", "compiler", "governor"
  /// One list a subject: what its runs tell, each text once. Empty where none tells ("unknown" tells nothing).
  std::vector<std::vector<std::string>> told;
  CircumstanceKind kind{CircumstanceKind::other};
};

/// What differs between subjects that were measured, and between the runs of one of them.
struct Circumstances {
  std::vector<Circumstance> differing;  ///< at least two different things are told
  /// Names that only some of the measured subjects tell, in one way. Of one subject always empty.
  std::vector<Circumstance> told_by_some;
};

/// Measured clock (median over the compute ceilings of the whole node that every subject has with a clock; 1 % apart or
/// more differs) and what held it back, nominal and maximum clock, power cap, threads of CPUs, mode, gable's version,
/// target, compiler, flags and libraries of the worker, operating system and kernel, then every fact of device and
/// host. Facts that are one card's own (UUID, PCI bus) or of its make (registers) are no circumstance; load averages
/// and stolen CPU time differ from the next whole number on. Datasheets were not measured: they tell nothing.
Circumstances circumstances_of(std::span<const Subject> subjects);

/// "GNU 12.2.0", or what several runs tell: "5.10; 6.1". Empty where nothing is told.
std::string joined_text(const std::vector<std::string>& told);

}  // namespace gable::questions
