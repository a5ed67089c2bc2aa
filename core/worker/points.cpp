#include "core/worker/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

#include "core/device/device_info.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/row_item.hpp"
#include "core/sequence.hpp"

namespace gable::worker {

Rotation::Rotation(std::vector<std::unique_ptr<OperatorInstance>> copies, int runs)
    : copies_(std::move(copies)), latest_(copies_.size() - 1), runs_(runs) {
  if (copies_.empty()) throw Error("a rotation needs at least one instance");
}

void Rotation::run() {
  for (int i = 0; i < runs_; ++i) {
    latest_ = latest_ + 1 == copies_.size() ? 0 : latest_ + 1;
    copies_[latest_]->run();
  }
}

void Rotation::fence() { copies_[latest_]->fence(); }

std::vector<std::vector<double>> Rotation::inputs() { return copies_[latest_]->inputs(); }

std::vector<std::vector<double>> Rotation::outputs() { return copies_[latest_]->outputs(); }

namespace {

constexpr std::uint64_t input_seed = 20260101;
/// Copies of an operator's arrays that a cold run goes through exceed the caches by this: of what a run touches, no
/// cache that replaces the least recently used line has any left, and one that replaces at random e^-5.
constexpr double cold_factor = 5.0;
/// More copies than this take longer to make than to measure.
constexpr double most_copies = 4096;
/// Lower bound on plausible speed: from it follows after how long an item counts as hung.
constexpr double least_flop_per_s_and_thread = 5e9;
/// Type of a quick run.
constexpr DType quick_dtype = DType::fp32;

/// Types are those of the request and of the case. A quick run of a case without any takes quick_dtype, or the first
/// type of an operator that does not have it.
bool wanted(const Request& request, const Case& one, const OperatorSpec& spec, DType storage) {
  if (!one.dtypes.empty() && std::ranges::count(one.dtypes, storage) == 0) return false;
  if (!request.dtypes.empty()) return std::ranges::count(request.dtypes, storage) != 0;
  if (!one.dtypes.empty()) return true;
  if (request.mode == Mode::full) return storage != DType::tf32;  // fp32 with less precision has to be asked for
  const bool has_quick = std::ranges::count(spec.types, quick_dtype, &Types::a) != 0;
  return storage == (has_quick ? quick_dtype : spec.types.front().a);
}

/// Time that arithmetic of a run takes at what a thread of a CPU, or a multiprocessor of a GPU, usually computes, s.
double arithmetic_s(const std::vector<Stage>& stages, int threads) {
  constexpr double flop_per_s_and_thread = 5e10;
  return flops(stages) / (flop_per_s_and_thread * std::max(1, threads));
}

/// Sizes to run: those of the case, else the operator's own; a quick run takes the largest whose arithmetic is not too
/// long for it, or the smallest.
std::vector<Params> sizes(const OperatorSpec& spec, const DeviceInfo& device, const Types& types, const Case& one,
                          Mode mode, int threads) {
  constexpr double longest_quick_s = 0.1;
  if (!one.params.empty()) return mapped(one.params, [&](const Params& params) { return ordered(spec, params); });
  auto all = spec.default_params(device, types);
  if (mode == Mode::full || all.size() < 2) return all;
  const auto quick = std::find_if(all.rbegin(), all.rend() - 1, [&](const Params& params) {
    return arithmetic_s(spec.work(params, types), threads) <= longest_quick_s;
  });
  return {*quick};
}

/// How much slower than the first one all runs may be and the point still be measured: quick mode keeps its time.
constexpr double slack(Mode mode) { return mode == Mode::full ? 1.5 : 1.25; }

/// Time after which a run of these stages hangs, s.
double timeout_s(const std::vector<Stage>& stages, int threads) {
  const double slowest_s = flops(stages) / (least_flop_per_s_and_thread * std::max(1, threads));
  return 60.0 + measure::with_room_for(point_policy(Mode::full), slack(Mode::full) * slowest_s).time_limit_s;
}

struct Job {
  Backend* backend;
  const Implementation* implementation;
  Params params;
  Types types;
  Point blank;
  Mode mode;
  int exact_runs{0};      ///< Request::exact_runs
  int copies{1};          ///< of the arrays
  double needed_bytes{};  ///< of all copies
};

std::unique_ptr<Rotation> make_rotation(const Job& job) {
  std::vector<std::unique_ptr<OperatorInstance>> copies;
  for (int i = 0; i < job.copies; ++i) {
    copies.push_back(job.implementation->create(job.params, job.types, input_seed + static_cast<std::uint64_t>(i),
                                                job.backend->vendor()));
  }
  return std::make_unique<Rotation>(std::move(copies), job.blank.launches);
}

std::unique_ptr<measure::Benchmark> timer_of(const Job& job, OperatorInstance& instance) {
  return job.blank.graph ? job.backend->graph(instance) : job.backend->timer(instance);
}

/// One batch of exactly so many runs. Its time is kept, but it is no sample: a profiler may slow it down.
std::vector<Row> run_exactly(const Job& job) {
  Point point = job.blank;
  const std::unique_ptr<Rotation> rotation = make_rotation(job);
  const auto batch = timer_of(job, *rotation)->run(static_cast<std::uint64_t>(job.exact_runs));
  point.time = single_figure(batch.time_s / job.exact_runs);
  mark(point, Status::suspect, fmt::format("run exactly {} times in one batch: no interval", job.exact_runs));
  return {point};
}

/// One round.
std::vector<Row> run(const Job& job) {
  if (job.exact_runs > 0) return run_exactly(job);
  Point point = job.blank;
  const std::unique_ptr<Rotation> rotation = make_rotation(job);
  const auto timer = timer_of(job, *rotation);
  point.time = measure::measure(*timer, {.per_iteration = 1.0, .rate = false}, point_policy(job.mode));
  point.conditions = job.backend->conditions();
  return {point};
}

std::string title(const Point& point) {
  std::string text = fmt::format("{} {} {} {}", point.op, point.implementation, to_string(point.types.a), point.params);
  if (point.cold) text += ", cold";
  if (point.launches > 1) text += fmt::format(", {} launches", point.launches);
  if (point.graph) text += ", graph";
  return text;
}

/// Of one round, s, by what a thread of a CPU usually moves and computes: calibration and blocks of runs that are
/// longer than a batch come on top of the policy's time.
double expected_s(const Job& job) {
  constexpr double byte_per_s_and_thread = 1e10;
  const double run_s = std::max(job.needed_bytes / (byte_per_s_and_thread * std::max(1, job.blank.threads)),
                                arithmetic_s(job.blank.stages, job.blank.threads));
  return job.mode == Mode::quick ? 0.1 + 6 * run_s : 0.5 + 20 * run_s;
}

/// The item for a job, or for the reason why it cannot run.
Item make_item(Job job, Status status, const std::string& reason) {
  Point& blank = job.blank;
  Item item;
  item.title = title(blank);
  item.expected_s = expected_s(job);
  item.timeout_s = timeout_s(blank.stages, blank.threads) * std::max(1, job.exact_runs);
  blank.id = point_id(blank);
  mark(blank, status, reason);
  item.planned = blank;
  if (status != Status::ok) {
    item.expected_s = 0;
    item.run = [row = item.planned] { return std::vector{row}; };
  } else {
    item.run = [job = std::move(job)] { return run(job); };
  }
  return item;
}

/// One size of one operator in one type: what its items share.
struct Sized {
  const OperatorSpec* spec;
  Params params;
  Types types;
  double needed_bytes;  ///< of its arrays and its workspace
  double memory_bytes;  ///< what the run may take
  bool free_known;      ///< it is a share of the free memory, else of all
  double cache_bytes;   ///< of the scope, all levels together

