#include "core/worker/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>
#include <variant>

#include "core/result/for_each_row.hpp"
#include "core/row_item.hpp"
#include "core/sequence.hpp"

namespace gable::worker {
namespace {

/// Further rounds of a schedule, at most. Each is planned to take a 24th of the budget or more, and most take less.
constexpr int most_further = 48;
constexpr double least_of_the_budget = 1.0 / 24;

/// s since 1970.
double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

bool is_point(const Step* step) { return std::holds_alternative<Point>(step->parts.front().item.planned); }

/// Everything else, then the operators and the streams among them, each in a random order.
void shuffle(std::vector<const Step*>& steps, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto is_before = [](const Step* step) {
    return !is_point(step) && !is_stream_among_operators(step->parts.front().item);
  };
  const auto points = std::stable_partition(steps.begin(), steps.end(), is_before);
  std::shuffle(steps.begin(), points, random);
  std::shuffle(points, steps.end(), random);
}

/// Of all rounds planned.
double expected_seconds(const Schedule& schedule, const Rounds& rounds) {
  return sum_over(schedule, [&](const Step& step) { return rounds.of(step.parts.front().item) * step.expected_s(); });
}

bool has_figure(const std::vector<Row>& rows) { return !rows.empty() && status_of(rows.front()) == Status::ok; }

}  // namespace

std::string journal_key(const std::string& device, const std::string& item) { return device + "/" + item; }

void add_rows(Result& result, const std::vector<Row>& rows) {
  for (const Row& row : rows) add_row(result, row);
}

bool is_stream_among_operators(const ItemInfo& item) {
  const auto* row = std::get_if<Ceiling>(&item.planned);
  return row != nullptr && is_among_operators(*row);
}

std::string id_of_stream(const ItemInfo& again) { return ceiling_id_with(std::get<Ceiling>(again.planned), ""); }

namespace {

using Steps = std::vector<const Step*>;

/// A run over schedules, and what all of its devices share.
struct Drive {
  std::vector<OpenedDevice>& devices;
  MeasuredRounds measured;
  const Rounds& rounds;
  result::Journal& journal;
  Result& result;
  Watcher& watcher;

  const std::vector<RoundRows>& rounds_of(const std::string& device, const std::string& id) const {
    static const std::vector<RoundRows> none;
    const auto found = measured.find(journal_key(device, id));
    return found == measured.end() ? none : found->second;
  }

  OpenedDevice& device_of(const Step::Part& part) const { return devices[part.device]; }

  const std::vector<RoundRows>& rounds_of(const Step::Part& part) const {
    return rounds_of(devices[part.device].device.id, part.item.id());
  }

  /// Of a stream of main memory those among the operators too, unless it failed before it had a figure: then its row
  /// says why.
  std::vector<RoundRows> rounds_of_row(const OpenedDevice& opened, const ItemInfo& item) const {
    const auto& own = rounds_of(opened.device.id, item.id());
    const auto* row = std::get_if<Ceiling>(&item.planned);
    if (row == nullptr || !row->variant.empty()) return own;
    const auto& again = rounds_of(opened.device.id, ceiling_id_with(*row, std::string(among_operators)));
    const auto is_ok = [](const RoundRows& of_round) {
      return std::ranges::any_of(of_round.rows, [](const Row& one) { return status_of(one) == Status::ok; });
    };
    if (again.empty() || (failed(own) && std::ranges::none_of(own, is_ok))) return own;
    return joined_rounds(own, again, item.id());
  }

  std::vector<Row> rows(const OpenedDevice& opened) const {
    std::vector<std::vector<RoundRows>> all;
    for (const ItemInfo& item : opened.items.items) {
      if (!is_stream_among_operators(item)) all.push_back(rounds_of_row(opened, item));
    }
    const auto& memory = opened.device.memory;
    const auto around = surroundings(all, memory.empty() ? "" : memory.back().name);
    std::vector<Row> rows;
    for (const auto& of_item : all) {
      if (of_item.empty()) continue;
      for (Row& row : combined(of_item, around)) rows.push_back(std::move(row));
    }
    return rows;
  }

