#pragma once
#include <filesystem>
#include <string>

namespace gable::bench {

/// A folder for result files, removed at the end.
class Scratch {
 public:
  /// Throws Error if it cannot be made.
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path file(const std::string& name) const { return std::filesystem::path(path_) / name; }

 private:
  std::string path_;
};

}  // namespace gable::bench
