#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/backend.hpp"
#include "core/model/answer.hpp"
#include "core/operator.hpp"

namespace gable::workload {

/// A named list of operators to run. docs/suites.md has the format of its file.
struct Suite {
  std::string name, summary;
  std::vector<Case> cases;
};

/// A suite out of the text of its file. Throws Error "SOURCE: PLACE: …" naming the entry and what is wrong with it:
/// unknown operator, key or type, sizes that the operator refuses, a type that it does not take, the same run twice.
Suite parse_suite(std::string_view text, const std::string& source, Operators operators);

/// The text of its file, which parse_suite() reads. What only a program asks for (launches, graphs) is not in it.
std::string suite_text(const Suite& suite);

/// Names of the suites that are compiled in, as they are listed.
std::vector<std::string_view> suite_names();

/// A compiled-in suite by its name; else the file of that path. Throws Error listing the names if there is neither.
Suite find_suite(const std::string& name_or_path, Operators operators);

/// The operators of a suite; all suites that are compiled in.
Answer answer_of(const Suite& suite, Operators operators);
Answer suites_answer(Operators operators);

/// The matrix products of a workload, from a CSV file: columns m, n, k and count (how often the workload does the
/// product of that shape) and, optional, name and dtype, in any order. One case a distinct shape and type, with the
/// counts added up and the names joined, in the order of the file. Throws Error naming file, line and column of what is
/// wrong.
std::vector<Case> read_census(const std::filesystem::path& path, const OperatorSpec& gemm);

}  // namespace gable::workload
