#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/error.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"
#include "core/questions/explain/lever.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// A product of `rows` rows behind the weights of the point's; the point itself has rows_now.
struct WeightProduct {
  const OperatorSpec* spec;
  Params params;
  std::string rows;  ///< name of the size
  Index rows_now;
};

/// The sizes of a gemm, with any epilogue, or of a gemv as a gemm of one row.
std::optional<WeightProduct> product_of(const Point& point, Operators operators) {
  const auto* spec = known_operator(point, operators);
  if (!spec || point.params.empty() || point.launches > 1) return {};
  Params params;
  try {
    params = Params::parse(point.params);
  } catch (const Error&) {
    return {};
  }
  const auto has = [&](const std::vector<std::string>& names) {
    return params.values().size() == names.size() &&
           std::ranges::all_of(names, [&](const std::string& name) { return params.has(name); });
  };
  if (has({"m", "n", "k"})) return WeightProduct{spec, params, "m", params.at("m")};
  const auto* gemm = known_spec(operators, "gemm");
  if (point.op != "gemv" || !gemm || !has({"m", "n"})) return {};
  return WeightProduct{gemm, {{"m", Index{1}}, {"n", params.at("m")}, {"k", params.at("n")}}, "m", 1};
}

/// Least time of one row; nothing where sizes overflow, memory does not suffice or a roof is missing.
std::optional<double> row_time(const LeverInput& now, const WeightProduct& product, Index rows) {
  Params params = product.params;
  params.set(product.rows, rows);
  std::vector<Stage> stages;
  try {
    stages = product.spec->work(params, now.point.types);
  } catch (const Error&) {
    return {};
  }
  const auto& roofline = now.machine.roofline;
  const auto most = now.machine.memory_byte;
  if (most && std::ranges::any_of(stages, [&](const Stage& stage) { return stage.working_set > *most; })) return {};
  const auto judgement = roofline.judge(stages, now.point.types, now.point.cold);
  return judgement.stands() ? std::optional{judgement.bound->time_s / static_cast<double>(rows)} : std::nullopt;
}

double narrowness(DType dtype) { return dtype == DType::tf32 ? 3 : size_bytes(dtype); }

/// The point's work in other types.
struct Retyped {
  DType type;  ///< of its operands, or tf32
  Types types;
  std::vector<Stage> stages;
};

/// fp32 products in units of tf32: as many bytes. Nothing of other work, and where there is no such unit.
std::optional<Retyped> in_tf32(const LeverInput& now) {
  Types types = uniform_types(DType::fp32);
  if (now.point.types != types || main_unit(now.point.stages) != Unit::multiply_add) return {};
  if (std::ranges::count(now.machine.roofline.compute(), DType::tf32, &ComputeRoof::dtype) == 0) return {};
  types.compute = DType::tf32;
  return Retyped{DType::tf32, types, now.point.stages};
}

std::vector<Retyped> retyped_by(const OperatorSpec& spec, const Point& point) {
  std::vector<Retyped> list;
  const Params params = Params::parse(point.params);
  for (const Types& types : spec.types) {
    if (narrowness(types.a) >= narrowness(point.types.a)) continue;
    list.push_back({types.a, types, repeated(spec.work(params, types), point.launches)});
  }
  return list;
}

/// Floating-point types that numbers of any size cannot simply be stored in: block-scaled, or of less than 8 bits.
bool needs_scales(DType dtype) { return is_block_scaled(dtype) || (!is_integer(dtype) && size_bytes(dtype) < 1); }

std::vector<Retyped> retyped_whole(const Point& point) {
  std::vector<Retyped> list;
  for (const DType dtype : all_dtypes) {
    if (narrowness(dtype) >= narrowness(point.types.a) || is_integer(dtype) != is_integer(point.types.a)) continue;
    if (needs_scales(dtype)) continue;
    Point narrower = retyped(point, dtype);
    list.push_back({dtype, narrower.types, std::move(narrower.stages)});
  }
  return list;
}

