#include "core/questions/explain/contention_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "core/model/units.hpp"
#include "core/text/text_table.hpp"

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

}  // namespace

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

std::string sum_words(const ContentionOf& all) {
  if (!all.sum_together || !all.most_alone) return "";
  const bool computes = all.members.front().together.kind == CeilingKind::compute;
  return fmt::format("{}: {} devices {} {} together, one alone at most {}", all.resource, all.members.size(),
                     computes ? "compute" : "move", format_quantity(*all.sum_together, all.unit),
                     format_quantity(*all.most_alone, all.unit));
}

std::string contention_text(const Result& result, int width) {
  TextTable table({{"row", false, true},
                   {"device", false, true},
                   {"alone", true},
                   {"together", true},
                   {"lost", true},
                   {"clock alone", true},
                   {"clock together", true},
                   {"what they take from each other", false, true}});
  std::string sums;
  for (const ContentionOf& all : contentions(result)) {
    for (const Contention& one : all.members)
      table.add({all.resource, one.device, row_figure(one.alone), row_figure(one.together), loss_text(one),
                 clock_of(one.alone), clock_of(one.together), cause_words(one)});
    sums += wrap(sum_words(all), width, 0);
  }
  return table.empty() ? "" : "alone and together\n" + table.render(width) + sums + '\n';
}

void add_contentions(Answer& answer, std::span<const ContentionOf> all, const std::string& device) {
  Answer::Table table;
  std::vector<std::string> sums;
  for (const ContentionOf& contended : all) {
    for (const Contention& one : contended.members) {
      if (one.device != device) continue;
      table.add({{"occasion", "row", contended.resource},
                 {"alone", one.alone.value.value},
                 {"together", one.together.value.value},
                 {"unit", one.together.unit},
                 {"", "alone", row_figure(one.alone)},
                 {"", "together", row_figure(one.together)},
                 {"loss", one.loss},
                 {"loss_interval/0", one.loss_low},
                 {"loss_interval/1", one.loss_high},
                 {"", "lost", loss_text(one)},
                 {"cause", one.cause},
                 {"", "what the others take from it", cause_words(one)}});
      if (std::string words = sum_words(contended); !words.empty()) sums.push_back(words + '.');
    }
  }
  if (table.rows.empty()) return;
  answer.add_table("contention", "What it loses beside the others", std::move(table)).notes = std::move(sums);
}

}  // namespace gable::questions
