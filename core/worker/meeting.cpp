#include "core/worker/meeting.hpp"

#include <algorithm>
#include <barrier>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/row_item.hpp"
#include "core/worker/company_items.hpp"

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

double Meeting::expected_s() const {
  double alone = 0, together = 0;
  for (const Member& member : members) {
    alone += member.alone.expected_s;
    together = std::max(together, member.together.expected_s);
  }
  return alone + together;
}

std::vector<Meeting> meetings_of(std::span<const DevicePlan> plans) {
  std::vector<Meeting> meetings;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    for (const ItemInfo& item : plans[i].items) {
      const auto* row = std::get_if<Ceiling>(&item.planned);
      if (!row || !is_together(*row)) continue;
      const auto occasion = occasion_of(*row, plans[i].device);
      const ItemInfo* alone = alone_of(*row, plans[i].items);
      if (!occasion || !alone) continue;
      auto meeting = std::ranges::find(meetings, *occasion, &Meeting::occasion);
      if (meeting == meetings.end()) meeting = meetings.insert(meeting, Meeting{*occasion, {}});
      if (std::ranges::count(meeting->members, i, &Meeting::Member::device) > 0) continue;
      meeting->members.push_back({i, *alone, item});
    }
  }
  std::erase_if(meetings, [](const Meeting& meeting) { return meeting.members.size() < 2; });
  if (meetings.empty()) throw Error("--concurrent: there is no row that two of the devices can measure together");
  return meetings;
}

std::vector<Outcome> measure_together(std::span<const Attendant> attendants) {
  std::vector<Outcome> outcomes(attendants.size());
  std::vector<std::exception_ptr> errors(attendants.size());
  std::barrier<> all(static_cast<std::ptrdiff_t>(attendants.size()));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < attendants.size(); ++i) {
    threads.emplace_back([&, i] {
      Outcome& mine = outcomes[i];
      const Session::Events events{[](const ItemInfo&) {},
                                   [&](const ItemInfo&, std::vector<Row> rows) { mine.rows = std::move(rows); },
                                   [&] { all.arrive_and_wait(); },
                                   [&] {
                                     all.arrive_and_wait();
                                     mine.met = true;
                                   }};
      try {
        mine.lost = attendants[i].session->drive({&attendants[i].item, 1}, events, mine.failure);
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
  const bool everybody = std::ranges::all_of(outcomes, &Outcome::met);
  for (Outcome& outcome : outcomes) outcome.met = everybody;
  return outcomes;
}

}  // namespace gable::worker
