#include "core/result/provenance.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gable::result {
namespace {

constexpr std::string_view unknown = "unknown";

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// PRETTY_NAME of os-release(5), without its quotes.
std::string installed_system() {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      constexpr std::string_view key = "PRETTY_NAME=";
      if (!line.starts_with(key)) continue;
      std::string name = line.substr(key.size());
      std::erase(name, '"');
      return name;
    }
  }
  return std::string(unknown);
}

/// scripts/in_root.sh tells which system the machine has when the program runs in a root of another one.
std::string operating_system() {
  const char* host = std::getenv("GABLE_HOST_OS");
  return host && *host ? fmt::format("{} (in a build root of {})", host, installed_system()) : installed_system();
}

#if defined(__x86_64__)
/// CPUID leaf 1, ECX bit 31 is set under a hypervisor, whose twelve-letter signature is in leaf 0x40000000.
Fact hypervisor() {
  unsigned eax{}, ebx{}, ecx{}, edx{};
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0) return {"hypervisor", std::string(unknown), "CPUID leaf 1"};
  if ((ecx >> 31) == 0) return {"hypervisor", "none", "CPUID leaf 1"};
  __cpuid(0x40000000, eax, ebx, ecx, edx);
  std::array<unsigned, 3> registers{ebx, ecx, edx};
  std::array<char, 13> text{};
  std::memcpy(text.data(), registers.data(), 12);
  std::string signature(text.data());
  const auto odd = [](char c) { return c < ' ' || c > '~'; };
  std::replace_if(signature.begin(), signature.end(), odd, '?');
  return {"hypervisor", signature.empty() ? "yes, unnamed" : signature, "CPUID leaf 0x40000000"};
}
#else
Fact hypervisor() {
  const auto type = first_line("/sys/hypervisor/type");
  return {"hypervisor", type.empty() ? std::string(unknown) : type, "/sys/hypervisor/type"};
}
#endif

Fact hardware_model() {
  const auto vendor = first_line("/sys/class/dmi/id/sys_vendor");
  const auto product = first_line("/sys/class/dmi/id/product_name");
  auto model = vendor.empty() || product.empty() ? vendor + product : vendor + " " + product;
  return {"hardware_model", model.empty() ? std::string(unknown) : model, "/sys/class/dmi/id"};
}

Fact container() {
  std::error_code error;
  for (const char* mark : {"/.dockerenv", "/run/.containerenv", "/singularity"}) {
    if (std::filesystem::exists(mark, error)) return {"container", "yes", mark};
  }
  return {"container", "none seen", "/.dockerenv, /run/.containerenv, /singularity"};
}

Fact load_average(std::string name) {
  std::array<double, 1> load{};
  const bool known = ::getloadavg(load.data(), 1) == 1;
  return {std::move(name), known ? fmt::format("{:.2f}", load[0]) : std::string(unknown), "getloadavg, 1 minute"};
}

void add_environment(std::vector<Fact>& facts) {
  // Of Open MPI's only what people choose: mpirun sets many more, others in each run.
  constexpr std::array<std::string_view, 20> prefixes{
      "OMP_",    "GOMP_", "KMP_",    "KOKKOS_",        "OPENBLAS_",         "BLIS_",        "MKL_",
      "ONEDNN_", "DNNL_", "MALLOC_", "OMPI_MCA_btl",   "OMPI_MCA_pml",      "OMPI_MCA_mtl", "OMPI_MCA_coll",
      "UCX_",    "FI_",   "MPICH_",  "MPIR_CVAR_CH4_", "MPIR_CVAR_NOLOCAL", "I_MPI_"};
  constexpr std::array<std::string_view, 23> names{"CUDA_VISIBLE_DEVICES",
                                                   "CUDA_DEVICE_MAX_CONNECTIONS",
                                                   "CUDA_FORCE_PTX_JIT",
                                                   "CUDA_INJECTION64_PATH",
                                                   "CUDA_LAUNCH_BLOCKING",
                                                   "NVIDIA_TF32_OVERRIDE",
                                                   "CUBLAS_WORKSPACE_CONFIG",
                                                   "HIP_VISIBLE_DEVICES",
                                                   "HIP_LAUNCH_BLOCKING",
                                                   "AMD_SERIALIZE_KERNEL",
                                                   "AMD_SERIALIZE_COPY",
                                                   "AMD_LOG_LEVEL",
                                                   "GPU_MAX_HW_QUEUES",
                                                   "HSA_ENABLE_SDMA",
                                                   "HSA_XNACK",
                                                   "HSA_TOOLS_LIB",
                                                   "HSA_CU_MASK",
                                                   "ROC_GLOBAL_CU_MASK",
                                                   "ROCR_VISIBLE_DEVICES",
                                                   "GPU_DEVICE_ORDINAL",
                                                   "SLURM_CPU_BIND",
                                                   "GLIBC_TUNABLES",
                                                   "LD_PRELOAD"};
  std::vector<Fact> found;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const auto name = text.substr(0, equals);
    const bool wanted =
        std::find(names.begin(), names.end(), name) != names.end() ||
        std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return name.starts_with(prefix); });
    if (wanted) found.push_back({std::string(name), std::string(text.substr(equals + 1)), "environment"});
  }
  std::sort(found.begin(), found.end(), [](const Fact& a, const Fact& b) { return a.name < b.name; });
  facts.insert(facts.end(), found.begin(), found.end());
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                     utc.tm_hour, utc.tm_min, utc.tm_sec);
}

RunInfo begin_run(const std::vector<std::string>& command_line, Mode mode) {
  RunInfo run;
  run.started_at = utc_now();
  run.command_line = command_line;
  run.mode = mode;
  run.os = operating_system();
  utsname names{};
  const bool named = ::uname(&names) == 0;
  run.hostname = named ? names.nodename : std::string(unknown);
  run.kernel = named ? fmt::format("{} {} {}", names.sysname, names.release, names.machine) : std::string(unknown);
  run.facts = {hypervisor(), hardware_model(), container(), load_average("load_average_at_start")};
  add_environment(run.facts);
  return run;
}

void finish_run(RunInfo& run) {
  run.finished_at = utc_now();
  run.facts.push_back(load_average("load_average_at_end"));
}

}  // namespace gable::result
