#pragma once
#include <string>

#include "core/model/answer.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/groups.hpp"

namespace gable::campaign {

/// For people and programs: data/campaign.schema.json has the JSON. `groups` may be null.
Answer answer_of(const Fleet& fleet, const FleetGroups* groups = nullptr);

/// What the report says first: how many nodes pass, which do not, and the largest loss.
std::string conclusion(const Fleet& fleet);

/// A line for each node, under a header: name, verdict and why, when it was measured, how many rows were judged.
std::string nodes_csv(const Fleet& fleet);

/// JUnit XML as junit() writes it: a test case for each node. Flagged, failed, damaged and absent ones are failures,
/// those that are not judged or to be measured again are skipped.
std::string fleet_junit(const Fleet& fleet);

}  // namespace gable::campaign
