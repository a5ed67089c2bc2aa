#include "core/questions/plan/inference_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/device/find_product.hpp"
#include "core/error.hpp"
#include "core/model/units.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/sequence.hpp"
#include "core/verdict/measured_judgement.hpp"

namespace gable::questions {
namespace {

constexpr Count launches_beside_rows = 2;  ///< the input table and the last norm

void bound_operators(PhasePlan& phase, const MachineModel& machine) {
  double work = phase.all_reduce_s.value_or(0), launches = 0;
  bool complete = true;
  for (PlannedOperator& op : phase.operators) {
    const std::vector stages{op.stage};
    const auto judgement = machine.roofline.judge(stages, op.types, true);
    op.missing = judgement.missing_names();
    if (judgement.stands()) op.bound = judgement.bound;
    complete = complete && op.bound.has_value();
    if (!op.bound) continue;
    work += op.bound->work_s * number(op.times);
    launches += op.bound->overhead_s * number(op.times);
  }
  if (const auto& overhead = machine.roofline.overhead()) {
    phase.launch_s = overhead->seconds * number(phase.launches);
    launches += overhead->seconds * number(launches_beside_rows);
  }
  if (!complete) return;
  phase.work_s = work;
  phase.time_s = work + launches;
}

/// One direction of the links that so many devices have between them.
std::optional<double> all_reduce_byte_per_s(const MachineModel& machine, Count devices) {
  if (!machine.link_byte_per_s) return {};
  const double used = machine.links ? std::min(1.0, number(devices - 1) / *machine.links) : 1;
  return *machine.link_byte_per_s / 2 * used;
}

/// The measured all-reduce, if it was one of so many ranks.
const MeasuredAllReduce* measured_among(const MachineModel& machine, Count devices) {
  return machine.all_reduce && machine.all_reduce->ranks == number(devices) ? &*machine.all_reduce : nullptr;
}

/// Time of all sums of a phase, two a layer, each of so many bytes.
void set_all_reduce(PhasePlan& phase, const MachineModel& machine, Count devices, double sums, double bytes) {
  phase.all_reduce_byte = sums * bytes * 2 * (number(devices) - 1) / number(devices);
  if (const auto* measured = measured_among(machine, devices)) {
    phase.all_reduce_s = sums * measured->seconds_of(bytes);
  } else if (machine.message_link) {
    phase.all_reduce_s = sums * machine.message_link->ring_all_reduce_s(bytes, number(devices));
  } else if (const auto rate = all_reduce_byte_per_s(machine, devices)) {
    phase.ring_s = phase.all_reduce_byte / *rate;
    if (machine.in_switch_reduction) phase.in_switch_s = sums * bytes / *rate;
    phase.all_reduce_s = std::min(*phase.ring_s, phase.in_switch_s.value_or(*phase.ring_s));
  }
}

PhasePlan plan_phase(const Transformer& model, const MachineModel& machine, const Inference& what, bool decode) {
  const double tokens = number(what.batch) * (decode ? 1 : number(what.context));
  PhasePlan phase;
  phase.operators = phase_operators(model, what, decode);
  phase.launches = launches_beside_rows;
  for (const PlannedOperator& op : phase.operators) phase.launches += op.times * op.stage.launches;
  if (what.devices > 1) {
    const double bytes = tokens * number(model.width) * size_bytes(what.residual_type());
    set_all_reduce(phase, machine, what.devices, 2 * number(model.layers), bytes);
  }
  bound_operators(phase, machine);
  return phase;
}

void check(const Transformer& model, const Inference& what) {
  const auto check_size = [](std::string_view name, Count value) {
    if (value < 1 || value > most_tokens)
      throw Error(fmt::format("{} must be from 1 to {}, not {}", name, most_tokens, value));
  };
  check_size("batch", what.batch);
  check_size("context", what.context);
  check_size("devices", what.devices);
  if (model.heads % what.devices != 0) {
    throw Error(
        fmt::format("{} heads of {} cannot be divided among {} devices", model.heads, model.name, what.devices));
  }
  for (const DType type : {what.activations, what.residual_type()}) {
    if (is_integer(type)) throw Error(fmt::format("activations of type {} are not planned", to_string(type)));
  }
}

void check(const MachineModel& machine, const Inference& what) {
  if (machine.all_reduce && !machine.message_link && what.devices > 1 && !measured_among(machine, what.devices)) {
    throw Error(fmt::format("{} measured an all-reduce of {} ranks, which says nothing of {} devices",
                            machine.network_file, machine.all_reduce->ranks, what.devices));
  }
}

/// Of the cache on one of so many devices: each has at least one whole KV head, or the whole latent cache.
double cache_of_device(const Transformer& model, const InferencePlan& plan, Count devices) {
  return plan.cache_byte / (model.latent ? 1 : number(std::min(devices, model.kv_heads)));
}

/// Smallest number of devices that hold weights and caches, among those that the heads divide by; else why none does.
void set_devices_needed(InferencePlan& plan, const Transformer& model, const MachineModel& machine) {
  if (!machine.memory_byte) return;
  for (Count devices = 1; devices <= model.heads; ++devices) {
    if (model.heads % devices != 0) continue;
    if (plan.weights_byte / number(devices) + cache_of_device(model, plan, devices) > *machine.memory_byte) continue;
    plan.devices_needed = devices;
    plan.fits = devices <= plan.what.devices;
    return;
  }
  plan.fits = false;
  plan.why_none =
      fmt::format("even of {}, the most that divide the heads, each holds {} of weights and {} of the cache: {}",
                  model.heads, format_quantity(plan.weights_byte / number(model.heads), "byte"),
                  format_quantity(cache_of_device(model, plan, model.heads), "byte"),
                  model.latent ? "all of it, a latent cache is not divided" : "at least one KV head's");
}

/// The weights that a device reads in a decode step, once, at the roof of reads.
std::optional<double> floor_s(const MachineModel& machine, const InferencePlan& plan) {
  const auto& levels = machine.roofline.levels();
  if (levels.empty()) return {};
  const auto rate = machine.roofline.byte_per_s(levels.back().name, {.read_fraction = 1});
  if (!rate) return {};
  const double byte = sum_over(plan.decode.operators, [](const PlannedOperator& op) {
    return op.weights * number(op.times) * size_bytes(op.types.a);
  });
  return byte / *rate;
}

/// In the machine's flavours of fp8; a note for each that is another one.
Inference taken_by(const MachineModel& machine, Inference what, std::vector<std::string>& notes) {
  for (DType* type : {&what.weights, &what.cache, &what.activations, what.experts ? &*what.experts : &what.weights}) {
    const DType own = flavour_of(*type, machine);
    if (own == *type) continue;
    std::string note = flavour_note(*type, own);
    if (std::ranges::count(notes, note) == 0) notes.push_back(std::move(note));
    *type = own;
  }
  return what;
}

/// Where the main memory has been measured, but not for reads alone: what stands for them.
std::string instead_of_reads(const MachineModel& machine) {
  const auto& levels = machine.roofline.levels();
  const auto* roof = levels.empty() ? nullptr : machine.roofline.nearest(levels.back().name, {.read_fraction = 1});
  const bool reads = roof == nullptr || roof->access == Access::read || roof->access == Access::none;
  return reads ? "" : roof->label;
}

/// Of a run that ended early figures may be missing, and others may stand for them.
std::string network_source(const MachineModel& machine) {
  return machine.network_complete ? machine.network_file : fmt::format("{}, incomplete", machine.network_file);
}

std::string measured_link_note(const MachineModel& machine) {
  const MeasuredAllReduce& link = *machine.all_reduce;
  const std::string sizes = link.bytes.empty()
                                ? "its largest messages only"
                                : fmt::format("messages of {} to {}", format_quantity(link.bytes.front(), "byte"),
                                              format_quantity(link.bytes.back(), "byte"));
  return fmt::format("link: all-reduce of {} ranks on {} node{}, {}, {}, {}", link.ranks, link.nodes,
                     link.nodes == 1 ? "" : "s", medium_words(link.medium), sizes, network_source(machine));
}

std::string message_link_note(const MachineModel& machine, Count devices) {
  const MessageLink& link = *machine.message_link;
  std::string note =
      fmt::format("link: a ring of {} devices whose messages take the measured way {}: latency {}, {}, {}, {}", devices,
                  link.way, format_quantity(link.latency_s, "s"), format_quantity(link.peak_byte_per_s, "byte/s"),
                  medium_words(link.medium), network_source(machine));
  if (machine.all_reduce) note += fmt::format("; its all-reduce is one of {} ranks", machine.all_reduce->ranks);
  return note;
}

/// What the links between devices are taken for.
std::string link_note(const MachineModel& machine, Count devices) {
  if (devices == 1) return {};
  if (measured_among(machine, devices)) return measured_link_note(machine);
  if (machine.message_link) return message_link_note(machine, devices);
  if (!machine.link_byte_per_s)
    return "all-reduce: no figure of the link between devices is known, so the totals are without it";
  if (machine.linked_devices && devices > *machine.linked_devices)
    return fmt::format("all-reduce: the links join {} devices; {} of them take longer than this",
                       *machine.linked_devices, devices);
  if (machine.links && devices - 1 < *machine.links)
    return fmt::format("all-reduce: {} devices use {} of the {} links of each", devices, devices - 1, *machine.links);
  constexpr Count usual = 8;  // of one server
  if (!machine.linked_devices && devices > usual)
    return fmt::format(
        "all-reduce: {} devices are taken as joined by one switch at that rate; where a server joins {}, those of "
        "several take longer than this",
        devices, usual);
  return {};
}

void add_notes(std::vector<std::string>& notes, const MachineModel& machine, const Inference& what) {
  const auto add = [&](std::string note) {
    if (!note.empty()) notes.push_back(std::move(note));
  };
  notes.insert(notes.end(), machine.notes.begin(), machine.notes.end());
  add(widening_note(machine, uniform_types(what.activations)));
  if (const std::string roof = instead_of_reads(machine); !roof.empty())
    add(fmt::format("reads alone were not measured: {} stands for them, in the floor too, and they may be faster",
                    roof));
  add(link_note(machine, what.devices));
}

/// " (but with fp16)": the types that the operator takes beside a; empty without any.
std::string partners(const OperatorSpec& spec, DType a) {
  const auto takes = [&](const Types& types) { return types.a == a; };
  const auto names = mapped(spec.types | std::views::filter(takes), [](const Types& one) { return to_string(one.b); });
  return names.empty() ? "" : fmt::format(" (but with {})", fmt::join(names, ", "));
}

/// Why the build cannot do it; empty where it can.
std::string refusal(const OperatorRun& run, Operators operators) {
  const OperatorSpec* spec = known_spec(operators, run.op);
  if (!spec) return fmt::format("no operator {}", run.op);
  const auto fits = [&](const Types& types) { return types.a == run.a && types.b == run.b; };
  const auto types = std::ranges::find_if(spec->types, fits);
  if (types == spec->types.end()) {
    const std::string refused = run.a == run.b ? refused_type(*spec, run.a) : "";
    return !refused.empty() ? refused
                            : fmt::format("{} does not take {} with {}{}", run.op, to_string(run.a), to_string(run.b),
                                          partners(*spec, run.a));
  }
  try {
    spec->work(run.params, *types);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void add(std::vector<Case>& cases, const OperatorRun& run, double count, const std::string& label) {
  Case one{.op = run.op, .params = {run.params}, .dtypes = {run.a}, .count = count, .label = label};
  const auto same = std::ranges::find_if(cases, [&](const Case& known) {
    return known.op == one.op && known.params == one.params && known.dtypes == one.dtypes;
  });
  if (same == cases.end()) {
    cases.push_back(std::move(one));
    return;
  }
  *same->count += count;
  same->label += " + " + label;
}

bool same_sizes(const Params& a, const Params& b) {
  return a.values().size() == b.values().size() &&
         std::ranges::all_of(a.values(), [&](const auto& value) { return std::ranges::count(b.values(), value) != 0; });
}

/// Alone on the whole device, not several runs at once and not out of a graph: what a row of the plan is.
bool is_run(const Point& point, const OperatorRun& run, const std::string& device) {
  return has_time(point) && point.device == device && point.op == run.op && point.types.a == run.a &&
         point.types.b == run.b && point.scope == Scope::node && point.launches == 1 && !point.graph &&
         same_sizes(Params::parse(point.params), run.params);
}

}  // namespace

double weights_byte(const Transformer& model, const Inference& what) {
  const double experts = expert_weights(model), tables = table_weights(model);
  return (parameters(model) - experts - tables) * size_bytes(what.weights) + experts * size_bytes(what.expert_type()) +
         tables * size_bytes(what.tables.value_or(what.weights));
}

double cache_byte(const Transformer& model, const Inference& what) {
  return cached_values(model, number(what.context)) * number(what.batch) * size_bytes(what.cache);
}

std::vector<Point> points_of(const Transformer& model, const Inference& what) {
  check(model, what);
  std::vector<Point> points;
  for (const PlannedOperator& op : phase_operators(model, what, true)) {
    Point& point = points.emplace_back();
    point.op = op.name;
    point.types = op.types;
    point.stages = {op.stage};
    point.cold = true;
    point.count = number(op.times);
  }
  return points;
}

InferencePlan plan_inference(const Transformer& model, const MachineModel& machine, const Inference& asked) {
  check(model, asked);
  check(machine, asked);
  InferencePlan plan;
  plan.what = taken_by(machine, asked, plan.notes);
  const Inference& what = plan.what;
  plan.weights_byte = weights_byte(model, what);
  plan.cache_byte = cache_byte(model, what);
  set_devices_needed(plan, model, machine);
  plan.prefill = plan_phase(model, machine, what, false);
  plan.decode = plan_phase(model, machine, what, true);
  plan.floor_s = floor_s(machine, plan);
  if (const auto& experts = model.experts) {
    const double shared = number(experts->shared), chosen = number(what.batch) * number(experts->per_token);
    plan.experts_read = expected_experts(*experts, number(what.batch)) + shared;
    plan.most_experts_read = std::min(number(experts->count), chosen) + shared;
    Inference distinct = what;
    distinct.distinct_experts = true;
    plan.most_decode_s = plan_phase(model, machine, distinct, true).time_s;
  }
  add_notes(plan.notes, machine, what);
  return plan;
}

std::optional<BatchMarks> batch_marks(const Transformer& model, const MachineModel& machine, Inference what,
                                      Count most) {
  std::vector<std::string> notes;
  what = taken_by(machine, what, notes);
  const auto decode_at = [&](Count batch) {
    what.batch = batch;
    return plan_phase(model, machine, what, true);
  };
  if (!decode_at(1).time_s) return {};
  BatchMarks marks;
  marks.ridge = smallest(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    return std::ranges::all_of(phase.operators, [](const PlannedOperator& op) {
      return op.part != Part::feed_forward || op.bound->limit.kind == LimitKind::compute;
    });
  });
  marks.takeover = smallest(most, [&](Count batch) {
    const PhasePlan phase = decode_at(batch);
    double products = 0, cache = 0;
    for (const PlannedOperator& op : phase.operators) {
      if (op.part == Part::attention)
        cache += op.all_s();
      else if (op.part != Part::elementwise)
        products += op.all_s();
    }
    return cache > products;
  });
  return marks;
}

void add_cases(PlanCases& list, const std::string& phase_name, const PhasePlan& phase, Operators operators) {
  for (const PlannedOperator& op : phase.operators) {
    const std::string why = op.run ? refusal(*op.run, operators) : op.no_run;
    const std::string label = fmt::format("{}: {}", phase_name, op.name);
    if (why.empty())
      add(list.cases, *op.run, static_cast<double>(op.times), label);
    else
      list.left_out.push_back(fmt::format("{}: {}", label, why));
  }
}

const Point* measured_run(const OperatorRun& run, const Result& result, const std::string& device) {
  const auto rank = [](const Point& point) { return std::pair(point.cold, -point.time.value); };
  return highest_of(result.points, rank, [&](const Point& point) { return is_run(point, run, device); });
}

bool has_roofs_of(const PlanMeasurement& measurement, const MachineModel& machine) {
  const auto& devices = measurement.result.devices;
  const auto info = std::ranges::find(devices, measurement.device, &DeviceInfo::id);
  if (info == devices.end()) return false;
  const auto* product = catalogue::find_product(*info);
  return machine.name == info->name || (product != nullptr && machine.name == product->name);
}

void make_plans(PlanAnswer& answer, std::span<const Inference> all, bool sweep) {
  answer.what = all.front();
  const auto planned = [&](const Inference& what, double compute = 1, double bandwidth = 1) {
    MachineModel machine = answer.machine;
    machine.roofline = machine.roofline.scaled(compute, bandwidth);
    return plan_inference(*answer.model, machine, what);
  };
  answer.plan = planned(answer.what);
  answer.twice_bandwidth = planned(answer.what, 1, 2);
  answer.twice_compute = planned(answer.what, 2, 1);
  Inference other = answer.what;
  for (other.batch = 1; sweep && other.batch <= 1024; other.batch *= 2) answer.sweep.push_back(planned(other));
  for (const Inference& what : all.size() < 2 ? all.first(0) : all) answer.alternatives.push_back(planned(what));
}

}  // namespace gable::questions
