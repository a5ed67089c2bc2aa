#include "core/analysis/widening.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace gable::analysis {
namespace {

const ComputeRoof* roof_of_products(const Machine& machine, const Types& types) {
  return machine.roofline.peak(types, Unit::multiply_add);
}

/// The other 8-bit floating types that the machine multiplies as they are stored.
std::vector<std::string_view> other_fp8(const Machine& machine, DType missing) {
  std::vector<std::string_view> names;
  for (const DType dtype : all_dtypes) {
    if (!is_fp8(dtype) || dtype == missing) continue;
    const auto* roof = roof_of_products(machine, uniform_types(dtype));
    if (roof != nullptr && roof->dtype == dtype) names.push_back(to_string(dtype));
  }
  return names;
}

}  // namespace

std::string widening_note(const Machine& machine, const Types& types) {
  if (types.a != types.b || size_bytes(types.a) >= 2) return {};
  const auto* roof = roof_of_products(machine, types);
  if (roof == nullptr || roof->dtype == types.a) return {};
  const auto others = is_fp8(types.a) ? other_fp8(machine, types.a) : std::vector<std::string_view>{};
  return fmt::format("no unit for products of {}{}: they are counted as products of {}, which holds every value of it",
                     to_string(types.a), others.empty() ? "" : fmt::format(" (but for {})", fmt::join(others, ", ")),
                     to_string(roof->dtype));
}

}  // namespace gable::analysis
