#include "core/questions/compare/subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <ranges>
#include <set>
#include <system_error>

#include "core/device/find_product.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/units.hpp"
#include "core/result/anonymous.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// Clocks nearer than this are one: readings of an unchanged clock scatter by less.
constexpr double least_clock_difference = 0.01;

/// Circumstances in the order in which they were first told.
class Collected {
 public:
  explicit Collected(std::size_t subjects) : subjects_(subjects) {}

  using Kind = CircumstanceKind;

  /// `compared`: by what it is told apart from what another run tells; empty: by the text itself.
  void tell(std::size_t subject, const std::string& name, const std::string& text, Kind kind = Kind::other,
            const std::string& compared = {}) {
    if (text.empty() || text == "unknown") return;
    const std::string folded = lower(name);  // "ECC" of a GPU, "ecc" of a CPU
    const auto [place, is_new] = places_.try_emplace(folded, entries_.size());
    if (is_new)
      entries_.push_back({{name, std::vector<std::vector<std::string>>(subjects_), kind},
                          std::vector<std::set<std::string>>(subjects_)});
    Entry& entry = entries_[place->second];
    if (entry.compared[subject].insert(compared.empty() ? text : compared).second)
      entry.circumstance.told[subject].push_back(text);
  }

  Circumstances sorted(std::span<const Subject> subjects) const {
    Circumstances answer;
    for (const Entry& entry : entries_) {
      std::set<std::string> different;
      bool by_all = true;
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        different.insert(entry.compared[i].begin(), entry.compared[i].end());
        by_all = by_all && (subjects[i].runs.empty() || !entry.compared[i].empty());
      }
      if (different.size() > 1)
        answer.differing.push_back(entry.circumstance);
      else if (!by_all)
        answer.told_by_some.push_back(entry.circumstance);
    }
    return answer;
  }

 private:
  struct Entry {
    Circumstance circumstance;
    std::vector<std::set<std::string>> compared;  ///< one set a subject
  };

  std::size_t subjects_;
  std::vector<Entry> entries_;
  std::map<std::string, std::size_t> places_;  ///< in them, by names in small letters
};

bool has_clock(const CeilingQuantity& quantity) {
  return quantity.key.kind == CeilingKind::compute && quantity.key.scope == Scope::node &&
         std::ranges::any_of(quantity.rows, [](const Ceiling& row) { return row.conditions.clock_hz.has_value(); });
}

double clock_of(const CeilingQuantity& quantity) {
  return measure::median(told_by(quantity.rows, [](const Ceiling& row) { return row.conditions.clock_hz; }));
}

bool measures_clock(const Subject& subject) { return std::ranges::any_of(subject.ceilings, has_clock); }

/// Median of each subject's measured clocks over the ceilings that all who measured clocks have: code for wide vectors
/// may run at another clock than code for narrow ones, so only like rows tell of a difference.
void tell_measured_clock(Collected& collected, std::span<const Subject> subjects) {
  const auto first = std::ranges::find_if(subjects, measures_clock);
  if (first == subjects.end()) return;
  std::vector<std::vector<double>> clocks(subjects.size());
  for (const CeilingQuantity& quantity : first->ceilings) {
    const auto has = [&](const Subject& subject) {
      const CeilingQuantity* same = find(subject, quantity.key);
      return !measures_clock(subject) || (same && has_clock(*same));
    };
    if (!has_clock(quantity) || !std::ranges::all_of(subjects, has)) continue;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (measures_clock(subjects[i])) clocks[i].push_back(clock_of(*find(subjects[i], quantity.key)));
    }
  }
  std::map<std::size_t, double> medians;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (!clocks[i].empty()) medians[i] = measure::median(clocks[i]);
  }
  if (medians.empty()) return;
  const auto [least, most] = std::ranges::minmax(std::views::values(medians));
  const bool same = most < least * (1 + least_clock_difference);
  const std::size_t rows = clocks[medians.begin()->first].size();
  const std::string name = fmt::format("measured clock (median of {} compute ceiling{})", rows, rows == 1 ? "" : "s");
  for (const auto& [i, clock] : medians) {
    const std::string compared = same ? "one clock" : fmt::format("{}", clock);
    collected.tell(i, name, format_quantity(clock, "Hz"), CircumstanceKind::other, compared);
  }
}

