#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gable::interchange {

/// Whether a name is one that a C++ compiler makes.
bool is_mangled(std::string_view name);

/// Mangled C++ names as people write them; any other as it is, and so one that takes too long or gets too long, alone
/// or with those before it (64 MiB).
std::vector<std::string> demangled(std::vector<std::string> names);

/// A kernel's name for tables: without return type, arguments and long template arguments. Of a Kokkos or RAJA kernel
/// what it does ("for", "reduce", "scan") and the functor, or the function that the lambda stands in.
std::string short_kernel_name(std::string_view demangled);

/// The name of a region or loop for tables: of one that is nested deeply the regions around it are left out, outermost
/// first: "… / solve / sum".
std::string short_region_name(std::string_view name);

}  // namespace gable::interchange
