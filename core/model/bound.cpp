#include "core/model/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable {
namespace {
/// Up to 2x the capacity a working set may find the cache's whole content again; from 4x on, nothing.
constexpr double useful_up_to = 2, useless_from = 4;
/// What a multiprocessor of a GPU, whose levels begin with L2, holds of lines that all read (Blackwell, the largest).
constexpr double most_in_l1 = 256.0 * 1024;

bool unbounded(const Level& level) { return !(level.capacity_bytes > 0); }

/// Share of the caches' contents that is counted on; the largest has so many bytes.
double found_again(double working_set, double largest_bytes, Residency residency) {
  const double times = working_set / largest_bytes;
  if (residency == Residency::most) return times < useless_from ? 1 : 0;
  return std::clamp((useless_from - times) / (useless_from - useful_up_to), 0.0, 1.0);
}

double capacity(const Level& level, Residency residency) {
  return residency == Residency::most ? std::max(level.told_bytes, level.capacity_bytes) : level.capacity_bytes;
}

/// By the capacities alone.
std::vector<double> traffic_by_capacity(const Stage& stage, std::span<const Level> levels, Residency residency) {
  std::vector<double> traffic(levels.size(), 0.0);
  const double all = bytes(stage);
  std::size_t first = levels.size() - 1;
  const auto useful = std::ranges::find_if(levels, [&](const Level& level) {
    return unbounded(level) || stage.working_set < useless_from * capacity(level, residency);
  });
  if (useful != levels.end()) first = static_cast<std::size_t>(useful - levels.begin());
  traffic[first] = all;
  double held = 0, largest = 0;
  for (std::size_t i = 0; i < first; ++i) held += capacity(levels[i], residency);
  for (std::size_t i = first; i + 1 < levels.size() && !unbounded(levels[i]); ++i) {
    held += capacity(levels[i], residency);
    largest = std::max(largest, capacity(levels[i], residency));
    if (stage.working_set <= held) break;
    traffic[i + 1] = all * (1 - found_again(stage.working_set, largest, residency) * held / stage.working_set);
  }
  return traffic;
}

/// Between its neighbours along the logarithm of the working set; 1 outside the sweep.
double share_at(const SweptShare& swept, double working_set) {
  const auto above = std::ranges::lower_bound(swept.set_bytes, working_set);
  if (above == swept.set_bytes.end()) return 1;
  const auto i = static_cast<std::size_t>(above - swept.set_bytes.begin());
  if (*above == working_set) return swept.share[i];
  if (i == 0) return 1;
  const double along =
      std::log(working_set / swept.set_bytes[i - 1]) / std::log(swept.set_bytes[i] / swept.set_bytes[i - 1]);
  return std::lerp(swept.share[i - 1], swept.share[i], along);
}

/// For the stage's mix, between those that were swept.
double swept_share(const Level& level, const Stage& stage) {
  if (level.swept.empty()) return 1;
  const double fraction = traffic_of(stage).read_fraction;
  const SweptShare* before = nullptr;
  for (const SweptShare& one : level.swept) {
    if (fraction > one.read_fraction) {
      before = &one;
      continue;
    }
    const double share = share_at(one, stage.working_set);
    if (!before) return share;
    const double along = (fraction - before->read_fraction) / (one.read_fraction - before->read_fraction);
    return std::lerp(share_at(*before, stage.working_set), share, along);
  }
  return share_at(*before, stage.working_set);
}

bool is_swept(std::span<const Level> levels) {
  return std::ranges::any_of(levels, [](const Level& level) { return level.whole_bytes > 0; });
}

std::vector<double> traffic_by_sweeps(const Stage& stage, std::span<const Level> levels) {
  std::vector<double> traffic(levels.size(), 0.0);
  const double all = bytes(stage);
  const auto holds = [&](const Level& level) { return unbounded(level) || stage.working_set <= level.whole_bytes; };
  const auto found = std::ranges::find_if(levels, holds);
  const std::size_t serving =
      found == levels.end() ? levels.size() - 1 : static_cast<std::size_t>(found - levels.begin());
  const double share = swept_share(levels[serving], stage);
  traffic[serving] = share * all;
  if (share < 1 && serving > 0) traffic[serving - 1] = swept_share(levels[serving - 1], stage) * all;
  return traffic;
}
}  // namespace

std::vector<double> least_traffic(const Stage& stage, std::span<const Level> levels, bool cold, Residency residency) {
  if (levels.empty()) return {};
  const double all = bytes(stage);
  if (cold) {
    std::vector<double> traffic(levels.size(), 0.0);
    traffic.back() = all;
    return traffic;
  }
  if (!is_swept(levels)) return traffic_by_capacity(stage, levels, residency);
  if (residency == Residency::expected) return traffic_by_sweeps(stage, levels);
  auto traffic = traffic_by_capacity(stage, levels, residency);
  for (std::size_t i = 0; i < levels.size(); ++i)
    traffic[i] = std::min(traffic[i], all * swept_share(levels[i], stage));
  return traffic;
}

