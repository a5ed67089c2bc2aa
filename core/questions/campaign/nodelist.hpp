#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Lists of nodes as Slurm writes them (slurm.conf(5), "hostlist"): names joined by commas, ranges of numbers in
/// brackets, with leading zeros where the names have them.
namespace gable::campaign {

/// Most names that a list may stand for.
inline constexpr std::size_t most_nodes = 1'000'000;

/// "n[001-003,007],login" as n001, n002, n003, n007, login: in this order, each name once. Several brackets in a name
/// count like the digits of a number. Throws Error naming the list for what is no such list, for a name that is not
/// is_node_name(), and for more than most_nodes names.
std::vector<std::string> expand_nodelist(std::string_view list);

/// The shortest such list of these names, sorted, each once: numbers at the end of a name are put in brackets.
/// Empty for no names.
std::string compress_nodelist(std::span<const std::string> names);

/// Whether a text can be the name of a node: letters, digits, '.', '_' and '-', not first a '.' or '-', at most 200
/// bytes (file names of a campaign are made of it), and not one that a campaign's own files end in
/// (".summary", ".retest-1").
bool is_node_name(std::string_view name);

/// What this node is called: SLURMD_NODENAME, else what gethostname(2) says; where the plan expects nodes and has only
/// the part of it before the first dot, that. Made safe for file names (for_file_name()).
std::string this_node(std::span<const std::string> expected);

/// A node's name out of what the system calls it; `expected` as for this_node().
std::string node_name(std::string_view host, std::span<const std::string> expected);

}  // namespace gable::campaign