  /// Whether nothing is left to do for it in a round.
  bool is_done(const Step::Part& part, int round) const {
    const auto& seen = rounds_of(part);
    if (is_stream_among_operators(part.item) &&
        failed(rounds_of(devices[part.device].device.id, id_of_stream(part.item))))
      return true;
    if (seen.empty()) return false;
    const bool is_enough = round < rounds.count && round >= rounds.of(part.item);
    return is_enough || part.item.expected_s <= 0 || failed(seen) ||
           std::ranges::count(seen, round, &RoundRows::round) > 0;
  }

  bool is_done(const Step& step, int round) const {
    return std::ranges::all_of(step.parts, [&](const Step::Part& part) { return is_done(part, round); });
  }

  /// When the stream of an item among the operators was last measured, there or among the ceilings, s since 1970; 0 if
  /// it was not.
  double stream_ended_s(const Step::Part& again) const {
    double last_s = 0;
    for (const std::string& id : {again.item.id(), id_of_stream(again.item)}) {
      for (const RoundRows& of_round : rounds_of(devices[again.device].device.id, id))
        last_s = std::max(last_s, ended_s(of_round));
    }
    return last_s;
  }

  void tell_plan(const std::vector<Schedule>& schedules) {
    int items = 0;
    double expected_s = 0;
    for (const Schedule& schedule : schedules) {
      for (const Step& step : schedule) {
        for (const Step::Part& part : step.parts) {
          int left = 0;
          for (int round = 0; round < rounds.count; ++round) left += is_done(part, round) ? 0 : 1;
          left = std::min(left, rounds.of(part.item));
          items += left;
          expected_s += part.item.expected_s * left;
        }
      }
    }
    watcher.planned(items, expected_s);
  }

