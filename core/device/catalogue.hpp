#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

/// What vendors print (data/devices.json, compiled in): dense peaks, each with source and confidence. Never a
/// measurement.
namespace gable::catalogue {

/// One accelerator. A figure that is not known is absent.
struct Device {
  std::string name, vendor, architecture;
  std::string isa;                        ///< sm_90, gfx942
  std::optional<int> compute_units;       ///< SM, CU or Xe-core
  std::optional<double> clock_hz;         ///< boost, vector terms
  std::optional<double> matrix_clock_hz;  ///< boost, matrix terms
  std::string memory_type;
  double memory_byte{};
  double memory_byte_per_s{};
  std::optional<double> l2_byte, infinity_cache_byte;            ///< of the device
  std::optional<double> l1_byte_per_unit, shared_byte_per_unit;  ///< of one compute unit
  std::string link;                                              ///< to other devices of its kind; empty without one
  std::optional<double> link_byte_per_s;                         ///< both directions together
  std::optional<int> links;  ///< each to one other device, which share link_byte_per_s; nothing: a switch
  /// How many devices the links join, itself among them; nothing: links + 1, of a switch any number.
  std::optional<int> linked_devices;
  bool in_switch_reduction{};  ///< whether the switches of the links add what passes through them (NVLink SHARP)
  std::optional<int> pcie_generation;
  std::optional<double> tdp_w;
  std::string source;  ///< of the figures above
  Confidence confidence{Confidence::stated};
  std::vector<std::string> unconfirmed;  ///< the weak ones among them
  std::string note;                      ///< known disagreements and traps
  std::vector<TheoreticalPeak> peaks;    ///< name: vector or matrix; storage types Gable has
};

/// Rate of one core.
struct CpuRate {
  DType dtype{};
  Unit unit{};
  double per_cycle{};  ///< flop (op for integers) per cycle and core
  std::string isa;     ///< "AVX2+FMA"
  std::string basis, source;
  Confidence confidence{Confidence::stated};
};

/// A processor of a microarchitecture, for its clocks and its memory.
struct Processor {
  std::string name;
  std::optional<int> cores, memory_channels;
  std::optional<int> memory_dies;        ///< of a socket that have channels, where not all dies have
  std::optional<double> clock_hz;        ///< highest documented with all cores of the socket at work
  std::optional<double> boost_clock_hz;  ///< highest documented of one core
  std::string memory_type;
  double memory_byte_per_s{};
  std::string source;
  Confidence confidence{Confidence::stated};
};

struct Cpu {
  std::string name;  ///< as microarchitecture() gives it
  std::string vendor, note;
  std::vector<CpuRate> rates;
  std::vector<Processor> processors;
  bool by_user{false};  ///< of a devices file; no worker knows it
};

/// Adds a user's entries, in the format of data/devices.json (docs/catalogue.md), to those compiled in. Only before
/// anything of the catalogue is held: references to entries end here. Throws Error "SOURCE: POINTER: …" naming what is
/// wrong, a name that is known already too; nothing is added then.
void add(std::string_view text, const std::string& source);

const std::vector<Device>& devices();
const std::vector<Cpu>& cpus();

/// By name, ignoring case: exact, else the only one that ends with its words, else that has them, else that contains it
/// ("B200" is not "GB200"). Throws Error with the candidates, or those
/// with a similar name.
const Device& find_device(std::string_view name);

/// "H200 SXM 141GB (datasheet)": no measured device has such a name.
std::string datasheet_name(const Device& device);

/// Highest dense peak of a device for the storage type, unit and (if given) accumulate type; null if none is known.
const TheoreticalPeak* peak(const Device& device, DType dtype, Unit unit, std::optional<DType> accumulate = {});

/// The entry of a microarchitecture, by its exact name; null if there is none.
const Cpu* find_cpu(std::string_view microarchitecture);

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
