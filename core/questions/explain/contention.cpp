#include "core/questions/explain/contention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "core/model/units.hpp"
#include "core/worker/concurrent_items.hpp"

namespace gable::questions {
namespace {

/// A loss below it is none, however narrow the intervals: the next run would show another.
constexpr double least_loss = 0.03;
/// A clock that fell by less held.
constexpr double least_fall = 0.01;
constexpr double at_the_cap = 0.97;

bool at_its_power_limit(const Ceiling& row, const DeviceInfo& device) {
  const auto& now = row.conditions;
  if (now.clock_limits && now.clock_limits->find("power") != std::string::npos) return true;
  const auto cap = power_cap_w(device.facts);
  return cap && now.power_w && *now.power_w >= at_the_cap * *cap;
}

ContentionCause cause_of(const Contention& one, const DeviceInfo& device) {
  using Cause = ContentionCause;
  if (!one.shows) return Cause::none;
  if (one.together.kind == CeilingKind::link) return Cause::bandwidth;  // its copies have no clock
  const auto& before = one.alone.conditions.clock_hz;
  const auto& now = one.together.conditions.clock_hz;
  if (!before || !now) return Cause::unknown;
  const double fall = 1 - *now / *before;
  if (fall >= least_fall && at_its_power_limit(one.together, device)) return Cause::power;
  if (fall >= least_fall && fall >= one.loss / 2) return Cause::clock;
  return one.together.kind == CeilingKind::compute ? Cause::units : Cause::bandwidth;
}

bool is_measured(const Ceiling& row) { return row.status == Status::ok && !row.imported && row.value.value > 0; }

const Ceiling* alone_of(const Ceiling& together, const Result& result) {
  const auto rest = [](const Ceiling& row) {
    return std::tie(row.device, row.scope, row.threads, row.kind, row.name, row.dtype, row.accumulate, row.access,
                    row.stores, row.at, row.implementation);
  };
  const auto found = std::ranges::find_if(
      result.ceilings, [&](const Ceiling& row) { return row.variant.empty() && rest(row) == rest(together); });
  return found == result.ceilings.end() || !is_measured(*found) ? nullptr : &*found;
}

Contention contention_of(const Ceiling& alone, const Ceiling& together, const DeviceInfo& device) {
  Contention one{.device = device.id, .alone = alone, .together = together};
  one.loss = 1 - together.value.value / alone.value.value;
  const bool intervals = alone.value.ci_low && together.value.ci_low;
  if (intervals) {
    one.loss_low = 1 - together.value.high() / alone.value.low();
    one.loss_high = 1 - together.value.low() / alone.value.high();
  }
  one.shows = intervals && together.value.high() < alone.value.low() && one.loss > least_loss;
  one.cause = cause_of(one, device);
  return one;
}

/// One that only makes load, such as a CPU that reads while links copy, is another quantity.
void add_sums(ContentionOf& all) {
  const Ceiling& first = all.members.front().together;
  all.unit = first.unit;
  const bool alike = std::ranges::all_of(all.members, [&](const Contention& one) {
    return one.together.unit == first.unit && one.together.kind == first.kind;
  });
  if (!alike || all.members.size() < 2) return;
  double sum = 0, most = 0;
  for (const Contention& one : all.members) {
    sum += one.together.value.value;
    most = std::max(most, one.alone.value.value);
  }
  all.sum_together = sum;
  all.most_alone = most;
}

std::string row_figure(const Ceiling& row) { return format_quantity(row.value.value, row.unit); }

std::string clock_of(const Ceiling& row) {
  return row.conditions.clock_hz ? format_quantity(*row.conditions.clock_hz, "Hz") : "";
}

/// "37 % (35 to 39 %)"
std::string loss_text(const Contention& one) {
  if (!one.shows) return "nothing that shows";
  return fmt::format("{:.0f} % ({:.0f} to {:.0f} %)", 100 * one.loss, 100 * one.loss_low.value_or(one.loss),
                     100 * one.loss_high.value_or(one.loss));
}

/// Why it is slower: "bandwidth that they share".
std::string cause_words(const Contention& one) {
  const auto fell = [&] {
    return fmt::format("the clock fell from {} to {}", clock_of(one.alone), clock_of(one.together));
  };
  switch (one.cause) {
    case ContentionCause::power:
      return fmt::format("power: {}, and the device is at its power limit", fell());
    case ContentionCause::clock:
      return fmt::format("clock: {}", fell());
    case ContentionCause::bandwidth:
      return "bandwidth that they share";
    case ContentionCause::units:
      return "units that they share, as the hardware threads of one core do";
    case ContentionCause::unknown:
      return "not known: no clock was read";
    case ContentionCause::none:
      break;
  }
  return "";
}

/// "main memory read: 2 devices move 31.2 GB/s together, one alone at most 24.1 GB/s"; empty where there is no sum.
std::string sum_words(const ContentionOf& all) {
  if (!all.sum_together || !all.most_alone) return "";
  const bool computes = all.members.front().together.kind == CeilingKind::compute;
  return fmt::format("{}: {} devices {} {} together, one alone at most {}", all.resource, all.members.size(),
                     computes ? "compute" : "move", format_quantity(*all.sum_together, all.unit),
                     format_quantity(*all.most_alone, all.unit));
}

}  // namespace

std::vector<ContentionOf> contentions(const Result& result) {
  std::vector<ContentionOf> found;
  std::set<std::string> incomplete;
  for (const Ceiling& row : result.ceilings) {
    const auto device = std::ranges::find(result.devices, row.device, &DeviceInfo::id);
    if (!worker::is_together(row) || device == result.devices.end()) continue;
    const auto resource = worker::resource_of(row, *device);
    if (!resource) continue;
    const Ceiling* alone = alone_of(row, result);
    if (!alone || !is_measured(row)) {
      incomplete.insert(*resource);
      continue;
    }
    auto place = std::ranges::find(found, *resource, &ContentionOf::resource);
    if (place == found.end()) place = found.insert(place, ContentionOf{.resource = *resource, .members = {}});
    place->members.push_back(contention_of(*alone, row, *device));
  }
  for (ContentionOf& all : found) {
    if (!incomplete.contains(all.resource)) add_sums(all);
  }
  return found;
}

void add_contentions(Answer& answer, std::span<const ContentionOf> all, const std::string& device) {
  Answer::Table table;
  std::vector<std::string> sums;
  for (const ContentionOf& contended : all) {
    const std::size_t before = table.rows.size();
    for (const Contention& one : contended.members) {
      if (!device.empty() && one.device != device) continue;
      table.add({{"occasion", "row", contended.resource},
                 {"", "device", device.empty() ? Answer::Value(one.device) : Answer::Value()},
                 {"alone", one.alone.value.value},
                 {"together", one.together.value.value},
                 {"unit", one.together.unit},
                 {"", "alone", row_figure(one.alone)},
                 {"", "together", row_figure(one.together)},
                 {"loss", one.loss},
                 {"loss_interval/0", one.loss_low},
                 {"loss_interval/1", one.loss_high},
                 {"", "lost", loss_text(one)},
                 {"", "clock alone", clock_of(one.alone)},
                 {"", "clock together", clock_of(one.together)},
                 {"cause", one.cause},
                 {"", "what the others take from it", cause_words(one)}});
    }
    std::string words = sum_words(contended);
    if (table.rows.size() > before && !words.empty()) sums.push_back(words + '.');
  }
  if (table.rows.empty()) return;
  auto& section = device.empty() ? answer.show_table("alone and together", std::move(table))
                                 : answer.add_table("contention", "What it loses beside the others", std::move(table));
  section.notes = std::move(sums);
}

}  // namespace gable::questions
