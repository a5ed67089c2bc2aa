#include "cli/scratch_folder.hpp"

#include <cstdlib>
#include <system_error>

#include "core/error.hpp"

namespace gable::cli {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& name) {
  std::string pattern = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw Error("cannot make a folder in " + fs::temp_directory_path().string());
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code none;
  fs::remove_all(path_, none);
}

}  // namespace gable::cli
