#include "benchmarks/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/sequence.hpp"

namespace gable::bench {
namespace {

double greatest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

std::string line(const Comparison& comparison, const Pairing& pairing, double goal) {
  const Ratio ratio = ratio_of(pairing);
  return fmt::format("{:<34} {:>13}  {:<30} {:>13}  {:>6.3f}  {:>6.3f} .. {:<6.3f} {:>6.3f}  {}\n", comparison.quantity,
                     format_quantity(measure::median(pairing.ours), comparison.unit), pairing.peer,
                     format_quantity(measure::median(pairing.theirs), comparison.unit), ratio.median, ratio.low,
                     ratio.high, ratio.best, to_string(verdict_of(ratio, goal)));
}

nlohmann::json pairing_json(const Pairing& pairing, double goal) {
  nlohmann::json json{{"peer", pairing.peer}};
  if (pairing.ours.empty()) {
    json["reason"] = pairing.reason;
    return json;
  }
  const Ratio ratio = ratio_of(pairing);
  json["ours"] = pairing.ours;
  json["theirs"] = pairing.theirs;
  json["ratio"] = {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}, {"best", ratio.best}};
  json["verdict"] = to_string(verdict_of(ratio, goal));
  return json;
}

}  // namespace

Ratio ratio_of(const Pairing& pairing) {
  const auto& [peer, ours, theirs, reason] = pairing;
  if (ours.empty() || ours.size() != theirs.size()) {
    throw Error(fmt::format("{}: {} rounds of ours, {} of theirs", peer, ours.size(), theirs.size()));
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (!(ours[i] > 0.0) || !(theirs[i] > 0.0)) throw Error(fmt::format("{}: a rate that is not positive", peer));
    ratios.push_back(ours[i] / theirs[i]);
  }
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  Ratio ratio{measure::median(ratios), *least, *most, greatest(ours) / greatest(theirs)};
  if (const auto interval = measure::median_interval(ratios)) {
    ratio.low = interval->low;
    ratio.high = interval->high;
  }
  return ratio;
}

Verdict verdict_of(const Ratio& ratio, double goal) {
  if (ratio.low >= goal) return Verdict::met;
  return ratio.high < goal ? Verdict::missed : Verdict::noise;
}

const Pairing* best_peer(const Comparison& comparison) {
  const auto rate = [](const Pairing& pairing) { return measure::median(pairing.theirs); };
  return highest_of(comparison.pairings, rate, [](const Pairing& pairing) { return !pairing.theirs.empty(); });
}

std::string table(const std::vector<Comparison>& comparisons, double goal) {
  std::string text = fmt::format("{:<34} {:>13}  {:<30} {:>13}  {:>6}  {:<16} {:>6}  goal {:g}\n", "quantity", "ours",
                                 "best peer", "theirs", "ratio", "  range", "best", goal);
  std::string missing;
  for (const Comparison& comparison : comparisons) {
    if (const Pairing* best = best_peer(comparison)) {
      text += line(comparison, *best, goal);
      continue;
    }
    missing += fmt::format("{}: not compared", comparison.quantity);
    for (const Pairing& pairing : comparison.pairings) missing += fmt::format("; {}: {}", pairing.peer, pairing.reason);
    missing += '\n';
  }
  return text + missing;
}

nlohmann::json to_json(const std::vector<Comparison>& comparisons, double goal) {
  auto all = nlohmann::json::array();
  for (const Comparison& comparison : comparisons) {
    const Pairing* best = best_peer(comparison);
    nlohmann::json json{{"quantity", comparison.quantity},
                        {"unit", comparison.unit},
                        {"goal", goal},
                        {"best_peer", best ? nlohmann::json(best->peer) : nlohmann::json()},
                        {"pairings", nlohmann::json::array()}};
    for (const Pairing& pairing : comparison.pairings) json["pairings"].push_back(pairing_json(pairing, goal));
    all.push_back(std::move(json));
  }
  return all;
}

}  // namespace gable::bench
