#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "core/error.hpp"

namespace gable::cli {

/// A fresh folder among the temporary files, which goes with the object.
class ScratchFolder {
 public:
  /// `name`: how its name begins. Throws Error if it cannot be made.
  explicit ScratchFolder(const std::string& name) {
    const std::filesystem::path all = std::filesystem::temp_directory_path();
    std::string pattern = (all / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("cannot make a folder in " + all.string());
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code none;
    std::filesystem::remove_all(path_, none);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gable::cli
