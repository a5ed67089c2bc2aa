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

/// A user's file: as parse_entries(), its CPUs marked as the user's. Throws Error also where nothing is in it.
Entries parse_users_entries(std::string_view text);

}  // namespace gable::catalogue
