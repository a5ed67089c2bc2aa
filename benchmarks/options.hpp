#pragma once
#include <boost/program_options/options_description.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "core/result/result.hpp"

namespace gable::bench {

/// Adds --help and reads the command line into the variables of the description. False where --help was asked for and
/// has been printed. Throws Error for what the description does not allow.
bool read_options(int argc, char** argv, boost::program_options::options_description& described);

/// The main() of a benchmark called `name`: what `run` returns; 2 with one line on stderr where it throws.
int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv);

/// What --json writes: figures, and this program and its run, which begins when this is made, as their provenance.
class Record {
 public:
  /// Throws Error where the file cannot be written. An empty path: nothing is.
  Record(std::string path, int argc, char** argv, Mode mode);

  Result provenance;
  /// Ends the run and writes the document with it. `indent` as of json::dump().
  void write(nlohmann::json document, int indent = 1);

 private:
  std::string path_;
};

}  // namespace gable::bench
