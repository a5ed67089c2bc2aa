// A libnvidia-ml.so.1 with two devices, of which the second tells no power of the moment; for nvml_test.cpp. The
// field's structure and numbers are written from NVML's API reference, not taken from the project's header.
#include <cstring>

extern "C" {

struct FieldValue {
  unsigned int field_id;
  unsigned int scope_id;
  long long timestamp;
  long long latency_us;
  int value_type;
  int result;
  union {
    double real;
    unsigned int number;
    unsigned long long wide;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

static int devices[2];

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  if (std::strcmp(bus, "0000:18:00.0") == 0) *device = &devices[0];
  if (std::strcmp(bus, "0000:3b:00.0") == 0) *device = &devices[1];
  return std::strcmp(bus, "0000:ff:00.0") == 0 ? 6 : 0;
}

/// NVML_FI_DEV_POWER_INSTANT is 186, the scope of the GPU 0, an unsigned int 1, NVML_ERROR_NOT_SUPPORTED 3.
int nvmlDeviceGetFieldValues(void* device, int count, FieldValue* values) {
  for (int i = 0; i < count; ++i) {
    const bool known = device == &devices[0] && values[i].field_id == 186 && values[i].scope_id == 0;
    values[i].result = known ? 0 : 3;
    values[i].value_type = 1;
    values[i].value.number = known ? 640'250 : 0;
  }
  return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned int* milliwatt) {
  *milliwatt = 151'000;
  return 0;
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
