#include "core/questions/compare/comparison_answer.hpp"

#include <fmt/format.h>

namespace gable::questions {
namespace {

using Value = Answer::Value;

Answer::Facts facts_of(const Subject& subject) {
  const auto run = [](const Run& one) -> Answer::Facts {
    return {{"source", one.source},
            {"started_at", one.started_at},
            {"mode", std::string(to_string(one.mode))},
            {"version", one.build.version},
            {"commit", one.build.commit}};
  };
  const auto left_out = [](const LeftOut& row) -> Answer::Facts {
    return {
        {"source", row.source}, {"id", row.id}, {"status", row.status}, {"reason", row.reason}, {"label", row.label}};
  };
  const auto& memory = subject.device.memory;
  return {{"name", subject.name},
          {"device", subject.device.name},
          {"host", subject.host},
          {"basis", basis_text(subject.basis, subject.source)},
          {"memory", memory.empty() ? Value() : Value(memory.back().name)},
          {"runs", table_of(subject.runs, run)},
          {"left_out", table_of(subject.left_out, left_out)}};
}

Answer::Table subjects_table(const Compared& compared) {
  Answer::Table table;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const auto& prices = compared.options.prices;
    Answer::Facts facts = facts_of(compared.subjects[i]);
    if (const auto& misfit = compared.subjects[i].misfit)
      facts.add("too_small", {{"needed_byte", misfit->needed_byte},
                              {"memory_byte", misfit->memory_byte},
                              {"devices_needed", misfit->devices_needed},
                              {"reason", misfit_text(compared.subjects[i])}});
    table.add(facts.add({{"price_per_hour", prices.empty() ? Value() : Value(prices[i])}}));
  }
  return table;
}

/// What subjects tell that differ, then what only some tell.
void add_circumstances(Answer& answer, const Circumstances& circumstances) {
  Answer::Table table;
  const auto add = [&](const std::vector<Circumstance>& all, bool differs) {
    for (const Circumstance& one : all) {
      Answer::Table told;
      for (std::size_t i = 0; i < one.told.size(); ++i) {
        if (!one.told[i].empty()) told.add({{"subject", i}, {"values", one.told[i]}});
      }
      table.add({{"name", one.name}, {"differs", differs}, {"told", std::move(told)}});
    }
  };
  add(circumstances.differing, true);
  add(circumstances.told_by_some, false);
  answer.add_table("what_else_differs", "what else differs", std::move(table)).notes =
      circumstance_lines(circumstances, Names::first);
}

const char* weights_name(const CompareOptions& options) {
  if (options.summed) return "sum";
  if (!options.weights.empty()) return "name";
  return options.by_time ? "time" : "operator";
}

void add_means(Answer& answer, const Compared& compared) {
  Answer::Table table;
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < compared.answer.means.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean) continue;
    Answer::Facts facts{{"subject", i}, {"weights", weights_name(compared.options)}};
    table.add(facts.add("ratio", facts_of(mean->ratio))
                  .add({{"rows", mean->rows},
                        {"operators", mean->operators},
                        {"of_operators", mean->of_operators},
                        {"in_other_sizes", mean->other_sizes},
                        {"worst", mean->worst.label},
                        {"worst_ratio", mean->worst.ratio},
                        {"best", mean->best.label},
                        {"best_ratio", mean->best.ratio},
                        {"baseline_s", mean->baseline_s},
                        {"time_s", mean->other_s},
                        {"counted", mean->counted}}));
    notes.push_back(mean_text(*mean, i, compared.options));
  }
  answer.add_table("means", "means", std::move(table)).notes = std::move(notes);
}

/// A table under a title; nothing of an empty one.
void show(Answer& answer, const char* title, Answer::Table table) {
  if (!table.rows.empty()) answer.show_table(title, std::move(table));
}

void add_bounds(Answer& answer, const Compared& compared) {
  const Bounds& bounds = *compared.bounds;
  answer.add_facts("workload", "", {{"name", bounds.workload}, {"efficiency_of", bounds.assumed_of}});
  answer.add_table("workload/efficiency", "workload", efficiency_table(compared)).notes = bounds_lines(compared);
}

void show_energy(Answer& answer, const Compared& compared) {
  show(answer, "energy: work per joule, at the power read during each row", energy_table(compared));
}

