#include "core/questions/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/questions/predict/prediction.hpp"

namespace gable::questions {
namespace {

/// Whether there are so many runs that another one would hardly change the figure.
bool settled(const Figure& figure) { return figure.spread == Spread::stated || figure.runs >= enough_runs; }

/// How well a baseline's quantity stands in for one of another operating point: 0 best; nothing if it does not. The
/// figure on either subject may be a datasheet's, which knows no mix of reads and writes.
std::optional<int> distance(const CeilingKey& a, const CeilingKey& b) {
  CeilingKey same = a;
  same.at = b.at;
  int mix = 0;
  const bool bandwidth = a.kind == CeilingKind::bandwidth && a.name == main_memory_role;
  if (bandwidth && a.access != b.access && (a.access == Access::none || b.access == Access::none)) {
    const CeilingKey& measured = a.access == Access::none ? b : a;
    constexpr std::array order{Access::triad, Access::copy, Access::read, Access::write};
    const auto place = std::ranges::find(order, measured.access);
    if (measured.stores == Stores::non_temporal || place == order.end()) return {};
    mix = static_cast<int>(place - order.begin());
    same.access = b.access;
    same.stores = b.stores;
  }
  if (same != b) return {};
  const auto rank = [](OperatingPoint at) {
    constexpr std::array order{OperatingPoint::burst, OperatingPoint::sustained, OperatingPoint::none,
                               OperatingPoint::library};
    return static_cast<int>(std::ranges::find(order, at) - order.begin());
  };
  return 10 * rank(a.at) + mix;
}

/// The baseline's rows with what every subject has under the same key, then what is left over beside its nearest row.
std::vector<CeilingRow> pair_ceilings(std::span<const Subject> subjects, const std::vector<DType>& dtypes) {
  std::vector<CeilingRow> rows;
  for (const CeilingQuantity& quantity : subjects.front().ceilings) {
    if (!wanted(quantity.key, dtypes)) continue;
    CeilingRow row{quantity.key, std::vector<std::optional<CeilingCell>>(subjects.size())};
    row.cells.front() = cell_of(quantity, true);
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 1; i < subjects.size(); ++i) {
    std::vector<const CeilingQuantity*> left_over;
    for (const CeilingQuantity& quantity : subjects[i].ceilings) {
      const auto like = std::ranges::find(rows, quantity.key, &CeilingRow::key);
      if (like == rows.end())
        left_over.push_back(&quantity);
      else
        like->cells[i] = cell_of(quantity, true);
    }
    for (const CeilingQuantity* quantity : left_over) {
      CeilingRow* nearest = nullptr;
      std::optional<int> least;
      for (CeilingRow& row : rows) {
        const auto far = row.cells[i] ? std::nullopt : distance(row.key, quantity->key);
        if (!far || (least && *far >= *least)) continue;
        least = far;
        nearest = &row;
      }
      if (nearest) nearest->cells[i] = cell_of(*quantity, false);
    }
  }
  for (CeilingRow& row : rows) {
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (row.cells[i]) row.cells[i]->ratio = ratio_of(row.cells[0]->figure, row.cells[i]->figure);
    }
  }
  return rows;
}

/// A time beside one at the efficiency of another subject: any part between the least and the most may be reached; of
/// few operators nobody knows. At the efficiency of one subject both reach the same.
Figure beside(Figure time, const Figure& other) {
  const auto& part = time.part;
  if (!part || !other.part || part->of == other.part->of) return time;
  if (!part->least || !part->most) time.low = time.high = {};
  if (time.low) *time.low *= part->median / *part->most;
  if (time.high) *time.high *= part->median / *part->least;
  return time;
}

/// All of a subject's time beside another's, each row as often as it counts. Rows without an interval, where together
/// they are level_part of it at most, too little to decide anything, may take from nothing to twice their time.
Figure sum_of(const std::vector<RowWeight>& weights, std::size_t subject, std::size_t other) {
  Figure sum = weights.front().row->cells[subject]->figure;
  sum.value = 0;
  double low = 0, high = 0, open = 0;
  for (const RowWeight& one : weights) {
    const Figure time = beside(one.row->cells[subject]->figure, one.row->cells[other]->figure);
    sum.value += one.count() * time.value;
    sum.runs = std::min(sum.runs, time.runs);
    if (!time.low || !time.high) open += one.count() * time.value;
    low += one.count() * time.low.value_or(0);
    high += one.count() * time.high.value_or(2 * time.value);
  }
  sum.low = sum.high = {};
  sum.part = {};
  if (open <= level_part * sum.value) sum.low = low, sum.high = high;
  return sum;
}

/// Drops rows that only one of several subjects has.
template <class Rows>
void drop_unpaired(Rows& rows) {
  std::erase_if(rows, [](const auto& row) {
    const auto has = std::ranges::count_if(row.cells, [](const auto& cell) { return cell.has_value(); });
    return row.cells.size() > 1 && has < 2;
  });
}

/// On how many of the operators it rests.
void count_operators(Mean& mean, std::set<std::string> counted, const std::vector<OperatorRow>& rows,
                     std::span<const Subject> subjects, std::size_t subject, const std::vector<DType>& dtypes) {
  auto all = operators_of(subjects.front(), dtypes);
  all.merge(operators_of(subjects[subject], dtypes));
  mean.of_operators = all.size();
  mean.operators = counted.size();
  for (const OperatorRow& row : rows) {
    const auto& cell = row.cells[subject];
    if (cell && !cell->like) mean.other_sizes += counted.insert(row.key.op).second ? 1 : 0;
  }
}

std::optional<Mean> mean_of(const std::vector<OperatorRow>& rows, std::span<const Subject> subjects,
                            std::size_t subject, const CompareOptions& options) {
  const auto shared = rows_of_all(rows, std::span(&subject, 1));
  if (shared.empty() || subjects.front().misfit || subjects[subject].misfit) return {};
  Mean mean;
  mean.scope = shared.front()->key.scope;
  const std::vector<RowWeight> weights = row_weights(shared, options);
  std::set<std::string> operators;
  for (const RowWeight& one : weights) {
    const OperatorRow& row = *one.row;
    const double count = row.count.value_or(1);
    mean.counted = mean.counted || row.count.has_value();
    ++mean.rows;
    mean.baseline_s += count * row.cells[0]->figure.value;
    mean.other_s += count * row.cells[subject]->figure.value;
    operators.insert(row.key.op);
    const Ratio& ratio = *row.cells[subject]->ratio;
    if (mean.rows == 1 || ratio.value < mean.worst.ratio) mean.worst = {label_of(row.key), ratio.value};
    if (mean.rows == 1 || ratio.value > mean.best.ratio) mean.best = {label_of(row.key), ratio.value};
  }
  count_operators(mean, std::move(operators), rows, subjects, subject, options.dtypes);
  mean.ratio = performance(weights, 0, subject);
  return mean;
}

/// What is in no row.
template <class Rows, class Quantities>
void note_unpaired(std::vector<std::string>& labels, const Rows& rows, std::size_t subject,
                   const Quantities& quantities, const std::vector<DType>& dtypes) {
  std::set<decltype(quantities.front().key)> here;
  for (const auto& row : rows)
    if (row.cells[subject]) here.insert(row.cells[subject]->key);
  for (const auto& quantity : quantities) {
    if (wanted(quantity.key, dtypes) && !here.contains(quantity.key)) labels.push_back(place_of(quantity.key));
  }
}

}  // namespace

