#pragma once
#include "core/model/answer.hpp"
#include "core/questions/campaign/fleet.hpp"
#include "core/questions/campaign/groups.hpp"

namespace gable::campaign {

/// For people and programs: data/campaign.schema.json has the JSON. `groups` may be null.
Answer answer_of(const Fleet& fleet, const FleetGroups* groups = nullptr);

}  // namespace gable::campaign