std::vector<double> random_traffic(const Stage& stage, std::span<const Level> levels, bool cold, Residency residency) {
  std::vector<double> traffic(levels.size(), 0.0);
  if (levels.empty() || !(stage.random_lines > 0 && stage.random_span > 0)) return traffic;
  double held = levels.front().name == "L2" ? most_in_l1 : 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    traffic[i] = line_bytes * stage.random_lines * std::max(0.0, 1 - held / stage.random_span);
    held += capacity(levels[i], residency);
  }
  if (!cold) return traffic;
  const double lines = std::max(1.0, stage.random_span / line_bytes);
  traffic.back() = std::max(traffic.back(), line_bytes * expected_distinct(lines, stage.random_lines));
  return traffic;
}

namespace {

/// What a stage asks of one roof.
struct Term {
  LimitKind kind{LimitKind::none};
  std::string label;                ///< of the roof; what it would be called if there is none
  std::optional<double> seconds{};  ///< nothing without a roof
  bool decisive{true};              ///< a roof that lacks here may decide
  std::optional<Unit> unit{};       ///< of what computes
  std::string level{};              ///< of what moves
  const ComputeRoof* compute{};     ///< the roof itself, of either kind
  const BandwidthRoof* bandwidth{};
};

Term traffic_term(const Roofline& roofline, const std::string& level, double moved, const Traffic& mix) {
  const auto rate = roofline.byte_per_s(level, mix);
  if (!rate) return {.kind = LimitKind::bandwidth, .label = level + " bandwidth", .level = level};
  const BandwidthRoof* roof = roofline.nearest(level, mix);
  return {.kind = roof->link ? LimitKind::link : LimitKind::bandwidth,
          .label = roof->label,
          .seconds = moved / *rate,
          .bandwidth = roof};
}

/// What a compute roof that work of these types meets would be called.
std::string compute_name(const Types& types, Unit unit) {
  return fmt::format("{} {}", to_string(unit), to_string(type_on(unit, types)));
}

/// One term a roof: products and other arithmetic that the same unit does share it.
void add_compute(std::vector<Term>& terms, const Roofline& roofline, const Stage& stage, const Types& types) {
  std::map<const ComputeRoof*, double> operations;
  for (const UnitWork& work : stage.work) {
    if (!(work.operations > 0)) continue;
    if (const ComputeRoof* roof = roofline.peak(types, work.unit))
      operations[roof] += work.operations;
    else if (work.unit != Unit::divide)  // earlier files have no such row of GPUs
      terms.push_back({.kind = LimitKind::compute, .label = compute_name(types, work.unit), .unit = work.unit});
  }
  for (const auto& [roof, count] : operations) {
    terms.push_back(
        {.kind = LimitKind::compute, .label = roof->label, .seconds = count / roof->flop_per_s, .compute = roof});
  }
}

void add_traffic(std::vector<Term>& terms, const Roofline& roofline, const Stage& stage, bool cold) {
  const double moved = bytes(stage);
  const Traffic mix = traffic_of(stage);
  const std::vector<double> traffic = least_traffic(stage, roofline.levels(), cold, roofline.residency());
  if (traffic.empty() && moved > 0) terms.push_back({.kind = LimitKind::bandwidth, .label = "memory bandwidth"});
  bool outermost = true;  // the slowest: a level further in without a roof leaves the verdict as it is
  for (std::size_t i = traffic.size(); i-- > 0;) {
    if (!(traffic[i] > 0)) continue;
    terms.push_back(traffic_term(roofline, roofline.levels()[i].name, traffic[i], mix));
    terms.back().decisive = outermost;
    outermost = false;
  }
  for (const LevelBytes& inner : stage.inner) {
    if (inner.bytes > 0) terms.push_back(traffic_term(roofline, inner.level, inner.bytes, mix));
  }
}

/// Only where there is such a roof: an operator may read at random on a device that has none.
void add_random(std::vector<Term>& terms, const Roofline& roofline, const Stage& stage, bool cold) {
  const std::vector<double> traffic = random_traffic(stage, roofline.levels(), cold, roofline.residency());
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    const BandwidthRoof* roof = roofline.random(roofline.levels()[i].name);
    if (!roof || !(traffic[i] > 0)) continue;
    terms.push_back({.kind = LimitKind::bandwidth,
                     .label = roof->label,
                     .seconds = traffic[i] / roof->byte_per_s,
                     .bandwidth = roof});
  }
}

/// Everything a stage asks for, but launches.
std::vector<Term> work_terms(const Roofline& roofline, const Stage& stage, const Types& types, bool cold) {
  std::vector<Term> terms;
  add_compute(terms, roofline, stage, types);
  add_traffic(terms, roofline, stage, cold);
  add_random(terms, roofline, stage, cold);
  return terms;
}

