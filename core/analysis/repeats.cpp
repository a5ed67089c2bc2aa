#include "core/analysis/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/result/same_device.hpp"

namespace gable::analysis {
namespace {

CeilingKey key_on(const DeviceInfo& device, const Ceiling& row) { return key_of(row, device); }
PointKey key_on(const DeviceInfo&, const Point& row) { return key_of(row); }
const Estimate& estimate_of(const Ceiling& row) { return row.value; }
const Estimate& estimate_of(const Point& row) { return row.time; }
std::string unit_of(const Ceiling& row) { return row.unit; }
std::string unit_of(const Point&) { return "s"; }
bool higher_is_better(const Ceiling& row) { return row.unit != "s"; }
bool higher_is_better(const Point&) { return false; }

/// Rows of one device over its runs, gathered by what they measure.
template <class Row, class Key>
class Gathered {
 public:
  void add(const Row& row, const DeviceInfo& device, std::size_t run) {
    const Key key = key_on(device, row);
    auto entry = std::ranges::find(entries_, key, &Entry::key);
    if (entry == entries_.end()) entry = entries_.insert(entry, {key, {}});
    auto& runs = entry->implementations[row.implementation];
    const auto [known, fresh] = runs.emplace(run, row);
    if (!fresh && better(estimate_of(row).value, estimate_of(known->second).value, row)) known->second = row;
  }

  /// Calls take(key, implementation, figure, rows) with the best implementation of each.
  template <class Take>
  void each(Take&& take) const {
    for (const Entry& entry : entries_) {
      const std::string* best = nullptr;
      Figure best_figure;
      for (const auto& [implementation, runs] : entry.implementations) {
        const Figure figure = figure_over(runs);
        if (best && !better(figure.value, best_figure.value, runs.begin()->second)) continue;
        best = &implementation;
        best_figure = figure;
      }
      std::vector<Row> rows;
      for (const auto& [run, row] : entry.implementations.at(*best)) rows.push_back(row);
      take(entry.key, *best, best_figure, std::move(rows));
    }
  }

 private:
  using Runs = std::map<std::size_t, Row>;
  struct Entry {
    Key key;
    std::map<std::string, Runs> implementations;
  };

  static bool better(double value, double than, const Row& row) {
    return higher_is_better(row) ? value > than : value < than;
  }

  static Figure figure_over(const Runs& runs) {
    std::vector<const Estimate*> estimates;
    for (const auto& [run, row] : runs) estimates.push_back(&estimate_of(row));
    const Row& first = runs.begin()->second;
    return figure_of(estimates, unit_of(first), higher_is_better(first));
  }

  std::vector<Entry> entries_;
};

/// One device of one source.
struct Part {
  const Source* source;
  const DeviceInfo* device;
  std::map<Scope, int> threads;
};

bool same_threads(const Part& a, const Part& b) {
  return std::ranges::all_of(a.threads, [&](const auto& entry) {
    const auto other = b.threads.find(entry.first);
    return other == b.threads.end() || other->second == entry.second;
  });
}

bool same_subject(const Part& a, const Part& b) {
  return a.source != b.source && a.source->result.run.hostname == b.source->result.run.hostname &&
         result::same_device(*a.device, *b.device) && same_threads(a, b);
}

std::vector<std::vector<Part>> parts_of(std::span<const Source> sources, bool apart) {
  std::vector<std::vector<Part>> groups;
  for (const Source& source : sources) {
    bool found = source.device.empty();
    for (const DeviceInfo& device : source.result.devices) {
      if (!source.device.empty() && device.id != source.device) continue;
      found = true;
      Part part{&source, &device, result::threads_of(source.result, device.id)};
      const auto fits = [&](const std::vector<Part>& group) {
        return !apart && std::ranges::all_of(group, [&](const Part& known) { return same_subject(part, known); });
      };
      auto group = std::ranges::find_if(groups, fits);
      if (group == groups.end()) group = groups.insert(group, std::vector<Part>{});
      group->push_back(std::move(part));
    }
    if (!found) throw Error(fmt::format("{}: device '{}' is not in this result", source.name, source.device));
  }
  return groups;
}

std::set<std::string> ids_of(const Part& part) {
  std::set<std::string> ids;
  const auto note = [&](const auto& row) {
    if (row.device == part.device->id && row.status == Status::ok) ids.insert(row.id);
  };
  std::ranges::for_each(part.source->result.ceilings, note);
  std::ranges::for_each(part.source->result.points, note);
  return ids;
}

/// The same moment and the same rows are the same run, whatever its file is called now.
void refuse_copies(const std::vector<Part>& parts) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (parts[i].source->result.run.started_at != parts[j].source->result.run.started_at) continue;
      const auto known = ids_of(parts[j]), mine = ids_of(parts[i]);
      if (std::ranges::any_of(mine, [&](const std::string& id) { return known.contains(id); }))
        throw Error(fmt::format("{} holds the same run as {}, which is no repeat", parts[i].source->name,
                                parts[j].source->name));
    }
  }
}

template <class Rows, class Gathering>
void gather(Subject& subject, Gathering& gathering, const Rows& rows, const Part& part, std::size_t run) {
  for (const auto& row : rows) {
    if (row.device != part.device->id) continue;
    const double value = estimate_of(row).value;
    if (row.status != Status::ok) {
      subject.left_out.push_back({part.source->name, row.id, row.status, row.reason});
    } else if (!(std::isfinite(value) && value > 0)) {
      subject.left_out.push_back({part.source->name, row.id, row.status, "not a positive figure"});
    } else {
      gathering.add(row, *part.device, run);
    }
  }
}

Subject subject_over(const std::vector<Part>& parts) {
  Subject subject;
  subject.device = *parts.front().device;
  subject.name = subject.device.name.empty() ? subject.device.id : subject.device.name;
  subject.host = parts.front().source->result.run.hostname;
  subject.basis = "measured";
  Gathered<Ceiling, CeilingKey> ceilings;
  Gathered<Point, PointKey> points;
  for (std::size_t run = 0; run < parts.size(); ++run) {
    const Result& result = parts[run].source->result;
    subject.runs.push_back({parts[run].source->name, result.run.started_at, result.run.mode, result.build});
    gather(subject, ceilings, result.ceilings, parts[run], run);
    gather(subject, points, result.points, parts[run], run);
  }
  ceilings.each([&](const CeilingKey& key, const std::string& implementation, const Figure& figure, auto rows) {
    const std::string own_name = rows.front().name;
    subject.ceilings.push_back({key, own_name, implementation, figure, std::move(rows)});
  });
  points.each([&](const PointKey& key, const std::string& implementation, const Figure& figure, auto rows) {
    subject.points.push_back({key, implementation, figure, std::move(rows)});
  });
  return subject;
}

}  // namespace

std::vector<Subject> subjects_of(std::span<const Source> sources, bool apart) {
  std::vector<Subject> subjects;
  for (const auto& parts : parts_of(sources, apart)) {
    refuse_copies(parts);
    subjects.push_back(subject_over(parts));
  }
  name_apart(subjects);
  return subjects;
}

}  // namespace gable::analysis
