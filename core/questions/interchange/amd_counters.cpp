#include "core/questions/interchange/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gable::interchange {
namespace {

constexpr double lanes = 64;  ///< of a wavefront
constexpr double mops = 512;  ///< operations that one count of SQ_INSTS_VALU_MFMA_MOPS_* stands for

struct MatrixCounter {
  std::string_view name;
  DType dtype, accumulate;
};
constexpr std::array matrix_counters = {
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_BF16", DType::bf16, DType::fp32},
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F16", DType::fp16, DType::fp32},
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F32", DType::fp32, DType::fp32},
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F64", DType::fp64, DType::fp64},
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_XF32", DType::tf32, DType::fp32},
    MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_I8", DType::int8, DType::int32},
};

/// Whether the device is of this architecture ("gfx942"), as its instruction sets say; nothing where it names none.
std::optional<bool> is_of(const Target& target, std::string_view architecture) {
  if (target.device.isa.empty()) return {};
  return std::ranges::any_of(target.device.isa,
                             [&](const std::string& isa) { return isa.find(architecture) != isa.npos; });
}

/// Whether one instruction of the vector units may be of two values: of fp16 on all, of fp32 from gfx90a on (packed, on
/// RDNA3 two at once). Of a device that is not known it may.
bool may_be_packed(DType dtype, const Target& target) {
  if (dtype == DType::fp64) return false;
  const bool alone = is_of(target, "gfx906").value_or(false) || is_of(target, "gfx908").value_or(false);
  return dtype == DType::fp16 || !alone;
}

/// Lanes that were masked count as work. How many were at work on average is known where this was counted, of all
/// vector instructions together: it does not tell which of them.
void mark_masked_lanes(KernelWork& work, Counted& counted) {
  const auto lane_cycles = counted.find("SQ_THREAD_CYCLES_VALU"), cycles = counted.find("SQ_ACTIVE_INST_VALU");
  constexpr double negligible = 0.99;
  if (!lane_cycles || !cycles || !(*cycles > 0)) return;
  const double active = *lane_cycles / *cycles;
  if (active < negligible * lanes)
    work.unknown.push_back(fmt::format(
        "operations of masked lanes ({:.3g} of {:g} lanes were at work, and all are counted)", active, lanes));
}

/// Counters of the vector units' instructions of a type.
struct VectorCounters {
  std::string_view add, multiply, fma, transcendental;
  DType dtype;
};
constexpr std::array vector_counters = {
    VectorCounters{"SQ_INSTS_VALU_ADD_F16", "SQ_INSTS_VALU_MUL_F16", "SQ_INSTS_VALU_FMA_F16", "SQ_INSTS_VALU_TRANS_F16",
                   DType::fp16},
    VectorCounters{"SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32", "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_VALU_TRANS_F32",
                   DType::fp32},
    VectorCounters{"SQ_INSTS_VALU_ADD_F64", "SQ_INSTS_VALU_MUL_F64", "SQ_INSTS_VALU_FMA_F64", "SQ_INSTS_VALU_TRANS_F64",
                   DType::fp64},
};

void add_vector(KernelWork& work, Counted& counted, const Target& target) {
  for (const VectorCounters& type : vector_counters) {
    const auto add = counted.find(type.add), multiply = counted.find(type.multiply), fma = counted.find(type.fma),
               transcendental = counted.find(type.transcendental);
    const double arithmetic = add.value_or(0) + multiply.value_or(0) + fma.value_or(0);
    add_operations(work, type.dtype, Unit::vector, lanes * (arithmetic + fma.value_or(0) + transcendental.value_or(0)));
    if (arithmetic > 0 && may_be_packed(type.dtype, target))
      work.unknown.push_back(
          fmt::format("operations of {} on vector units ({:.4g} instructions, each of one value or of two)",
                      to_string(type.dtype), arithmetic));
    if (!add || !multiply || !fma || !transcendental)
      work.unknown.push_back(fmt::format("operations of {} on vector units", to_string(type.dtype)));
  }
}

void add_matrix(KernelWork& work, Counted& counted) {
  bool any = false;
  for (const MatrixCounter& type : matrix_counters) {
    const auto found = counted.find(type.name);
    any = any || found;
    add_operations(work, type.dtype, Unit::matrix, mops * found.value_or(0), type.accumulate);
  }
  for (const std::string_view name : {"F8", "F6F4"}) {
    const auto found = counted.find(fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", name));
    any = any || found;
    if (found && *found > 0)
      work.unknown.push_back(
          fmt::format("the type of {:.4g} operations of matrix units ({}: not one type)", mops * *found, name));
  }
  if (!any) work.unknown.emplace_back("operations of matrix units");
}

void add_writes(KernelWork& work, double requests, double of_64) {
  work.bytes_written = 64 * of_64 + 32 * std::max(0.0, requests - of_64);
}

void add_memory(KernelWork& work, Counted& counted, const Target& target) {
  const auto read = counted.find("TCC_EA_RDREQ_sum"), read_32 = counted.find("TCC_EA_RDREQ_32B_sum");
  const auto write = counted.find("TCC_EA_WRREQ_sum"), write_64 = counted.find("TCC_EA_WRREQ_64B_sum");
  const auto read0 = counted.find("TCC_EA0_RDREQ_sum"), read0_32 = counted.find("TCC_EA0_RDREQ_32B_sum");
  const auto write0 = counted.find("TCC_EA0_WRREQ_sum"), write0_64 = counted.find("TCC_EA0_WRREQ_64B_sum");
  const auto read0_128 = counted.find("TCC_BUBBLE_sum");
  const bool ea = read && read_32 && write && write_64;
  const bool ea0 = read0 && read0_32 && write0 && write0_64 && read0_128;
  const bool gfx94 = is_of(target, "gfx94").value_or(false);
  if (!ea && !ea0) {
    work.unknown.emplace_back("bytes of the main memory");
  } else if (is_of(target, "gfx950").value_or(false)) {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA_*, TCC_EA0_* and TCC_BUBBLE are wrong on gfx950)");
  } else if (gfx94 && ea0) {
    work.bytes_read = 128 * *read0_128 + 32 * *read0_32 + 64 * std::max(0.0, *read0 - *read0_128 - *read0_32);
    add_writes(work, *write0, *write0_64);
  } else if (gfx94) {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA_* mean bytes on gfx90a; gfx94x has TCC_EA0_*)");
  } else if (ea) {
    work.bytes_read = 32 * *read_32 + 64 * std::max(0.0, *read - *read_32);
    add_writes(work, *write, *write_64);
  } else {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA0_* and TCC_BUBBLE mean bytes on gfx942 only, and --device does "
        "not say that this is one)");
  }
}

}  // namespace

KernelWork work_of_amd_counters(Counted& counted, const Target& target) {
  KernelWork work;
  add_memory(work, counted, target);
  add_vector(work, counted, target);
  mark_masked_lanes(work, counted);
  add_matrix(work, counted);
  return work;
}

}  // namespace gable::interchange
