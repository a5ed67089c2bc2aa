#include "core/model/answer.hpp"
#include "core/workload/suite.hpp"

namespace gable::workload {

Answer answer_of(const Suite& suite, Operators operators) {
  const auto facts = [&](const Case& one) -> Answer::Facts {
    std::vector<std::string> sizes, types;
    for (const Params& params : one.params) sizes.push_back(params.to_string());
    for (const DType dtype : one.dtypes) types.emplace_back(to_string(dtype));
    return {{"operator", "operator", one.op},
            {"summary", "summary", find_spec(operators, one.op).summary},
            {"sizes", "sizes", sizes},
            {"types", "types", types}};
  };
  Answer answer;
  answer.add_facts("", "", {{"name", "suite", suite.name}, {"summary", "summary", suite.summary}});
  answer.add_table("operators", "", table_of(suite.cases, facts));
  return answer;
}

Answer suites_answer(Operators operators) {
  Answer answer;
  answer.add_table("suites", "", table_of(suite_names(), [&](std::string_view name) -> Answer::Facts {
                     const Suite suite = find_suite(std::string(name), operators);
                     return {{"name", "suite", name},
                             {"operators", "operators", suite.cases.size()},
                             {"summary", "summary", suite.summary}};
                   }));
  return answer;
}

}  // namespace gable::workload
