#pragma once
#include <filesystem>
#include <string>

namespace gable::cli {

/// A fresh folder among the temporary files, which goes with the object.
class ScratchFolder {
 public:
  /// `name`: how its name begins. Throws Error if it cannot be made.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gable::cli
