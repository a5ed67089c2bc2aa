#include "core/analysis/disagreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/analysis/subject.hpp"
#include "core/model/units.hpp"

namespace gable::analysis {
namespace {

/// Ratio of two ends of intervals up to which runs of a machine may differ: its state is never quite the same.
constexpr double tolerated = 1.1;

/// A row of one run.
struct Told {
  std::string source, kind, device, id;
  const Estimate* figure{};
  std::string unit;
  bool higher_is_better{};
};

std::string words(const Told& row) {
  return fmt::format("{} ({} to {})", format_quantity(row.figure->value, row.unit),
                     format_quantity(*row.figure->ci_low, row.unit), format_quantity(*row.figure->ci_high, row.unit));
}

/// Whether `row` is slower than `other` beyond both intervals.
bool slower(const Told& row, const Told& other) {
  if (row.higher_is_better) return tolerated * *row.figure->ci_high < *other.figure->ci_low;
  return *row.figure->ci_low > tolerated * *other.figure->ci_high;
}

/// Says of each row that some other contradicts what the one furthest away from it says.
void compare(const std::vector<Told>& rows, std::vector<Disagreement>& found) {
  for (const Told& row : rows) {
    const Told* furthest = nullptr;
    for (const Told& other : rows) {
      if (slower(row, other) && (!furthest || slower(*furthest, other))) furthest = &other;
    }
    if (!furthest) continue;
    found.push_back({row.source, fmt::format("{} {} {}", row.kind, row.device, row.id),
                     fmt::format("{}, but {} in {}: this run was disturbed, or the machine was in another state",
                                 words(row), words(*furthest), furthest->source)});
  }
}

template <class Rows, class Describe>
void add(std::map<std::pair<std::string, std::string>, std::vector<Told>>& told, const Rows& rows, const char* kind,
         const std::string& source, const std::string& device, Describe describe) {
  for (const auto& row : rows) {
    if (row.device != device || row.status != Status::ok) continue;
    const auto [figure, unit, higher_is_better] = describe(row);
    if (figure->ci_low && figure->ci_high)
      told[{kind, row.id}].push_back({source, kind, row.device, row.id, figure, unit, higher_is_better});
  }
}

}  // namespace

std::vector<Disagreement> disagreements(std::span<const Source> sources) {
  std::vector<Disagreement> found;
  for (const Subject& subject : subjects_of(sources)) {
    if (subject.runs.size() < 2) continue;
    std::map<std::pair<std::string, std::string>, std::vector<Told>> told;
    for (const Run& run : subject.runs) {
      const auto source = std::ranges::find(sources, run.source, &Source::name);
      add(told, source->result.ceilings, "ceiling", run.source, subject.device.id, [](const Ceiling& row) {
        return std::tuple{&row.value, row.unit, row.unit != "s"};
      });
      add(told, source->result.points, "point", run.source, subject.device.id, [](const Point& row) {
        return std::tuple{&row.time, std::string("s"), false};
      });
    }
    for (const auto& [id, rows] : told) compare(rows, found);
  }
  return found;
}

}  // namespace gable::analysis
