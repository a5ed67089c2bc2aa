#pragma once
#include <boost/program_options/options_description.hpp>

namespace gable::bench {

/// Adds --help and reads the command line into the variables of the description. False where --help was asked for and
/// has been printed. Throws Error for what the description does not allow.
bool read_options(int argc, char** argv, boost::program_options::options_description& described);

/// The main() of a benchmark called `name`: what `run` returns; 2 with one line on stderr where it throws an Error.
int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace gable::bench
