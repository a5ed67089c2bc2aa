#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/questions/compare/bounds.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::questions {

/// Price of a result that takes time_s on a device that costs price_per_hour, in the price's own currency.
inline double cost_of_time(double time_s, double price_per_hour) { return time_s * price_per_hour / 3600; }

/// Work (flop, op, byte) that one unit of the currency pays for at rate work/s.
inline double work_per_price(double rate, double price_per_hour) { return rate * 3600 / price_per_hour; }

/// What a ratio says of two machines, beyond what one of them does from run to run.
enum class Difference {
  within_noise,       ///< its interval holds 1
  beyond_these_runs,  ///< it does not, but there are too few runs to exclude chance
  beyond_noise,       ///< it does not, with enough_runs of both subjects
};
constexpr auto names_of(Difference) {
  return names_up_to<Difference::beyond_noise>("within_noise", "beyond_these_runs", "beyond_noise");
}

/// Runs of each subject from which on disjoint ranges are no accident: chance_of_disjoint_ranges(6, 6) = 0.2 %.
inline constexpr int enough_runs = 6;
/// How often the ranges of a and b runs of one and the same machine do not overlap, runs independent and alike: of the
/// (a + b)! / (a! b!) orders in which a and b can lie, those two with all of one before all of the other. Throws Error
/// for counts below 1.
double chance_of_disjoint_ranges(int a, int b);

/// How many times as good B is as the baseline A: B / A of what is better when higher, A / B of times. The interval
/// comes from those of both, end against end: where both hold the true figure, it holds the true ratio.
struct Ratio {
  double value{};
  std::optional<double> low, high;
  bool repeated{};                                    ///< both subjects are enough_runs or more, or stated
  bool like{true};                                    ///< of one Scale; else there is no interval
  bool stated() const { return low && low == high; }  ///< of two stated figures
  /// Nothing where there is no interval, and of two stated figures.
  std::optional<Difference> difference() const;
  Ratio times(double factor) const;
};
Ratio ratio_of(const Figure& a, const Figure& b);

/// Least time under roofs of one kind, and the roof that decides it. Of traffic between two measured mixes, whose time
/// is interpolated, the nearer.
struct Alone {
  double time_s{};
  UsedRoof roof;
};

/// The verdict of a measured operator: that of its run, of several runs that of the one with the median share (of an
/// even number the lower of the two). Its bound_s is that share x the quantity's time. Where no run has one, by the
/// subject's roofs, which other files may have measured.
struct OperatorVerdict : Verdict {
  Standing standing{};               ///< of that run
  std::map<LimitKind, Alone> alone;  ///< by the subject's roofs, if only those of this kind were there
  bool stands() const { return regime.has_value(); }
  /// Faster than its roof allows: the roof was measured low, and no factor that rests on it holds.
  bool above_roof() const { return fraction_of_limit > 1; }
};
OperatorVerdict verdict_of(const PointQuantity& quantity, const Roofline& roofline);

/// Why B takes another time than A: three factors whose product is time A / time B.
struct Speedup {
  LimitKind roof{};      ///< the kind of roof that binds on A
  UsedRoof of_a, of_b;   ///< the roofs of that kind; no label where a subject has none
  bool like{true};       ///< of one operating point, measured or stated both
  double of_roof{};      ///< least time under roofs of that kind alone, A / B: the ratio of the bandwidths, say
  double of_others{};    ///< what all other roofs and costs make of it; 1 where that kind alone binds on both
  double of_fraction{};  ///< fraction of the bound that is reached, B / A
  /// What roofs of one kind alone would give, whether they bind or not.
  std::optional<double> bandwidth, compute;
};
/// Nothing unless both verdicts stand. Where B did `work` times the work of A, times are those of the same work: the
/// product is the ratio of rates.
std::optional<Speedup> speedup(const OperatorVerdict& a, const OperatorVerdict& b, double work = 1);

/// One subject's part of a row.
struct Cell {
  Figure figure;
  std::string implementation;
  std::optional<double> power_w;  ///< power_of() its quantity
  std::optional<Ratio> ratio{};   ///< against the baseline; nothing in its own cells, and where one is not ranked
};

struct CeilingCell : Cell {
  CeilingKey key;                     ///< its own, which an unlike one does not share with the row
  bool like{true};                    ///< false: of another operating point than the baseline's, or a datasheet's
  std::optional<double> datasheet{};  ///< of the same quantity, in the figure's unit
  std::optional<double> ridge{};      ///< of best units: their ridge point at main memory
};
CeilingCell cell_of(const CeilingQuantity& quantity, bool like);

/// A ceiling, under the baseline's key.
struct CeilingRow {
  CeilingKey key;
  std::vector<std::optional<CeilingCell>> cells;  ///< one a subject
};

struct OperatorCell : Cell {
  PointKey key;
  double flop{}, byte{};  ///< of one run
  bool like{true};        ///< false: of other sizes than the baseline's; ratio and speedup are then those of rates
  OperatorVerdict verdict{};
  std::optional<Speedup> speedup{};
  std::optional<double> cost{};  ///< of one run, time x price; of the whole node and like sizes only
};

struct OperatorRow {
  PointKey key;
  std::string label;            ///< what the baseline's workload calls it; empty without
  std::optional<double> count;  ///< how often the baseline's workload does it
  std::vector<std::optional<OperatorCell>> cells;
};

/// performance() over the rows of two subjects. Only rows of the widest scope that both
/// have count: a core's time cannot be compared with a node's.
struct Mean {
  /// The row with the smallest or the largest ratio.
  struct FarEnd {
    std::string label;
    double ratio{};
  };
  Scope scope{Scope::node};
  std::size_t rows{}, operators{};
  std::size_t of_operators{};  ///< that either subject was measured with
  std::size_t other_sizes{};   ///< of them, those that both have in other sizes alone: they do not count
  Ratio ratio;
  FarEnd worst{}, best{};
  double baseline_s{}, other_s{};  ///< times x counts of these rows
  bool counted{};                  ///< some row has a count; one without counts once
};

