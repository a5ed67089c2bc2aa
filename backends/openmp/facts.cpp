#include "backends/openmp/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "backends/openmp/core_kinds.hpp"
#include "backends/openmp/system_file.hpp"
#include "core/sequence.hpp"
#include "core/text/posix_file.hpp"

namespace gable::openmp {
namespace {

/// Collects facts below one root. Sources are shown without the root.
class Reader {
 public:
  explicit Reader(std::string root) : root_(std::move(root)) {}

  void add(std::string name, std::string value, std::string source) {
    facts_.push_back({std::move(name), std::move(value), std::move(source)});
  }
  void unknown(std::string name, std::string reason) { add(std::move(name), "unknown", std::move(reason)); }

  /// The first line of the file as it stands.
  void file(const std::string& name, const std::string& path) {
    const auto line = first_line(root_ + path);
    line && !line->empty() ? add(name, *line, path) : unknown(name, path + " cannot be read");
  }
  /// "always [madvise] never": the word in brackets.
  void choice(const std::string& name, const std::string& path) {
    const auto line = first_line(root_ + path).value_or("");
    const auto open = line.find('['), close = line.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return file(name, path);
    add(name, line.substr(open + 1, close - open - 1), path);
  }
  std::optional<std::string> read(const std::string& path) const { return first_line(root_ + path); }
  const std::string& root() const { return root_; }
  std::vector<Fact> take() { return std::move(facts_); }

