#pragma once
#include "core/campaign/fleet.hpp"
#include "core/campaign/groups.hpp"
#include "core/model/answer.hpp"

namespace gable::campaign {

/// For people and programs: data/campaign.schema.json has the JSON. `groups` may be null.
Answer answer_of(const Fleet& fleet, const FleetGroups* groups = nullptr);

}  // namespace gable::campaign
