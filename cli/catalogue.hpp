#pragma once
#include <string>

namespace gable::cli {

/// `devices --catalogue`: a line for each device that vendors' figures are known of, or JSON.
void print_catalogue(bool as_json);
/// `devices --show NAME`: its figures with sources, and the ridge point of every dense peak. Throws Error for a name
/// that fits none or several.
void print_catalogue_entry(const std::string& name, bool as_json);

}  // namespace gable::cli
