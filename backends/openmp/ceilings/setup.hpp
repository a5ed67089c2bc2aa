#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/openmp/ceilings/instructions.hpp"
#include "backends/openmp/ceilings/policies.hpp"
#include "backends/openmp/ceilings/working_set.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/team.hpp"
#include "core/backend.hpp"

namespace gable::openmp {

/// What all ceilings of one opened device share. Planning needs no team; running does.
struct Setup {
  DeviceInfo device;
  Request request;
  std::vector<int> cpus;  ///< of the scope, one a core
  Instructions instructions;
  Policies policies;
  double budget_bytes{};                     ///< most memory one measurement may take
  std::shared_ptr<Team> team;                ///< on cpus
  VendorLibrary* library{};                  ///< or null
  std::function<Conditions()> conditions{};  ///< power and temperature now; may be empty

  int threads() const { return static_cast<int>(cpus.size()); }
  bool full() const { return request.mode == Mode::full; }
  std::vector<Level> levels() const;
  /// One for every level of the scope; the same in every row of a run, so that rows of one level are comparable.
  std::vector<WorkingSet> sets() const;
  /// The memory that streams, sweeps and pointer chases share, made at the first call and large enough for every set:
  /// thread r works on slice(r) only, which it touched first.
  Array& memory();
  /// First double of thread r's slice and its length.
  std::span<double> slice(int rank);
  /// Gives the shared memory back if it is a large part of what there is; the next call of memory() makes it again.
  void release_large_memory();

 private:
  std::optional<Array> memory_;
};

using SharedSetup = std::shared_ptr<Setup>;

/// The same machine with its first `threads` cpus only, a team and memory of its own.
SharedSetup narrowed(const Setup& setup, int threads);

}  // namespace gable::openmp