/// The shares of every roof in the total, and the stage where each is largest.
class Shares {
 public:
  void add(const Term& term, std::size_t stage) {
    const auto same = [&](const Share& share) {
      return share.of.kind == term.kind && share.of.compute == term.compute && share.of.bandwidth == term.bandwidth;
    };
    auto share = std::ranges::find_if(shares_, same);
    if (share == shares_.end()) share = shares_.insert(share, Share{term});
    share->total += *term.seconds;
    if (*term.seconds > share->largest) {
      share->largest = *term.seconds;
      share->stage = stage;
    }
  }
  Limit decide() const {
    const auto most = std::ranges::max_element(shares_, {}, &Share::total);
    if (most == shares_.end()) return {};
    Limit limit{.kind = most->of.kind, .label = most->of.label, .stage = most->stage};
    if (most->of.compute) limit.compute = *most->of.compute;
    if (most->of.bandwidth) limit.bandwidth = *most->of.bandwidth;
    return limit;
  }

 private:
  struct Share {
    Term of;
    double total{};
    double largest{};
    std::size_t stage{};
  };
  std::vector<Share> shares_;
};

/// Adds the roofs that lack and may decide, each once.
void take_missing(std::vector<MissingRoof>& missing, const std::vector<Term>& terms) {
  for (const Term& term : terms) {
    if (term.seconds || !term.decisive || std::ranges::count(missing, term.label, &MissingRoof::name) != 0) continue;
    missing.push_back({term.label, term.unit, term.level});
  }
}

bool empty(const Stage& stage) {
  const bool idle = std::ranges::all_of(stage.work, [](const UnitWork& work) { return !(work.operations > 0); });
  return idle && !(bytes(stage) > 0) && stage.inner.empty();
}

}  // namespace

const BandwidthRoof* Roofline::nearest(std::string_view level, const Traffic& mix) const {
  const BandwidthRoof* best = nullptr;
  double least = INFINITY;
  for (const BandwidthRoof& roof : bandwidth_) {
    if (roof.level != level || !roof.is_of_streams()) continue;
    const bool update = roof.access == Access::update;
    if (update && mix.in_place < 0.5) continue;
    const double distance = update                        ? -1
                            : roof.access == Access::none ? 2
                                                          : std::abs(read_fraction(roof.access) - mix.read_fraction);
    const bool faster = best && distance == least && roof.byte_per_s > best->byte_per_s;
    if (distance >= least && !faster) continue;
    least = distance;
    best = &roof;
  }
  return best;
}

const BandwidthRoof* Roofline::random(std::string_view level) const {
  return highest_of(bandwidth_, &BandwidthRoof::byte_per_s,
                    [&](const BandwidthRoof& roof) { return roof.level == level && roof.access == Access::random; });
}

bool same_roof(const Limit& a, const Limit& b) {
  return a.kind == b.kind && a.compute == b.compute && a.bandwidth == b.bandwidth;
}

std::vector<std::string> Judgement::missing_names() const { return mapped(missing, &MissingRoof::name); }

Judgement Roofline::judge(std::span<const Stage> stages, const Types& types, bool cold) const {
  Judgement judgement;
  Bound bound;
  Shares shares;
  bool applies = false;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    std::vector<Term> terms = work_terms(*this, stages[i], types, cold);
    take_missing(judgement.missing, terms);
    std::erase_if(terms, [](const Term& term) { return !term.seconds; });
    const auto longest = std::ranges::max_element(terms, {}, &Term::seconds);
    const double work = longest == terms.end() ? 0 : *longest->seconds;
    const double fixed = overhead_ ? overhead_->seconds * stages[i].launches : 0;
    applies = applies || !terms.empty() || (overhead_ && empty(stages[i]));
    bound.work_s += work;
    const bool added = overhead_ && overhead_->synchronous;
    bound.overhead_s += added ? fixed : std::max(0.0, fixed - work);
    if (longest != terms.end() && (added || work >= fixed)) shares.add(*longest, i);
    if (fixed > 0 && (added || fixed > work))
      shares.add({.kind = LimitKind::overhead, .label = overhead_->label, .seconds = fixed}, i);
  }
  if (!applies) return judgement;
  bound.time_s = bound.work_s + bound.overhead_s;
  bound.limit = shares.decide();
  judgement.bound = std::move(bound);
  return judgement;
}

Regime classify(const Bound& bound, double time_s, double explained) {
  if (!(std::isfinite(time_s) && time_s > 0))
    throw Error(fmt::format("a measured time of {} s cannot be classified", time_s));
  if (bound.time_s < explained * time_s) return Regime::below_roof;
  constexpr std::array regimes{Regime::below_roof, Regime::compute_bound, Regime::memory_bound, Regime::overhead_bound,
                               Regime::link_bound};  // in the order of LimitKind
  return regimes[static_cast<std::size_t>(bound.limit.kind)];
}

std::string_view bound_name(LimitKind kind) {
  constexpr auto names =
      names_up_to<LimitKind::link>("no roof", "compute-bound", "memory-bound", "overhead-bound", "link-bound");
  return names[static_cast<std::size_t>(kind)];
}

std::string limit_text(const Limit& limit) {
  const std::string name(bound_name(limit.kind));
  return limit.kind == LimitKind::none ? name : name + ": " + limit.label;
}

}  // namespace gable
