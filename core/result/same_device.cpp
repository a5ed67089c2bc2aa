#include "core/result/same_device.hpp"

#include <algorithm>

#include "core/result/for_each_row.hpp"

namespace gable::result {
namespace {

bool same_level(const MemoryLevel& a, const MemoryLevel& b) {
  return a.name == b.name && a.size_bytes == b.size_bytes && a.instances == b.instances && a.shared_by == b.shared_by;
}

/// Empty where the device tells none.
std::string uuid_of(const DeviceInfo& device) {
  const auto fact = std::ranges::find(device.facts, "UUID", &Fact::name);
  return fact == device.facts.end() || fact->value == "unknown" ? "" : fact->value;
}

/// Two cards of one make are two devices.
bool other_uuid(const DeviceInfo& a, const DeviceInfo& b) {
  const std::string of_a = uuid_of(a), of_b = uuid_of(b);
  return !of_a.empty() && !of_b.empty() && of_a != of_b;
}

}  // namespace

bool same_device(const DeviceInfo& a, const DeviceInfo& b) {
  return a.id == b.id && a.backend == b.backend && a.name == b.name && a.vendor == b.vendor &&
         a.microarchitecture == b.microarchitecture && a.isa == b.isa && a.sockets == b.sockets && a.cores == b.cores &&
         a.threads == b.threads && std::ranges::equal(a.memory, b.memory, same_level) && !other_uuid(a, b);
}

std::map<Scope, int> threads_of(const Result& result, const std::string& device) {
  std::map<Scope, int> threads;
  const auto note = [&](const auto& row) {
    if (row.device == device && row.threads > 0) threads[row.scope] = std::max(threads[row.scope], row.threads);
  };
  for_each_row(result, note);
  return threads;
}

}  // namespace gable::result
