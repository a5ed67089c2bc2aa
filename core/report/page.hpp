#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

/// The page that people explore: one HTML file that needs nothing else.
namespace gable::report {

/// The page with its plot data (plot_json()) inside. Its scripts and styles are those of the bundle that was compiled
/// in, or of the file that the environment variable GABLE_PAGE_BUNDLE names. Throws Error where there is neither, and
/// for a file that is no bundle.
std::string page(const nlohmann::json& plot_data);

}  // namespace gable::report
