#include "core/questions/campaign/node_name.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/text/safe_text.hpp"

namespace gable::campaign {

std::string node_name(std::string_view host, std::span<const std::string> expected) {
  const std::string whole = for_file_name(host), first = for_file_name(host.substr(0, host.find('.')));
  const bool is_short = std::ranges::count(expected, whole) == 0 && std::ranges::count(expected, first) != 0;
  return is_short ? first : whole;
}

std::string this_node(std::span<const std::string> expected) {
  if (const char* name = std::getenv("SLURMD_NODENAME"); name && *name) return node_name(name, expected);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return node_name(host.data(), expected);
}

}  // namespace gable::campaign
