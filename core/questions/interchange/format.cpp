#include "core/questions/interchange/format.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/measure/statistics.hpp"
#include "core/model/figure_limits.hpp"

namespace gable::interchange {

std::span<const Format> formats() {
  static const Format all[] = {rocprof_browser_trace,
                               pytorch,
                               llama_ops,
                               ncu,
                               nsys,
                               nsys_stats,
                               nvprof,
                               nvprof_database,
                               rocprofv3,
                               rocprofv3_json,
                               rocprof_compute,
                               rocprofv2,
                               rocprof,
                               rocprof_text,
                               rocpd,
                               rpd,
                               rocprof_database,
                               rocprof_roofline,
                               rocprof_no_kernels,
                               likwid,
                               advisor,
                               advisor_roofs,
                               ert,
                               carm_roofs,
                               carm_applications,
                               clpeak,
                               babelstream,
                               stream,
                               caliper,
                               perf_stat};
  return all;
}

std::string Target::main_memory() const { return device.memory.empty() ? "DRAM" : device.memory.back().name; }

bool Target::has_isa(std::string_view part) const {
  return std::ranges::any_of(device.isa, [&](const std::string& isa) { return isa.find(part) != isa.npos; });
}

void note_gpus(Contents& contents, std::size_t gpus, const std::vector<std::string>& models) {
  if (models.size() > 1)
    throw Error(fmt::format("kernels ran on different GPUs, {} and {}: profile one at a time (CUDA_VISIBLE_DEVICES)",
                            models[0], models[1]));
  if (!models.empty()) contents.processor = models[0];
  if (gpus > 1)
    say(contents.notes, "kernels ran on {} GPUs{}{}: times are means over them", gpus,
        models[0].empty() ? "" : " of the model ", models[0]);
}

Ceiling ceiling_of(CeilingKind kind, std::string name, double value, std::string source) {
  Ceiling row;
  row.kind = kind;
  row.name = std::move(name);
  row.unit = kind == CeilingKind::compute ? "flop/s" : kind == CeilingKind::bandwidth ? "byte/s" : "s";
  row.value = single_figure(value);
  row.imported.emplace();
  row.imported->counters = {source};
  if (!(value > 0)) {
    mark(row, Status::unsupported, fmt::format("{} is {:g} in the file: the tool could not measure it", source, value));
  } else if (const std::string why = why_impossible(value, limits_of_unit(row.unit)); !why.empty()) {
    throw Error(fmt::format("{}: {}", source, why));
  }
  return row;
}

Ceiling compute_ceiling(Unit unit, DType dtype, std::optional<DType> accumulate, double value, std::string source) {
  Ceiling row = ceiling_of(CeilingKind::compute, std::string(to_string(unit)), value, std::move(source));
  row.dtype = dtype;
  row.accumulate = accumulate;
  row.unit = rate_unit(unit, dtype);
  return row;
}

bool label_has(std::string_view label, std::string_view word) {
  const auto is_blank_at = [&](std::size_t at) { return at >= label.size() || label[at] == ' ' || label[at] == '_'; };
  for (auto at = label.find(word); at != label.npos; at = label.find(word, at + 1)) {
    if ((at == 0 || is_blank_at(at - 1)) && is_blank_at(at + word.size())) return true;
  }
  return false;
}

std::optional<DType> type_in_label(std::string_view label) {
  for (const auto& [word, dtype] :
       {std::pair{"FP64", DType::fp64}, std::pair{"DP", DType::fp64}, std::pair{"FP32", DType::fp32},
        std::pair{"SP", DType::fp32}, std::pair{"FP16", DType::fp16}, std::pair{"HP", DType::fp16},
        std::pair{"BF16", DType::bf16}}) {
    if (label_has(label, word)) return dtype;
  }
  return {};
}

Unit unit_in_label(std::string_view label) {
  if (label_has(label, "Scalar") || label_has(label, "scalar")) return Unit::scalar;
  for (const char* word : {"Tensor", "tensor", "TC", "Matrix", "matrix", "MFMA"}) {
    if (label_has(label, word)) return Unit::matrix;
  }
  return Unit::vector;
}

void add_run(Contents& contents, Ceiling row) {
  std::vector<Ceiling>& rows = contents.ceilings;
  const auto same = [&](const Ceiling& other) {
    return other.kind == row.kind && other.name == row.name && other.dtype == row.dtype &&
           other.accumulate == row.accumulate && other.access == row.access && other.variant == row.variant;
  };
  const auto known = std::ranges::find_if(rows, same);
  if (known == rows.end()) {
    rows.push_back(std::move(row));
    return;
  }
  if (row.status != Status::ok) return;  // a run that failed says nothing of the others
  if (known->status != Status::ok) {
    *known = std::move(row);
    return;
  }
  known->value.samples.push_back(row.value.value);
}

void finish_runs(Contents& contents) {
  for (Ceiling& row : contents.ceilings) {
    if (row.value.samples.size() < 2) continue;
    const auto& runs = row.value.samples;
    const auto [least, most] = std::ranges::minmax(runs);
    row.value.value = row.value.median = measure::median(runs);
    row.value.blocks = row.value.used_blocks = static_cast<int>(runs.size());
    say(contents.notes, "{}{}{}: the median of {} runs, from {:.6g} to {:.6g} {}", row.imported->counters.front(),
        row.variant.empty() ? "" : ", ", row.variant, runs.size(), least, most, row.unit);
  }
}

void add_operations(KernelWork& work, DType dtype, Unit unit, double operations, std::optional<DType> accumulate) {
  if (!(operations > 0)) return;
  for (TypedWork& known : work.operations) {
    if (known.dtype != dtype || known.unit != unit || known.accumulate != accumulate) continue;
    known.operations += operations;
    return;
  }
  work.operations.push_back({dtype, accumulate, unit, operations});
}

/// Matrix units may do fp32 as tf32; a counter of fp8 is of all its kinds.
static DType family(DType type) {
  return type == DType::tf32 ? DType::fp32 : is_fp8(element_of(type)) ? DType::fp8_e4m3 : type;
}

void settle_stated(KernelWork& work, const Target& target) {
  const auto is_stated = [&](const TypedWork& one) { return family(one.dtype) == family(*target.dtype); };
  if (work.stated.empty() || std::ranges::any_of(work.operations, is_stated)) return;
  std::ranges::move(std::exchange(work.stated, {}), std::back_inserter(work.unknown));
}

void add_uncounted(KernelWork& work, const Target& target, std::string_view what, std::string_view name,
                   const Uncounted& parts, std::string_view name_end) {
  std::vector<std::string_view> unknown, ruled_out;
  for (const auto& [dtype, part] : parts) {
    const bool other = target.dtype && family(*target.dtype) != family(dtype);
    (other && std::ranges::count(work.operations, dtype, &TypedWork::dtype) == 0 ? ruled_out : unknown).push_back(part);
  }
  for (const auto& [names, texts] : {std::pair{&unknown, &work.unknown}, std::pair{&ruled_out, &work.stated}}) {
    const bool several = names->size() > 1;
    if (!names->empty())
      say(*texts, "{} ({}{}{}{}{})", what, name, several ? "{" : "", fmt::join(*names, ","), several ? "}" : "",
          name_end);
  }
}

void add_untyped_operations(KernelWork& work, const Counted& counted, const Target& target, double operations) {
  if (target.dtype)
    add_operations(work, *target.dtype, Unit::vector, operations);
  else if (operations > 0)
    say(work.unknown, "the type of {:.4g} operations (--dtype states it)", counted.a_call(operations));
}

namespace {

constexpr std::string_view operations_by_shapes = "operations by shapes", untyped_by_shapes = "products by shapes";
constexpr std::string_view read_by_shapes = "bytes read by shapes", written_by_shapes = "bytes written by shapes";
constexpr std::string_view without_strides = "bytes by shapes without strides";

std::string typed_by_shapes(Unit unit, DType dtype) {
  return fmt::format("{} {} by shapes", to_string(unit), to_string(dtype));
}

struct TypedCounter {
  Unit unit;
  DType dtype;
  std::string name;
};
const std::vector<TypedCounter>& typed_counters() {
  static const auto all = [] {
    std::vector<TypedCounter> made;
    for (const Unit unit : {Unit::multiply_add, Unit::vector}) {
      for (const DType dtype : all_dtypes) made.push_back({unit, dtype, typed_by_shapes(unit, dtype)});
    }
    return made;
  }();
  return all;
}

}  // namespace

void add_by_shapes(KernelTable& table, Kernel& kernel, const OperatorWork& work) {
  const auto add = [&](std::string_view name, double value) { table.add(kernel, name, value); };
  if (work.operations) add(operations_by_shapes, *work.operations);
  if (work.operations && *work.operations > 0)
    add(work.dtype ? typed_by_shapes(work.is_product ? Unit::multiply_add : Unit::vector, *work.dtype)
                   : std::string(untyped_by_shapes),
        *work.operations);
  if (!(work.bytes_read + work.bytes_written > 0)) return;
  add(read_by_shapes, work.bytes_read);
  add(written_by_shapes, work.bytes_written);
  if (!work.strides_known) add(without_strides, work.bytes_read);
}

KernelWork work_by_shapes(Counted& counted, const Target& target) {
  KernelWork work;
  work.by_shapes = true;
  if (!counted.find(operations_by_shapes)) {
    work.unknown.emplace_back("operations");
  } else {
    for (const TypedCounter& one : typed_counters())
      add_operations(work, one.dtype, one.unit, counted.find(one.name).value_or(0));
  }
  if (const auto untyped = counted.find(untyped_by_shapes); untyped && target.dtype)
    add_operations(work, *target.dtype, Unit::multiply_add, *untyped);
  else if (untyped)
    say(work.unknown, "the type of {:.4g} operations (--dtype states it)", counted.a_call(*untyped));
  const auto read = counted.find(read_by_shapes);
  if (!read) {
    work.unknown.emplace_back("bytes of the main memory");
    return work;
  }
  work.bytes_read = *read;
  work.bytes_written = counted.find(written_by_shapes).value_or(0);
  work.unknown.emplace_back("bytes beyond inputs and outputs, each once");
  if (counted.find(without_strides)) work.unknown.emplace_back("which inputs are expanded: they count in full");
  return work;
}

}  // namespace gable::interchange