  void measure(const Schedule& schedule) {
    for (int round = 0; round < rounds.count; ++round) {
      Steps todo;
      for (const Step& step : schedule) {
        if (!is_done(step, round)) todo.push_back(&step);
      }
      measure_round(std::move(todo), round);
    }
    if (!rounds.doubtful) return;
    const double budget_s = rounds.retry_budget_s.value_or(rounds.further * expected_seconds(schedule, rounds));
    double left_s = budget_s;
    for (int round = rounds.count; round < rounds.count + most_further && left_s > 0; ++round) {
      const auto start = std::chrono::steady_clock::now();
      auto todo = further(schedule, round, budget_s, left_s);
      if (!todo) return;
      if (todo->empty()) continue;
      measure_round(*std::move(todo), round);
      left_s -= std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
  }

  Result so_far(const Schedule& schedule) const {
    std::set<std::size_t> places;
    for (const Step& step : schedule) {
      for (const Step::Part& part : step.parts) places.insert(part.device);
    }
    Result now;
    for (const std::size_t place : places) {
      now.devices.push_back(devices[place].device);
      add_rows(now, rows(devices[place]));
    }
    return now;
  }

  /// The rows that a further round may help.
  Doubtful doubtful_rows(const Schedule& schedule) const {
    Doubtful doubtful = rounds.doubtful(so_far(schedule));
    for (const Step& step : schedule) {
      for (const Step::Part& part : step.parts) {
        const std::string id = part.item.id();
        if (!doubtful.certain.contains(id) || !say_the_same(rounds_of(part), rounds.count)) continue;
        for (auto* ids : {&doubtful.without_figure, &doubtful.imprecise, &doubtful.basic}) ids->erase(id);
      }
    }
    return doubtful;
  }

  /// What a further round measures: nothing if a run that goes on has measured it, no list if no round is worth it.
  std::optional<Steps> further(const Schedule& schedule, int round, double budget_s, double left_s) {
    const Doubtful doubtful = doubtful_rows(schedule);
    const bool only_basic = !doubtful.basic.empty() && left_s > budget_s / 2;
    const auto& without_figure = only_basic ? doubtful.basic : doubtful.without_figure;
    const bool imprecise_too = !only_basic && (without_figure.empty() || (round - rounds.count) % 2 == 1);
    bool in_this_round = false;
    Steps todo, others;
    for (const Step& step : schedule) {
      const auto is_in = [&](const std::set<std::string>& ids) {
        return std::ranges::any_of(step.parts, [&](const Step::Part& part) { return ids.contains(part.item.id()); });
      };
      const bool imprecise = is_in(doubtful.imprecise);
      const bool wanted = is_in(without_figure) || (imprecise_too && imprecise);
      if (!wanted && !imprecise && !is_in(doubtful.without_figure)) continue;
      if (std::ranges::any_of(step.parts, [&](const Step::Part& part) { return failed(rounds_of(part)); })) continue;
      if (!is_done(step, round))
        (wanted ? todo : others).push_back(&step);
      else
        in_this_round = in_this_round || wanted;
    }
    if (todo.empty()) return in_this_round ? std::optional(todo) : std::nullopt;
    std::mt19937_64 random(rounds.seed + static_cast<std::uint64_t>(round));
    std::shuffle(todo.begin(), todo.end(), random);
    std::shuffle(others.begin(), others.end(), random);
    // Pads a short retry round to outlast the disturbance that the last one was in.
    double planned_s = sum_over(todo, &Step::expected_s);
    for (const Step* step : others) {
      if (planned_s >= budget_s * least_of_the_budget) break;
      planned_s += step->expected_s();
      todo.push_back(step);
    }
    if (std::ranges::any_of(todo, is_point)) add_streams(todo, schedule, round);
    planned_s = 0;
    std::erase_if(todo, [&](const Step* step) { return (planned_s += step->expected_s()) > left_s; });
    return todo.empty() ? std::nullopt : std::optional(std::move(todo));
  }

  /// Adds the streams among operators that were not measured for a second: operators are compared with them.
  void add_streams(Steps& todo, const Schedule& schedule, int round) const {
    constexpr double recent_s = 1;  // memory changes within seconds (MemorySpeed)
    for (const Step& step : schedule) {
      const Step::Part& part = step.parts.front();
      if (!is_stream_among_operators(part.item) || is_done(part, round)) continue;
      if (now_s() - stream_ended_s(part) >= recent_s) todo.push_back(&step);
    }
  }

  void measure_round(Steps todo, int round) {
    if (todo.empty()) return;
    if (round > 0) shuffle(todo, rounds.seed + static_cast<std::uint64_t>(round));
    std::size_t parts = 0;
    std::vector<ItemInfo> alone;
    for (const Step* step : todo) {
      parts += step->parts.size();
      if (step->parts.size() == 1) alone.push_back(step->parts.front().item);
    }
    watcher.round(round + 1, rounds.count, static_cast<int>(parts));
    if (!alone.empty()) return measure_alone(device_of(todo.front()->parts.front()), alone, round);
    for (const Step* step : todo) measure_together(*step, round);
  }

  void measure_alone(OpenedDevice& opened, std::span<const ItemInfo> items, int round) {
    std::size_t done = 0;
    const auto keep = [&](const ItemInfo& item, std::vector<Row> rows) {
      record(opened, item, std::move(rows), round);
      ++done;
    };
    const auto lose = [&](const ItemInfo& item, const std::string& why) {
      keep(item, {without_figure(item.planned, Status::error, why)});
    };
    const auto finished = [&](const ItemInfo& item, std::vector<Row> rows) {
      const auto* row = rows.empty() ? nullptr : std::get_if<Ceiling>(&rows.front());
      // The stream's row stands without it, so that a note has to say so.
      if (is_stream_among_operators(item) && row && row->status == Status::error) note(opened, item, row->reason);
      keep(item, std::move(rows));
    };
    const Session::Events events{[&](const ItemInfo& item) { watcher.begun(item); }, finished};
    while (done < items.size()) {
      std::string failure;
      const auto lost = opened.session.drive(items.subspan(done), events, failure);
      if (failure.empty()) return;
      if (lost) {
        tell_loss(opened, *lost, failure);
        lose(*lost, failure);
      }
      const std::string why_none = restart(opened);
      while (!why_none.empty() && done < items.size()) lose(items[done], why_none);
    }
  }

  /// Of one row of each device those alone first, then all together.
  void measure_together(const Step& step, int round) {
    std::vector<const Step::Part*> together;
    for (const Step::Part& part : step.parts) {
      if (part.together)
        together.push_back(&part);
      else if (!is_done(part, round))
        measure_alone(device_of(part), {&part.item, 1}, round);
    }
    const auto keep = [&](const Step::Part& part, std::vector<Row> rows) {
      record(device_of(part), part.item, std::move(rows), round);
    };
    const auto skipped = [](const Step::Part& part, const std::string& who) -> std::vector<Row> {
      return {without_figure(part.item.planned, Status::skipped,
                             fmt::format("{} was not at work at the same time: see its rows", who))};
    };
    const auto lost = std::ranges::find_if(step.parts, [&](const auto& part) { return failed(rounds_of(part)); });
    if (lost != step.parts.end()) {
      for (const Step::Part* part : together) {
        if (rounds_of(*part).empty()) keep(*part, skipped(*part, device_of(*lost).device.id));
      }
      return;
    }
    if (std::ranges::all_of(together, [&](const Step::Part* part) { return is_done(*part, round); })) return;
    watcher.begun(together.front()->item);
    auto outcomes = worker::measure_together(mapped(together, [this](const Step::Part* part) {
      return Participant{&device_of(*part).session, part->item};
    }));
    const auto idle = std::ranges::find_if(outcomes, [](const Outcome& outcome) { return !has_figure(outcome.rows); });
    const std::string who = idle == outcomes.end()
                                ? "another device"
                                : device_of(*together[static_cast<std::size_t>(idle - outcomes.begin())]).device.id;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      const Step::Part& part = *together[i];
      Outcome& outcome = outcomes[i];
      if (outcome.lost) {
        tell_loss(device_of(part), part.item, outcome.failure);
        outcome.rows = {without_figure(part.item.planned, Status::error, outcome.failure)};
      } else if (has_figure(outcome.rows) && !outcome.simultaneous) {
        outcome.rows = skipped(part, who);
      }
      if (!is_done(part, round)) keep(part, std::move(outcome.rows));  // else the run goes on, and has it
      if (outcome.failure.empty()) continue;
      if (const std::string why_none = restart(device_of(part)); !why_none.empty()) watcher.note(why_none);
    }
  }

