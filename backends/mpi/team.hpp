#pragma once
#include <string>
#include <vector>

#include "backends/mpi/exchange.hpp"
#include "core/measure/sampler.hpp"

namespace gable::mpi {

/// All ranks of MPI_COMM_WORLD. Rank 0 leads: what it asks for, all do; the others are in follow() meanwhile.
class Team {
 public:
  Team();

  bool leads() const { return rank_ == 0; }
  int size() const { return static_cast<int>(hosts_.size()); }
  /// Host of each rank, as MPI calls it; on rank 0 only.
  const std::vector<std::string>& hosts() const { return hosts_; }

  /// On the leader: s of the slowest rank for all iterations.
  double run(Command command);
  /// On the leader: whether every rank got what it should.
  bool arrives(Command command);
  /// On the leader: sends the others home.
  void dismiss();
  /// On all others: takes part until the leader dismisses them.
  void follow();

 private:
  /// What all ranks do for one command; the answer counts on the leader. `check`: arrives(), as 0 (wrong) or 1.
  double perform(const Command& command, bool check);

  int rank_{};
  std::vector<std::string> hosts_;
  Executor executor_;
};

/// A command as something to time; the time is the slowest rank's.
class TeamBenchmark : public measure::Benchmark {
 public:
  TeamBenchmark(Team& team, Command command) : team_(team), command_(command) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    command_.iterations = static_cast<std::int64_t>(iterations);
    return {.time_s = team_.run(command_)};
  }

 private:
  Team& team_;
  Command command_;
};

}  // namespace gable::mpi
