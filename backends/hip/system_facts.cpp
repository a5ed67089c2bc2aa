#include "backends/hip/system_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string_view>

#include "core/text/posix_file.hpp"

namespace gable::gpu {
namespace fs = std::filesystem;

std::string word_in(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

std::optional<double> number_in(const fs::path& file) {
  std::ifstream stream(file);
  double number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

namespace {

/// The word if it is one of a partition mode: drivers of chips without them say UNKNOWN or have no such file.
std::string mode_of(const fs::path& file, std::initializer_list<std::string_view> modes) {
  std::string word = word_in(file);
  return std::ranges::find(modes, word) == modes.end() ? "" : word;
}

/// Lines of a name and a number.
std::map<std::string, std::uint64_t> properties_of(const fs::path& file) {
  std::ifstream stream(file);
  std::map<std::string, std::uint64_t> properties;
  std::string name;
  std::uint64_t value = 0;
  while (stream >> name >> value) properties[name] = value;
  return properties;
}

struct Address {
  unsigned domain{}, bus{}, device{};
  bool valid{};
};

Address parse_address(const std::string& text) {
  Address address;
  address.valid = std::sscanf(text.c_str(), "%x:%x:%x", &address.domain, &address.bus, &address.device) == 3;
  return address;
}

std::string whole_device(const Address& address) {
  char text[32] = {};
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", address.domain, address.bus, address.device);
  return text;
}

/// location_id is bus << 8 | device << 3 | function in its lower 16 bits.
bool is_at(std::map<std::string, std::uint64_t>& node, const Address& address) {
  constexpr std::uint64_t without_function = 0xfff8;
  return node["simd_count"] > 0 && node["domain"] == address.domain &&
         (node["location_id"] & without_function) == (address.bus << 8 | address.device << 3);
}

double third_level_bytes(const fs::path& node) {
  constexpr double kib = 1024.0;
  for (const auto& cache : listing_of(node / "caches")) {
    auto properties = properties_of(cache / "properties");
    if (properties["level"] == 3) return kib * static_cast<double>(properties["size"]);
  }
  return 0.0;
}

}  // namespace

fs::path pci_folder(const fs::path& root, const std::string& pci_bus) {
  const auto address = parse_address(pci_bus);
  return address.valid ? root / "bus/pci/devices" / whole_device(address) : fs::path();
}

double tick_hz_of(const std::string& architecture, int runtime_khz) {
  constexpr double kilohertz = 1e3;
  if (runtime_khz > 0) return kilohertz * runtime_khz;
  return architecture == "gfx90a" ? 25e6 : 100e6;
}

SystemFacts read_system_facts(const fs::path& root, const std::string& pci_bus) {
  SystemFacts facts;
  const auto address = parse_address(pci_bus);
  if (!address.valid) return facts;
  const auto device = pci_folder(root, pci_bus);
  facts.compute_partition = mode_of(device / "current_compute_partition", {"SPX", "DPX", "TPX", "QPX", "CPX"});
  facts.memory_partition = mode_of(device / "current_memory_partition", {"NPS1", "NPS2", "NPS3", "NPS4", "NPS8"});
  facts.memory_bytes = number_in(device / "mem_info_vram_total").value_or(0);
  facts.used_memory_bytes = number_in(device / "mem_info_vram_used").value_or(0);
  for (const auto& folder : listing_of(root / "class/kfd/kfd/topology/nodes")) {
    auto node = properties_of(folder / "properties");
    if (!is_at(node, address)) continue;
    facts.dies = static_cast<int>(node["num_xcc"]);
    facts.infinity_cache_bytes = third_level_bytes(folder);
    break;
  }
  return facts;
}

void add_system_facts(DeviceFacts& facts, const SystemFacts& system) {
  constexpr double mib = 1024.0 * 1024.0;
  facts.compute_partition = system.compute_partition;
  facts.memory_partition = system.memory_partition;
  facts.infinity_cache_bytes = system.infinity_cache_bytes;
  if (facts.infinity_cache_bytes > 0) facts.infinity_cache_source = "topology of the driver";
  if (facts.isa == "gfx942" || facts.isa == "gfx950") {
    if (system.dies > 0) {
      facts.l2_instances = system.dies;
      facts.l2_bytes = 4 * mib * facts.l2_instances;
      facts.l2_source = "4 MiB a die (AMD's white paper), dies of the driver's topology";
    }
    const bool whole = system.memory_partition.empty() || system.memory_partition == "NPS1";
    if (facts.infinity_cache_bytes <= 0 && whole) {
      facts.infinity_cache_bytes = 256 * mib;
      facts.infinity_cache_source = "AMD's white paper of the architecture: the driver does not tell";
    }
  }
  constexpr double tolerance = 0.1;
  const bool same =
      system.memory_bytes > 0 && std::abs(system.memory_bytes - facts.memory_bytes) <= tolerance * facts.memory_bytes;
  if (same) {
    facts.free_memory_bytes = system.memory_bytes - system.used_memory_bytes;
  } else {
    facts.free_memory_unknown =
        system.memory_bytes > 0 ? "the driver's mem_info_vram is not this device's" : "the driver has no mem_info_vram";
  }
}

std::string architecture(const std::string& name) { return name.substr(0, name.find(':')); }

int compute_units(const std::string& architecture, int multiprocessors) {
  const bool rdna = architecture.starts_with("gfx1") && architecture.size() > 6;
  return rdna ? 2 * multiprocessors : multiprocessors;
}

std::string hip_version_text(int version) {
  return version > 0 ? fmt::format("{}.{}.{}", version / 10000000, version / 100000 % 100, version % 100000) : "";
}

}  // namespace gable::gpu
