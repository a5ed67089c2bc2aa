#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "backends/kokkos/tool/expression.hpp"

namespace gable::tool {

/// Work of one call of every kernel whose name fits `label`, where * stands for any text.
struct Declaration {
  std::string label;
  std::string flops, bytes;  ///< expressions
  std::string dtype{"fp64"}, unit{"vector"};
};

/// Lines "label,flops,bytes[,dtype[,unit]]" below a line with these names. Throws std::runtime_error "FILE:LINE: …",
/// also for a type or a unit that `gable report --points` would not know.
std::vector<Declaration> read_declarations(const std::string& file);

/// The first whose label fits the kernel's name, or that without its parameters; null where none does.
const Declaration* find_declaration(const std::vector<Declaration>& declarations, std::string_view kernel);

/// Flop and bytes of one call.
struct Work {
  double flops{}, bytes{};
};

/// What is declared for one call, with parameters. Throws std::runtime_error for a parameter that is not known, and
/// for work that is no figure from 0 to 1e30.
Work work_of(const Declaration& declaration, const Lookup& parameters);

}  // namespace gable::tool
