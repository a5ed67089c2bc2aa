#include "core/verdict/soundness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/model/units.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/verdict/cache_capacity.hpp"

namespace gable::verdict {
namespace {

/// How far above its device's highest clock a clock is believed. Boosts that the device does not tell of stay below; a
/// time counter taken for a faster or slower one does not.
constexpr double most_of_highest_clock = 1.3;
/// Half width of an interval, beyond which it says nothing of the machine.
constexpr double widest_percent = 25;

bool drop_clock(Conditions& conditions, const DeviceInfo& device) {
  if (!device.max_clock_hz || !conditions.clock_hz) return false;
  if (*conditions.clock_hz <= most_of_highest_clock * *device.max_clock_hz) return false;
  conditions.clock_source = fmt::format("not believed: {} by {}, more than {:g} x the device's highest, {}",
                                        format_quantity(*conditions.clock_hz, "Hz"), conditions.clock_source,
                                        most_of_highest_clock, format_quantity(*device.max_clock_hz, "Hz"));
  conditions.clock_hz.reset();
  return true;
}

constexpr Consequence left_out = Consequence::left_out, suspect = Consequence::suspect, finding = Consequence::finding;

constexpr std::array table = {
    Rule{"clock of a ceiling or point", "above 1.3 x the device's highest", "a time counter was taken for a clock",
         left_out, &drop_clock},
    Rule{"any row", "measured on an emulated device", "its time is that of the emulation", suspect,
         [](const DeviceInfo& device) -> std::string {
           if (!device.emulator) return {};
           return fmt::format("executed under emulation ({}): its time is that of the emulation", *device.emulator);
         }},
    Rule{"ceiling", "its interval is wider than ±25 % of its value", "disturbed", suspect,
         [](const Ceiling& row) -> std::string {
           if (!is_too_wide(row)) return {};
           return fmt::format("interval of ±{:.0f} %: disturbed", *half_interval_percent(row.value));
         }},
    Rule{"ceiling with a known rate", "above 101 % of theory at the observed clock",
         "the clock rose after it was read; of a bandwidth: an inner level served the data", suspect, &implausible},
    Rule{"bandwidth", "above 101 % of the theoretical one of its level",
         "its data stayed in a cache, or the memory is faster than the datasheet's", suspect, &above_datasheet},
    Rule{"bandwidth", "above 101 % of the same one (access, stores, scope, threads) of the next inner level",
         "its data stayed in a cache, or the inner row was disturbed", suspect, &above_inner_level},
    Rule{"latency", "above 101 % of that of a level further out", "disturbed", suspect, &slower_than_outer_level},
    Rule{"latency of a CPU",
         "above 5/8 of that of the next level out, and the run's own chase over working sets does not show it there",
         "others have the cache, and most accesses went there", suspect, &like_the_next_level},
    Rule{"burst or sustained", "below 91 % of what a library reached in that unit and types, and no burst is nearer",
         "disturbed, or no kernel that fills the unit", suspect, &below_library},
    Rule{"library", "below 91 % of what it reached as an operator of the same types, scope and threads",
         "somebody else had a part of the unit", suspect, &below_own_operator},
    Rule{"burst", "below 99 % of what the same unit sustained with the same types and instructions", "disturbed",
         suspect, &below_sustained},
    Rule{"burst or sustained of a CPU",
         "of what the unit can do at the observed clock, below 70 % of the share that another type of the unit reached "
         "(not by rates that the catalogue calls unconfirmed)",
         "somebody else had a part of the unit, or the kernel does not fill it", suspect, &below_other_type},
    Rule{"point", "[above its roof](#a-point-above-its-roof)",
         "the roof was measured too low, or not all of the work was done or timed", suspect, &below_its_roof},
    Rule{"device", "its id is there twice", "rows name their device by it", finding,
         [](const DeviceInfo& device, Around& around, Told& told) {
           told.unless(around.devices.insert(device.id).second, "this id is there twice");
         }},
    Rule{"device", "cores, or the size, number or sharers of a cache are not positive, or not as many as its instances",
         "capacities follow from them", finding,
         [](const DeviceInfo& device, Around&, Told& told) {
           const bool only_named = device.cores == 0 && device.memory.empty();  // by imported rows
           if (!only_named) told.positive(device.cores, "cores");
           for (const MemoryLevel& level : device.memory) {
             const bool main_memory = &level == &device.memory.back();
             if (!main_memory) told.positive(level.size_bytes, level.name + ": size_bytes");
             told.positive(level.instances, level.name + ": instances");
             told.positive(level.shared_by, level.name + ": shared_by_cores");
             told.unless(
                 level.unequal.empty() || std::ssize(level.unequal) == level.instances,
                 fmt::format("{}: {} unequal instances of {}", level.name, level.unequal.size(), level.instances));
             for (const LevelInstance& one : level.unequal) {
               told.positive(one.size_bytes, level.name + ": unequal: size_bytes");
               told.positive(one.cores, level.name + ": unequal: cores");
             }
           }
         }},
    Rule{"any row", "its device is not there", "nothing says what it is of", finding,
         [](const RowHead& row, Around& around, Told& told) {
           told.unless(around.devices.contains(row.device),
                       fmt::format("refers to device '{}', which is not there", row.device));
         }},
    Rule{"any row", "another of its kind and device has its id", "rows are named by it", finding,
         [](const RowHead& row, Around& around, Told& told) {
           told.unless(around.rows.emplace(row.kind, row.device, row.id).second, "this id is there twice");
         }},
    Rule{"any row", "not `ok`, and without a reason", "nothing is missing in silence", finding,
         [](const RowHead& row, Around&, Told& told) {
           told.unless(row.status == Status::ok || !row.reason.empty(),
                       fmt::format("{} without a reason", to_string(row.status)));
         }},
    Rule{"figure", "value, median or a number of blocks is not positive", "nothing was measured", finding,
         &positive_estimate},
    Rule{"figure", "outside its interval, or one with one end", "edited", finding, &within_interval},
    Rule{"figure", "blocks, samples, rounds and their times differ in number", "edited", finding, &counts_of_samples},
    Rule{"figure", "value or median does not follow from the samples as its estimator says", "edited", finding,
         &follows_from_samples},
    Rule{"ceiling", "threads, working set or clock is not positive", "nothing was measured", finding,
         [](const Ceiling& row, Around&, Told& told) {
           if (!row.imported) told.positive(row.threads, "threads");
           if (row.working_set_bytes) told.positive(*row.working_set_bytes, "working_set_bytes");
           if (row.conditions.clock_hz) told.positive(*row.conditions.clock_hz, "clock_hz");
         }},
    Rule{"point", "no stages, or threads, launches or count is not positive", "nothing was done", finding,
         [](const Point& row, Around&, Told& told) {
           told.unless(row.threads > 0 || !ran_here(row), "threads is not positive");
           told.unless(!row.stages.empty(), "no stages");
           told.positive(row.launches, "launches");
           told.positive(row.count.value_or(1), "count");
         }},
    Rule{"point", "a stage moves no bytes, or has a negative number", "all work has compulsory bytes", finding,
         &stages_of_point},
    Rule{"point", "its work is not that of the operator with these sizes and types", "edited", finding,
         &work_of_operator},
    Rule{"point", "what is said to be by its rounds does not follow from them", "edited", finding, &share_of_rounds},
    Rule{"point", "its share is not bound / time", "edited", finding,
         [](const Point& row, Around&, Told& told) {
           if (!row.fraction_of_limit) return;
           constexpr double rounding = 1e-6;
           const double share = row.bound_s.value_or(0) / row.time.value;
           told.unless(
               std::abs(*row.fraction_of_limit - share) <= rounding * share,
               fmt::format("fraction_of_limit is {:.4g}, bound_s / time_s is {:.4g}", *row.fraction_of_limit, share));
         }},
    Rule{"curve", "x and y differ in number, no points, or a figure that is not positive", "edited", finding,
         [](const Curve& row, Around&, Told& told) {
           told.unless(row.x.size() == row.y.size(), fmt::format("{} x for {} y", row.x.size(), row.y.size()));
           told.unless(row.of_rounds.empty() || (!row.x.empty() && row.of_rounds.size() % row.x.size() == 0),
                       fmt::format("{} y of rounds for {} x", row.of_rounds.size(), row.x.size()));
           if (!result::is_measured(row.status)) return;
           told.unless(!row.x.empty(), "no points");
           const auto bad = std::ranges::find_if(row.y, [](double y) { return !(std::isfinite(y) && y > 0); });
           if (bad != row.y.end()) told.positive(*bad, fmt::format("{} of the curve", row.y_name));
         }},
};

template <class T>
std::string name_of(const T& row) {
  return fmt::format("{} {} {}", to_string(kind_of(row)), row.device, row.id);
}

/// Goes through the rules of findings that apply to such a thing.
template <class T>
void find(const T& thing, Around& around, Told& told) {
  for (const Rule& rule : table) {
    if (const auto* check = std::get_if<Check<T>>(&rule.check)) (*check)(thing, around, told);
  }
}

template <class OneRow>
void doubt(OneRow& row, std::string reason) {
  if (!reason.empty() && row.status == Status::ok) mark(row, Status::suspect, std::move(reason));
}

/// Makes rows suspect that break the rule, by those of a device.
struct Marking {
  Result& result;