/// Names of what held the clock back, with how many of the rows that tell of it were held.
void tell_clock_limits(Collected& collected, std::span<const Subject> subjects) {
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    std::map<std::string, int> limits;
    int rows = 0;
    const auto note = [&](const auto& quantities) {
      for (const auto& quantity : quantities) {
        for (const auto& row : quantity.rows) {
          if (!row.conditions.clock_limits) continue;
          ++rows;
          if (!row.conditions.clock_limits->empty()) ++limits[*row.conditions.clock_limits];
        }
      }
    };
    note(subjects[i].ceilings);
    note(subjects[i].points);
    if (rows == 0) continue;
    const auto texts =
        mapped(limits, [](const auto& limit) { return fmt::format("{} in {}", limit.first, limit.second); });
    const std::string what = texts.empty() ? "nothing in all" : fmt::format("{}", fmt::join(texts, ", "));
    const std::string text = fmt::format("{} of {} row{}", what, rows, rows == 1 ? "" : "s");
    collected.tell(i, "clock held back by", text, CircumstanceKind::other, texts.empty() ? "nothing" : text);
  }
}

std::string version_of(const Build& build) {
  if (build.version.empty()) return "";
  return fmt::format("{} ({}{})", build.version, build.commit, build.dirty ? ", modified" : "");
}

void tell_run(Collected& collected, std::size_t i, const Subject& subject, const Run& run) {
  const auto tell = [&](const std::string& name, const std::string& text) { collected.tell(i, name, text); };
  const auto clock = [&](const char* name, const std::optional<double>& hertz) {
    if (hertz) tell(name, format_quantity(*hertz, "Hz"));
  };
  clock("nominal clock", run.base_clock_hz);
  clock("maximum clock", run.max_clock_hz);
  for (const Fact& fact : run.facts) {
    if (fact.name == power_cap_fact) collected.tell(i, fact.name, fact.value, CircumstanceKind::power_cap);
  }
  for (const auto& [scope, threads] : run.threads) {
    if (!is_cpu(subject.device)) continue;
    collected.tell(i, fmt::format("threads of a {}", to_string(scope)), fmt::format("{}", threads),
                   CircumstanceKind::threads);
  }
  tell("mode", std::string(to_string(run.mode)));
  tell("gable", version_of(run.build));
  for (const Build& worker : run.workers) {
    if (worker.commit != run.build.commit || worker.version != run.build.version)
      tell("gable's worker", version_of(worker));
    tell("target of the kernels", worker.target.value_or(""));
    tell("compiler", worker.compiler);
    tell("compiler flags", worker.flags);
    for (const auto& [name, version] : worker.libraries) tell(fmt::format("library {}", name), version);
  }
  tell("operating system", run.os);
  tell("kernel", run.kernel);
}

/// The whole number of "0.79" or "0.1 %", to compare by; nothing of other texts.
std::optional<long long> whole_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || std::abs(value) > 1e15) return {};
  return std::llround(value);
}

bool is_circumstance(const Fact& fact) {
  // what tell_run() tells, and what a merge wrote down of the files
  constexpr std::array<std::string_view, 4> told{power_cap_fact, "kernel", "host", "run_started_at"};
  // facts that follow from the device itself, which is what is compared
  constexpr std::array<std::string_view, 8> make{"LDS",  "shared memory", "registers",        "copy engines",
                                                 "XCDs", "module",        "family and model", "catalogue"};
  return std::ranges::count(told, fact.name) == 0 && std::ranges::count(make, fact.name) == 0 &&
         !fact.name.starts_with("theoretical") && !result::names_one_device(fact);
}

void tell_facts(Collected& collected, std::size_t i, const Run& run) {
  std::set<std::string> seen;  // the hypervisor of a host is also a fact of its devices, worded differently
  for (const Fact& fact : run.facts) {
    if (!is_circumstance(fact) || fact.value == "unknown" || !seen.insert(fact.name).second) continue;
    const bool scatters = fact.name.starts_with("load_average") || fact.name == "CPU time stolen";
    const auto number = scatters ? whole_number(fact.value) : std::nullopt;
    collected.tell(i, fact.name, fact.value, CircumstanceKind::other, number ? fmt::format("{}", *number) : "");
  }
}

}  // namespace

Circumstances circumstances_of(std::span<const Subject> subjects) {
  Collected collected(subjects.size());
  tell_measured_clock(collected, subjects);
  tell_clock_limits(collected, subjects);
  const auto each_run = [&](auto&& tell) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      for (const Run& run : subjects[i].runs) tell(i, run);
    }
  };
  each_run([&](std::size_t i, const Run& run) { tell_run(collected, i, subjects[i], run); });
  each_run([&](std::size_t i, const Run& run) { tell_facts(collected, i, run); });
  return collected.sorted(subjects);
}

std::string joined_text(const std::vector<std::string>& told) { return fmt::format("{}", fmt::join(told, "; ")); }

}  // namespace gable::questions
