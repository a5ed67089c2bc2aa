#include "core/worker/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/device/plannable_memory.hpp"
#include "core/error.hpp"
#include "core/measure/policy_time.hpp"
#include "core/model/units.hpp"
#include "core/worker/item_id.hpp"
#include "core/worker/rotation.hpp"

namespace gable::worker {
namespace {

constexpr std::uint64_t input_seed = 20260101;
/// Share of plannable_memory_bytes() one operator may take.
constexpr double memory_share = 0.25;
/// Copies of an operator's arrays that a cold run goes through exceed the caches by this: of what a run touches, no
/// cache that replaces the least recently used line has any left, and one that replaces at random e^-5.
constexpr double cold_factor = 5.0;
/// More copies than this take longer to make than to measure.
constexpr double most_cold_copies = 4096;
/// No operator is so slow: what takes longer hangs.
constexpr double least_flop_per_s_and_thread = 5e9;
/// Types of a quick run.
constexpr DType quick_dtypes[] = {DType::fp32};

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

bool wanted(const Request& request, DType storage) {
  if (!request.dtypes.empty()) return contains(request.dtypes, storage);
  return request.mode == Mode::full || contains(quick_dtypes, storage);
}

/// Sizes to run: the user's, else the operator's own; a quick run takes the largest.
std::vector<Params> sizes(const OperatorSpec& spec, const DeviceInfo& device, const Types& types,
                          const Request& request) {
  if (!request.params.empty()) return request.params;
  auto all = spec.default_params(device, types);
  if (request.mode == Mode::quick && all.size() > 1) all.erase(all.begin(), all.end() - 1);
  return all;
}

double buffer_bytes(const OperatorSpec& spec, const Params& params, const Types& types) {
  double sum = 0;
  for (const auto& buffer : spec.buffers(params, types)) {
    sum += static_cast<double>(buffer.count) * size_bytes(buffer.dtype);
  }
  return sum;
}

/// How much slower than the first one all runs may be and the point still be measured: quick mode keeps its time.
constexpr double slack(Mode mode) { return mode == Mode::full ? 1.5 : 1.25; }

/// Time after which a run of these stages hangs, s.
double limit_s(const std::vector<Stage>& stages, int threads) {
  double work = 0;
  for (const Stage& stage : stages) work += flops(stage);
  const double slowest_s = work / (least_flop_per_s_and_thread * std::max(1, threads));
  return 60.0 + measure::with_room_for(point_policy(Mode::full), slack(Mode::full) * slowest_s).time_limit_s;
}

struct Job {
  Backend* backend;
  const Implementation* implementation;
  Params params;
  Types types;
  Point blank;
  Mode mode;
  int copies{1};  ///< of the arrays; more than one: cold
};

std::vector<Row> run(const Job& job) {
  Point point = job.blank;
  std::vector<std::unique_ptr<OperatorInstance>> copies;
  for (int i = 0; i < job.copies; ++i) {
    copies.push_back(job.implementation->create(job.params, job.types, input_seed + static_cast<std::uint64_t>(i),
                                                job.backend->vendor()));
  }
  Rotation rotation(std::move(copies));
  auto timer = job.backend->timer(rotation);
  const auto with_room = measure::with_room_for(point_policy(job.mode), slack(job.mode) * timer->run(1).time_s);
  point.time = measure::measure(*timer, {.per_iteration = 1.0, .rate = false}, with_room);
  point.conditions = job.backend->conditions();
  return {point};
}

/// The item for a job, or for the reason why it cannot run.
Item make_item(Job job, Status status, const std::string& reason) {
  Point& blank = job.blank;
  Item item;
  item.id = point_id(blank.op, blank.implementation, blank.types.a, blank.params, blank.cold);
  item.title = fmt::format("{} {} {} {}{}", blank.op, blank.implementation, to_string(blank.types.a), blank.params,
                           blank.cold ? ", cold" : "");
  item.expected_s = job.mode == Mode::quick ? 0.45 : 2.2;
  item.limit_s = limit_s(blank.stages, blank.threads);
  blank.id = item.id;
  if (status != Status::ok) {
    item.expected_s = 0;
    blank.status = status;
    blank.reason = reason;
    item.run = [row = blank] { return std::vector<Row>{row}; };
  } else {
    item.run = [job = std::move(job)] { return run(job); };
  }
  return item;
}

/// One size of one operator in one type: what its items share.
struct Case {
  const OperatorSpec* spec;
  Params params;
  Types types;
  double buffer_bytes;
  double memory_bytes;  ///< what the run may take
  bool free_known;      ///< it is a share of the free memory, else of all
  double cache_bytes;   ///< of the scope, all levels together

