#pragma once
#include <atomic>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/enum_names.hpp"

namespace gable::bench {

/// How a disturber takes time from the programs beside it.
enum class Disturbing {
  bursts,    ///< on each cpu a thread that works for a share of the time
  loops,     ///< so many threads that compute all the time, on any cpu
  quota,     ///< a control group that lets a command have so many CPUs
  affinity,  ///< so many seconds after the begin all threads of gable's workers may run on the first cpu only
};
constexpr auto names_of(Disturbing) {
  return names_up_to<Disturbing::affinity>("bursts", "loops", "quota", "affinity");
}

/// "bursts:0.2", "loops:8", "quota:0.5", "affinity:5".
struct Neighbour {
  Disturbing how{};
  double amount{};
};
/// Throws Error for what is none.
Neighbour read_neighbour(std::string_view text);

/// A neighbour that disturbs until it is destroyed. Bursts, of 5 to 200 ms at random, compute or stream through 256 MB.
class Disturber {
 public:
  /// Throws Error where a control group cannot be made, which needs root.
  Disturber(const Neighbour& neighbour, const std::vector<int>& cpus, unsigned seed);
  ~Disturber();
  Disturber(const Disturber&) = delete;
  Disturber& operator=(const Disturber&) = delete;

  /// The command, as it is started to be disturbed.
  std::vector<std::string> beside(std::vector<std::string> command) const;

 private:
  std::atomic<bool> ended_{false};
  std::vector<std::thread> threads_;
  std::filesystem::path group_;  ///< the control group; empty without one
};

}  // namespace gable::bench
