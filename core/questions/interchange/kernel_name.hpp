#pragma once
#include <string>
#include <string_view>

namespace gable::interchange {

/// A mangled C++ name as people write it; any other as it is.
std::string demangled(std::string_view name);

/// A kernel's name for tables: without return type, arguments and long template arguments. Of a Kokkos or RAJA kernel
/// what it does ("for", "reduce", "scan") and the functor, or the function that the lambda stands in.
std::string short_kernel_name(std::string_view demangled);

/// The name of a region or loop for tables: of one that is nested deeply the regions around it are left out, outermost
/// first: "… / solve / sum".
std::string short_region_name(std::string_view name);

}  // namespace gable::interchange
