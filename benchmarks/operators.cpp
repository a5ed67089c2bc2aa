// The speed goals of the operator catalogue on this CPU: every operator beside the roofs that bound it, round by round.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/program_options.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "backends/kokkos/runtime.hpp"
#include "backends/openmp/memory.hpp"
#include "backends/openmp/openmp_backend.hpp"
#include "benchmarks/operator_case.hpp"
#include "benchmarks/options.hpp"
#include "core/error.hpp"
#include "core/measure/timed.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace po = boost::program_options;

/// What the system itself causes on an otherwise idle machine stays far below.
constexpr double quiet_switches_per_s = 20;

struct Options {
  std::vector<std::string> operators;
  std::vector<DType> dtypes;
  std::vector<Params> params;
  int rounds{};
  int threads{};
  bool goals{};
  std::string json;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  if (!text.empty()) boost::split(parts, text, boost::is_any_of(","));
  return parts;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  std::string operators, dtypes;
  std::vector<std::string> params;
  po::options_description described("Operators and their speed goals: gable_bench_operators");
  auto add = described.add_options();
  add("operator", po::value(&operators), "NAME,…: these operators only");
  add("dtype", po::value(&dtypes), "fp64,fp32,…: these storage types only");
  add("params", po::value(&params)->composing(),
      "m=1024,n=1024,…: this size instead of the operators' own; repeatable");
  add("rounds", po::value(&options.rounds)->default_value(7), "rounds; at least 3");
  add("threads", po::value(&options.threads)->default_value(0), "threads; 0: one a core");
  add("goals", po::bool_switch(&options.goals), "the sizes that goals name too, beside the operators' own");
  add("json", po::value(&options.json), "write every round with its provenance to this file");
  if (!read_options(argc, argv, described)) return {};
  if (options.rounds < 3) throw Error("--rounds: at least 3");
  options.operators = split(operators);
  for (const auto& name : options.operators) find_spec(name);
  for (const auto& name : split(dtypes)) {
    const auto dtype = parse_dtype(name);
    if (!dtype) throw Error(fmt::format("--dtype: no type is called '{}'", name));
    options.dtypes.push_back(*dtype);
  }
  for (const auto& text : params) options.params.push_back(Params::parse(text));
  return options;
}

template <class T>
bool wanted(const std::vector<T>& asked, const auto& value) {
  return asked.empty() || std::ranges::find(asked, value) != asked.end();
}

/// What was asked for, or the operator's own sizes, in front of them those that goals name.
std::vector<Params> sizes_of(const Bench& bench, const OperatorSpec& spec, const Types& types, const Options& options) {
  if (!options.params.empty()) return options.params;
  auto sizes = spec.default_params(part_of(bench.device, Scope::node, bench.backend.threads()), types);
  if (!options.goals) return sizes;
  for (const Params& size : goal_sizes(bench.goals, spec, types)) {
    if (std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Outcome> run_all(const Bench& bench, const Options& options) {
  std::vector<Outcome> outcomes;
  for (const OperatorEntry* entry : bench.entries) {
    const OperatorSpec& spec = *entry->spec;
    if (!wanted(options.operators, std::string(spec.name))) continue;
    for (const Types& types : spec.types) {
      if (!wanted(options.dtypes, types.a)) continue;
      for (const Params& params : sizes_of(bench, spec, types, options)) {
        fmt::print(stderr, "{} {} {}\n", spec.name, to_string(types.a), params.to_string());
        for (Outcome& outcome : run_case(bench, *entry, params, types)) outcomes.push_back(std::move(outcome));
      }
    }
  }
  return outcomes;
}

int run(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) return 0;
  Request request;
  request.threads = options->threads;
  Record record(options->json, argc, argv, request.mode);
  openmp::OpenMPBackend backend;
  const Probe probe = backend.probe();
  if (probe.devices.empty()) throw Error(probe.reason);
  DeviceInfo device = probe.devices.front();
  device.free_memory_bytes = openmp::available_memory_bytes();
  backend.open(device, request);
  const kokkos::Runtime runtime(backend.threads());
  record.provenance.devices = {device};
  NativeRoofs roofs(backend.setup());
  const double switches = measure::involuntary_switches();
  const auto start = std::chrono::steady_clock::now();
  const auto outcomes = run_all({backend, device, roofs, operator_entries(), speed_goals(), options->rounds}, *options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double switches_per_s = (measure::involuntary_switches() - switches) / seconds;
  fmt::print("{}{:.0f} involuntary context switches a second{}\n", table(outcomes), switches_per_s,
             switches_per_s > quiet_switches_per_s ? ": other programs run, these figures do not hold" : "");
  record.write({{"involuntary_switches_per_s", switches_per_s}, {"outcomes", to_json(outcomes)}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_operators", run, argc, argv); }
