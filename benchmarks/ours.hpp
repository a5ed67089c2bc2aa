#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/backend.hpp"
#include "core/worker/session.hpp"

namespace gable::bench {

/// This project's side of a comparison: the CPU worker beside the running program, a new process for every measurement,
/// so that none of it runs or holds memory while the peer does.
class Ours {
 public:
  /// Starts the worker once to learn what it offers. Throws Error with the reason if none starts.
  explicit Ours(Request request);

  const DeviceInfo& device() const { return device_; }
  const std::vector<worker::ItemInfo>& items() const { return items_; }
  /// Name and build of the worker, for the provenance.
  const std::pair<std::string, Build>& program() const { return program_; }

  /// Measures the items in this order in one process. Throws Error naming the item a worker died in.
  std::vector<Row> measure(const std::vector<std::string>& ids) const;

 private:
  Request request_;
  worker::Candidate candidate_;
  std::pair<std::string, Build> program_;
  DeviceInfo device_;
  std::vector<worker::ItemInfo> items_;
};

}  // namespace gable::bench
