#include "core/questions/compare/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/merge.hpp"
#include "core/sequence.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::questions {
namespace {

CeilingKey key_on(const DeviceInfo& device, const Ceiling& row) { return key_of(row, device); }
PointKey key_on(const DeviceInfo&, const Point& row) { return key_of(row); }
Estimate& estimate_in(Ceiling& row) { return row.value; }
Estimate& estimate_in(Point& row) { return row.time; }
bool higher_is_better(const Ceiling& row) { return row.unit != "s"; }
bool higher_is_better(const Point&) { return false; }

/// Rows of one device over its runs, gathered by what they measure.
template <class Row, class Key>
class Gathered {
 public:
  void add(const Row& row, const DeviceInfo& device, std::size_t run) {
    Key key = key_on(device, row);
    const auto [place, is_new] = places_.try_emplace(key, entries_.size());
    if (is_new) entries_.push_back({std::move(key), {}});
    Runs& runs = entries_[place->second].implementations[row.implementation];
    runs[run].push_back(row);
  }

  /// Calls take(key, implementation, figure, rows) for each with the best of the implementations that most runs have.
  template <class Take>
  void each(Take&& take) const {
    for (const Entry& entry : entries_) {
      const std::string* best = nullptr;
      Figure best_figure;
      std::vector<Row> best_rows;
      for (const auto& [implementation, runs] : entry.implementations) {
        const auto rows = mapped(runs, [](const auto& run) { return together(run.second); });
        const Figure figure = figure_over(rows);
        if (best && !better(figure, best_figure)) continue;
        best = &implementation;
        best_figure = figure;
        best_rows = std::move(rows);
      }
      take(entry.key, *best, best_figure, std::move(best_rows));
    }
  }

 private:
  using Runs = std::map<std::size_t, std::vector<Row>>;
  struct Entry {
    Key key;
    std::map<std::string, Runs> implementations;
  };

  static bool better(const Figure& figure, const Figure& than) {
    if (figure.runs != than.runs) return figure.runs > than.runs;
    return figure.higher_is_better ? figure.value > than.value : figure.value < than.value;
  }

  static Figure figure_over(const std::vector<Row>& rows) {
    const auto estimates = mapped(rows, [](const Row& row) { return estimate_of(row); });
    return figure_of(estimates, std::string(unit_of(rows.front())), higher_is_better(rows.front()));
  }

  /// What one run measured more than once is its median, with an interval that holds all of them.
  static Row together(const std::vector<Row>& same) {
    Row row = same.front();
    set_figure(estimate_in(row), figure_over(same));
    return row;
  }

  std::vector<Entry> entries_;
  std::map<Key, std::size_t> places_;  ///< in them
};

/// Why an interval cannot be one; empty where it can, and where there is none.
std::string interval_fault(const Estimate& estimate) {
  const auto &low = estimate.ci_low, &high = estimate.ci_high;
  if (!low && !high) return {};
  if (!low || !high) return "an interval with one end";
  if (!(*low > 0 && std::isfinite(*high))) return "an interval that reaches zero or infinity";
  return *low <= estimate.value && estimate.value <= *high ? "" : "outside its own interval";
}

/// One device of one source.
struct Part {
  const NamedResult* source;
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
  return a.source != b.source && result::same_host(a.source->result.run.hostname, b.source->result.run.hostname) &&
         result::same_device(*a.device, *b.device) && same_threads(a, b);
}

std::vector<std::vector<Part>> parts_of(std::span<const NamedResult> sources, bool apart) {
  std::vector<std::vector<Part>> groups;
  for (const NamedResult& source : sources) {
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

bool has_figure(const Ceiling& row) { return row.status == Status::ok; }
bool has_figure(const Point& row) { return has_time(row); }

template <class Rows, class Gathering>
void gather(Subject& subject, Gathering& gathering, const Rows& rows, const Part& part, std::size_t run) {
  for (const auto& row : rows) {
    if (row.device != part.device->id) continue;
    const double value = estimate_of(row)->value;
    const auto leave_out = [&](const std::string& reason) {
      std::string label = place_of(key_on(*part.device, row));
      if (!row.implementation.empty()) label += ", " + row.implementation;
      subject.left_out.push_back({part.source->name, row.id, row.status, reason, std::move(label)});
    };
    if (!has_figure(row)) {
      leave_out(row.reason);
    } else if (!(std::isfinite(value) && value > 0)) {
      leave_out("not a positive figure");
    } else if (const std::string fault = interval_fault(*estimate_of(row)); !fault.empty()) {
      leave_out(fault);
    } else {
      gathering.add(row, *part.device, run);
    }
  }
}

Run run_of(const Part& part) {
  const Result& result = part.source->result;
  Run run{part.source->name, result.run.started_at, result.run.mode, result.build};
  for (const auto& [name, build] : result.workers) {
    if (name.starts_with(fmt::format("gable-worker-{}-", part.device->backend))) run.workers.push_back(build);
  }
  run.os = result.run.os;
  run.kernel = result.run.kernel;
  run.facts = result.run.facts;
  run.facts.insert(run.facts.end(), part.device->facts.begin(), part.device->facts.end());
  run.base_clock_hz = part.device->base_clock_hz;
  run.max_clock_hz = part.device->max_clock_hz;
  run.threads = part.threads;
  return run;
}

Subject subject_over(const std::vector<Part>& parts) {
  Subject subject;
  subject.device = *parts.front().device;
  subject.name = subject.device.name.empty() ? subject.device.id : subject.device.name;
  subject.host = parts.front().source->result.run.hostname;
  if (const auto* entry = catalogue::find_product(subject.device)) subject.tdp_w = entry->tdp_w;
  subject.curves = filtered(parts.front().source->result.curves,
                            [&](const Curve& curve) { return curve.device == subject.device.id; });
  Gathered<Ceiling, CeilingKey> ceilings;
  Gathered<Point, PointKey> points;
  for (std::size_t run = 0; run < parts.size(); ++run) {
    const Result& result = parts[run].source->result;
    subject.runs.push_back(run_of(parts[run]));
    gather(subject, ceilings, result.ceilings, parts[run], run);
    gather(subject, points, result.points, parts[run], run);
    std::ranges::copy_if(result.ceilings, std::back_inserter(subject.suspects), [&](const Ceiling& row) {
      return row.status == Status::suspect && row.device == parts[run].device->id;
    });
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

std::vector<Subject> subjects_of(std::span<const NamedResult> sources, bool apart) {
  std::vector<Subject> subjects;
  for (const auto& parts : parts_of(sources, apart)) {
    refuse_copies(parts);
    subjects.push_back(subject_over(parts));
  }
  name_apart(subjects);
  return subjects;
}

std::vector<Subject> subjects_in_order(std::vector<std::variant<NamedResult, Subject>> named, bool apart) {
  std::vector<NamedResult> sources;
  for (const auto& one : named) {
    if (const auto* source = std::get_if<NamedResult>(&one)) sources.push_back(*source);
  }
  std::vector<Subject> subjects = subjects_of(sources, apart);
  for (auto one = named.begin(); one != named.end(); ++one) {
    auto* subject = std::get_if<Subject>(&*one);
    if (subject == nullptr) continue;
    const auto before = [&](const Subject& other) {
      return other.runs.empty() || std::any_of(named.begin(), one, [&](const auto& earlier) {
               const auto* source = std::get_if<NamedResult>(&earlier);
               return source != nullptr && source->name == other.runs.front().source;
             });
    };
    subjects.insert(std::ranges::find_if_not(subjects, before), std::move(*subject));
  }
  name_apart(subjects);
  return subjects;
}

}  // namespace gable::questions
