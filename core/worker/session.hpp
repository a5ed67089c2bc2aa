#pragma once
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/backend.hpp"
#include "core/worker/find.hpp"
#include "core/worker/process.hpp"
#include "core/worker/protocol.hpp"

namespace gable::worker {

/// A signal asked the program to stop while a worker was at work.
struct InterruptedError : std::runtime_error {
  InterruptedError() : std::runtime_error("interrupted") {}
};

/// A worker process seen from the parent, up to and past the start barrier.
class Session {
 public:
  /// Starts the worker and waits for what it found. Throws std::runtime_error with the reason when it does not get that
  /// far (cannot start, lacks a library, other protocol version).
  explicit Session(const Candidate& candidate);

  const Candidate& candidate() const { return candidate_; }
  const Hello& hello() const { return hello_; }
  const Probe& probe() const { return probe_; }

  /// Opens a device, planning with its free memory, and waits until the worker is ready at the barrier. Throws Error
  /// with the worker's own line for bad input, std::runtime_error if it dies.
  const Items& open(const DeviceInfo& device, const Request& request);

  /// What drive() tells of. `warm` and `taken` are there where the items are measured together with those of other
  /// sessions: they return when all of these are as far.
  struct Events {
    std::function<void(const ItemInfo&)> begun;
    std::function<void(const ItemInfo&, std::vector<Row>)> finished;
    std::function<void()> warm{}, taken{};
  };
  /// Passes the barrier with these items and follows them. Returns nothing when all are done, or the item the worker
  /// died or hung in. `failure` has the reason then, and where the worker died behind the last of them.
  std::optional<ItemInfo> drive(std::span<const ItemInfo> items, const Events& events, std::string& failure);

 private:
  FromWorker next(double timeout_s);

  Candidate candidate_;
  Process process_;
  Hello hello_;
  Probe probe_;
  Items items_;
};

/// Why a worker is not used, or which devices it had to leave out.
struct StartProblem {
  enum class Kind {
    no_cpu_worker,  ///< a failure: a CPU is always there
    no_gpu,         ///< an answer: there is no such GPU, or none that can be used
  };
  Kind kind{};
  std::string worker;   ///< file name
  std::string backend;  ///< openmp, cuda, hip
  std::string reason;
};
/// "worker: reason", and of GPUs "no CUDA device: reason (worker)".
std::string to_string(const StartProblem& problem);

/// Per backend, the first worker that starts and finds a device. Why others are not used goes to `problems`. Throws
/// Error where no worker is to be found.
std::vector<Session> start_sessions(std::vector<StartProblem>& problems);

}  // namespace gable::worker
