#include "core/worker/concurrent_group.hpp"

#include <algorithm>
#include <barrier>
#include <cstddef>
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

double ConcurrentGroup::expected_s() const {
  double alone = 0, together = 0;
  for (const Member& member : members) {
    alone += member.alone.expected_s;
    together = std::max(together, member.together.expected_s);
  }
  return alone + together;
}

std::vector<ConcurrentGroup> concurrent_groups(std::span<const DevicePlan> plans) {
  std::vector<ConcurrentGroup> groups;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const ItemInfo& item : plans[i].items) {
      const auto* row = std::get_if<Ceiling>(&item.planned);
      if (!row || !is_together(*row)) continue;
      const auto resource = resource_of(*row, plans[i].device);
      const ItemInfo* alone = alone_of(*row, plans[i].items);
      if (!resource || !alone) continue;
      auto group = std::ranges::find(groups, *resource, &ConcurrentGroup::resource);
      if (group == groups.end()) group = groups.insert(group, ConcurrentGroup{*resource, {}});
      if (std::ranges::count(group->members, i, &ConcurrentGroup::Member::device) > 0) continue;
      group->members.push_back({i, *alone, item});
    }
  }
  std::erase_if(groups, [](const ConcurrentGroup& group) { return group.members.size() < 2; });
  if (groups.empty()) throw Error("--concurrent: there is no row that two of the devices can measure together");
  return groups;
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
