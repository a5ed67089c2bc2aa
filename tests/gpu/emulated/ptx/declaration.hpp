#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gable::emulated {

/// A declaration of a variable or parameter: ".extern .shared .align 16 .b8 name[64]".
struct Declaration {
  std::string space;  ///< "shared"
  std::string name;
  std::uint64_t element = 0;              ///< bytes of an element
  std::uint64_t size = 0, alignment = 1;  ///< bytes
  bool external = false, predicate = false;
};

/// Throws EmulationError for one that cannot be read.
Declaration read_declaration(std::string_view text);

/// `value` rounded up to a multiple of `alignment`.
inline std::uint64_t rounded_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace gable::emulated
