#pragma once
#include <span>
#include <string>
#include <string_view>

namespace gable::campaign {

/// What this node is called: SLURMD_NODENAME, else what gethostname(2) says; where the plan expects nodes and has only
/// the part of it before the first dot, that. Made safe for file names (for_file_name()).
std::string this_node(std::span<const std::string> expected);

/// A node's name out of what the system calls it; `expected` as for this_node().
std::string node_name(std::string_view host, std::span<const std::string> expected);

}  // namespace gable::campaign
