#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

/// The page that people explore: one HTML file that needs nothing else.
namespace gable::render {

/// The page with its plot data (plot_json()) inside, or with a campaign (heat_map_json()) in their place. Its scripts
/// and styles are those of the bundle that was compiled in, or of the file that the environment variable
/// GABLE_PAGE_BUNDLE names. Throws Error where there is neither, and for a file that is no bundle.
std::string page(const nlohmann::json& plot_data);

/// Whether there is a bundle. Throws Error for a file that cannot be read.
bool has_page();

}  // namespace gable::render
