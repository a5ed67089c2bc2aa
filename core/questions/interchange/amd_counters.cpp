#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/questions/interchange/dispatches.hpp"
#include "core/questions/interchange/format.hpp"

namespace gable::interchange {
namespace {

constexpr double lanes = 64;  ///< of a wavefront
constexpr double mops = 512;  ///< operations that one count of SQ_INSTS_VALU_MFMA_MOPS_* stands for

constexpr std::string_view matrix_counter = "SQ_INSTS_VALU_MFMA_MOPS_";
struct MatrixCounter {
  std::string_view name;
  DType dtype, accumulate;
};
constexpr std::array matrix_counters = {MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_BF16", DType::bf16, DType::fp32},
                                        MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F16", DType::fp16, DType::fp32},
                                        MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F32", DType::fp32, DType::fp32},
                                        MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_F64", DType::fp64, DType::fp64},
                                        MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_XF32", DType::tf32, DType::fp32},
                                        MatrixCounter{"SQ_INSTS_VALU_MFMA_MOPS_I8", DType::int8, DType::int32}};

/// Of several types each.
constexpr std::array<std::string_view, 2> matrix_counters_of_types = {"SQ_INSTS_VALU_MFMA_MOPS_F8",
                                                                      "SQ_INSTS_VALU_MFMA_MOPS_F6F4"};

/// Whether the device is of this architecture ("gfx942"), as its instruction sets say; nothing where it names none.
std::optional<bool> is_of(const Target& target, std::string_view architecture) {
  return target.device.isa.empty() ? std::nullopt : std::optional(target.has_isa(architecture));
}

/// Whether one instruction of the vector units may be of two values: of fp16 on all, of fp32 from gfx90a on (packed, on
/// RDNA3 two at once). Of a device that is not known it may.
bool may_be_packed(DType dtype, const Target& target) {
  if (dtype == DType::fp64) return false;
  const bool alone = is_of(target, "gfx906").value_or(false) || is_of(target, "gfx908").value_or(false);
  return dtype == DType::fp16 || !alone;
}

constexpr std::string_view lane_cycles = "SQ_THREAD_CYCLES_VALU", instruction_cycles = "SQ_ACTIVE_INST_VALU";

/// Lanes that were masked count as work. How many were at work on average is known where this was counted, of all
/// vector instructions together: it does not tell which of them.
void mark_masked_lanes(KernelWork& work, Counted& counted) {
  const auto of_lanes = counted.find(lane_cycles), cycles = counted.find(instruction_cycles);
  constexpr double negligible = 0.99;
  if (!of_lanes || !cycles || !(*cycles > 0)) return;
  const double active = *of_lanes / *cycles;
  if (active < negligible * lanes)
    say(work.unknown, "operations of masked lanes ({:.3g} of {:g} lanes were at work, and all are counted)", active,
        lanes);
}

/// Counters of the vector units' instructions of a type.
struct VectorCounters {
  std::string_view add, multiply, fma, transcendental;
  DType dtype;
};
constexpr std::string_view vector_counter = "SQ_INSTS_VALU_";
constexpr std::array vector_counters = {
    VectorCounters{"SQ_INSTS_VALU_ADD_F16", "SQ_INSTS_VALU_MUL_F16", "SQ_INSTS_VALU_FMA_F16", "SQ_INSTS_VALU_TRANS_F16",
                   DType::fp16},
    VectorCounters{"SQ_INSTS_VALU_ADD_F32", "SQ_INSTS_VALU_MUL_F32", "SQ_INSTS_VALU_FMA_F32", "SQ_INSTS_VALU_TRANS_F32",
                   DType::fp32},
    VectorCounters{"SQ_INSTS_VALU_ADD_F64", "SQ_INSTS_VALU_MUL_F64", "SQ_INSTS_VALU_FMA_F64", "SQ_INSTS_VALU_TRANS_F64",
                   DType::fp64}};

void add_vector(KernelWork& work, Counted& counted, const Target& target) {
  for (const VectorCounters& type : vector_counters) {
    double arithmetic = 0, operations = 0;
    Uncounted missing;
    for (const auto& [name, each] : {std::pair{type.add, 1}, std::pair{type.multiply, 1}, std::pair{type.fma, 2},
                                     std::pair{type.transcendental, 1}}) {
      const auto found = counted.find(name);
      if (!found)
        missing.emplace_back(type.dtype, name.substr(vector_counter.size(), name.rfind('_') - vector_counter.size()));
      operations += each * found.value_or(0);
      if (name != type.transcendental) arithmetic += found.value_or(0);
    }
    add_operations(work, type.dtype, Unit::vector, lanes * operations);
    const std::string what = fmt::format("operations of {} on vector units", to_string(type.dtype));
    if (arithmetic > 0 && may_be_packed(type.dtype, target))
      say(work.unknown, "{} ({:.4g} instructions, each of one value or of two)", what, counted.a_call(arithmetic));
    add_uncounted(work, target, what, vector_counter, missing, type.add.substr(type.add.rfind('_')));
  }
}

/// A counter that lacks beside others was not asked for, where all chips with matrix units have it.
void add_matrix(KernelWork& work, Counted& counted, const Target& target) {
  Uncounted missing;
  for (const MatrixCounter& type : matrix_counters) {
    const auto found = counted.find(type.name);
    const bool on_all_chips = type.dtype != DType::tf32 && type.dtype != DType::int8;
    if (!found && on_all_chips) missing.emplace_back(type.dtype, type.name.substr(matrix_counter.size()));
    add_operations(work, type.dtype, Unit::matrix, mops * found.value_or(0), type.accumulate);
  }
  for (const std::string_view name : matrix_counters_of_types) {
    const auto found = counted.find(name);
    if (found && *found > 0)
      say(work.unknown, "the type of {:.4g} operations of matrix units ({}: not one type)",
          counted.a_call(mops * *found), name.substr(name.rfind('_') + 1));
  }
  add_uncounted(work, target, "operations of matrix units", matrix_counter, missing);
}

/// What leaves the L2 by one way to memory: requests of 64 byte but for some.
struct Requests {
  std::string_view read, read_32, write, write_64;
};
constexpr Requests to_memory{"TCC_EA_RDREQ_sum", "TCC_EA_RDREQ_32B_sum", "TCC_EA_WRREQ_sum", "TCC_EA_WRREQ_64B_sum"};
/// The second way, which gfx906 alone has.
constexpr Requests to_memory_1{"TCC_EA1_RDREQ_sum", "TCC_EA1_RDREQ_32B_sum", "TCC_EA1_WRREQ_sum",
                               "TCC_EA1_WRREQ_64B_sum"};
constexpr Requests to_memory_0{"TCC_EA0_RDREQ_sum", "TCC_EA0_RDREQ_32B_sum", "TCC_EA0_WRREQ_sum",
                               "TCC_EA0_WRREQ_64B_sum"};
constexpr std::string_view reads_of_128 = "TCC_BUBBLE_sum";
/// Sums of such requests in KiB, under the names of several versions.
constexpr std::array<std::string_view, 2> fetched{"FETCH_SIZE", "FetchSize"}, written_back{"WRITE_SIZE", "WriteSize"};

/// Adds the bytes of requests; returns whether all of them were counted.
bool add_requests(KernelWork& work, Counted& counted, const Requests& requests, double of_128 = 0) {
  const auto read = counted.find(requests.read), read_32 = counted.find(requests.read_32);
  const auto write = counted.find(requests.write), write_64 = counted.find(requests.write_64);
  if (!read || !read_32 || !write || !write_64) return false;
  // the parts may be of another pass than the whole, and a little more
  work.bytes_read += std::max(0.0, 128 * of_128 + 32 * *read_32 + 64 * (*read - of_128 - *read_32));
  work.bytes_written += std::max(0.0, 64 * *write_64 + 32 * (*write - *write_64));
  return true;
}

bool has_requests(Counted& counted, const Requests& requests) {
  KernelWork none;
  return add_requests(none, counted, requests);
}

/// The bytes by FETCH_SIZE and WRITE_SIZE. Returns whether one of them was counted.
bool add_sizes(KernelWork& work, Counted& counted, const Target& target, bool whole_lines_on_gfx94) {
  const auto read = counted.first_of({fetched[0], fetched[1]});
  const auto written = counted.first_of({written_back[0], written_back[1]});
  if (!read && !written) return false;
  if (!is_of(target, "gfx")) {
    work.unknown.emplace_back(
        "bytes of the main memory (FETCH_SIZE and WRITE_SIZE are right on some chips only, and --device does not say "
        "which one this is)");
    return true;
  }
  if (is_of(target, "gfx950").value_or(false)) {
    work.unknown.emplace_back("bytes of the main memory (FETCH_SIZE and WRITE_SIZE are wrong on gfx950)");
    return true;
  }
  constexpr double kib = 1024;
  const bool wrong_reads = whole_lines_on_gfx94 && is_of(target, "gfx94").value_or(false);
  if (read && !wrong_reads) work.bytes_read = kib * *read;
  if (written) work.bytes_written = kib * *written;
  if (read && wrong_reads)
    work.unknown.emplace_back(
        "bytes of the main memory that were read (FETCH_SIZE of rocprof takes each request of gfx94x for 128 byte)");
  if (!read) work.unknown.emplace_back("bytes of the main memory that were read");
  if (!written) work.unknown.emplace_back("bytes of the main memory that were written");
  return true;
}

void add_memory(KernelWork& work, Counted& counted, const Target& target, bool whole_lines_on_gfx94) {
  const auto read_128 = counted.find(reads_of_128);
  const bool ea = has_requests(counted, to_memory), ea0 = has_requests(counted, to_memory_0) && read_128;
  const auto is = [&](std::string_view chip) { return is_of(target, chip).value_or(false); };
  if (!ea && !ea0) {
    if (!add_sizes(work, counted, target, whole_lines_on_gfx94))
      work.unknown.emplace_back("bytes of the main memory (FETCH_SIZE, WRITE_SIZE)");
  } else if (is("gfx950")) {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA_*, TCC_EA0_* and TCC_BUBBLE are wrong on gfx950)");
  } else if (is("gfx94") && ea0) {
    add_requests(work, counted, to_memory_0, *read_128);
  } else if (is("gfx94")) {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA_* mean bytes on gfx90a; gfx94x has TCC_EA0_*)");
  } else if (ea && is("gfx906") && !has_requests(counted, to_memory_1)) {
    work.unknown.emplace_back("bytes of the main memory (gfx906 has TCC_EA1_* beside TCC_EA_*)");
  } else if (ea) {
    add_requests(work, counted, to_memory);
    if (is("gfx906")) add_requests(work, counted, to_memory_1);
  } else {
    work.unknown.emplace_back(
        "bytes of the main memory (the counters TCC_EA0_* and TCC_BUBBLE mean bytes on gfx942 only, and --device does "
        "not say that this is one)");
  }
}

