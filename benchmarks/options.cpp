#include "benchmarks/options.hpp"

#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/variables_map.hpp>
#include <exception>
#include <iostream>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/result/json.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"

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
  open_standard_descriptors();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

Record::Record(std::string path, int argc, char** argv, Mode mode) : path_(std::move(path)) {
  if (!path_.empty()) result::check_writable(path_);
  provenance.build = result::this_build();
  provenance.run = result::begin_run(std::vector<std::string>(argv, argv + argc), mode);
}

void Record::write(nlohmann::json document, int indent) {
  if (path_.empty()) return;
  result::finish_run(provenance.run);
  document["provenance"] = result::to_json(provenance);
  result::write_file_atomically(path_, document.dump(indent) + "\n");
}

}  // namespace gable::bench