  std::string too_large(double need_bytes) const {
    if (need_bytes <= memory_bytes) return {};
    return fmt::format("{} {} needs {}, a run may take {} (a quarter of the {} memory)", spec->name, params.to_string(),
                       format_quantity(need_bytes, "byte"), format_quantity(memory_bytes, "byte"),
                       free_known ? "free" : "whole");
  }
  bool fits_the_caches() const { return needed_bytes <= cache_bytes; }
  double cold_copies() const { return std::max(2.0, std::ceil(cold_factor * cache_bytes / needed_bytes)); }
  /// Why it cannot be run on so many copies of its arrays; empty if it can.
  std::string too_many(double copies) const {
    if (copies <= most_copies) return too_large(needed_bytes * copies);
    return fmt::format("runs of {} {} would go through {:.0f} copies of its arrays, at most {:.0f} are made",
                       spec->name, params.to_string(), copies, most_copies);
  }
};

Point blank_point(const Sized& of, const Case& one, const Backend& backend, const DeviceInfo& device, Scope scope) {
  Point blank;
  blank.device = device.id;
  blank.scope = scope;
  blank.threads = backend.threads();
  blank.op = std::string(of.spec->name);
  blank.types = of.types;
  blank.params = of.params.to_string();
  blank.stages = repeated(of.spec->work(of.params, of.types), one.launches);
  blank.launches = one.launches;
  blank.graph = one.graph;
  blank.count = one.count;
  blank.label = one.label;
  return blank;
}

struct Ability {
  Status status;
  std::string reason;  ///< why it cannot run; empty if it can
};

/// A library that fails while it is asked, because it does not start for instance, costs its own rows and no others.
Ability ability(const Implementation& implementation, const Types& types, const VendorLibrary* vendor) {
  try {
    std::string refused = implementation.refuses(types, vendor);
    return {refused.empty() ? Status::ok : Status::unsupported, std::move(refused)};
  } catch (const std::exception& failure) {
    return {Status::error, failure.what()};
  }
}

/// Hot, and in a full run of plain launches, where the data fit the caches, cold. Exact runs are hot.
void add_items(std::vector<Item>& items, const Sized& of, const Implementation& implementation, Backend& backend,
               Point blank, const Request& request) {
  const Mode mode = request.mode;
  Ability able = ability(implementation, of.types, backend.vendor());
  const bool vendor = implementation.library != nullptr;
  blank.implementation = std::string(implementation.name);
  if (vendor && backend.vendor() && able.status != Status::unsupported) {
    blank.implementation = implementation.library(of.types, *backend.vendor());
  }
  if (able.status == Status::ok && blank.graph) {
    able.reason = backend.refuses_graphs();
    if (!able.reason.empty()) able.status = Status::unsupported;
  }
  // The fixed cost that is measured is that of the portable launch, which a library and a graph do without.
  for (Stage& stage : blank.stages) stage.launches = vendor || blank.graph ? 0 : stage.launches;
  const bool plain = blank.launches == 1 && !blank.graph;
  for (const bool cold : {false, true}) {
    if (cold && (mode == Mode::quick || request.exact_runs > 0 || !plain || !of.fits_the_caches())) continue;
    const double copies = cold ? of.cold_copies() : blank.launches;
    const std::string too_many = of.too_many(copies);
    Job job{&backend, &implementation, of.params, of.types, blank, mode, request.exact_runs, 1, 0};
    job.blank.cold = cold;
    if (too_many.empty()) job.copies = static_cast<int>(copies);
    job.needed_bytes = of.needed_bytes * job.copies;
    const bool skipped = able.status == Status::ok && !too_many.empty();
    items.push_back(
        make_item(std::move(job), skipped ? Status::skipped : able.status, skipped ? too_many : able.reason));
  }
}

/// Another build's worker may lack an operator that the parent knows.
Item absent_item(const std::string& op, const Backend& backend, const DeviceInfo& device, Scope scope) {
  Point absent;
  absent.id = "point/" + op;
  absent.device = device.id;
  absent.scope = scope;
  absent.threads = backend.threads();
  absent.op = op;
  mark(absent, Status::unsupported, "this worker has no such operator");
  Item item;
  item.planned = absent;
  item.title = absent.id;
  item.expected_s = 0;
  item.run = [row = item.planned] { return std::vector{row}; };
  return item;
}

const OperatorEntry* find_entry(std::span<const OperatorEntry* const> entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, [](const OperatorEntry* entry) { return entry->spec->name; });
  return found == entries.end() ? nullptr : *found;
}

/// What the request asks for, or every operator.
std::vector<Case> cases_of(const Request& request, std::span<const OperatorEntry* const> entries) {
  if (!request.cases.empty()) return request.cases;
  return mapped(entries, [](const OperatorEntry* entry) { return Case{.op = std::string(entry->spec->name)}; });
}

/// The same for cases that mean the same run: the first of them is kept.
std::string key_of(const Point& point) {
  const Types& types = point.types;
  return fmt::format("{} {} {} {} {} {} {} {} {}", point.op, point.params, to_string(types.a), to_string(types.b),
                     to_string(types.out), to_string(types.accumulate), to_string(types.compute), point.launches,
                     point.graph);
}

}  // namespace

