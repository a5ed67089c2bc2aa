#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gable::cli {

/// Exit codes of the program.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failed_rows =
    1;  ///< finished, with rows of status error, or with none that is ok; findings of validate and check
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_interrupted = 130;

using Arguments = std::vector<std::string>;

/// Each subcommand takes what follows its name and returns an exit code. Throws gable::Error for bad input.
int devices(const Arguments& arguments);
int measure(const Arguments& arguments);    ///< ceilings and operators
int calibrate(const Arguments& arguments);  ///< ceilings only
int run(const Arguments& arguments);        ///< operators only
int experiment(const Arguments& arguments);
int suites(const Arguments& arguments);
int report(const Arguments& arguments);
int compare(const Arguments& arguments);
int predict(const Arguments& arguments);
int plan(const Arguments& arguments);  ///< transformers
int explain(const Arguments& arguments);
int check(const Arguments& arguments);  ///< acceptance test
int validate(const Arguments& arguments);

}  // namespace gable::cli
