#include "benchmarks/options.hpp"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>
#include <iostream>

#include "core/error.hpp"

namespace gable::bench {

namespace po = boost::program_options;

bool read_options(int argc, char** argv, po::options_description& described) {
  described.add_options()("help,h", "this text");
  po::variables_map values;
  try {
    po::store(po::parse_command_line(argc, argv, described), values);
    po::notify(values);
  } catch (const po::error& error) {
    throw Error(error.what());
  }
  if (values.count("help") == 0) return true;
  std::cout << described;
  return false;
}

int run_program(const char* name, int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace gable::bench