measure::Policy point_policy(Mode mode) {
  return {.batch_s = mode == Mode::quick ? 2e-3 : 5e-3,
          .batches_per_block = mode == Mode::quick ? 1 : 3,
          .blocks = mode == Mode::quick ? 4 : 5,
          .warmup_s = mode == Mode::quick ? 0.02 : 0.1,
          .time_limit_s = mode == Mode::quick ? 0.3 : 1.5,
          .room = slack(mode)};
}

std::vector<Item> point_items(Backend& backend, const DeviceInfo& device, const Request& request,
                              std::span<const OperatorEntry* const> entries) {
  std::vector<Item> items;
  std::set<std::string> planned;
  if (!request.points) return items;
  const DeviceInfo part = part_of(device, request.scope, request.threads);
  const double memory_bytes = run_memory_bytes(device);
  const double caches = sum_over(levels_of(device, request.scope, request.threads), &Level::capacity_bytes);
  for (const Case& one : cases_of(request, entries)) {
    const OperatorEntry* entry = find_entry(entries, one.op);
    if (entry == nullptr) {
      items.push_back(absent_item(one.op, backend, device, request.scope));
      continue;
    }
    const OperatorSpec& spec = *entry->spec;
    for (const Types& types : spec.types) {
      if (!wanted(request, one, spec, types.a)) continue;
      for (const Params& params : sizes(spec, part, types, one, request.mode, backend.threads())) {
        const Sized of{&spec,        params,
                       types,        gable::memory_bytes(spec, params, types, memory_bytes),
                       memory_bytes, device.free_memory_bytes > 0,
                       caches};
        const std::string too_large = of.too_large(of.needed_bytes);
        if (!too_large.empty() && one.must_fit) throw Error(too_large);
        const Point blank = blank_point(of, one, backend, device, request.scope);
        if (!planned.insert(key_of(blank)).second) continue;
        for (const Implementation& implementation : entry->implementations) {
          if (request.exact_runs > 0 && implementation.library != nullptr) continue;
          add_items(items, of, implementation, backend, blank, request);
        }
      }
    }
  }
  return items;
}

}  // namespace gable::worker
