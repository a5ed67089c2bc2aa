#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "backends/gpu/device_facts.hpp"

namespace gable::gpu {

/// The first word and the number that a file of the system begins with; empty or nothing where it cannot be read.
std::string word_in(const std::filesystem::path& file);
std::optional<double> number_in(const std::filesystem::path& file);

/// What Linux' amdgpu driver tells of a device in files: of the whole device, also where the runtime shows partitions
/// of it. 0 or empty where a file is missing.
struct SystemFacts {
  int dies{};                     ///< XCDs of one device of the runtime
  double infinity_cache_bytes{};  ///< as far as one memory partition reaches
  double memory_bytes{}, used_memory_bytes{};
  std::string compute_partition;  ///< SPX, CPX …
  std::string memory_partition;   ///< NPS1, NPS4 …
};

/// Reads /sys under `root` for a device at "0000:c1:00.0": the driver's folder of the PCI device (partition modes,
/// mem_info_vram_*), and the KFD topology, whose properties give domain, location_id and num_xcc of a node and level
/// and size, in KiB, of its caches. Partitions may differ in the PCI function: it is ignored.
SystemFacts read_system_facts(const std::filesystem::path& root, const std::string& pci_bus);

/// Adds them to what the runtime told, whose architecture, memory and L2 are set: partition modes, dies, L2 of all dies
/// (4 MiB each on gfx942 and gfx950, AMD CDNA3 and CDNA4 white papers; drivers told the runtime one die's or all), the
/// Infinity Cache (256 MiB on these two where the driver does not tell and memory is not partitioned), free memory if
/// the driver's memory is the runtime's.
void add_system_facts(DeviceFacts& facts, const SystemFacts& system);

/// The driver's folder of a PCI device at "0000:c1:00.0" in /sys under `root`; empty if that is no address. Partitions
/// differ in the PCI function only: the folder is that of the whole device.
std::filesystem::path pci_folder(const std::filesystem::path& root, const std::string& pci_bus);

/// Steps a second of the counter that S_MEMREALTIME reads: what the runtime says (hipDeviceAttributeWallClockRate, kHz;
/// 0 where it says nothing), else 25 MHz on gfx90a and 100 MHz elsewhere (AMD ISA guides of CDNA3 and RDNA3; of CDNA2
/// the runtime's own figure).
double tick_hz_of(const std::string& architecture, int runtime_khz);

/// "gfx942:sramecc+:xnack-" -> "gfx942".
std::string architecture(const std::string& name);

/// Compute units of an architecture of whose multiprocessors the runtime counts so many: RDNA's (gfx10 on) are
/// work-group processors, of two compute units each. Rates are those of a compute unit.
int compute_units(const std::string& architecture, int multiprocessors);

/// "6.4.43484" for 60443484, as hipDriverGetVersion() numbers versions; empty for 0.
std::string hip_version_text(int version);

}  // namespace gable::gpu
