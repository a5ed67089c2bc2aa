#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"

namespace gable {

/// Name of an x86 microarchitecture as the catalogue uses it ("Zen 3", "Ice Lake-SP"), from the CPUID vendor string
/// ("GenuineIntel", "AuthenticAMD"), the display family and model (extended fields added), and the flags as Linux names
/// them ("avx512_vnni", "avx512_bf16"), which tell apart cores that share a model number, as the processor's name does
/// ("Xeon(R) Silver 4108"). Empty where it is not sure.
/// Sources: Intel SDM volume 4, table 2-1, ARK; AMD processor programming references, Linux.
std::string microarchitecture(std::string_view vendor, int family, int model, std::span<const std::string> flags = {},
                              std::string_view name = {});

/// The same for Arm, from the MIDR implementer (0x41 Arm, 0x46 Fujitsu) and part number (0xd0c Neoverse N1).
/// Sources: the cores' technical reference manuals, MIDR_EL1.
std::string arm_microarchitecture(int implementer, int part);

/// The clock that the peaks of a CPU are computed at, Hz, and what it is: the highest that is documented for as many
/// cores as the device has, and then its source; else the device's "maximum clock, cpufreq" or "nominal clock, …",
/// which no vendor promises for all cores (is_of_datasheet()). Nothing where none is known.
struct PeakClock {
  double hz{};
  std::string words;
};
std::optional<PeakClock> peak_clock(const DeviceInfo& device, const catalogue::Processor* processor);

/// The catalogue's processor that a device is, a user's first; null if it has none.
const catalogue::Processor* processor_of(const DeviceInfo& device);

/// The processor of a microarchitecture by the number that ends its name ("Xeon Platinum 8490H"), which is in the
/// device's; null if none is.
const catalogue::Processor* numbered_processor(const catalogue::Cpu& cpu, const DeviceInfo& device);

/// Whether a main memory is what a processor's bandwidth is of: HBM beside it, or memory behind CXL, is not its DDR5.
bool is_its_memory(const MemoryLevel& level, const catalogue::Processor& processor);

/// Adds to a CPU the theoretical peaks that it lacks and that an entry of a user's devices file gives: that of its
/// microarchitecture, or one with a processor whose name is in the device's. A worker reads no such file, so this is
/// for what it has described; what it found stays. Facts that say "unknown" of what is added go.
void add_users_peaks(DeviceInfo& device);

/// How the source of a fact says that the catalogue lacks the processor, and nothing else: "… and the catalogue has no
/// 'Xeon'". Result files say it in no other place.
inline constexpr std::string_view no_entry = "the catalogue has no";
/// The same where a hypervisor shows sockets that the machine cannot have.
inline constexpr std::string_view fewer_nodes = "sockets, and fewer memory nodes";

/// Gives a described device the theoretical peaks of the catalogue of this program, with users' entries before those
/// compiled in, in place of the peaks that it was described with; a peak that the catalogue does not give stays. CPUs:
/// as add_users_peaks(), then the rates of the microarchitecture whose instructions the device has, and the memory of
/// the processor where the worker knew which memory is used, and that is whole sockets'. GPUs: the dense peaks and the
/// bandwidth of the product.
void use_todays_peaks(DeviceInfo& device);

/// The flag of a processor (in the words of /proc/cpuinfo) that a rate of the catalogue needs, from its instruction
/// set: "AVX2+FMA" avx2, "AVX-512 (double-pumped)" avx512f, "AVX512_VNNI" avx512_vnni, "AMX-BF16" amx_bf16; empty where
/// the microarchitecture always has it.
std::string needed_flag(std::string_view isa);

}  // namespace gable
