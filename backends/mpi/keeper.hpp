#pragma once
#include <filesystem>
#include <string>
#include <utility>

#include "core/result/result.hpp"

namespace gable::mpi {

/// Keeps a result on the disk while it grows, atomically: whatever kills the program or a rank, the file holds what was
/// measured until then, as an incomplete result.
class Keeper {
 public:
  /// Without `replace` it throws Error where something came to the output's place before its first part.
  Keeper(Result& result, std::filesystem::path output, bool replace)
      : result_(result), output_(std::move(output)), replace_(replace) {}

  /// What is measured from here on, in a few words.
  void measures(const std::string& what) { now_ = what; }
  /// Writes what there is; now and then only, where that takes long beside the measurement.
  void keep();
  /// Writes what there is as the end of it. Gives the sentence that says so, for people.
  std::string save_part(const std::string& cause);
  /// Writes the whole; the result gets its end, and its doubtful rows their status.
  void save();

 private:
  void write(const std::string& note);

  Result& result_;
  std::filesystem::path output_;
  bool replace_;  ///< what is there is this program's
  std::string now_;
  double last_s_{}, took_s_{};  ///< when it was written, and for how long
};

}  // namespace gable::mpi
