#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/enum_names.hpp"
#include "core/model/answer.hpp"
#include "core/operator.hpp"
#include "core/questions/compare/subject.hpp"

namespace gable::questions {

/// Invalid: it breaks the schema.
enum class FileVerdict { valid, invalid, implausible };
constexpr auto names_of(FileVerdict) {
  return names_up_to<FileVerdict::implausible>("valid", "invalid", "implausible");
}
using gable::to_string;

/// A file, and what is wrong with it.
struct ValidationLine {
  std::string file;
  FileVerdict verdict{};
  std::string where, what;
};

/// Rows that are slower than the same row of another run of the same machine (subjects_of() says which files are), by
/// more than 10 % beyond both intervals: interference only slows, so the slower one is named. Each interval claims to
/// hold the true value, so one of the two must be wrong, or the machine was in another state. The same row has the same
/// scope, threads and size of arrays; of libraries, Kokkos and operators also mode and build. Rows without an interval,
/// and copies of a run, are not compared. Throws Error as subjects_of() does.
std::vector<ValidationLine> disagreements(std::span<const NamedResult> sources);

struct Validation {
  std::vector<ValidationLine> lines;
  std::vector<std::string> problems;  ///< files that could not be read, and what could not be compared
  bool unreadable{};                  ///< some file

  bool valid() const;
};

/// Every file by itself (verdict::validate_file()), then what repeats of one machine contradict each other in.
Validation validate(std::span<const std::string> files, Operators operators);
Answer answer_of(const Validation& validation);

}  // namespace gable::questions