  std::string too_large(double need_bytes) const {
    if (need_bytes <= memory_bytes) return {};
    return fmt::format("{} {} needs {}, a run may take {} (a quarter of the {} memory)", spec->name, params.to_string(),
                       format_quantity(need_bytes, "byte"), format_quantity(memory_bytes, "byte"),
                       free_known ? "free" : "whole");
  }
  bool fits_the_caches() const { return buffer_bytes <= cache_bytes; }
  double cold_copies() const { return std::max(2.0, std::ceil(cold_factor * cache_bytes / buffer_bytes)); }
  /// Why it cannot be run on so many copies of its arrays; empty if it can.
  std::string too_many(double copies) const {
    if (copies <= most_cold_copies) return too_large(buffer_bytes * copies);
    return fmt::format("cold runs of {} {} would go through {:.0f} copies of its arrays, at most {:.0f} are made",
                       spec->name, params.to_string(), copies, most_cold_copies);
  }
};

Point blank_point(const Case& of, const Backend& backend, const DeviceInfo& device, const Request& request) {
  Point blank;
  blank.device = device.id;
  blank.scope = request.scope;
  blank.threads = backend.threads();
  blank.op = std::string(of.spec->name);
  blank.types = of.types;
  blank.params = of.params.to_string();
  blank.stages = of.spec->work(of.params, of.types);
  return blank;
}

/// Hot, and in a full run, where the data fit the caches, cold.
void add_items(std::vector<Item>& items, const Case& of, const Implementation& implementation, Backend& backend,
               Point blank, Mode mode) {
  const std::string refused = implementation.refuses(of.types, backend.vendor());
  const bool vendor = implementation.name == "vendor";
  blank.implementation = std::string(implementation.name);
  if (vendor && backend.vendor() && refused.empty()) blank.implementation = backend.vendor()->name(of.types);
  // The fixed cost that is measured is that of the portable launch, which a library does without.
  for (Stage& stage : blank.stages) stage.launches = vendor ? 0 : stage.launches;
  for (const bool cold : {false, true}) {
    if (cold && (mode == Mode::quick || !of.fits_the_caches())) continue;
    const double copies = cold ? of.cold_copies() : 1;
    const std::string too_many = of.too_many(copies);
    Job job{&backend, &implementation, of.params, of.types, blank, mode};
    job.blank.cold = cold;
    if (too_many.empty()) job.copies = static_cast<int>(copies);
    const Status status = !refused.empty() ? Status::unsupported : too_many.empty() ? Status::ok : Status::skipped;
    items.push_back(make_item(std::move(job), status, refused.empty() ? too_many : refused));
  }
}

}  // namespace

measure::Policy point_policy(Mode mode) {
  measure::Policy policy;
  policy.batch_s = mode == Mode::quick ? 2e-3 : 5e-3;
  policy.batches_per_block = mode == Mode::quick ? 1 : 3;
  policy.looks = mode == Mode::quick ? std::vector{8, 16} : std::vector{8, 16, 32};
  policy.time_limit_s = mode == Mode::quick ? 0.8 : 6.0;
  policy.warmup_s = mode == Mode::quick ? 0.02 : 0.1;
  return policy;
}

std::vector<Item> point_items(Backend& backend, const DeviceInfo& device, const Request& request,
                              std::span<const OperatorEntry* const> entries) {
  std::vector<Item> items;
  if (!request.points) return items;
  const DeviceInfo part = part_of(device, request.scope, request.threads);
  double caches = 0;
  for (const Level& level : levels_of(device, request.scope, request.threads)) caches += level.capacity_bytes;
  for (const OperatorEntry* entry : entries) {
    const OperatorSpec& spec = *entry->spec;
    if (!request.operators.empty() && !contains(request.operators, spec.name)) continue;
    for (const Types& types : spec.types) {
      if (!wanted(request, types.a)) continue;
      for (const Params& params : sizes(spec, part, types, request)) {
        const Case one{&spec,
                       params,
                       types,
                       buffer_bytes(spec, params, types),
                       memory_share * plannable_memory_bytes(device),
                       device.free_memory_bytes > 0,
                       caches};
        const std::string too_large = one.too_large(one.buffer_bytes);
        if (!too_large.empty() && !request.params.empty()) throw Error(too_large);
        const Point blank = blank_point(one, backend, device, request);
        for (const Implementation& implementation : entry->implementations) {
          add_items(items, one, implementation, backend, blank, request.mode);
        }
      }
    }
  }
  return items;
}

}  // namespace gable::worker
