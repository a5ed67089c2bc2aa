#include <fmt/format.h>

#include "cli/compare_parts.hpp"
#include "core/analysis/cost.hpp"
#include "core/report/comparison_tables.hpp"

namespace gable::cli {
namespace {

using namespace analysis;
using namespace report;

/// Cost of everything that is on both of two sides, with the counts of a census.
std::string totals_text(const Compared& compared, int width) {
  const auto& prices = compared.options.prices;
  std::string text;
  for (std::size_t i = 1; i < compared.subjects.size(); ++i) {
    const auto& mean = compared.answer.means[i];
    if (!mean || mean->scope != Scope::node || !prices[0] || !prices[i]) continue;
    const double of_a = cost_of_time(mean->baseline_s, *prices[0]), of_b = cost_of_time(mean->other_s, *prices[i]);
    text +=
        wrap(fmt::format("all operators that are on A and {}{} together: {:.3g} on A, {:.3g} on {}: {:.3g}", letter(i),
                         mean->counted ? ", with their counts," : "", of_a, of_b, letter(i), of_b / of_a),
             width, 0);
  }
  return text;
}

}  // namespace

std::string energy_text(const Compared& compared, int width) {
  return titled("energy: work per joule, at the power read during each row", energy_table(compared), width);
}

std::string price_text(const Compared& compared, int width) {
  if (compared.options.prices.empty()) return "";
  return titled("work per unit of the price", work_per_price_table(compared), width) +
         titled("cost of one run, in units of the price (below 1: cheaper)", cost_of_runs_table(compared), width) +
         totals_text(compared, width);
}

}  // namespace gable::cli