bool wanted(const CeilingKey& key, const std::vector<DType>& dtypes) {
  return dtypes.empty() || !key.dtype || std::ranges::count(dtypes, *key.dtype) != 0;
}

std::set<std::string> operators_of(const Subject& subject, const std::vector<DType>& dtypes) {
  std::set<std::string> names;
  for (const PointQuantity& one : subject.points) {
    if (wanted(one.key, dtypes)) names.insert(one.key.op);
  }
  return names;
}

CeilingCell cell_of(const CeilingQuantity& quantity, bool like) {
  const auto datasheet = quantity.rows.empty() ? std::nullopt : quantity.rows.front().datasheet;
  return {{quantity.figure, quantity.implementation, power_of(quantity)}, quantity.key, like, datasheet};
}

double chance_of_disjoint_ranges(int a, int b) {
  if (a < 1 || b < 1) throw Error(fmt::format("ranges of {} and {} runs", a, b));
  double orders = 1;
  for (int i = 1; i <= b; ++i) orders *= static_cast<double>(a + i) / i;
  return 2 / orders;
}

std::optional<Difference> Ratio::difference() const {
  if (!low || !high || stated()) return {};
  if (*low <= 1 && 1 <= *high) return Difference::within_noise;
  return repeated ? Difference::beyond_noise : Difference::beyond_these_runs;
}

