#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "core/text/lower.hpp"

/// Names of entries that users add to those compiled in: devices, models.
namespace gable::catalogue {

/// Letters and digits that stand together, in lower case: "NVIDIA A100-SXM4-80GB" -> nvidia, a100, sxm4, 80gb.
std::vector<std::string> words_of(std::string_view name);

/// Without spaces and signs, in lower case: "Llama 3.3 70B" and "llama-3.3-70b" are one name.
inline std::string plain_name(std::string_view name) {
  std::string plain = lower(name);
  std::erase_if(plain, [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; });
  return plain;
}

/// Whether each word of a name that somebody wrote is a word of the known one but for one letter.
bool is_near(std::string_view written, std::string_view known);

template <class Entry>
bool has_name(const std::vector<Entry>& entries, std::string_view name) {
  const auto same = [wanted = plain_name(name)](const Entry& entry) { return plain_name(entry.name) == wanted; };
  return std::ranges::any_of(entries, same);
}

/// Throws Error for a name that is known already.
template <class Entry>
void refuse_known(const std::vector<Entry>& known, const std::vector<Entry>& more) {
  for (const Entry& entry : more) {
    if (has_name(known, entry.name))
      throw Error(fmt::format("'{}' is known already; another name is needed", entry.name));
  }
}

template <class Entry>
void append(std::vector<Entry>& known, std::vector<Entry> more) {
  known.insert(known.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

/// What `parse` makes of a text, behind the known entries. Throws Error "SOURCE: …" for what parse() refuses and for a
/// name that is known already; nothing is added then.
template <class Entry, class Parse>
void add_entries(std::vector<Entry>& known, std::string_view text, const std::string& source, Parse parse) {
  try {
    std::vector<Entry> more = parse(text);
    refuse_known(known, more);
    append(known, std::move(more));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source, error.what()));
  }
}

/// The catalogue's entry for exactly this product, or null: its model (the first word with a digit) in the device's
/// name, in any case, of the form that the name states (PCIe, NVL, SXM; a name without one can be an SXM), as many
/// compute units, as much memory in byte (within 8 %: some vendors mean binary units), then the most words in common.
/// Null for a slice of a device (MIG), and if two fit equally well.
const Device* find_product(std::string_view name, std::string_view vendor, int compute_units, double memory_byte);
/// Of a device as a result describes it. Null for processors: their theory is in DeviceInfo::peaks.
const Device* find_product(const DeviceInfo& device);

/// Whether what another tool calls "sm_90", "Tesla V100-SXM2-16GB" or "Intel Skylake SP processor" is surely another
/// device: by instruction set, maker and microarchitecture of processors, model of GPUs. Where one of both is not
/// known, it is not.
bool is_other(std::string_view named, const DeviceInfo& device);
/// Devices of one name and, where both tell it, microarchitecture: virtual machines call several "AMD EPYC".
bool same_model(const DeviceInfo& a, const DeviceInfo& b);

}  // namespace gable::catalogue
