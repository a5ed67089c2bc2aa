// A management library with three devices, of which the second has no power sensor; for telemetry_test.cpp.
#include <cstdint>

extern "C" {

int rsmi_init(std::uint64_t) { return 0; }

int rsmi_num_monitor_devices(std::uint32_t* count) {
  *count = 3;
  return 0;
}

/// Domain 0: bus 0x03 and, a partition of it beside, function 1; domain 1: bus 0xc1.
int rsmi_dev_pci_id_get(std::uint32_t device, std::uint64_t* id) {
  constexpr std::uint64_t ids[] = {0x300, 0x10000301, 0x10000c100};
  *id = ids[device];
  return 0;
}

int rsmi_dev_power_get(std::uint32_t device, std::uint64_t* microwatt, int* kind) {
  *kind = 1;
  *microwatt = device == 0 ? 512'500'000 : 0;
  return 0;
}

int rsmi_dev_power_cap_get(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatt) {
  *microwatt = 750'000'000;
  return device == 0 && sensor == 0 ? 0 : 2;
}

/// The hottest point (sensor 1), the current value (0).
int rsmi_dev_temp_metric_get(std::uint32_t, std::uint32_t sensor, int metric, std::int64_t* millicelsius) {
  *millicelsius = 61'000;
  return sensor == 1 && metric == 0 ? 0 : 2;
}
}