void show_prices(Answer& answer, const Compared& compared) {
  show(answer, "work per unit of the price", work_per_price_table(compared));
  show(answer, "cost of one run, in units of the price (below 1: cheaper)", cost_of_runs_table(compared));
  for (std::string& line : cost_totals(compared)) answer.say(std::move(line));
}

void add_formulas(Answer& answer) {
  answer.add_facts(
      "", "formulas (docs/compare.md)",
      {{"", "figure",
        "one run: its estimate and 95 % interval; several: their median, and what holds all of them and their "
        "intervals"},
       {"", "by chance", "ranges of a and b runs of one machine are disjoint with 2 a! b! / (a + b)!"},
       {"", "vs A", "rates: B / A; times: A / B. Interval: low B / high A … high B / low A"},
       {"", "roof", "the fastest of the rows that are roofs of one quantity"},
       {"", "ridge", "P / B at the triad of main memory"},
       {"", "why",
        "time A / time B = (roof B / roof A) x (what other roofs make of it) x (fraction B / fraction A); fraction = "
        "least time that all roofs allow / time"},
       {"", "mean",
        "exp(sum of w ln ratio / sum of w); w = 1 for every operator, the time on A x count, or the weights of a file"},
       {"", "energy", "(flop/s or byte/s) / W; the power is the one read during that row"},
       {"", "cost", "time x price / 3600 s; work for a unit of the price: rate x 3600 s / price"},
       {"", "total cost",
        "capital + years x 8766 h x (u x power + (1 - u) x idle power) x PUE x tariff; u: utilisation"},
       {"", "turns at",
        "where performance A / performance B = total cost A / total cost B (of a power budget: power A / power B)"}});
}

}  // namespace

Answer comparison_answer(const Compared& compared, const std::optional<TotalCost>& cost, bool formulas) {
  const Comparison& found = compared.answer;
  Answer answer;
  answer.add_notes("", {conclusion(compared, cost)});
  answer.add_table("subjects", "", subjects_table(compared)).notes = subject_lines(compared);
  auto& best = answer.add_table("best_units", "best unit of each type, with its ridge point at main memory",
                                best_units_table(found.best_units));
  if (!found.best_units.empty())
    best.notes = {"Behind a unit stands the type that products are counted in, where it has none of the row's."};
  if (std::string note = datasheets_note(compared); !note.empty()) answer.say(note);
  answer.add_table("ceilings", "ceilings", ceilings_table(found.ceilings, compared.options));
  if (compared.bounds) add_bounds(answer, compared);
  answer.add_table("operators", compared.bounds ? "least times of the workload, which nobody measured" : "operators",
                   operators_table(found.operators));
  for (std::size_t i = 1; i < compared.subjects.size() && !compared.bounds; ++i)
    answer.add_notes(fmt::format("why {} takes another time than A (the factors multiply)", letter(i)),
                     reason_lines(compared, i));
  add_means(answer, compared);
  add_circumstances(answer, found.circumstances);
  show_energy(answer, compared);
  if (!compared.options.prices.empty()) show_prices(answer, compared);
  if (cost) (is_owned(cost->criterion) ? add_total_cost : add_decision)(answer, compared, *cost);
  const auto unpaired = [](const Unpaired& list) -> Answer::Facts {
    return {{"subject", list.subject}, {"quantities", list.labels}};
  };
  answer.add_table("unpaired", "not compared", table_of(found.unpaired, unpaired)).notes =
      rest_lines(compared, Names::first);
  answer.add_notes("how to read it", {legend(compared)});
  if (formulas) add_formulas(answer);
  return answer;
}

Answer repeats_answer(const Compared& compared, bool formulas) {
  const Subject& subject = compared.subjects.front();
  Answer answer{.title = fmt::format("{}, {} runs of one device", subject.name, subject.runs.size())};
  answer.add_notes("", {conclusion(subject)});
  answer.add_facts("subject", "", facts_of(subject));
  for (const Run& run : subject.runs)
    answer.say(fmt::format("{} ({}, started {})", run.source, to_string(run.mode), run.started_at));
  answer.add_table("ceilings", "ceilings", ceilings_table(subject.ceilings));
  answer.add_table("operators", "operators", operators_table(subject.points));
  answer.add_notes("", {"spread: (largest - smallest) / median. --apart compares the files with each other."});
  add_circumstances(answer, compared.answer.circumstances);
  show_energy(answer, compared);
  answer.add_notes("not compared", left_out_lines(subject, "no figure", Names::first));
  if (formulas) add_formulas(answer);
  return answer;
}

}  // namespace gable::questions
