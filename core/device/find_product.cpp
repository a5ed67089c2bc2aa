#include "core/device/find_product.hpp"

#include <cctype>
#include <cmath>
#include <cstddef>
#include <utility>

namespace gable::catalogue {

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

namespace {

/// The same, or one letter is changed, missing or too many.
bool but_for_one_letter(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > a.size() + 1) return false;
  const auto differ = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t skip = a.size() == b.size() ? 1 : 0;
  return differ == a.size() || a.substr(differ + skip) == b.substr(differ + 1);
}

}  // namespace

bool is_near(std::string_view written, std::string_view known) {
  const auto wanted = words_of(written), there = words_of(known);
  return !wanted.empty() && std::ranges::all_of(wanted, [&](const std::string& word) {
    return std::ranges::any_of(there, [&](const std::string& one) {
      return word == one || (std::min(word.size(), one.size()) > 2 && but_for_one_letter(word, one));
    });
  });
}

namespace {

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::ranges::count(list, word) != 0;
}

/// "instinct", "mi300x" -> mi300x; "geforce", "rtx", "4090" -> 4090; "t4" -> t4.
std::string model(const std::vector<std::string>& name) {
  const auto found = std::ranges::find_if(
      name, [](const std::string& word) { return word.find_first_of("0123456789") != std::string::npos; });
  return found == name.end() ? "" : *found;
}

/// Which of the forms of a product its words name: PCIE, FHHL (a low card), NVL, DGXS (of a workstation), SXM with or
/// without its generation; empty if none.
std::string form(const std::vector<std::string>& name) {
  for (const std::string word : {"pcie", "fhhl", "nvl", "dgxs", "sxm"}) {
    if (std::ranges::any_of(name, [&](const std::string& one) { return one.starts_with(word); })) return word;
  }
  return "";
}

/// Runtimes name the card forms of a product; the module (SXM) often goes without.
bool same_form(const std::vector<std::string>& name, const std::vector<std::string>& entry) {
  const std::string given = form(name), known = form(entry);
  return given == known || (given.empty() && known == "sxm");
}

}  // namespace

const Device* find_product(std::string_view name, std::string_view vendor, int compute_units, double memory_byte) {
  const auto given = words_of(name);
  if (contains(given, "mig")) return nullptr;
  const Device* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const Device& entry : devices()) {
    if (entry.vendor != vendor || entry.compute_units != compute_units ||
        !(std::abs(entry.memory_byte - memory_byte) <= 0.08 * entry.memory_byte))
      continue;
    const auto parts = words_of(entry.name);
    if (!contains(given, model(parts)) || !same_form(given, parts)) continue;
    const auto common =
        std::count_if(parts.begin(), parts.end(), [&](const auto& part) { return contains(given, part); });
    if (common == most) best = nullptr;
    if (common > most) {
      most = common;
      best = &entry;
    }
  }
  return best;
}

const Device* find_product(const DeviceInfo& device) {
  if (device.memory.empty()) return nullptr;
  return find_product(device.name, device.vendor, device.cores, total_bytes(device.memory.back()));
}

bool is_other(std::string_view named, const DeviceInfo& device) {
  if (named.empty() || device.isa.empty()) return false;
  if (named.starts_with("sm_") || named.starts_with("gfx"))
    return std::ranges::none_of(device.isa, [&](const std::string& isa) { return isa.starts_with(named); });
  const auto is_named = [written = plain_name(named)](const Cpu& cpu) {  // "Skylake-SP (one AVX-512 FMA unit)"
    const bool cascade_lake = cpu.name.starts_with("Cascade Lake");      // which LIKWID 4 calls Skylake SP
    return written.find(plain_name(cpu.name.substr(0, cpu.name.find('(')))) != written.npos ||
           (cascade_lake && written.find("skylakesp") != written.npos);
  };
  const bool of_cpu = std::ranges::any_of(cpus(), is_named);
  const Cpu* const known = find_cpu(device.microarchitecture);
  for (const auto& [maker, other] : {std::pair{"amd", "GenuineIntel"}, std::pair{"intel", "AuthenticAMD"}})
    if (device.vendor == other && contains(words_of(named), maker)) return true;
  if (is_cpu(device)) return of_cpu && known && !is_named(*known);
  const auto wanted = model(words_of(named)), there = model(words_of(device.name));
  return of_cpu || (!wanted.empty() && !there.empty() && !contains(words_of(device.name), wanted));
}

bool same_model(const DeviceInfo& a, const DeviceInfo& b) {
  const bool told = !a.microarchitecture.empty() && !b.microarchitecture.empty();
  return a.name == b.name && (!told || a.microarchitecture == b.microarchitecture);
}

}  // namespace gable::catalogue
