#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "backends/mpi/device_runtime.hpp"

namespace gable::mpi {

/// NCCL, or RCCL, which has NCCL's functions under the same names; looked for when the program runs. All is handed to
/// the device's default stream, in order, and done when DeviceRuntime::wait() returns. Calls throw Error with the
/// library's words.
class CollectiveLibrary {
 public:
  /// What rank 0 makes and all others need to find it.
  struct Id {
    char internal[128];  // ncclUniqueId
  };

  /// Throws Error where the vendor's library is not there.
  explicit CollectiveLibrary(DeviceVendor vendor);
  ~CollectiveLibrary();

  static std::string_view name_of(DeviceVendor vendor);  ///< "nccl", "rccl"
  std::string version() const;                           ///< "2.27.3"; empty where it does not tell
  Id make_id() const;
  /// All ranks at once, each with a device of its own.
  void join(const Id& id, int ranks, int rank);

  /// Pointers are to the device's memory; counts are of each rank.
  void all_reduce(const void* from, void* to, std::size_t doubles);
  void all_gather(const void* from, void* to, std::size_t bytes);
  void broadcast(const void* from, void* to, std::size_t bytes);  ///< of rank 0
  void send(const void* from, std::size_t bytes, int rank);
  void receive(void* to, std::size_t bytes, int rank);
  /// What stands between these two begins at once.
  void begin_group();
  void end_group();

 private:
  struct Functions;
  void check(int code, std::string_view what) const;

  std::unique_ptr<Functions> functions_;
};

}  // namespace gable::mpi
