#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/model/answer.hpp"
#include "core/operator.hpp"

namespace gable::analysis {

/// A file, and what is wrong with it.
struct ValidationLine {
  std::string file;
  std::string verdict;  ///< "valid", "invalid" (breaks the schema), "implausible"
  std::string where, what;
};

struct Validation {
  std::vector<ValidationLine> lines;
  std::vector<std::string> problems;  ///< files that could not be read, and what could not be compared
  bool unreadable{};                  ///< some file

  bool valid() const;
};

/// Every file by itself (result::validate_file()), then what repeats of one machine contradict each other in.
Validation validate(std::span<const std::string> files, Operators operators);
Answer answer_of(const Validation& validation);

}  // namespace gable::analysis
