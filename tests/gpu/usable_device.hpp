#pragma once
#include <gtest/gtest.h>

#include <string>

#include "backends/gpu/gpu_api.hpp"
#include "backends/gpu/inventory.hpp"
#include "core/error.hpp"

namespace gable::gpu::test {

/// Number, in the vendor's runtime, of the first device that this build can use. Throws Error without one.
inline int device_index() {
  const auto probe = make_probe(query_devices(), built_for());
  if (probe.devices.empty()) throw Error(probe.reason);
  return find_facts(query_devices(), built_for(), probe.devices.front().id).index;
}

/// Empty if this process has a device that this build can use, which is made the current one; else why not.
inline std::string no_device() {
  const auto probe = make_probe(query_devices(), built_for());
  if (probe.devices.empty()) return probe.reason;
  set_device(device_index());
  return "";
}

/// A test that is skipped with the reason where there is no device.
template <class Base = testing::Test>
class NeedsDevice : public Base {
 protected:
  void SetUp() override {
    const auto reason = no_device();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

}  // namespace gable::gpu::test
