#include "benchmarks/goals.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/model/roofline.hpp"
#include "core/model/work.hpp"

namespace gable::bench {
namespace {

constexpr std::string_view wide = "fp64 fp32";
/// Of the time of a copy of as many bytes: within a tenth of it.
constexpr double within_a_tenth = 1 / 1.1;

constexpr std::array all_goals{
    Goal{"*", "", "", Residence::memory, Figure::bound, 0.92},
    Goal{"*", "", "", Residence::cache, Figure::bound, 0.80},
    Goal{"spmv_csr", "matrix=banded", "", Residence::memory, Figure::bound, 0.85},
    Goal{"spmv_csr", "matrix=stencil27", "", Residence::memory, Figure::bound, 0.85},
    Goal{"spmv_sell", "matrix=banded", "", Residence::memory, Figure::bound, 0.85},
    Goal{"spmv_sell", "matrix=stencil27", "", Residence::memory, Figure::bound, 0.85},
    // random access costs a line an element: no share of the roof is asked for
    Goal{"spmv_csr", "matrix=random", "", Residence::any, Figure::bound, 0},
    Goal{"spmv_sell", "matrix=random", "", Residence::any, Figure::bound, 0},
    Goal{"gather", "", "", Residence::any, Figure::bound, 0},
    Goal{"stencil7", "", "", Residence::memory, Figure::bound, 0.85},
    Goal{"stencil27", "", "", Residence::memory, Figure::bound, 0.85},
    Goal{"stencil7_blocked", "", "", Residence::memory, Figure::bound, 0.85},
    Goal{"softmax", "", "", Residence::memory, Figure::streams, within_a_tenth},
    Goal{"layernorm", "", "", Residence::memory, Figure::streams, within_a_tenth},
    Goal{"gemm", "m=1024,n=1024,k=1024", wide, Residence::any, Figure::vendor, 0.85},
    Goal{"gemm", "m=2048,n=2048,k=2048", wide, Residence::any, Figure::vendor, 0.85},
    Goal{"gemm", "m=4096,n=4096,k=4096", wide, Residence::any, Figure::vendor, 0.85},
    Goal{"gemm", "m=1,n=4096,k=4096", wide, Residence::any, Figure::vendor, 0.70},
    Goal{"gemm", "m=8,n=4096,k=4096", wide, Residence::any, Figure::vendor, 0.70},
    Goal{"gemm", "m=32,n=4096,k=4096", wide, Residence::any, Figure::vendor, 0.70},
    Goal{"gemm_int8", "", "", Residence::any, Figure::time, 1.0, "gemm", "", "fp32"},
    Goal{"attention_fused", "l=2048,d=64,mask=none", "", Residence::any, Figure::rate, 0.60, "gemm",
         "m=2048,n=2048,k=2048"},
    Goal{"attention_fused", "l=2048,d=64,mask=none", "", Residence::any, Figure::time, 1.0, "attention_naive"},
};

bool lists(std::string_view words, std::string_view word) {
  std::istringstream stream{std::string(words)};
  for (std::string one; stream >> one;) {
    if (one == word) return true;
  }
  return words.empty();
}

bool has_all(const Params& params, std::string_view wanted) {
  if (wanted.empty()) return true;
  const Params asked = Params::parse(wanted);
  return std::ranges::all_of(asked.values(), [&](const auto& pair) {
    return std::ranges::find(params.values(), pair) != params.values().end();
  });
}

bool applies(const Goal& goal, const Subject& subject) {
  const bool there = goal.where == Residence::any || goal.where == subject.where;
  return there && lists(goal.dtypes, to_string(subject.types.a)) && has_all(subject.params, goal.params);
}

}  // namespace

std::span<const Goal> speed_goals() { return all_goals; }

std::vector<Goal> goals_for(std::span<const Goal> goals, const Subject& subject) {
  std::vector<Goal> chosen;
  for (const std::string_view name : {subject.op, std::string_view("*")}) {
    for (const Goal& goal : goals) {
      const bool has_one = std::ranges::any_of(
          chosen, [&](const Goal& one) { return one.figure == goal.figure && one.other == goal.other; });
      const bool general = goal.op != subject.op;
      const bool by_library = std::ranges::find(chosen, Figure::vendor, &Goal::figure) != chosen.end();
      if (goal.op != name || has_one || (general && by_library)) continue;
      if (applies(goal, subject)) chosen.push_back(goal);
    }
  }
  return chosen;
}

std::vector<Params> goal_sizes(std::span<const Goal> goals, const OperatorSpec& spec, const Types& types) {
  std::vector<Params> sizes;
  for (const Goal& goal : goals) {
    if (goal.op != spec.name || goal.params.empty() || !lists(goal.dtypes, to_string(types.a))) continue;
    const Params params = Params::parse(goal.params);
    const bool whole =
        std::ranges::all_of(spec.parameters, [&](const auto& parameter) { return params.has(parameter.first); });
    if (whole && std::ranges::find(sizes, params) == sizes.end()) sizes.push_back(params);
  }
  return sizes;
}

bool counts_for(const Limit& limit, const Roofline& roofline) {
  if (limit.kind != LimitKind::compute) return limit.kind != LimitKind::none;
  return std::ranges::any_of(roofline.compute(),
                             [&](const ComputeRoof& roof) { return roof.label == limit.label && !is_flop(roof.unit); });
}

Residence residence(std::span<const Stage> stages, std::span<const Level> levels) {
  double moved = 0, from_memory = 0;
  for (const Stage& stage : stages) {
    const auto traffic = least_traffic(stage, levels, false);
    moved += bytes(stage);
    if (!traffic.empty()) from_memory += traffic.back();
  }
  return from_memory > moved / 2 ? Residence::memory : Residence::cache;
}

}  // namespace gable::bench
