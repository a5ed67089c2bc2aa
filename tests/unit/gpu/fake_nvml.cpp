// A libnvidia-ml.so.1 with two devices, of which the second does not count its energy; for nvml_test.cpp. Numbers are
// written from NVML's API reference, not taken from the project's header.
#include <cstring>

extern "C" {

static int devices[2];

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  if (std::strcmp(bus, "0000:18:00.0") == 0) *device = &devices[0];
  if (std::strcmp(bus, "0000:3b:00.0") == 0) *device = &devices[1];
  return std::strcmp(bus, "0000:ff:00.0") == 0 ? 6 : 0;
}

/// 3 is NVML_ERROR_NOT_SUPPORTED.
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoule) {
  *millijoule = 2'952'512;
  return device == &devices[0] ? 0 : 3;
}

/// NVML_CLOCK_SM is 1.
int nvmlDeviceGetClockInfo(void*, int domain, unsigned int* megahertz) {
  *megahertz = domain == 1 ? 1'395 : 3'201;
  return 0;
}

int nvmlDeviceGetPersistenceMode(void*, int* mode) {
  *mode = 1;
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned int length) {
  std::strncpy(text, "580.159.04", length);
  return 0;
}
}
