#include "core/questions/interchange/kernel_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gable::interchange {
namespace {
constexpr double not_counted = std::numeric_limits<double>::quiet_NaN();
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

std::optional<std::size_t> KernelTable::find_counter(std::string_view name) const {
  const auto found = counter_at_.find(name);
  return found == counter_at_.end() ? std::nullopt : std::optional{found->second};
}

const Kernel* KernelTable::find(std::string_view name) const {
  const auto found = kernel_at_.find(name);
  return found == kernel_at_.end() ? nullptr : &kernels_[found->second];
}

bool KernelTable::join(const KernelTable& other) {
  if (kernels_.empty() || kernels_.size() != other.kernels_.size()) return false;
  for (const Kernel& kernel : other.kernels_) {
    const Kernel* const here = find(kernel.name);
    if (!here || here->calls != kernel.calls) return false;
  }
  const auto twice = [&](const std::string& name) { return find_counter(name).has_value(); };
  if (std::ranges::any_of(other.counters_, twice)) return false;
  for (const Kernel& kernel : other.kernels_) {
    Kernel& here = this->kernel(kernel.name);
    here.seconds = (here.seconds * here.runs + kernel.seconds * kernel.runs) / (here.runs + kernel.runs);
    here.runs += kernel.runs;
    for (std::size_t i = 0; i < kernel.sums.size(); ++i) {
      if (std::isnan(kernel.sums[i])) continue;
      const std::size_t at = counter(other.counters_[i]);
      add(here, at, kernel.sums[i]);
      here.counted[at] = kernel.counted[i];
    }
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

}  // namespace gable::interchange