/// Whether some data come from main memory now. In a narrower type they are assumed to do so too, even if they then fit
/// into a cache: what runs in between replaces them.
bool from_memory(const LeverInput& now) {
  return now.point.cold || std::ranges::any_of(now.point.stages, [&](const Stage& stage) {
           const auto traffic = least_traffic(stage, now.machine.roofline.levels(), false);
           return !traffic.empty() && traffic.back() > 0;
         });
}

Lever judged(const LeverInput& now, const Retyped& narrower) {
  const auto& roofline = now.machine.roofline;
  Lever lever{"lower precision",
              fmt::format("{} instead of {}", to_string(narrower.type), to_string(now.point.types.a)),
              {},
              ""};
  lever.narrower = true;
  const bool cold = from_memory(now);
  const auto then = roofline.judge(narrower.stages, narrower.types, cold);
  const auto wide = roofline.judge(now.point.stages, now.point.types, cold).bound;
  if (!then.stands() || !wide) {
    lever.assumption = fmt::format("no roof for {}", fmt::join(then.missing_names(), ", "));
    return lever;
  }
  lever.factor = start_s(now, wide->time_s) / then.bound->time_s;
  lever.assumption = fmt::format("{}, and a kernel for the type comes as close to its roof",
                                 narrower.type == DType::tf32 ? "10 bits of mantissa suffice for the factors"
                                                              : "the result tolerates the rounding");
  return lever;
}

}  // namespace

std::optional<double> bytes_whatever_the_batch(const Point& point, Operators operators) {
  const auto product = product_of(point, operators);
  if (!product) return {};
  const auto bytes_of_rows = [&](Index rows) {
    Params params = product->params;
    params.set(product->rows, rows);
    return bytes(product->spec->work(params, point.types));
  };
  try {
    return figure(2 * bytes_of_rows(product->rows_now) - bytes_of_rows(2 * product->rows_now));
  } catch (const Error&) {  // sizes that overflow, or types that it does not take
    return {};
  }
}

std::optional<Lever> batch(const LeverInput& now) {
  const auto product = product_of(now.point, now.operators);
  if (!product) return {};
  const auto bound = row_time(now, *product, product->rows_now);
  Lever lever{"batch", "", {}, "the sizes of the weights are not known to this build, or a roof is missing"};
  if (!bound) return lever;
  double best = *bound;
  Index rows = product->rows_now;
  constexpr Index most = Index{1} << 24;
  for (Index tried = 2 * rows; tried <= most; tried *= 2) {
    const auto time = row_time(now, *product, tried);
    if (!time || *time * least_gain > best) break;
    best = *time;
    rows = tried;
  }
  lever.change = fmt::format("{} rows at once instead of {}", rows, product->rows_now);
  const double rows_now = static_cast<double>(product->rows_now);
  lever.factor = start_s(now, *bound * rows_now) / rows_now / best;
  lever.assumption = "that many rows wait for the same weights; the factor is that of the time of one row";
  return lever;
}

std::vector<Lever> lower_precision(const LeverInput& now) {
  const auto* spec = known_operator(now.point, now.operators);
  std::vector<Retyped> candidates;
  if (spec && !now.point.params.empty()) {
    try {
      candidates = retyped_by(*spec, now.point);
      if (auto tf32 = in_tf32(now)) candidates.push_back(*std::move(tf32));
    } catch (const Error& error) {  // a file of another version, whose operator took other sizes
      return {{"lower precision", "", {}, error.what()}};
    }
  } else if (!ran_here(now.point)) {
    candidates = retyped_whole(now.point);
  } else {
    return {{"lower precision", "", {}, fmt::format("operator {} is not known to this build", now.point.op)}};
  }
  std::map<double, Lever> best;
  for (const Retyped& candidate : candidates) {
    Lever lever = judged(now, candidate);
    const auto [kept, fresh] = best.try_emplace(narrowness(candidate.type), lever);
    if (!fresh && lever.factor.value_or(0) > kept->second.factor.value_or(0)) kept->second = std::move(lever);
  }
  return mapped(best, [](auto& one) { return std::move(one.second); });
}

}  // namespace gable::questions
