#include "core/analysis/weights_file.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/text/posix_file.hpp"

namespace gable::analysis {

std::vector<NamedWeight> read_weights(const std::filesystem::path& path) {
  constexpr double least = 1e-9, most = 1e9;  // a weight outside this range is probably a typo
  std::vector<NamedWeight> weights;
  try {
    const auto json = parse_json(read_text(path));
    if (!json.is_object() || json.empty())
      throw Error("not {\"OPERATOR OR CASE\": WEIGHT, … } with at least one entry");
    for (const auto& [name, value] : json.items()) {
      if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
        throw Error(fmt::format("the weight of '{:.80}' is not a positive number", name));
      weights.push_back({name, value.get<double>()});
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  return weights;
}

}  // namespace gable::analysis