KernelWork work_of(Counted& counted, const Target& target, bool whole_lines_on_gfx94) {
  KernelWork work;
  add_memory(work, counted, target, whole_lines_on_gfx94);
  add_matrix(work, counted, target);  // first: a type that it was seen in is not ruled out
  add_vector(work, counted, target);
  mark_masked_lanes(work, counted);
  if (counted.used().empty()) counted.find(time_of_dispatches);
  return work;
}

}  // namespace

bool is_amd_counter(std::string_view name) {
  for (const VectorCounters& type : vector_counters) {
    if (name == type.add || name == type.multiply || name == type.fma || name == type.transcendental) return true;
  }
  for (const Requests& way : {to_memory, to_memory_0, to_memory_1}) {
    if (name == way.read || name == way.read_32 || name == way.write || name == way.write_64) return true;
  }
  const auto is = [&](std::string_view other) { return name == other; };
  return std::ranges::find(matrix_counters, name, &MatrixCounter::name) != matrix_counters.end() ||
         std::ranges::any_of(matrix_counters_of_types, is) || std::ranges::any_of(fetched, is) ||
         std::ranges::any_of(written_back, is) || is(reads_of_128) || is(lane_cycles) || is(instruction_cycles);
}

KernelWork work_of_amd_counters(Counted& counted, const Target& target) { return work_of(counted, target, false); }

KernelWork work_of_rocprof_counters(Counted& counted, const Target& target) { return work_of(counted, target, true); }

}  // namespace gable::interchange
