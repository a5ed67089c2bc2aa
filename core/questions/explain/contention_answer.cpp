#include "core/questions/explain/contention.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/model/units.hpp"

namespace gable::questions {

namespace {

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
