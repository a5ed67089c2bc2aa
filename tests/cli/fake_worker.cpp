// A worker without hardware, to test the parent: the name of an item says whether it answers, crashes, hangs or fails;
// every operator is there and takes 1 ms. GABLE_FAKE_SLOW=seconds makes every item last that long;
// GABLE_FAKE_ITEMS=list chooses the items; GABLE_FAKE_DEVICES=list names the devices; GABLE_FAKE_OPEN="DEVICE=abort"
// (or throw, exit) spoils opening one; GABLE_FAKE_MEMORY=bytes is the free memory, which then is in every item's id;
// GABLE_FAKE_ISA names the device's instruction set; GABLE_FAKE_RUNS=file notes the runs of every batch of an operator.
// Beside other devices an item reaches GABLE_FAKE_SHARE of its figure, and GABLE_FAKE_TOGETHER="DEVICE=abort" (or hang,
// skip) spoils it; GABLE_FAKE_WINDOWS=file notes when its load and its blocks begin and end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/error.hpp"
#include "core/measure/rendezvous.hpp"
#include "core/measure/rounds.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/result/provenance.hpp"
#include "core/worker/serve.hpp"

namespace {

using namespace gable;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

/// Appends a line to the file that the variable names, if it does.
void log_line(const char* variable, const std::string& line) {
  if (const auto log = environment(variable, ""); !log.empty()) std::ofstream(log, std::ios::app) << line << '\n';
}

/// What was really run, and how often.
void log_run(const std::string& id) { log_line("GABLE_FAKE_LOG", id); }

Estimate figure(double value) {
  Estimate estimate;
  estimate.value = estimate.median = value;
  estimate.ci_low = estimate.median_ci_low = value * 0.99;
  estimate.ci_high = estimate.median_ci_high = value * 1.01;
  estimate.blocks = estimate.used_blocks = 8;
  estimate.samples.assign(8, value);
  return estimate;
}

/// Four blocks of a round, all of one figure. The first three rounds disagree by 20 %, later ones do not.
Estimate noisy_figure(const std::string& id, double value) {
  static std::map<std::string, int> visits;
  int& round = visits[id];
  constexpr double of_round[] = {1.0, 0.8, 1.2};
  const double seen = round < 3 ? of_round[round] * value : value;
  ++round;
  return measure::estimate(std::vector<Block>(4, {.figure = seen, .batches = 1}), {.ceiling = true});
}

/// The row that a word of GABLE_FAKE_ITEMS asks for. Its parts are known by their vocabulary, "in_fp16" is the
/// accumulate type; the word is the row's id.
Row row_of(const std::string& word, const std::string& device) {
  std::vector<std::string> parts;
  std::istringstream text(word);
  for (std::string part; std::getline(text, part, '/');) parts.push_back(part);
  if (parts.at(0) == "curve") {
    return Curve{.id = word, .device = device, .threads = 2, .name = parts.at(1), .series = parts.at(2)};
  }
  Ceiling row{.id = word,
              .device = device,
              .threads = 2,
              .kind = parse_name<CeilingKind>(parts.at(1)).value(),
              .name = parts.at(2)};
  row.unit = row.kind == CeilingKind::compute ? "flop/s" : "byte/s";
  for (std::size_t i = 3; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (const auto dtype = parse_dtype(part)) {
      row.dtype = dtype;
    } else if (part.starts_with("in_")) {
      row.accumulate = parse_dtype(part.substr(3));
    } else if (const auto access = parse_name<Access>(part)) {
      row.access = *access;
    } else if (const auto stores = parse_name<Stores>(part)) {
      row.stores = *stores;
    } else if (const auto at = parse_name<OperatingPoint>(part)) {
      row.at = *at;
    } else {
      (row.implementation.empty() ? row.implementation : row.variant) = part;
    }
  }
  return row;
}

void work_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// One line of an item that is measured beside others: device, what happens, and when, ns.
void log_moment(const std::string& device, const char* what) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  log_line("GABLE_FAKE_WINDOWS",
           fmt::format("{} {} {}", device, what, std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()));
}

/// The blocks of an item together with others, with load before and behind them. Returns its part of the figure.
double take_part(measure::Rendezvous& rendezvous, const std::string& device) {
  const auto work = [] { work_for(1e-3); };
  const std::string spoiled = environment("GABLE_FAKE_TOGETHER", "");
  if (spoiled == device + "=skip") throw measure::NoTime("the machine is too busy");
  log_moment(device, "load");
  rendezvous.begin(work);
  log_moment(device, "first");
  if (spoiled == device + "=abort") std::abort();
  if (spoiled == device + "=hang") {
    for (;;) ::pause();
  }
  work_for(device.ends_with('1') ? 0.05 : 0.01);  // one is done before the other
  log_moment(device, "last");
  rendezvous.end(work);
  log_moment(device, "done");
  return std::stod(environment("GABLE_FAKE_SHARE", "1"));
}

