#include "core/questions/compare/comparison.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace gable::questions {
namespace {

/// The roofs of every subject, made once for each scope that operators were measured at.
class Roofs {
 public:
  explicit Roofs(std::span<const Subject> subjects) : subjects_(subjects) {}
  const Roofline& at(std::size_t subject, Scope scope) {
    const auto found = known_.find({subject, scope});
    if (found != known_.end()) return found->second;
    return known_.emplace(std::pair{subject, scope}, machine_of(subjects_[subject], scope).roofline).first->second;
  }

 private:
  std::span<const Subject> subjects_;
  std::map<std::pair<std::size_t, Scope>, Roofline> known_;
};

OperatorCell cell_of(const PointQuantity& quantity, const Roofline& roofline, std::optional<double> price) {
  OperatorCell cell;
  cell.figure = quantity.figure;
  cell.implementation = quantity.implementation;
  cell.power_w = power_of(quantity);
  cell.key = quantity.key;
  cell.flop = flops(quantity.rows.front().stages);
  cell.byte = bytes(quantity.rows.front().stages);
  cell.verdict = verdict_of(quantity, roofline);
  if (price && quantity.key.scope == Scope::node) cell.cost = cost_of_time(quantity.figure.value, *price);
  return cell;
}

bool is_number(const std::string& text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The key without its sizes; what is no number ("mask=causal") stays.
PointKey without_sizes(PointKey key) {
  std::istringstream parts(std::exchange(key.params, {}));
  for (std::string part; std::getline(parts, part, ',');) {
    if (!is_number(part.substr(part.find('=') + 1))) key.params += part + ',';
  }
  return key;
}

double bytes_of(const PointQuantity& quantity) { return bytes(quantity.rows.front().stages); }

/// Ratios of the rates: times of another size are taken per flop, or per byte of operators that compute nothing.
void set_ratios(OperatorRow& row, std::size_t subject) {
  const OperatorCell& baseline = *row.cells[0];
  OperatorCell& cell = *row.cells[subject];
  const bool computes = baseline.flop > 0 && cell.flop > 0;
  const double work = cell.like ? 1 : computes ? cell.flop / baseline.flop : cell.byte / baseline.byte;
  Ratio ratio = ratio_of(baseline.figure, cell.figure);
  ratio.value *= work;
  if (ratio.low) *ratio.low *= work;
  if (ratio.high) *ratio.high *= work;
  cell.ratio = ratio;
  cell.speedup = speedup(baseline.verdict, cell.verdict, work);
}

/// Of the sizes that only one subject has, the largest of the baseline's beside the largest of this subject's.
void pair_other_sizes(std::vector<OperatorRow>& rows, std::size_t subject, std::vector<const PointQuantity*> left_over,
                      const std::function<OperatorCell(const PointQuantity&)>& cell_for) {
  std::ranges::stable_sort(left_over, std::greater<>{}, [](const PointQuantity* one) { return bytes_of(*one); });
  std::vector<PointKey> done;
  for (const PointQuantity* quantity : left_over) {
    const PointKey kind = without_sizes(quantity->key);
    if (std::ranges::count(done, kind) != 0) continue;
    done.push_back(kind);
    OperatorRow* largest = nullptr;
    for (OperatorRow& row : rows) {
      const bool fits = !row.cells[subject] && row.cells[0]->byte > 0 && without_sizes(row.key) == kind;
      if (fits && (!largest || row.cells[0]->byte > largest->cells[0]->byte)) largest = &row;
    }
    if (!largest || !(bytes_of(*quantity) > 0)) continue;
    largest->cells[subject] = cell_for(*quantity);
    largest->cells[subject]->like = false;
    largest->cells[subject]->cost.reset();
    set_ratios(*largest, subject);
  }
}

}  // namespace

bool wanted(const PointKey& key, const std::vector<DType>& dtypes) {
  return dtypes.empty() || std::ranges::count(dtypes, key.types.a) != 0;
}

std::vector<OperatorRow> operator_rows(std::span<const Subject> subjects, const CompareOptions& options) {
  Roofs roofs(subjects);
  std::vector<OperatorRow> rows;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto price = options.prices.empty() ? std::nullopt : options.prices.at(i);
    const auto cell_for = [&](const PointQuantity& quantity) {
      return cell_of(quantity, roofs.at(i, quantity.key.scope), price);
    };
    std::vector<const PointQuantity*> left_over;
    for (const PointQuantity& quantity : subjects[i].points) {
      if (!wanted(quantity.key, options.dtypes)) continue;
      const auto same = std::ranges::find(rows, quantity.key, &OperatorRow::key);
      if (i == 0) {
        rows.push_back({quantity.key, quantity.rows.front().label, quantity.rows.front().count,
                        std::vector<std::optional<OperatorCell>>(subjects.size())});
        rows.back().cells[0] = cell_for(quantity);
      } else if (same != rows.end()) {
        same->cells[i] = cell_for(quantity);
        set_ratios(*same, i);
      } else {
        left_over.push_back(&quantity);
      }
    }
    pair_other_sizes(rows, i, std::move(left_over), cell_for);
  }
  return rows;
}

}  // namespace gable::questions
