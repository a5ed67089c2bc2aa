#include "core/result/same_device.hpp"

#include <algorithm>

namespace gable::result {
namespace {

bool same_level(const MemoryLevel& a, const MemoryLevel& b) {
  return a.name == b.name && a.size_bytes == b.size_bytes && a.instances == b.instances && a.shared_by == b.shared_by;
}

}  // namespace

bool same_device(const DeviceInfo& a, const DeviceInfo& b) {
  return a.id == b.id && a.backend == b.backend && a.name == b.name && a.vendor == b.vendor &&
         a.microarchitecture == b.microarchitecture && a.isa == b.isa && a.sockets == b.sockets && a.cores == b.cores &&
         a.threads == b.threads && std::ranges::equal(a.memory, b.memory, same_level);
}

std::map<Scope, int> threads_of(const Result& result, const std::string& device) {
  std::map<Scope, int> threads;
  const auto note = [&](const auto& row) {
    if (row.device == device && row.threads > 0) threads[row.scope] = std::max(threads[row.scope], row.threads);
  };
  std::ranges::for_each(result.ceilings, note);
  std::ranges::for_each(result.curves, note);
  std::ranges::for_each(result.points, note);
  return threads;
}

}  // namespace gable::result