  void operator()(ClockCheck drop) const {
    for (const DeviceInfo& device : result.devices) {
      for (Ceiling& row : result.ceilings) {
        if (row.device != device.id || !drop(row.conditions, device)) continue;
        row.value.clock_hz.reset();
        row.theory_at_clock.reset();
      }
      for (Point& row : result.points) {
        if (row.device == device.id && drop(row.conditions, device)) row.time.clock_hz.reset();
      }
    }
  }
  void operator()(DeviceDoubt why) const {
    for (const DeviceInfo& device : result.devices) {
      for_each_row(result, [&, reason = why(device)](auto& row) {
        if (row.device == device.id) doubt(row, reason);
      });
    }
  }
  void operator()(CeilingDoubt why) const {
    for (Ceiling& row : result.ceilings) doubt(row, why(row));
  }
  void operator()(PeerDoubt why) const {
    for (const DeviceInfo& device : result.devices) {
      for (const CeilingKind kind : {CeilingKind::bandwidth, CeilingKind::latency, CeilingKind::compute}) {
        auto peers = peers_of(result.ceilings, device, kind);
        if (kind == CeilingKind::latency) {
          for (Peer& peer : peers) {
            const auto steps = chase_steps(result.curves, device, peer.row->scope);
            if (peer.depth < steps.size()) peer.step = steps[peer.depth];
          }
        }
        for (Peer& peer : peers) peer.doubt = why(peer, peers, device);
        for (Peer& peer : peers) doubt(*peer.row, std::move(peer.doubt));
      }
    }
  }
  void operator()(PointsDoubt why) const {
    for (Ceiling& row : result.ceilings) doubt(row, why(row, result.points));
  }
  template <class T>
  void operator()(Check<T>) const {}  // marks nothing
};

}  // namespace

void Told::positive(double value, std::string_view what) {
  unless(std::isfinite(value) && value > 0, fmt::format("{} is {}, not positive", what, value));
}

std::span<const Rule> rules() { return table; }

bool is_too_wide(const Ceiling& row) { return half_interval_percent(row.value).value_or(0) > widest_percent; }

void mark_suspects(Result& result) {
  for (const Rule& rule : table) std::visit(Marking{result}, rule.check);
}

std::vector<Finding> plausibility(const Result& result, Operators known) {
  std::vector<Finding> findings;
  Around around{PointRoofs(result.devices, result.ceilings, result.curves), known};
  for (const DeviceInfo& device : result.devices) {
    Told told(findings, "device " + device.id);
    find(device, around, told);
  }
  for_each_row(result, [&]<class Row>(const Row& row) {
    Told told(findings, name_of(row), kind_of(row) == RowKind::point ? "time_s" : "value");
    find(RowHead{kind_of(row), row.device, row.id, row.status, row.reason}, around, told);
    if (!result::is_measured(row.status) && !std::is_same_v<Row, Curve>) return;
    if (const Estimate* estimate = estimate_of(row)) find(*estimate, around, told);
    find(row, around, told);
  });
  Result judged = result;  // rows that say ok where `gable measure` would have called them suspect
  mark_suspects(judged);
  for_each_row_list(judged, [&]<class List>(const List& rows) {
    const auto& before = rows_of<typename List::value_type>(result);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].status != before[i].status) findings.push_back({false, name_of(rows[i]), rows[i].reason});
    }
  });
  return findings;
}

}  // namespace gable::verdict
