#include "core/worker/points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/worker/item_id.hpp"

namespace gable::worker {
namespace {

constexpr std::uint64_t input_seed = 20260101;
/// Share of the free memory one operator may take.
constexpr double memory_share = 0.25;
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

measure::Policy policy(Mode mode) {
  measure::Policy policy;
  policy.batch_s = mode == Mode::quick ? 2e-3 : 5e-3;
  policy.batches_per_block = mode == Mode::quick ? 1 : 3;
  policy.looks = mode == Mode::quick ? std::vector{8, 16} : std::vector{8, 16, 32};
  policy.time_limit_s = mode == Mode::quick ? 1.5 : 6.0;  // reached by slow runs only: eight blocks of one
  policy.warmup_s = mode == Mode::quick ? 0.02 : 0.1;
  return policy;
}

struct Job {
  Backend* backend;
  const OperatorEntry* entry;
  const Implementation* implementation;
  std::string shown_as;
  Params params;
  Types types;
  Point blank;
  Mode mode;
};

std::vector<Row> run(const Job& job) {
  Point point = job.blank;
  auto instance = job.implementation->create(job.params, job.types, input_seed, job.backend->vendor());
  auto timer = job.backend->timer(*instance);
  point.time = measure::measure(*timer, {.per_iteration = 1.0, .rate = false}, policy(job.mode));
  point.conditions = job.backend->conditions();
  return {point};
}

/// The item for a job, or for the reason why it cannot run.
Item make_item(Job job, Status status, const std::string& reason) {
  const auto storage = job.types.a;
  Item item;
  item.id = point_id(job.entry->spec->name, job.shown_as, storage, job.params.to_string());
  item.title =
      fmt::format("{} {} {} {}", job.entry->spec->name, job.shown_as, to_string(storage), job.params.to_string());
  item.expected_s = job.mode == Mode::quick ? 0.45 : 2.2;
  item.limit_s = 60.0;
  job.blank.id = item.id;
  if (status != Status::ok) {
    item.expected_s = 0;
    job.blank.status = status;
    job.blank.reason = reason;
    item.run = [row = job.blank] { return std::vector<Row>{row}; };
  } else {
    item.run = [job = std::move(job)] { return run(job); };
  }
  return item;
}

}  // namespace

std::vector<Item> point_items(Backend& backend, const DeviceInfo& device, const Request& request,
                              std::span<const OperatorEntry* const> entries) {
  std::vector<Item> items;
  if (!request.points) return items;
  const double memory = memory_share * device.free_memory_bytes;
  for (const OperatorEntry* entry : entries) {
    const OperatorSpec& spec = *entry->spec;
    if (!request.operators.empty() && !contains(request.operators, spec.name)) continue;
    for (const Types& types : spec.types) {
      if (!wanted(request, types.a)) continue;
      for (const Params& params : sizes(spec, device, types, request)) {
        Point blank;
        blank.device = device.id;
        blank.scope = request.scope;
        blank.threads = backend.threads();
        blank.op = std::string(spec.name);
        blank.types = types;
        blank.params = params.to_string();
        blank.stages = spec.work(params, types);
        const double need = buffer_bytes(spec, params, types);
        std::string too_large;
        if (need > memory) {
          too_large = fmt::format("{} {} needs {}, a run may take {} (a quarter of the free memory)", spec.name,
                                  params.to_string(), format_quantity(need, "byte"), format_quantity(memory, "byte"));
          if (!request.params.empty()) throw Error(too_large);
        }
        for (const Implementation& implementation : entry->implementations) {
          std::string reason = implementation.refuses(types, backend.vendor());
          const bool refused = !reason.empty();
          Job job{&backend, entry, &implementation, std::string(implementation.name),
                  params,   types, blank,           request.mode};
          if (implementation.name == "vendor" && backend.vendor() && !refused)
            job.shown_as = backend.vendor()->name(types);
          job.blank.implementation = job.shown_as;
          const Status status = refused ? Status::unsupported : too_large.empty() ? Status::ok : Status::skipped;
          items.push_back(make_item(std::move(job), status, refused ? reason : too_large));
        }
      }
    }
  }
  return items;
}

}  // namespace gable::worker
