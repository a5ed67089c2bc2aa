#include "core/worker/schedule.hpp"

#include <algorithm>
#include <barrier>
#include <exception>
#include <thread>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/row_item.hpp"
#include "core/worker/concurrent_items.hpp"

namespace gable::worker {
namespace {

/// The item whose copy it is.
const ItemInfo* alone_of(const Ceiling& together, std::span<const ItemInfo> items) {
  const std::string id = ceiling_id_with(together, "");
  const auto found = std::ranges::find_if(items, [&](const ItemInfo& item) {
    const auto* row = std::get_if<Ceiling>(&item.planned);
    return row && ceiling_id(*row) == id;
  });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

double Step::expected_s() const {
  double alone_s = 0, together_s = 0;
  for (const Part& part : parts) {
    if (part.together)
      together_s = std::max(together_s, part.item.expected_s);
    else
      alone_s += part.item.expected_s;
  }
  return alone_s + together_s;
}

std::vector<Schedule> separate_schedules(std::span<const DevicePlan> plans) {
  std::vector<Schedule> schedules(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const ItemInfo& item : plans[i].items) schedules[i].push_back({"", {{i, item}}});
  }
  return schedules;
}

Schedule concurrent_schedule(std::span<const DevicePlan> plans) {
  Schedule steps;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const ItemInfo& item : plans[i].items) {
      const auto* row = std::get_if<Ceiling>(&item.planned);
      if (!row || !is_together(*row)) continue;
      const auto resource = resource_of(*row, plans[i].device);
      const ItemInfo* alone = alone_of(*row, plans[i].items);
      if (!resource || !alone) continue;
      auto step = std::ranges::find(steps, *resource, &Step::resource);
      if (step == steps.end()) step = steps.insert(step, Step{*resource, {}});
      if (std::ranges::count(step->parts, i, &Step::Part::device) > 0) continue;
      step->parts.push_back({i, *alone});
      step->parts.push_back({i, item, true});
    }
  }
  std::erase_if(steps, [](const Step& step) { return step.parts.size() < 4; });
  if (steps.empty()) throw Error("--concurrent: there is no row that two of the devices can measure together");
  return steps;
}

std::vector<Outcome> measure_together(std::span<const Participant> participants) {
  std::vector<Outcome> outcomes(participants.size());
  std::vector<std::exception_ptr> errors(participants.size());
  std::barrier<> all(static_cast<std::ptrdiff_t>(participants.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < participants.size(); ++i) {
    threads.emplace_back([&, i] {
      Outcome& mine = outcomes[i];
      const Session::Events events{[](const ItemInfo&) {},
                                   [&](const ItemInfo&, std::vector<Row> rows) { mine.rows = std::move(rows); },
                                   [&] { all.arrive_and_wait(); },
                                   [&] {
                                     all.arrive_and_wait();
                                     mine.simultaneous = true;
                                   }};
      try {
        mine.lost = participants[i].session->drive({&participants[i].item, 1}, events, mine.failure);
      } catch (...) {
        errors[i] = std::current_exception();
      }
      all.arrive_and_drop();  // nobody waits for it any more
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  const bool everybody = std::ranges::all_of(outcomes, &Outcome::simultaneous);
  for (Outcome& outcome : outcomes) outcome.simultaneous = everybody;
  return outcomes;
}

}  // namespace gable::worker
