#include "core/questions/interchange/kernel_table.hpp"

#include <algorithm>
#include <cmath>

namespace gable::interchange {
namespace {
constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();
constexpr double alike = 0.1;  ///< relative difference of one counter in two runs of one program
}  // namespace

void Kernel::add_calls(double count, double time_s, double shortest, double longest) {
  calls += count;
  seconds += time_s;
  shortest_s = std::min(shortest_s, longest > 0 ? shortest : 0);
  longest_s = std::max(longest_s, longest);
}

std::size_t KernelTable::counter(std::string_view name) {
  if (const auto known = counter_at_.find(name); known != counter_at_.end()) return known->second;
  counter_at_.emplace(name, counters_.size());
  counters_.emplace_back(name);
  return counters_.size() - 1;
}

std::size_t KernelTable::kernel_index(std::string_view name) {
  if (const auto known = kernel_at_.find(name); known != kernel_at_.end()) return known->second;
  kernel_at_.emplace(name, kernels_.size());
  kernels_.push_back({.name = std::string(name), .sums = {}});
  return kernels_.size() - 1;
}

void KernelTable::add(Kernel& kernel, std::size_t counter, double value) {
  if (kernel.sums.size() <= counter) kernel.sums.resize(counter + 1, not_counted);
  if (kernel.counted.size() <= counter) kernel.counted.resize(counter + 1, 0);
  kernel.counted[counter] += 1;
  double& sum = kernel.sums[counter];
  sum = std::isnan(sum) ? value : sum + value;
}

std::size_t KernelTable::drop_untimed() {
  const std::size_t dropped = std::erase_if(kernels_, [](const Kernel& kernel) { return !(kernel.seconds > 0); });
  kernel_at_.clear();
  for (std::size_t i = 0; i < kernels_.size(); ++i) kernel_at_.emplace(kernels_[i].name, i);
  return dropped;
}

std::optional<std::size_t> KernelTable::find_counter(std::string_view name) const {
  const auto found = counter_at_.find(name);
  return found == counter_at_.end() ? std::nullopt : std::optional{found->second};
}

const Kernel* KernelTable::find(std::string_view name) const {
  const auto found = kernel_at_.find(name);
  return found == kernel_at_.end() ? nullptr : &kernels_[found->second];
}

/// Whether the other table is of a further run of the same program, with counters of its own.
bool KernelTable::is_run_of(const KernelTable& other) const {
  if (kernels_.empty() || kernels_.size() != other.kernels_.size()) return false;
  const auto of_both = [&](const std::string& name) { return find_counter(name).has_value(); };
  const auto shared = static_cast<std::size_t>(std::ranges::count_if(other.counters_, of_both));
  if (shared > 0 && (shared == counters_.size() || shared == other.counters_.size())) return false;
  for (const Kernel& there : other.kernels_) {
    const Kernel* const here = find(there.name);
    if (!here || here->calls != there.calls) return false;
    const bool sized = here->work_items > 0 && there.work_items > 0;
    if (sized && here->work_items != there.work_items) return false;
    for (std::size_t i = 0; !sized && i < there.sums.size(); ++i) {
      const auto at = find_counter(other.counters_[i]);
      if (!at || *at >= here->sums.size()) continue;
      const double a = here->sums[*at], b = there.sums[i];
      if (std::abs(a - b) > alike * std::max(std::abs(a), std::abs(b))) return false;  // false of NaN, too
    }
  }
  return true;
}

bool KernelTable::join(const KernelTable& other) {
  if (!is_run_of(other)) return false;
  for (const Kernel& kernel : other.kernels_) {
    Kernel& here = this->kernel(kernel.name);
    const int before = std::max(here.runs, 1), added = std::max(kernel.runs, 1);
    for (std::size_t i = 0; i < kernel.sums.size(); ++i) {
      if (std::isnan(kernel.sums[i])) continue;
      const std::size_t at = counter(other.counters_[i]);
      const bool of_both = at < here.sums.size() && !std::isnan(here.sums[at]);
      const double mean = of_both ? (here.sums[at] * before + kernel.sums[i] * added) / (before + added) : 0;
      add(here, at, kernel.sums[i]);
      if (of_both) here.sums[at] = mean;
      here.counted[at] = of_both ? std::min(here.counted[at] - 1, kernel.counted[i]) : kernel.counted[i];
    }
    const int runs = here.runs + kernel.runs;
    if (runs > 0) here.seconds = (here.seconds * here.runs + kernel.seconds * kernel.runs) / runs;
    if (kernel.runs > 0) {
      here.shortest_s = here.runs > 0 ? std::min(here.shortest_s, kernel.shortest_s) : kernel.shortest_s;
      here.longest_s = std::max(here.longest_s, kernel.longest_s);
    }
    here.runs = runs;
    here.work_items = std::max(here.work_items, kernel.work_items);
  }
  return true;
}

std::optional<double> Counted::find(std::string_view counter) {
  const auto at = table_.find_counter(counter);
  if (!at || *at >= kernel_.sums.size() || std::isnan(kernel_.sums[*at])) return {};
  if (kernel_.counted[*at] < kernel_.launches) return {};  // the sum is of some launches only
  if (std::ranges::count(used_, counter) == 0) {
    used_.reserve(table_.counters().size());
    used_.emplace_back(counter);
  }
  return kernel_.sums[*at];
}

std::optional<double> Counted::first_of(std::initializer_list<std::string_view> counters) {
  for (const std::string_view counter : counters) {
    if (const auto found = find(counter)) return found;
  }
  return {};
}

}  // namespace gable::interchange
