#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/openmp/ceilings/instructions.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/pinned_threads.hpp"
#include "core/backend.hpp"
#include "core/measure/sampler.hpp"
#include "core/model/capacity.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/roofline.hpp"
#include "core/row_item.hpp"

namespace gable::openmp {

/// How each kind of CPU ceiling is sampled. Interference only slows, so all are ceilings in the sense of
/// measure::Policy.
struct Policies {
  measure::Policy burst;      ///< short batches with gaps before every block: the clock recovers in them
  measure::Policy sustained;  ///< back to back, after a warm-up in which the clock of wide vectors settles
  measure::Policy stream;     ///< bandwidth rows
  measure::Policy latency;
  measure::Policy overhead;
  measure::Policy library;
  measure::Policy curve;  ///< one point of a curve
};

Policies policies_for(Mode mode);

/// How much memory a kernel touches to be served by one level, or why that level cannot be measured.
struct WorkingSet {
  std::string level;
  double bytes{};  ///< of all threads together; 0 with a reason
  std::string reason;
};

/// One working set for every level. `levels` are those of the scope (capacity 0: main memory), innermost first.
///  - innermost cache: half of it;
///  - further caches: the geometric mean of what lies inside and of the cache, but at least twice what lies inside and
///    at most all of the cache: passes in order then find nothing left inside, and others who share the cache (jobs,
///    other guests of a hypervisor) may take most of it; not measurable when the level is under 5/4 of what lies
///    inside;
///  - main memory: `memory_factor` x all caches together, 4 x at least, and 1 GiB where no L3 is shown, which virtual
///    machines and firmware leave out: as far as the budget goes.
std::vector<WorkingSet> working_sets(std::span<const Level> levels, double budget_bytes, double memory_factor);

/// The planned sets, those of caches within what was found of them: a set beyond CacheStep::whole is the one of a cache
/// that holds CacheStep::holds, where that can still be told from what lies inside.
std::vector<WorkingSet> within_found(std::vector<WorkingSet> planned, std::span<const Level> levels,
                                     std::span<const std::optional<CacheStep>> found);

/// All caches of the levels together, byte.
double caches_bytes(std::span<const Level> levels);

/// What plans assume that a thread streams from main memory, byte/s.
constexpr double expected_bytes_per_thread_and_s = 1e10;

/// Main memory's working set as a multiple of all caches (byte). quick: 4, the least of which a cache with
/// least-recently-used replacement keeps nothing. full: 12, so that each array of a triad is 4 x the caches (STREAM's
/// rule), because other replacement keeps more; less, but at least 4, where a pass would take longer than 0.1 s by
/// expected_bytes_per_thread_and_s: few cores beside a cache of hundreds of MB.
double memory_factor_for(Mode mode, double caches_bytes, int threads);

/// What all ceilings of one opened device share. Planning needs no pinned threads; running does.
struct Setup {
  DeviceInfo device;
  Request request;
  std::vector<int> cpus;  ///< of the scope, one a core
  Instructions instructions;
  Policies policies;
  double budget_bytes{};                     ///< most memory one measurement may take
  std::shared_ptr<PinnedThreads> pinned;     ///< on cpus
  VendorLibrary* library{};                  ///< or null
  std::function<Conditions()> conditions{};  ///< power and temperature now; may be empty

  int threads() const { return static_cast<int>(cpus.size()); }
  /// One round of each ladder over working sets, by series: the first that this process measured. What it finds of the
  /// caches decides the working sets of rows (found()); the item of the ladder takes it for its own first round.
  struct Ladder {
    std::vector<double> set_bytes, figures;
    bool taken{false};
    std::string held_back{};  ///< what kept a thread from running at one of the sizes, in words
    std::string failure{};    ///< why there are no sizes
    /// Adds what was measured over a working set.
    void add(double bytes, const Estimate& figure);
    /// Why rows take the caches as told: it failed, or was held back; empty where they need not.
    std::string why_not() const;
    /// Gives the curve its points; it is suspect where they were held back.
    void fill(Curve& curve) const;
  };
  /// The ladder of this series; `climb` measures it at the first call, whose exception is kept as its failure.
  Ladder& first_ladder(std::string_view series, const std::function<Ladder()>& climb);
  std::map<std::string, Ladder> ladders{};

  bool full() const { return request.mode == Mode::full; }
  std::vector<Level> levels() const;
  /// One for every level of the scope; the same in every row of a run, so that rows of one level are comparable.
  std::vector<WorkingSet> sets() const;
  /// The memory that streams, sweeps and pointer chases share, made at the first call and large enough for every set:
  /// thread r works on slice(r) only, which it touched first, or, where narrowed() shares it, a thread of the same
  /// node.
  Array& memory();
  /// First double of thread r's slice and its length.
  std::span<double> slice(int rank);
  /// Gives the shared memory back if it is a large part of what there is; the next call of memory() makes it again.
  void release_large_memory();

 private:
  friend std::shared_ptr<Setup> narrowed(Setup& setup, int threads);
  std::shared_ptr<Array> memory_;
};

using SharedSetup = std::shared_ptr<Setup>;

/// The same machine with its first `threads` cpus only and pinned threads of its own. Its memory is the one that the
/// setup has touched already where the machine has one memory node, else its own.
SharedSetup narrowed(Setup& setup, int threads);

/// gable::row_item with the setup's conditions, which also lives as long as the item.
Item row_item(SharedSetup setup, Ceiling row, std::string title, double expected_s,
              std::function<void(Setup&, Ceiling&)> fill);

}  // namespace gable::openmp
