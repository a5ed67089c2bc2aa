#pragma once
#include <span>
#include <string>

#include "core/model/answer.hpp"
#include "core/questions/explain/contention.hpp"

/// What devices take from each other that were measured at the same time, in tables and sentences.
namespace gable::questions {

/// Why it is slower, in words: "bandwidth that they share".
std::string cause_words(const Contention& one);
/// "main memory read: 2 devices move 31.2 GB/s together, one alone at most 24.1 GB/s"; empty where there is no sum.
std::string sum_words(const ContentionOf& all);

/// The table "alone and together" and the sums below it, at most `width` columns wide; empty where nothing was measured
/// together.
std::string contention_text(const Result& result, int width);

/// The same as an answer, of one device alone.
void add_contentions(Answer& answer, std::span<const ContentionOf> all, const std::string& device);

}  // namespace gable::questions