  void record(const OpenedDevice& opened, const ItemInfo& item, std::vector<Row> rows, int round) {
    set_round(rows, round, now_s());
    const RoundRows of_round{round, std::move(rows)};
    const std::string key = journal_key(opened.device.id, item.id());
    journal.add_round(key, of_round);
    measured[key].push_back(of_round);
    // Putting rounds together takes time that the next item is measured in: only what is shown. What is measured among
    // the operators is shown with the stream.
    const bool last = round + 1 >= rounds.of(item) && !is_stream_among_operators(item);
    watcher.finished(item, last ? combined(rounds_of_row(opened, item), {}) : of_round.rows, last);
  }

  void note(const OpenedDevice& opened, const ItemInfo& item, const std::string& failure) {
    result.notes.push_back(fmt::format("{} on {}: {}", item.id(), opened.device.id, failure));
    journal.add_note(result.notes.back());
  }

  void tell_loss(const OpenedDevice& opened, const ItemInfo& lost, const std::string& failure) {
    note(opened, lost, failure);
    watcher.note(fmt::format("{}: {}; going on with a new worker", lost.id(), failure));
  }

  /// Another process for a device, which plans the same. Returns why none starts, else nothing.
  std::string restart(OpenedDevice& opened) const {
    try {
      opened.session = Session(opened.session.candidate());
      opened.session.open(opened.device, opened.request);
      return {};
    } catch (const InterruptedError&) {
      throw;
    } catch (const std::runtime_error& error) {
      return fmt::format("no new worker could be started: {}", error.what());
    }
  }
};

}  // namespace

void drive(const std::vector<Schedule>& schedules, std::vector<OpenedDevice>& devices, MeasuredRounds done,
           const Rounds& rounds, result::Journal& journal, Result& result, Watcher& watcher) {
  Drive drive{devices, std::move(done), rounds, journal, result, watcher};
  drive.tell_plan(schedules);
  for (const Schedule& schedule : schedules) drive.measure(schedule);
  for (const OpenedDevice& opened : devices) add_rows(result, drive.rows(opened));
}

}  // namespace gable::worker
