#include "benchmarks/scratch.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "core/error.hpp"

namespace gable::bench {

namespace fs = std::filesystem;

Scratch::Scratch() : path_((fs::temp_directory_path() / "gable-bench-XXXXXX").string()) {
  if (!::mkdtemp(path_.data()))
    throw Error(fmt::format("cannot make a folder in '{}'", fs::temp_directory_path().string()));
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace gable::bench
