#include "benchmarks/spread_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/sequence.hpp"

namespace gable::bench {
namespace {

bool counts(const Ceiling& row) {
  if (row.kind == CeilingKind::compute) {
    return row.at == OperatingPoint::burst || row.at == OperatingPoint::sustained;
  }
  return row.kind == CeilingKind::bandwidth && row.name == "L1";
}

const Ceiling* find(const Result& run, const std::string& id) {
  const auto found =
      std::find_if(run.ceilings.begin(), run.ceilings.end(), [&](const Ceiling& row) { return row.id == id; });
  return found == run.ceilings.end() ? nullptr : &*found;
}

bool calls_itself_disturbed(const Ceiling& row) {
  return row.status == Status::suspect || row.value.estimator != Estimator::median ||
         row.value.seen.disturbed_blocks > 0;
}

Spread spread_of(const std::vector<Result>& runs, const std::string& id) {
  Spread spread{id, {}, 0, ""};
  std::string skipped;
  for (const Result& run : runs) {
    const Ceiling* row = find(run, id);
    if (!row) {
      spread.reason = "not in every run";
    } else if (row->status == Status::skipped) {
      ++spread.skipped;
      skipped = fmt::format("skipped by {} of {} runs: {}", spread.skipped, runs.size(), row->reason);
    } else if (row->status != Status::ok && row->status != Status::suspect) {
      spread.reason = fmt::format("{}: {}", to_string(row->status), row->reason);
    } else if (!row->conditions.clock_hz) {
      spread.reason = "no clock was observed";
    } else {
      const double clock_hz = *row->conditions.clock_hz;
      spread.sightings.push_back({row->value.value / clock_hz, clock_hz, calls_itself_disturbed(*row)});
    }
  }
  if (spread.reason.empty() && spread.sightings.size() < 2) spread.reason = skipped;
  return spread;
}

std::vector<Sighting> undisturbed(std::vector<Sighting> sightings) {
  std::erase_if(sightings, [](const Sighting& sighting) { return sighting.says_so; });
  return sightings;
}

}  // namespace

std::vector<Spread> spreads(const std::vector<Result>& runs) {
  std::vector<Spread> all;
  if (runs.empty()) return all;
  for (const Ceiling& row : runs.front().ceilings) {
    if (counts(row)) all.push_back(spread_of(runs, row.id));
  }
  return all;
}

double relative_spread(const std::vector<Sighting>& sightings) {
  if (sightings.empty()) throw Error("a spread of no runs");
  const auto figures = mapped(sightings, &Sighting::figure);
  const auto [least, most] = std::minmax_element(figures.begin(), figures.end());
  return (*most - *least) / measure::median(figures);
}

Steadiness steadiness_of(const std::vector<Sighting>& sightings, double limit) {
  if (relative_spread(sightings) <= limit) return Steadiness::met;
  const auto quiet = undisturbed(sightings);
  return quiet.size() < 2 || relative_spread(quiet) <= limit ? Steadiness::said_so : Steadiness::missed;
}

std::string table(const std::vector<Spread>& spreads, double limit) {
  std::string text = fmt::format("{:<56} {:>8} {:>11} {:>10}  limit {:.0f} %\n", "row, per observed clock", "spread",
                                 "undisturbed", "disturbed", 100.0 * limit);
  for (const Spread& spread : spreads) {
    if (!spread.reason.empty() || spread.sightings.empty()) {
      text += fmt::format("{:<56} {}\n", spread.id, spread.reason);
      continue;
    }
    const auto quiet = undisturbed(spread.sightings);
    text += fmt::format("{:<56} {:>6.1f} % {:>9} % {:>5} of {}  {}{}\n", spread.id,
                        100.0 * relative_spread(spread.sightings),
                        quiet.empty() ? "-" : fmt::format("{:.1f}", 100.0 * relative_spread(quiet)),
                        spread.sightings.size() - quiet.size(), spread.sightings.size(),
                        to_string(steadiness_of(spread.sightings, limit)),
                        spread.skipped > 0 ? fmt::format("; {} skipped", spread.skipped) : "");
  }
  return text;
}

nlohmann::json to_json(const std::vector<Spread>& spreads, double limit) {
  auto all = nlohmann::json::array();
  for (const Spread& spread : spreads) {
    nlohmann::json json{{"id", spread.id}, {"skipped", spread.skipped}};
    if (!spread.reason.empty()) json["reason"] = spread.reason;
    for (const Sighting& sighting : spread.sightings) {
      json["runs"].push_back(
          {{"per_clock", sighting.figure}, {"clock_hz", sighting.clock_hz}, {"disturbed", sighting.says_so}});
    }
    if (spread.reason.empty() && !spread.sightings.empty()) {
      json["spread"] = relative_spread(spread.sightings);
      json["verdict"] = to_string(steadiness_of(spread.sightings, limit));
    }
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace gable::bench
