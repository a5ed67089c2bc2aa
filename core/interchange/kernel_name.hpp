#pragma once
#include <string>
#include <string_view>

namespace gable::interchange {

/// A mangled C++ name as people write it; any other as it is.
std::string demangled(std::string_view name);

/// A kernel's name for tables: without return type, arguments and long template arguments. Of a Kokkos or RAJA kernel
/// what it does ("for", "reduce", "scan") and the functor, or the function that the lambda stands in.
std::string short_kernel_name(std::string_view demangled);

}  // namespace gable::interchange
