#include "benchmarks/fractions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/sequence.hpp"

namespace gable::bench {
namespace {

/// Non-temporal streams called ordinary, in the place of the ordinary ones of the same mix.
void bypass_caches(std::vector<Ceiling>& rows) {
  const auto replaced = [all = rows](const Ceiling& row) {
    return row.stores == Stores::ordinary && std::ranges::any_of(all, [&](const Ceiling& other) {
             return other.stores == Stores::non_temporal && other.name == row.name && other.access == row.access;
           });
  };
  std::erase_if(rows, replaced);
  for (Ceiling& row : rows) {
    if (row.stores == Stores::non_temporal) row.stores = Stores::ordinary;
  }
}

/// The rounds with the least launch of them all: it adds to the bound, so that one that was disturbed would raise it.
std::vector<std::vector<Ceiling>> with_least_launch(std::span<const std::vector<Ceiling>> rounds) {
  std::vector<std::vector<Ceiling>> all(rounds.begin(), rounds.end());
  for (std::size_t i = 0; i < all.front().size(); ++i) {
    if (all.front()[i].kind != CeilingKind::overhead) continue;
    double least = all.front()[i].value.value;
    for (const auto& round : all) least = std::min(least, round[i].value.value);
    for (auto& round : all) round[i].value.value = least;
  }
  return all;
}

/// The first round's rows with the medians of all rounds.
std::vector<Ceiling> medians(std::span<const std::vector<Ceiling>> rounds) {
  std::vector<Ceiling> rows = rounds.front();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].value.value = measure::median(mapped(rounds, [i](const auto& round) { return round[i].value.value; }));
  }
  return rows;
}

/// The roofline of one round's measured rows.
Roofline roofline_of_round(std::vector<Ceiling> rows, const DeviceInfo& device, Roofs roofs) {
  if (roofs == Roofs::streams)
    std::erase_if(rows, [](const Ceiling& row) { return row.kind != CeilingKind::bandwidth; });
  if (roofs == Roofs::non_temporal) bypass_caches(rows);
  return roofline_of(rows, device, Scope::node);
}

}  // namespace

std::vector<double> fractions(const Placed& work, std::span<const std::vector<Ceiling>> rounds,
                              std::span<const double> times_s, Roofs roofs) {
  if (rounds.size() != times_s.size()) {
    throw Error(fmt::format("{} rounds of roofs, {} of times", rounds.size(), times_s.size()));
  }
  if (rounds.empty()) return {};
  std::vector<double> values;
  const auto steady = with_least_launch(rounds);
  for (std::size_t i = 0; i < steady.size(); ++i) {
    const auto bound = roofline_of_round(steady[i], *work.device, roofs).judge(work.stages, work.types).bound;
    if (!bound || !(bound->time_s > 0)) return {};
    values.push_back(bound->time_s / times_s[i]);
  }
  return values;
}

Limited limit_of(const Placed& work, std::span<const std::vector<Ceiling>> rounds) {
  Limited limited;
  limited.roofline = roofline_of_round(medians(with_least_launch(rounds)), *work.device, Roofs::all);
  const auto judged = limited.roofline.judge(work.stages, work.types);
  limited.missing = fmt::format("{}", fmt::join(judged.missing_names(), ", "));
  if (judged.bound) limited.limit = judged.bound->limit;
  return limited;
}

}  // namespace gable::bench