/// Quantities of a subject that the baseline (or, of the baseline, every other subject) lacks.
struct Unpaired {
  std::size_t subject{};
  std::vector<std::string> labels;
};

/// How much an operator, or a case of one, counts for the user.
struct NamedWeight {
  std::string name;  ///< of an operator ("gemm"), or of a case: its label in the workload, or label_of(PointKey)
  double weight{};   ///< positive; of a name that several rows have, they share it equally
};

struct CompareOptions {
  std::vector<DType> dtypes{};                  ///< of compute ceilings and operators; empty: all
  bool by_time{};                               ///< weights of the means; without weights of names
  bool summed{};                                ///< in place of means: rows, as often as they count, follow one another
  std::vector<NamedWeight> weights{};           ///< of the means, and all that counts in them; empty: none are named
  std::vector<std::optional<double>> prices{};  ///< of a device-hour, one a subject; empty: none
  std::string currency{};                       ///< of the prices, for people; may be empty
};

struct Comparison {
  std::vector<CeilingRow> ceilings;
  std::vector<CeilingRow> best_units;  ///< those that two subjects or more have
  std::vector<OperatorRow> operators;
  std::vector<std::optional<Mean>> means;  ///< one a subject; nothing for A, without rows, where one is not ranked
  std::vector<Unpaired> unpaired;
  Circumstances circumstances;  ///< what else differs
};

/// The first subject is the baseline. Like meets like: rows pair by key. A figure that has no partner of its own
/// operating point is put beside one of another and marked as unlike; a datasheet's bandwidth stands beside the triad.
/// Other scopes and variants are never paired. Of operators whose sizes only one subject has (default sizes follow the
/// caches), the largest of both stand beside each other, unlike as well; their rates are compared, flop/s or, of what
/// computes nothing, byte/s. Unlike rows are in no mean.
/// One subject alone has all its rows, and no ratios. Throws Error for a weight whose name fits no operator of a
/// subject that was measured.
Comparison compare(std::span<const Subject> subjects, const CompareOptions& options = {});

/// A question and its answer.
struct Compared {
  std::vector<Subject> subjects;  ///< the first is the baseline
  CompareOptions options;
  Comparison answer;
  std::optional<Bounds> bounds{};  ///< of stated work, which stands in place of the operators measured
};

/// The fastest unit of each type and scope of every subject beside each other, whatever unit that is: a CPU's vector
/// unit, a GPU's matrix unit. Keys of rows name no unit, those of cells do. A subject without a figure of the type that
/// others have has the unit that its products are counted at, under another type. Rows may lack the baseline.
std::vector<CeilingRow> best_units(std::span<const Subject> subjects, const std::vector<DType>& dtypes);

/// Whether a measurement is among the types that are compared; all are where none are named.
bool wanted(const CeilingKey& key, const std::vector<DType>& dtypes);
bool wanted(const PointKey& key, const std::vector<DType>& dtypes);

/// Names of the operators that a subject was measured with, of those that are compared.
std::set<std::string> operators_of(const Subject& subject, const std::vector<DType>& dtypes);

/// One row for every operator measurement of the first subject, with what the others have under the same key, or in
/// other sizes (Comparison::operators); rows that nobody else has are among them.
std::vector<OperatorRow> operator_rows(std::span<const Subject> subjects, const CompareOptions& options);

/// A row of operators and its part of the whole.
struct RowWeight {
  const OperatorRow* row;
  double share{};    ///< 0 to 1; those of all rows sum to 1
  std::string name;  ///< what it counts under: that of the weight, else the operator
  bool summed{};     ///< of the baseline's time: times count, and no mean of ratios
  /// How often, in some unit, where times are summed.
  double count() const { return share / row->cells[0]->figure.value; }
};

/// Indices of the subjects that have operators.
std::vector<std::size_t> with_operators(std::span<const Subject> subjects);

/// Rows that all of these subjects have in the baseline's sizes, of the widest scope that any such row has.
std::vector<const OperatorRow*> rows_of_all(const std::vector<OperatorRow>& rows,
                                            std::span<const std::size_t> subjects);

/// Of these rows, whose baseline has a figure. With weights of names: each name's part, shared equally by its rows;
/// rows that no name is for are left out. By time, or summed: the baseline's time x count (one where the workload has
/// none). Else every operator has the same part, and so has every row of one operator.
std::vector<RowWeight> row_weights(std::span<const OperatorRow* const> rows, const CompareOptions& options);

/// How many times as fast subject b is as a. The weighted geometric mean of the rows' ratios and of the ends of their
/// intervals, exp(sum of w ln ratio / sum of w): where each holds its true ratio, so does that of the mean. Summed: all
/// of a's time over all of b's. No interval where one row has none.
Ratio performance(const std::vector<RowWeight>& weights, std::size_t a, std::size_t b);

/// Throws Error for a name that fits no operator of the baseline, or none that a measured subject has in the same sizes
/// and at the scope of the mean, and for a row that two names fit. Subjects without any operator are not asked.
void demand_names(const std::vector<OperatorRow>& rows, std::span<const Subject> subjects,
                  std::span<const NamedWeight> weights);

/// Weights of a JSON file {"gemm": 3, "softmax": 1}, by name. Throws Error "FILE: …" with one line for what is no JSON
/// object of positive numbers, and for a name that is there twice.
std::vector<NamedWeight> read_weights(const std::filesystem::path& path);

}  // namespace gable::questions
