#include "core/questions/compare/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/text/posix_file.hpp"

namespace gable::questions {
namespace {

bool fits(const OperatorRow& row, const std::string& name) {
  return name == row.key.op || name == row.label || name == label_of(row.key);
}

bool has_like(const OperatorRow& row, std::size_t subject) {
  return row.cells[subject] && (subject == 0 || row.cells[subject]->like);
}

std::vector<RowWeight> by_name(std::span<const OperatorRow* const> rows, std::span<const NamedWeight> weights) {
  std::vector<RowWeight> all;
  for (const NamedWeight& weight : weights) {
    const auto of_name = [&](const OperatorRow* row) { return fits(*row, weight.name); };
    const auto count = static_cast<double>(std::ranges::count_if(rows, of_name));
    for (const OperatorRow* row : rows) {
      if (of_name(row)) all.push_back({row, weight.weight / count, weight.name});
    }
  }
  return all;
}

std::vector<RowWeight> of_rows(std::span<const OperatorRow* const> rows, const CompareOptions& options) {
  std::map<std::string, double> rows_of;
  for (const OperatorRow* row : rows) ++rows_of[row->key.op];
  std::vector<RowWeight> all;
  for (const OperatorRow* row : rows) {
    const double time_s = row->count.value_or(1) * row->cells[0]->figure.value;
    const double weight = options.by_time || options.summed ? time_s : 1 / rows_of[row->key.op];
    all.push_back({row, weight, row->key.op, options.summed});
  }
  return all;
}

}  // namespace

std::vector<std::size_t> with_operators(std::span<const Subject> subjects) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    if (!subjects[i].points.empty()) found.push_back(i);
  return found;
}

std::vector<const OperatorRow*> rows_of_all(const std::vector<OperatorRow>& rows,
                                            std::span<const std::size_t> subjects) {
  std::vector<const OperatorRow*> shared;
  std::optional<Scope> widest;  // Scope counts from wide to narrow
  for (const OperatorRow& row : rows) {
    const auto has = [&](std::size_t subject) { return has_like(row, subject); };
    if (!has(0) || !std::ranges::all_of(subjects, has)) continue;
    shared.push_back(&row);
    widest = std::min(widest.value_or(row.key.scope), row.key.scope);
  }
  std::erase_if(shared, [&](const OperatorRow* row) { return row->key.scope != *widest; });
  return shared;
}

std::vector<RowWeight> row_weights(std::span<const OperatorRow* const> rows, const CompareOptions& options) {
  auto all = options.weights.empty() ? of_rows(rows, options) : by_name(rows, options.weights);
  double sum = 0;
  for (const RowWeight& one : all) sum += one.share;
  for (RowWeight& one : all) one.share /= sum;
  return all;
}

void demand_names(const std::vector<OperatorRow>& rows, std::span<const Subject> subjects,
                  std::span<const NamedWeight> weights) {
  std::set<std::string> operators;
  for (const OperatorRow& row : rows) operators.insert(row.key.op);
  for (const NamedWeight& weight : weights) {
    if (std::ranges::none_of(rows, [&](const OperatorRow& row) { return fits(row, weight.name); }))
      throw Error(fmt::format("weights: '{}' is no operator or case of {}; its operators: {}", weight.name,
                              subjects.front().name,
                              operators.empty() ? "none" : fmt::format("{}", fmt::join(operators, ", "))));
  }
  for (const OperatorRow& row : rows) {
    const NamedWeight* first = nullptr;
    for (const NamedWeight& weight : weights) {
      if (!fits(row, weight.name)) continue;
      if (first)
        throw Error(fmt::format("weights: '{}' and '{}' both weigh {}", first->name, weight.name, label_of(row.key)));
      first = &weight;
    }
  }
  for (std::size_t i = 1; i < subjects.size(); ++i) {
    if (subjects[i].points.empty()) continue;
    const auto shared = rows_of_all(rows, std::span(&i, 1));
    for (const NamedWeight& weight : weights) {
      if (std::ranges::none_of(shared, [&](const OperatorRow* row) { return fits(*row, weight.name); }))
        throw Error(fmt::format("weights: {} has no '{}' in the sizes of {}", subjects[i].name, weight.name,
                                subjects.front().name));
    }
  }
}

std::vector<NamedWeight> read_weights(const std::filesystem::path& path) {
  constexpr double least = 1e-9, most = 1e9;  // a weight outside this range is probably a typo
  std::vector<NamedWeight> weights;
  try {
    const auto json = parse_json(read_text(path));
    if (!json.is_object() || json.empty())
      throw Error("not {\"OPERATOR OR CASE\": WEIGHT, … } with at least one entry");
    for (const auto& [name, value] : json.items()) {
      if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
        throw Error(fmt::format("the weight of '{:.80}' is not a positive number", name));
      weights.push_back({name, value.get<double>()});
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
  return weights;
}

}  // namespace gable::questions
