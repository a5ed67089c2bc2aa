#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/questions/interchange/format.hpp"

namespace gable::interchange {
namespace {

/// A counter of floating point instructions of one type on the vector units, and its operations for each. An SM's is
/// also that of its parts (SMSP), by another name.
struct VectorOps {
  std::string_view op;
  std::string of_parts, of_sm;
  std::string a_cycle, twice_a_cycle;  ///< of the section SpeedOfLight_RooflineChart; its FMAs count twice
  DType dtype;
  double operations;
  bool pairs;  ///< instructions for two values

  VectorOps(std::string_view name, DType type, double each)
      : op(name),
        of_parts(fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on.sum", op)),
        of_sm(fmt::format("sm__sass_thread_inst_executed_op_{}_pred_on.sum", op)),
        a_cycle(of_parts + ".per_cycle_elapsed"),
        twice_a_cycle(fmt::format("derived__smsp__sass_thread_inst_executed_op_{}_pred_on_x2", op)),
        dtype(type),
        operations(each),
        pairs(op.ends_with('2')) {}
};
/// Made once: the names are asked of every kernel.
const std::vector<VectorOps>& vector_ops() {
  static const std::vector<VectorOps> all = {
      {"dadd", DType::fp64, 1},  {"dmul", DType::fp64, 1},  {"dfma", DType::fp64, 2},
      {"fadd", DType::fp32, 1},  {"fmul", DType::fp32, 1},  {"ffma", DType::fp32, 2},
      {"fadd2", DType::fp32, 2}, {"fmul2", DType::fp32, 2}, {"ffma2", DType::fp32, 4},
      {"hadd", DType::fp16, 0},  {"hmul", DType::fp16, 0},  {"hfma", DType::fp16, 0},  // of one value or of two
  };
  return all;
}

/// Operations of the matrix units by the types of source and destination. Children of these (…_sparsity_on,
/// …_op_hgmma…) count a part of the same.
struct MatrixOps {
  std::string_view path, counter;
  DType dtype, accumulate;
};
constexpr std::array matrix_ops = {
    MatrixOps{"bf16_dst_fp32", "sm__ops_path_tensor_src_bf16_dst_fp32.sum", DType::bf16, DType::fp32},
    MatrixOps{"fp16_dst_fp16", "sm__ops_path_tensor_src_fp16_dst_fp16.sum", DType::fp16, DType::fp16},
    MatrixOps{"fp16_dst_fp32", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", DType::fp16, DType::fp32},
    MatrixOps{"tf32_dst_fp32", "sm__ops_path_tensor_src_tf32_dst_fp32.sum", DType::tf32, DType::fp32},
    MatrixOps{"fp64", "sm__ops_path_tensor_src_fp64.sum", DType::fp64, DType::fp64},
    MatrixOps{"int8", "sm__ops_path_tensor_src_int8.sum", DType::int8, DType::int32},
};
/// Compute capabilities from which on a GPU has instructions for two values of fp32 (Blackwell), and fp8 on its matrix
/// units (Ada).
constexpr double first_with_pairs = 10.0, first_with_fp8 = 8.9;
constexpr std::string_view matrix_fp8 = "sm__ops_path_tensor_src_fp8.sum";
constexpr std::array<std::string_view, 6> matrix_instructions{
    "sm__inst_executed_pipe_tensor.sum",         "smsp__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_tensor_op_hmma.sum", "sm__inst_executed_pipe_tensor_op_dmma.sum",
    "sm__inst_executed_pipe_tensor_op_imma.sum", "sm__inst_executed_pipe_tensor_op_gmma.sum"};

std::optional<double> instructions_of(Counted& counted, const VectorOps& one) {
  if (const auto found = counted.first_of({one.of_parts, one.of_sm, one.a_cycle})) return found;
  const auto twice = counted.find(one.twice_a_cycle);
  return twice ? std::optional(*twice / 2) : std::nullopt;
}

/// Counters of bytes in their several forms, of bytes or of sectors: raw ones first, as the others are rounded.
using Bytes = std::span<const std::string_view>;
constexpr std::string_view read_from_memory[] = {
    "dram__bytes_read.sum",      "dram__bytes_op_read.sum",         "dram__sectors_read.sum",
    "dram__sectors_op_read.sum", "dram__bytes_read.sum.per_second", "dram__bytes_op_read.sum.per_second"};
constexpr std::string_view written_to_memory[] = {
    "dram__bytes_write.sum",      "dram__bytes_op_write.sum",         "dram__sectors_write.sum",
    "dram__sectors_op_write.sum", "dram__bytes_write.sum.per_second", "dram__bytes_op_write.sum.per_second"};
constexpr std::string_view of_memory[] = {"dram__bytes.sum", "dram__sectors.sum", "dram__bytes.sum.per_second",
                                          "Memory Throughput"};
constexpr std::string_view of_l2[] = {"lts__t_bytes.sum", "lts__t_sectors.sum", "lts__t_bytes.sum.per_second"};
constexpr std::string_view of_l1[] = {"l1tex__t_bytes.sum", "l1tex__t_bytes.sum.per_second"};

std::optional<double> bytes_of(Counted& counted, Bytes forms) {
  constexpr double sector = 32;
  for (const std::string_view form : forms) {
    if (const auto found = counted.find(form)) return *found * (form.find("sectors") == form.npos ? 1 : sector);
  }
  return {};
}

bool is_bytes(std::string_view counter) {
  const auto among = [&](Bytes forms) { return std::ranges::count(forms, counter) > 0; };
  return among(read_from_memory) || among(written_to_memory) || among(of_memory) || among(of_l2) || among(of_l1);
}

void add_vector(KernelWork& work, Counted& counted, const Target& target) {
  for (const DType dtype : {DType::fp64, DType::fp32, DType::fp16}) {
    double all = 0;
    Uncounted missing;
    for (const VectorOps& one : vector_ops()) {
      if (one.dtype != dtype) continue;
      const auto executed = instructions_of(counted, one);
      if (executed) add_operations(work, dtype, Unit::vector, *executed * one.operations);
      const bool exists = !one.pairs || counted.kernel().capability >= first_with_pairs;
      all += executed.value_or(0);
      if (!executed && exists) missing.emplace_back(dtype, one.op);
    }
    const std::string what = fmt::format("operations of {} on vector units", to_string(dtype));
    if (dtype == DType::fp16 && all > 0)
      say(work.unknown, "{} ({:.4g} instructions, each of one value or of two)", what, counted.a_call(all));
    else
      add_uncounted(work, target, what, "smsp__sass_thread_inst_executed_op_", missing, "_pred_on.sum");
  }
}

/// Instructions of the matrix units by the counter that shows most of them; nothing where none was counted. One of a
/// single kind of instructions says nothing about the others.
struct MatrixInstructions {
  double executed{};
  bool all_kinds{};
};
std::optional<MatrixInstructions> matrix_instructions_of(Counted& counted) {
  std::optional<MatrixInstructions> most;
  for (const std::string_view counter : matrix_instructions) {
    const auto found = counted.find(counter);
    if (!found) continue;
    if (!most) most.emplace();
    most->executed = std::max(most->executed, *found);
    most->all_kinds = most->all_kinds || counter.ends_with("_pipe_tensor.sum");
  }
  return most;
}

/// Each type has a counter of its own: those of the types that were not asked for say nothing, unless no matrix unit
/// was at work at all.
void add_matrix(KernelWork& work, Counted& counted, const Target& target) {
  Uncounted missing;
  for (const MatrixOps& one : matrix_ops) {
    if (const auto found = counted.find(one.counter))
      add_operations(work, one.dtype, Unit::matrix, *found, one.accumulate);
    else
      missing.emplace_back(one.dtype, one.path);
  }
  if (const auto found = counted.find(matrix_fp8)) {
    if (*found > 0)
      say(work.unknown, "the type of {:.4g} operations of matrix units (fp8: e4m3 or e5m2)", counted.a_call(*found));
  } else if (counted.kernel().capability >= first_with_fp8) {
    missing.emplace_back(DType::fp8_e4m3, "fp8");
  }
  if (missing.empty()) return;
  const auto instructions = matrix_instructions_of(counted);
  if (instructions && instructions->executed == 0 && instructions->all_kinds) return;
  const bool none_typed = std::ranges::count(work.operations, Unit::matrix, &TypedWork::unit) == 0;
  if (none_typed && instructions && instructions->executed > 0)
    say(work.unknown, "operations of matrix units ({:.4g} instructions, whose shapes are not counted)",
        counted.a_call(instructions->executed));
  else
    add_uncounted(work, target, "operations of matrix units", "sm__ops_path_tensor_src_", missing, ".sum");
}

}  // namespace

bool is_nvidia_counter(std::string_view metric) {
  if (metric == matrix_fp8 || (is_bytes(metric) && metric.ends_with(".sum"))) return true;
  return std::ranges::count(matrix_instructions, metric) > 0 ||
         std::ranges::find(matrix_ops, metric, &MatrixOps::counter) != matrix_ops.end() ||
         std::ranges::any_of(vector_ops(),
                             [&](const VectorOps& one) { return metric == one.of_parts || metric == one.of_sm; });
}

bool is_nvidia_rate(std::string_view metric) {
  return std::ranges::find(vector_ops(), metric, &VectorOps::twice_a_cycle) != vector_ops().end();
}

KernelWork work_of_nvidia_counters(Counted& counted, const Target& target) {
  KernelWork work;
  const auto read = bytes_of(counted, read_from_memory), written = bytes_of(counted, written_to_memory);
  if (read && written) {
    work.bytes_read = *read;
    work.bytes_written = *written;
  } else if (const auto both = bytes_of(counted, of_memory)) {
    work.bytes_read = *both;
    work.no_direction = true;
  } else {
    work.unknown.emplace_back("bytes of the main memory (dram__bytes_{read,write}.sum)");
  }
  if (const auto bytes = bytes_of(counted, of_l2)) work.inner.push_back({"L2", *bytes});
  if (const auto bytes = bytes_of(counted, of_l1)) work.inner.push_back({"L1", *bytes});
  add_matrix(work, counted, target);  // first: a type that it was seen in is not ruled out
  add_vector(work, counted, target);
  return work;
}

}  // namespace gable::interchange