Ratio Ratio::times(double factor) const {
  Ratio product = *this;
  product.value *= factor;
  if (low) *product.low *= factor;
  if (high) *product.high *= factor;
  return product;
}

Ratio ratio_of(const Figure& of_a, const Figure& of_b) {
  const Figure a = beside(of_a, of_b), b = beside(of_b, of_a);
  const Figure &above = a.higher_is_better ? b : a, &below = a.higher_is_better ? a : b;
  Ratio ratio{above.value / below.value, {}, {}, settled(a) && settled(b), a.scale == b.scale};
  if (ratio.like && above.low && above.high && below.low && below.high && *below.low > 0) {
    ratio.low = *above.low / *below.high;
    ratio.high = *above.high / *below.low;
  }
  return ratio;
}

Ratio performance(const std::vector<RowWeight>& weights, std::size_t a, std::size_t b) {
  if (a == b) return {1, 1, 1, true};
  if (!weights.empty() && weights.front().summed) return ratio_of(sum_of(weights, a, b), sum_of(weights, b, a));
  double all = 0, value = 0, low = 0, high = 0;
  bool bounded = true, repeated = true, like = true;
  for (const RowWeight& one : weights) {
    const Ratio ratio = ratio_of(one.row->cells[a]->figure, one.row->cells[b]->figure);
    all += one.share;
    value += one.share * std::log(ratio.value);
    repeated = repeated && ratio.repeated;
    like = like && ratio.like;
    bounded = bounded && ratio.low && ratio.high;
    if (!bounded) continue;
    low += one.share * std::log(*ratio.low);
    high += one.share * std::log(*ratio.high);
  }
  Ratio mean{std::exp(value / all), {}, {}, repeated, like};
  if (bounded) mean.low = std::exp(low / all), mean.high = std::exp(high / all);
  return mean;
}

Comparison compare(std::span<const Subject> subjects, const CompareOptions& options) {
  Comparison answer;
  answer.ceilings = pair_ceilings(subjects, options.dtypes);
  answer.operators = operator_rows(subjects, options);
  answer.best_units = best_units(subjects, options.dtypes);
  drop_unpaired(answer.ceilings);
  drop_unpaired(answer.best_units);
  if (!options.weights.empty()) demand_names(answer.operators, subjects, options.weights);
  drop_unpaired(answer.operators);
  answer.circumstances = circumstances_of(subjects);
  answer.means.resize(subjects.size());
  std::vector<CeilingRow> placed = answer.ceilings;
  placed.insert(placed.end(), answer.best_units.begin(), answer.best_units.end());
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (i > 0) answer.means[i] = mean_of(answer.operators, subjects, i, options);
    for (OperatorRow& row : answer.operators)
      if (row.cells[i] && (subjects.front().misfit || subjects[i].misfit)) row.cells[i]->ratio.reset();
    std::vector<std::string> labels;
    note_unpaired(labels, placed, i, subjects[i].ceilings, options.dtypes);
    note_unpaired(labels, answer.operators, i, subjects[i].points, options.dtypes);
    if (!labels.empty()) answer.unpaired.push_back({i, std::move(labels)});
  }
  return answer;
}

}  // namespace gable::questions
