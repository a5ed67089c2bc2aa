#pragma once
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"

namespace gable::catalogue {

/// What a file like data/devices.json holds.
struct Entries {
  std::vector<Device> devices;
  std::vector<Cpu> cpus;
};

/// Throws Error "<pointer>: …" for what is no such file (docs/catalogue.md): unknown or missing keys, types, units,
/// figures that are not positive, a name that is there twice.
Entries parse_entries(std::string_view text);

/// The devices of a user's file. Throws Error as parse_entries(), and for CPUs: only a worker, which reads no such
/// file, looks them up.
std::vector<Device> parse_devices(std::string_view text);

}  // namespace gable::catalogue
