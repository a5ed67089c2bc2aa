#include "tests/gpu/emulated/runtime/fat_binary.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/gpu/emulated/runtime/device.hpp"

namespace gable::emulated {
namespace {

// How fatbinary lays out its file: a header, then parts, each with a header of its own.
struct Wrapper {
  std::int32_t magic, version;
  const std::byte* data;
  void* file_name;
};
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  ///< of all parts
};
struct PartHeader {
  std::uint16_t kind, version;
  std::uint32_t header_bytes;
  std::uint64_t bytes;
  std::uint32_t compressed_bytes;  ///< 0: not compressed
};
constexpr std::uint32_t header_magic = 0xba55ed50;
constexpr std::uint16_t ptx_kind = 1;

template <class T>
T at(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

/// What EMULATED_REPLACE says: two texts and an arrow between them. Empty `from`: it says nothing.
struct Replacement {
  std::string from, to;
  bool has_matched = false;
};

Replacement& replacement() {
  static auto& it = *new Replacement([]() -> Replacement {
    const char* const value = std::getenv("EMULATED_REPLACE");
    if (value == nullptr) return {};
    const std::string text = value;
    const auto arrow = text.find("=>");
    if (arrow == std::string::npos || arrow == 0)
      reject("EMULATED_REPLACE is '" + text + "'; it has the form from=>to");
    return {text.substr(0, arrow), text.substr(arrow + 2)};
  }());
  return it;
}

void replace(std::string& text) {
  auto& [from, to, has_matched] = replacement();
  if (from.empty()) return;
  for (std::size_t place = 0; (place = text.find(from, place)) != std::string::npos; place += to.size()) {
    text.replace(place, from.size(), to);
    has_matched = true;
  }
}

/// "90a" of ".target sm_90a, debug".
std::string arch_of(const std::string& ptx) {
  const auto begin = ptx.find("\n.target sm_");
  if (begin == std::string::npos) return "";
  const auto first = begin + std::string_view("\n.target sm_").size();
  const auto end = ptx.find_first_of(", \r\n", first);
  return ptx.substr(first, end - first);
}

}  // namespace

int best_ptx(const std::vector<std::string>& ptx, const std::string& arch) {
  int best = -1, best_number = 0;
  for (std::size_t i = 0; i < ptx.size(); ++i) {
    const std::string one = arch_of(ptx[i]);
    if (one == arch) return static_cast<int>(i);
    if (one.empty() || std::isdigit(static_cast<unsigned char>(one.back())) == 0) continue;
    const int number = std::atoi(one.c_str());
    if (number <= std::atoi(arch.c_str()) && number > best_number) {
      best = static_cast<int>(i);
      best_number = number;
    }
  }
  return best;
}

FatBinary::FatBinary(const void* wrapper) {
  const std::byte* place = static_cast<const Wrapper*>(wrapper)->data;
  const auto header = at<Header>(place);
  if (header.magic != header_magic) reject("a fat binary of an unknown form");
  place += header.header_bytes;
  for (const std::byte* const end = place + header.bytes; place < end;) {
    const auto part = at<PartHeader>(place);
    const auto* const text = reinterpret_cast<const char*>(place + part.header_bytes);
    place += part.header_bytes + part.bytes;
    if (part.kind != ptx_kind) continue;
    if (part.compressed_bytes != 0) reject("the program's PTX is compressed: compile with nvcc --no-compress");
    replace(ptx_.emplace_back(text, std::find(text, text + part.bytes, '\0')));
  }
}

Module* FatBinary::module() {
  if (module_ == nullptr) {
    const int best = best_ptx(ptx_, device().arch);
    if (best < 0) return nullptr;
    module_ = std::make_unique<Module>(ptx_[static_cast<std::size_t>(best)]);
    ptx_.clear();
  }
  return module_.get();
}

void check_replacement() {
  const auto& [from, to, has_matched] = replacement();
  if (!from.empty() && !has_matched) reject("EMULATED_REPLACE: no PTX of the program holds '" + from + "'");
}

}  // namespace gable::emulated
