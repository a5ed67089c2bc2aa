#pragma once
#include <span>
#include <string>

#include "core/model/answer.hpp"
#include "core/questions/explain/contention.hpp"

/// What devices take from each other that were measured at the same time, in tables and sentences.
namespace gable::questions {

/// What a device loses beside the others, with the sums of all below; nothing where it was not measured with others.
/// Without a device every one of them, for people alone.
void add_contentions(Answer& answer, std::span<const ContentionOf> all, const std::string& device);

}  // namespace gable::questions
