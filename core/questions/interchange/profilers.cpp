#include "core/questions/interchange/profilers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <system_error>

#include "core/sequence.hpp"

namespace gable::interchange {
namespace {

namespace fs = std::filesystem;
using enum Profiler;

/// What is the same in every profile. "{file}" stands for the file to write, "{folder}" for its folder, "{cpus}" for
/// the device's processors.
struct Call {
  Profiler profiler;
  std::string_view program, backend;
  std::string_view options;  ///< before those that choose counters
  std::string_view ends;     ///< of the files' names
};
constexpr std::array calls = {
    Call{nsight_compute, "ncu", "cuda",
         "--csv --page raw --target-processes all --clock-control none --log-file {file}", "counters.csv"},
    Call{rocprofiler, "rocprofv3", "hip", "--output-format csv -d {folder}", "counter_collection.csv"},
    Call{likwid_perfctr, "likwid-perfctr", "openmp", "-O -o {file} -c {cpus}", "counters.csv"},
    Call{linux_perf, "perf", "openmp", "stat -x, -o {file}", "counters.csv"},
};

/// One profile. Of a vendor, an instruction set and a type only where they are named.
struct Choice {
  struct For {
    Profiler profiler;
    std::string_view vendor{}, isa{};
    std::optional<DType> dtype{};
    bool bytes{};
  } of;
  std::string_view options;
};
constexpr std::string_view intel = "GenuineIntel", amd = "AuthenticAMD";
constexpr std::string_view pairs =
    "--metrics gpu__time_duration.sum,smsp__sass_thread_inst_executed_op_fadd2_pred_on.sum,"
    "smsp__sass_thread_inst_executed_op_fmul2_pred_on.sum,smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum";
constexpr std::array choices = {
    Choice{{.profiler = nsight_compute},
           "--metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum,lts__t_bytes.sum,"
           "l1tex__t_bytes.sum,smsp__sass_thread_inst_executed_op_dadd_pred_on.sum,"
           "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum,smsp__sass_thread_inst_executed_op_dfma_pred_on.sum,"
           "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum,smsp__sass_thread_inst_executed_op_fmul_pred_on.sum,"
           "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"},
    Choice{{.profiler = nsight_compute},
           "--metrics gpu__time_duration.sum,sm__ops_path_tensor_src_bf16_dst_fp32.sum,"
           "sm__ops_path_tensor_src_fp16_dst_fp16.sum,sm__ops_path_tensor_src_fp16_dst_fp32.sum,"
           "sm__ops_path_tensor_src_tf32_dst_fp32.sum,sm__ops_path_tensor_src_fp64.sum,"
           "sm__ops_path_tensor_src_int8.sum"},
    // Instructions for two values, which chips before Blackwell do not have.
    Choice{{.profiler = nsight_compute, .isa = "sm_10", .dtype = DType::fp32}, pairs},
    Choice{{.profiler = nsight_compute, .isa = "sm_12", .dtype = DType::fp32}, pairs},
    Choice{{.profiler = rocprofiler, .dtype = DType::fp64},
           "--pmc SQ_INSTS_VALU_ADD_F64 SQ_INSTS_VALU_MUL_F64 SQ_INSTS_VALU_FMA_F64 SQ_INSTS_VALU_TRANS_F64 "
           "SQ_INSTS_VALU_MFMA_MOPS_F64"},
    Choice{{.profiler = rocprofiler, .dtype = DType::fp32},
           "--pmc SQ_INSTS_VALU_ADD_F32 SQ_INSTS_VALU_MUL_F32 SQ_INSTS_VALU_FMA_F32 SQ_INSTS_VALU_TRANS_F32 "
           "SQ_INSTS_VALU_MFMA_MOPS_F32"},
    Choice{{.profiler = rocprofiler, .dtype = DType::fp16},
           "--pmc SQ_INSTS_VALU_ADD_F16 SQ_INSTS_VALU_MUL_F16 SQ_INSTS_VALU_FMA_F16 SQ_INSTS_VALU_TRANS_F16 "
           "SQ_INSTS_VALU_MFMA_MOPS_F16"},
    Choice{{.profiler = rocprofiler, .dtype = DType::bf16}, "--pmc SQ_INSTS_VALU_MFMA_MOPS_BF16"},
    Choice{{.profiler = rocprofiler, .isa = "gfx90a", .bytes = true},
           "--pmc TCC_EA_RDREQ_sum TCC_EA_RDREQ_32B_sum TCC_EA_WRREQ_sum TCC_EA_WRREQ_64B_sum"},
    Choice{{.profiler = rocprofiler, .isa = "gfx94", .bytes = true},
           "--pmc TCC_EA0_RDREQ_sum TCC_EA0_RDREQ_32B_sum TCC_EA0_WRREQ_sum TCC_EA0_WRREQ_64B_sum"},
    Choice{{.profiler = rocprofiler, .isa = "gfx94", .bytes = true}, "--pmc TCC_BUBBLE_sum"},
    Choice{{.profiler = likwid_perfctr, .dtype = DType::fp64}, "-g FLOPS_DP"},
    Choice{{.profiler = likwid_perfctr, .dtype = DType::fp32}, "-g FLOPS_SP"},
    Choice{{.profiler = likwid_perfctr, .bytes = true}, "-g MEM"},
    Choice{{.profiler = likwid_perfctr, .bytes = true}, "-g L2"},
    Choice{{.profiler = likwid_perfctr, .bytes = true}, "-g L3"},
    Choice{{.profiler = linux_perf, .vendor = intel, .dtype = DType::fp64},
           "-e duration_time,fp_arith_inst_retired.scalar_double,fp_arith_inst_retired.128b_packed_double,"
           "fp_arith_inst_retired.256b_packed_double"},
    Choice{{.profiler = linux_perf, .vendor = intel, .isa = "avx512", .dtype = DType::fp64},
           "-e duration_time,fp_arith_inst_retired.512b_packed_double"},
    Choice{{.profiler = linux_perf, .vendor = intel, .dtype = DType::fp32},
           "-e duration_time,fp_arith_inst_retired.scalar_single,fp_arith_inst_retired.128b_packed_single,"
           "fp_arith_inst_retired.256b_packed_single"},
    Choice{{.profiler = linux_perf, .vendor = intel, .isa = "avx512", .dtype = DType::fp32},
           "-e duration_time,fp_arith_inst_retired.512b_packed_single"},
    Choice{{.profiler = linux_perf, .vendor = intel, .bytes = true},
           "-a -e duration_time,unc_m_cas_count.rd,unc_m_cas_count.wr"},
    Choice{{.profiler = linux_perf, .vendor = amd}, "-e duration_time,fp_ret_sse_avx_ops.all"},
    Choice{{.profiler = linux_perf, .vendor = amd, .bytes = true}, "-a -e duration_time,umc_cas_cmd.rd,umc_cas_cmd.wr"},
};

/// What the programs say when they do not count, and what it means. The first that fits tells most.
struct Refusal {
  Profiler profiler;
  std::string_view says, means;
};
constexpr std::array refusals = {
    Refusal{nsight_compute, "ERR_NVGPUCTRPERM",
            "the driver lets administrators alone read the GPU's counters (ERR_NVGPUCTRPERM): load it with "
            "NVreg_RestrictProfilingToAdminUsers=0, or run this as an administrator"},
    Refusal{likwid_perfctr, "Unsupported Processor",
            "it does not know this processor's counters, as in virtual machines that hide them"},
    Refusal{likwid_perfctr, "MSR",
            "it cannot read the processor's counters: load the module msr, and run this as an administrator or "
            "with likwid's access daemon"},
    Refusal{linux_perf, "perf_event_paranoid",
            "the kernel does not let this user count: lower /proc/sys/kernel/perf_event_paranoid, or run this as an "
            "administrator"},
    Refusal{linux_perf, "event syntax error",
            "it does not know these events here: the processor has others, or a virtual machine hides them"},
    Refusal{linux_perf, "<not supported>",
            "the processor does not count these events here (<not supported>), as in virtual machines that hide "
            "counters"},
};

const Call& call_of(Profiler profiler) { return *std::ranges::find(calls, profiler, &Call::profiler); }

std::vector<std::string> words_of(std::string_view options) {
  std::istringstream text{std::string(options)};
  return {std::istream_iterator<std::string>(text), std::istream_iterator<std::string>()};
}

bool fits(const Choice& choice, const DeviceInfo& device, DType dtype) {
  if (!choice.of.vendor.empty() && !device.vendor.empty() && choice.of.vendor != device.vendor) return false;
  const auto names_it = [&](const std::string& isa) { return isa.find(choice.of.isa) != isa.npos; };
  if (!choice.of.isa.empty() && std::ranges::none_of(device.isa, names_it)) return false;
  return !choice.of.dtype || *choice.of.dtype == dtype;
}

}  // namespace

std::string profiler_names() { return fmt::format("{}", fmt::join(names_of(Profiler{}), ", ")); }

std::string_view program_of(Profiler profiler) { return call_of(profiler).program; }
std::string_view backend_of(Profiler profiler) { return call_of(profiler).backend; }

std::vector<CounterChoice> counter_choices(Profiler profiler, const DeviceInfo& device, DType dtype) {
  const auto is_fitting = [&](const Choice& one) { return one.of.profiler == profiler && fits(one, device, dtype); };
  return mapped(choices | std::views::filter(is_fitting), [](const Choice& one) {
    return CounterChoice{words_of(one.options), one.of.bytes};
  });
}

std::vector<std::string> profile_command(Profiler profiler, const fs::path& path, const CounterChoice& choice,
                                         const DeviceInfo& device, const fs::path& folder,
                                         const std::vector<std::string>& program) {
  const Call& call = call_of(profiler);
  std::vector<std::string> command{path.string()};
  for (const std::string& word : words_of(call.options)) {
    command.push_back(word == "{file}"     ? (folder / call.ends).string()
                      : word == "{folder}" ? folder.string()
                      : word == "{cpus}"   ? fmt::format("{}", fmt::join(device.cpus, ","))
                                           : word);
  }
  command.insert(command.end(), choice.options.begin(), choice.options.end());
  // ncu and likwid-perfctr take the program behind their options; the two others want the mark
  if (profiler == rocprofiler || profiler == linux_perf) command.emplace_back("--");
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

std::vector<fs::path> profile_files(Profiler profiler, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(call_of(profiler).ends)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::string_view refusal_in(Profiler profiler, std::string_view said) {
  for (const Refusal& refusal : refusals) {
    if (refusal.profiler == profiler && said.find(refusal.says) != said.npos) return refusal.means;
  }
  return {};
}

}  // namespace gable::interchange
