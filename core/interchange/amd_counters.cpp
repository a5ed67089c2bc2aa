#include "core/interchange/amd_counters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace gable::interchange {
namespace {

constexpr double lanes = 64;  ///< of a wavefront
constexpr double mops = 512;  ///< operations that one count of SQ_INSTS_VALU_MFMA_MOPS_* stands for

struct Typed {
  std::string_view name;
  DType dtype, accumulate;
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

void add_vector(KernelWork& work, Counted& counted, const Target& target) {
  constexpr std::array types = {Typed{"F16", DType::fp16, DType::fp16}, Typed{"F32", DType::fp32, DType::fp32},
                                Typed{"F64", DType::fp64, DType::fp64}};
  for (const Typed& type : types) {
    const auto find = [&](std::string_view op) {
      return counted.find(fmt::format("SQ_INSTS_VALU_{}_{}", op, type.name));
    };
    const auto add = find("ADD"), multiply = find("MUL"), fma = find("FMA"), transcendental = find("TRANS");
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
  constexpr std::array types = {Typed{"BF16", DType::bf16, DType::fp32}, Typed{"F16", DType::fp16, DType::fp32},
                                Typed{"F32", DType::fp32, DType::fp32},  Typed{"F64", DType::fp64, DType::fp64},
                                Typed{"XF32", DType::tf32, DType::fp32}, Typed{"I8", DType::int8, DType::int32}};
  bool any = false;
  for (const Typed& type : types) {
    const auto found = counted.find(fmt::format("SQ_INSTS_VALU_MFMA_MOPS_{}", type.name));
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
  if (read && read_32 && write && write_64) {
    work.bytes_read = 32 * *read_32 + 64 * std::max(0.0, *read - *read_32);
    add_writes(work, *write, *write_64);
  } else if (!read0 || !read0_32 || !write0 || !write0_64 || !read0_128) {
    work.unknown.emplace_back("bytes of the main memory");
  } else if (is_of(target, "gfx950").value_or(false)) {
    work.unknown.emplace_back("bytes of the main memory (the counters TCC_EA0_* and TCC_BUBBLE are wrong on gfx950)");
  } else if (!is_of(target, "gfx94").value_or(false)) {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA0_* and TCC_BUBBLE mean bytes on gfx942 only, and --device does "
        "not say that this is one)");
  } else {
    work.bytes_read = 128 * *read0_128 + 32 * *read0_32 + 64 * std::max(0.0, *read0 - *read0_128 - *read0_32);
    add_writes(work, *write0, *write0_64);
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