std::vector<Row> perform(Row row, const std::string& device) {
  const std::string id = id_of(row);
  log_run(id);
  work_for(std::stod(environment("GABLE_FAKE_SLOW", "0")));
  double share = 1;
  if (auto* rendezvous = measure::take_rendezvous()) share = take_part(*rendezvous, device);
  if (id.find("illegal") != std::string::npos) std::raise(SIGILL);
  if (id.find("hang") != std::string::npos) {
    for (;;) ::pause();
  }
  if (id.find("throw") != std::string::npos) throw std::runtime_error("the kernel gave up");
  if (id.find("noise") != std::string::npos) ::puts("a library that prints to standard output");
  if (id.find("skip") != std::string::npos) return {without_figure(row, Status::skipped, "no room")};
  if (auto* ceiling = std::get_if<Ceiling>(&row)) {
    ceiling->implementation = "fake";
    ceiling->data_pattern = "random_normal";
    ceiling->conditions.clock_hz = 3e9;
    const double value = share * (ceiling->kind == CeilingKind::compute ? 1e11 : 2e10);
    ceiling->value = id.find("noisy") == std::string::npos ? figure(value) : noisy_figure(id, value);
  }
  return {row};
}

/// An operator that does nothing.
class Idle final : public OperatorInstance {
 public:
  void run() override {}
  void fence() override {}
  std::vector<std::vector<double>> inputs() override { return {}; }
  std::vector<std::vector<double>> outputs() override { return {}; }
};

/// Each run is taken to last 1 ms.
class FakeTimer final : public measure::Benchmark {
 public:
  explicit FakeTimer(OperatorInstance& instance) : instance_(instance) {}
  measure::TimedBatch run(std::uint64_t iterations) override {
    instance_.run();
    log_line("GABLE_FAKE_RUNS", std::to_string(iterations));
    measure::TimedBatch batch;
    batch.time_s = 1e-3 * static_cast<double>(iterations);
    return batch;
  }

 private:
  OperatorInstance& instance_;
};

/// Every operator of the build, in one way.
const std::vector<const OperatorEntry*>& fake_entries() {
  static const auto entries = [] {
    static std::vector<OperatorEntry> all;
    for (const OperatorSpec* spec : operator_specs()) {
      Implementation idle;
      idle.name = "kokkos";
      idle.refuses = [](const Types&, const VendorLibrary*) { return std::string{}; };
      idle.create = [](const Params&, const Types&, std::uint64_t,
                       VendorLibrary*) -> std::unique_ptr<OperatorInstance> { return std::make_unique<Idle>(); };
      all.push_back({spec, {idle}});
    }
    std::vector<const OperatorEntry*> pointers;
    for (const OperatorEntry& entry : all) pointers.push_back(&entry);
    return pointers;
  }();
  return entries;
}

class FakeBackend : public Backend {
 public:
  std::string_view name() const override { return "openmp"; }
  Probe probe() override {
    if (environment("GABLE_FAKE_NO_DEVICE", "") == "1") return {{}, "no such hardware"};
    Probe probe;
    std::istringstream ids(environment("GABLE_FAKE_DEVICES", "openmp"));
    for (std::string id; ids >> id;) probe.devices.push_back(device(id));
    return probe;
  }
  static DeviceInfo device(const std::string& id) {
    DeviceInfo device;
    device.id = id;
    device.backend = id.starts_with("cuda") ? "cuda" : id.starts_with("hip") ? "hip" : "openmp";
    if (const auto isa = environment("GABLE_FAKE_ISA", ""); !isa.empty()) device.isa = {isa};
    device.name = "Fake CPU";
    device.cores = device.threads = 2;
    device.cpus = {0, 1};
    device.free_memory_bytes = std::stod(environment("GABLE_FAKE_MEMORY", "1e9"));
    device.memory = {{"L1", 32768, 2, 1, 64, "test"}, {"DRAM", 4e9, 1, 2, 64, "test"}};
    return device;
  }
  void open(const DeviceInfo& device, const Request& request) override {
    if (request.threads > device.cores) throw Error("--threads 99 exceeds the 2 cores of scope node");
    const std::string spoiled = environment("GABLE_FAKE_OPEN", "");
    if (spoiled == device.id + "=abort") std::abort();
    if (spoiled == device.id + "=throw") throw std::logic_error("the runtime does not start");
    if (spoiled == device.id + "=exit") std::_Exit(7);
    device_ = device;
    concurrent_ = request.concurrent;
  }
  int threads() const override { return 2; }
  std::vector<Item> ceilings() override {
    std::vector<Item> items;
    std::istringstream ids(environment(
        "GABLE_FAKE_ITEMS",
        concurrent_ ? "ceiling/compute/vector/fp64/sustained/fake ceiling/bandwidth/DRAM/triad/ordinary/sustained/fake"
                    : "ceiling/compute/vector/fp64/burst ceiling/bandwidth/DRAM/triad/ordinary"));
    for (std::string id; ids >> id;) {
      if (std::getenv("GABLE_FAKE_MEMORY")) id += fmt::format("/bytes={}", device_.free_memory_bytes);
      const Row row = row_of(id, device_.id);
      items.push_back({row, id, 0.1, 1.0, [row, device = device_.id] { return perform(row, device); }});
    }
    return items;
  }
  std::unique_ptr<measure::Benchmark> timer(OperatorInstance& instance) override {
    return std::make_unique<FakeTimer>(instance);
  }
  Conditions conditions() override { return {}; }
  VendorLibrary* vendor() override { return nullptr; }

 private:
  DeviceInfo device_;
  bool concurrent_{};
};

}  // namespace

int main() {
  FakeBackend backend;
  gable::Build build = gable::result::this_build();
  if (const char* flags = std::getenv("GABLE_FAKE_FLAGS")) build.flags = flags;
  return worker::serve(backend, fake_entries(), experiment::cases_of, "gable-worker-openmp-fake", build);
}