 private:
  std::string root_;
  std::vector<Fact> facts_;
};

void add_clock(Reader& reader, int cpu) {
  const auto cpufreq = fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq", cpu);
  reader.file("governor", cpufreq + "/scaling_governor");
  reader.file("frequency driver", cpufreq + "/scaling_driver");
  const std::string intel = "/sys/devices/system/cpu/intel_pstate/no_turbo";
  const std::string generic = "/sys/devices/system/cpu/cpufreq/boost";
  if (const auto off = reader.read(intel)) {
    reader.add("turbo", *off == "0" ? "on" : "off", intel);
  } else if (const auto on = reader.read(generic)) {
    reader.add("turbo", *on == "1" ? "on" : "off", generic);
  } else {
    reader.unknown("turbo", "neither intel_pstate/no_turbo nor cpufreq/boost can be read");
  }
}

/// How the memory corrects errors ("SECDED", "None"): a memory controller's driver tells it of each module.
void add_ecc(Reader& reader) {
  const std::string controller = "/sys/devices/system/edac/mc/mc0";
  for (const auto& module : listing_of(reader.root() + controller)) {
    const auto path = fmt::format("{}/{}/dimm_edac_mode", controller, module.filename().string());
    if (const auto mode = reader.read(path)) return reader.add("ecc", *mode, path);
  }
  reader.unknown("ecc", "no memory controller under " + controller.substr(0, controller.rfind('/')));
}

/// The first (long-term) limit of every package.
void add_power_cap(Reader& reader) {
  const std::string folder = "/sys/class/powercap";
  std::string caps;
  for (const auto& entry : listing_of(reader.root() + folder)) {
    const auto name = first_line((entry / "name").string()).value_or("");
    const auto limit = number_in((entry / "constraint_0_power_limit_uw").string());
    if (!name.starts_with("package") || !limit) continue;
    caps += fmt::format("{}{} {:.0f} W", caps.empty() ? "" : ", ", name, *limit * 1e-6);
  }
  if (caps.empty()) return reader.unknown("power cap", "no package with a limit under " + folder);
  reader.add("power cap", caps, folder);
}

void add_memory(Reader& reader) {
  reader.choice("transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled");
  reader.choice("transparent huge page defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
  reader.file("huge page pool (2 MiB pages)", "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages");
  reader.file("numa balancing", "/proc/sys/kernel/numa_balancing");
  const auto limit = memory_limit_bytes(reader.root());
  reader.add("memory limit", limit ? fmt::format("{:.0f} byte", *limit) : "none", "cgroup");
}

void add_kernel(Reader& reader) {
  reader.file("kernel", "/proc/sys/kernel/osrelease");
  std::istringstream words(reader.read("/proc/cmdline").value_or(""));
  std::string chosen;
  // Only what changes timing: the rest of the line is nobody's business.
  for (std::string word; words >> word;) {
    for (const std::string_view key :
         {"isolcpus=", "nohz_full=", "rcu_nocbs=", "mitigations=", "nosmt",
          "processor.max_cstate=", "intel_idle.max_cstate=", "idle=", "intel_pstate=", "amd_pstate="}) {
      if (word.starts_with(key)) chosen += (chosen.empty() ? "" : " ") + word;
    }
  }
  reader.add("kernel options", chosen.empty() ? "none" : chosen, "/proc/cmdline (those that change timing)");
  const std::string isolated = "/sys/devices/system/cpu/isolated";
  reader.read(isolated) == "" ? reader.add("isolated cpus", "none", isolated) : reader.file("isolated cpus", isolated);
}

/// Cpus that are there and switched off: neither this process nor any other can use them.
void add_offline_cpus(Reader& reader) {
  const std::string folder = "/sys/devices/system/cpu/";
  const auto present = reader.read(folder + "present"), online = reader.read(folder + "online");
  if (!present || !online) return reader.unknown("offline cpus", folder + "present or online cannot be read");
  auto offline = parse_cpu_list(*present);
  const auto on = parse_cpu_list(*online);
  std::erase_if(offline, [&](int cpu) { return std::binary_search(on.begin(), on.end(), cpu); });
  reader.add("offline cpus", cpu_list(offline), folder + "present and online");
}

void add_mitigations(Reader& reader) {
  const std::string path = "/sys/devices/system/cpu/vulnerabilities";
  const auto files = listing_of(reader.root() + path);
  if (files.empty()) return reader.unknown("mitigations", path + " cannot be read");
  std::string list;
  for (const auto& file : files) {
    if (!first_line(file.string()).value_or("").starts_with("Mitigation:")) continue;
    if (!list.empty()) list += ' ';
    list += file.filename().string();
  }
  reader.add("mitigations", list.empty() ? "none" : list, path);
}

void add_hypervisor(Reader& reader, const CpuIdentity& cpu) {
  const auto product = reader.read("/sys/class/dmi/id/sys_vendor");
  if (cpu.has("hypervisor")) {
    reader.add("hypervisor", product && !product->empty() ? *product : "yes", "/proc/cpuinfo flag, DMI");
  } else if (cpu.flags.empty() || cpu.is_arm()) {
    reader.unknown("hypervisor", "/proc/cpuinfo does not tell it");
  } else {
    reader.add("hypervisor", "none", "/proc/cpuinfo flag");
  }
}

}  // namespace

std::vector<Fact> host_facts(int cpu, const std::string& root) {
  Reader reader(root == "/" ? "" : root);
  const auto identity = cpu_identity(cpu, reader.root());
  add_clock(reader, cpu);
  add_power_cap(reader);
  reader.file("smt", "/sys/devices/system/cpu/smt/control");
  add_memory(reader);
  add_ecc(reader);
  const auto quota = cpu_quota(reader.root());
  reader.add("cpu quota", quota ? fmt::format("{:.2f} cpus", *quota) : "none", "cgroup");
  add_hypervisor(reader, identity);
  add_mitigations(reader);
  add_kernel(reader);
  add_offline_cpus(reader);
  identity.vendor.empty()
      ? reader.unknown("family and model", "/proc/cpuinfo does not show them")
      : reader.add("family and model", fmt::format("{}, {}", identity.family, identity.model), "/proc/cpuinfo");
  identity.microcode.empty() ? reader.unknown("microcode", "/proc/cpuinfo does not show it")
                             : reader.add("microcode", identity.microcode, "/proc/cpuinfo");
  return reader.take();
}

namespace {

std::string counted(int count, const char* what) { return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"); }

std::vector<int> cpus_of(const Topology& topology) {
  std::vector<int> cpus;
  for (const auto& core : topology.cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

/// "all cores", "4 of 64 cores: 4 of socket 0", "10 of 128 cores: 8 of socket 0, 2 of socket 1".
std::string part_of_machine(const Topology& topology) {
  const auto cores = static_cast<int>(topology.cores.size());
  if (cores == topology.machine.cores) return "all cores";
  std::map<int, int> per_socket;
  for (const auto& core : topology.cores) ++per_socket[core.socket];
  std::string text;
  for (const auto& [socket, count] : per_socket)
    text += fmt::format("{}{} of socket {}", text.empty() ? "" : ", ", count, socket);
  return fmt::format("{} of {} cores: {}", cores, topology.machine.cores, text);
}

/// Cores with hardware threads that this process may not use.
int cores_used_in_part(const Topology& topology) {
  return static_cast<int>(std::count_if(topology.cores.begin(), topology.cores.end(), [](const Core& core) {
    return core.hardware_threads > static_cast<int>(core.cpus.size());
  }));
}

/// "two kinds of cores: 8 and 8 (up to 5.2 GHz: cpus 0-15; up to 3.9 GHz: cpus 16-23)".
void add_kinds(std::vector<Fact>& facts, const Topology& topology) {
  if (topology.kinds.size() < 2) return;
  std::string counts, details;
  for (std::size_t kind = 0; kind < topology.kinds.size(); ++kind) {
    const auto& [name, max_hz] = topology.kinds[kind];
    std::vector<int> cpus;
    int cores = 0;
    for (const auto& core : topology.cores) {
      if (core.kind != static_cast<int>(kind)) continue;
      ++cores;
      cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
    }
    std::ranges::sort(cpus);
    const bool last = kind + 1 == topology.kinds.size();
    counts += fmt::format("{}{}", kind == 0 ? "" : last ? " and " : ", ", cores);
    details += fmt::format("{}{}{}{}cpus {}", kind == 0 ? "" : "; ", name, name.empty() ? "" : " ",
                           max_hz ? fmt::format("up to {:.3g} GHz, ", *max_hz * 1e-9) : "", cpu_list(cpus));
  }
  facts.push_back({std::string(core_kinds_fact), fmt::format("{}: {} ({})", kinds_in_words(topology), counts, details),
                   "hwloc and cpufreq; rows are of the fastest kind alone, unless --threads asks for more cores than "
                   "it has"});
}

void add_memory(std::vector<Fact>& facts, const Topology& topology) {
  const auto nodes = mapped(topology.numa, &NumaNode::id);
  const bool all = topology.machine.memory_nodes == static_cast<int>(nodes.size());
  facts.push_back(
      {"memory nodes",
       all ? cpu_list(nodes) : fmt::format("{} of {} nodes", cpu_list(nodes), topology.machine.memory_nodes),
       "hwloc, cpuset and memory policy; those of the usable cores"});
  const bool away = std::any_of(topology.cores.begin(), topology.cores.end(), [&](const Core& core) {
    return !core.numa || std::ranges::find(nodes, *core.numa) == nodes.end();
  });
  if (away && !nodes.empty())
    facts.push_back({"memory of other nodes", "yes", "some usable cores have no usable memory on their own NUMA node"});
  if (!topology.memory_kinds.empty()) {
    facts.push_back({"memory kinds", "more than one memory node per core: " + topology.memory_kinds,
                     "hwloc; memory goes to the node of the first touch, by the system's policy"});
  }
}

}  // namespace

std::vector<Fact> binding_facts(const Topology& topology, const std::optional<double>& quota) {
  std::vector<Fact> facts;
  const auto cpus = cpus_of(topology);
  const auto cores = static_cast<int>(topology.cores.size());
  facts.push_back({"usable cpus",
                   fmt::format("{} on {}: {}", counted(static_cast<int>(cpus.size()), "hardware thread"),
                               counted(cores, "core"), cpu_list(cpus)),
                   "affinity mask and cgroup quota"});
  facts.push_back({"part of the machine", part_of_machine(topology), "hwloc; cores that are online"});
  add_kinds(facts, topology);
  if (const int partly = cores_used_in_part(topology); partly > 0) {
    facts.push_back({"hardware threads of others", fmt::format("on {}", counted(partly, "core")),
                     "these cores have hardware threads that this process may not use: others may run there"});
  }
  if (quota) {
    facts.push_back({"cores under the cpu quota", std::to_string(cores),
                     *quota < 1.0 ? fmt::format("cgroup allows {:.2f} cpus: less than one core, which is stopped for a "
                                                "part of the time, and its figures are too low",
                                                *quota)
                                  : fmt::format("cgroup allows {:.2f} cpus; no more whole cores are used", *quota)});
  }
  add_memory(facts, topology);
  return facts;
}

}  // namespace gable::openmp
