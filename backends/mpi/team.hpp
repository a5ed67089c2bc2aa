#pragma once
#include <string>
#include <vector>

#include "backends/mpi/exchange.hpp"
#include "backends/mpi/pairing.hpp"
#include "core/measure/sampler.hpp"

namespace gable::mpi {

/// A signal asked a rank to stop: the leader ends the measurement and keeps what there is. No std::exception, so that
/// nobody takes it for a row that failed.
struct Stopped {};

/// All ranks of MPI_COMM_WORLD. Rank 0 leads: what it asks for, all do; the others are in follow() meanwhile.
///
/// Once it is made SIGTERM and SIGINT, which launchers and batch systems send to every rank, are only noted: run(),
/// each() and arrives() throw Stopped on the leader, with all ranks ready for what comes next. A process that has not
/// ended 10 s later ends by itself: the others may be gone, and nobody waits for them forever.
class Team {
 public:
  Team();

  bool leads() const { return rank_ == 0; }
  int size() const { return static_cast<int>(hosts_.size()); }
  /// Host of each rank, as MPI calls it; on rank 0 only.
  const std::vector<std::string>& hosts() const { return hosts_; }

  /// On the leader: who exchanges messages with whom from here on, all at the same time; a rank is in one pair at most.
  void pair_up(const std::vector<RankPair>& pairs);
  /// On the leader: s of the slowest rank for all iterations.
  double run(const Command& command);
  /// On the leader: s that one rank, the one with most of it, had work and did not run in the latest command.
  double waited_s() const { return waited_s_; }
  /// On the leader: s for which a processor quota stopped the rank that it stopped longest.
  double throttled_s() const { return throttled_s_; }
  /// On the leader: s of each rank for all iterations; 0 of those without a part.
  std::vector<double> each(const Command& command);
  /// On the leader: whether every rank got what it should.
  bool arrives(const Command& command);
  /// On the leader: lets all ranks open a medium (Executor::open). Empty, or what the first rank that cannot says.
  std::string open(Medium medium, std::int64_t bytes);
  /// On the leader: what it opened; null before.
  const DeviceBuffers* device() const { return executor_.device(); }
  /// On the leader: sends the others home.
  void dismiss();
  /// On all others: takes part until the leader dismisses them.
  void follow();

 private:
  enum class Task { run, each, check, pair_up, open, dismiss };
  /// What the leader sends before each task.
  struct Order {
    Task task{};
    Command command{};
  };

  /// Gives all ranks what the leader hands in.
  static Order announce(Order order);
  /// Of an opened medium what the first rank says that cannot; on the leader.
  std::string open_here(const Command& command);
  /// What all ranks do for one command. Its outcome counts on the leader: of a check how many got something wrong, else
  /// s of the slowest. Ends the program on all ranks where one cannot go on: the others would wait for it.
  double perform(const Order& order);
  /// Hands each rank its partner; what the leader gives counts.
  void hand_out(const std::vector<Partner>& partners);

  int rank_{};
  std::vector<std::string> hosts_;
  std::vector<double> times_;  ///< of each rank, after Task::each
  double waited_s_{}, throttled_s_{};
  Executor executor_;
};

/// A command as something to time; the time is the slowest rank's.
class TeamBenchmark : public measure::Benchmark {
 public:
  TeamBenchmark(Team& team, Command command) : team_(team), command_(command) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    command_.iterations = static_cast<std::int64_t>(iterations);
    const double time_s = team_.run(command_);
    return {.time_s = time_s,
            .preemption = measure::HeldBack{.longest_s = team_.waited_s()}.preemption(time_s),
            .throttled_s = team_.throttled_s()};
  }

 private:
  Team& team_;
  Command command_;
};

}  // namespace gable::mpi
