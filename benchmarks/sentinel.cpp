// What the CPU backend's sentinel sees: every 20 ms on every cpu the sentinel, a sample (multiply-adds, then loads out
// of L1, by the kernels of the ceilings), and the sentinel again. How many slow samples does it see, and how many good
// ones doubt?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include "backends/openmp/binding.hpp"
#include "backends/openmp/ceilings/clock_probe.hpp"
#include "backends/openmp/ceilings/instructions.hpp"
#include "backends/openmp/sentinel.hpp"
#include "backends/openmp/system_file.hpp"
#include "benchmarks/disturber.hpp"
#include "benchmarks/options.hpp"
#include "benchmarks/sentinel_score.hpp"
#include "core/error.hpp"
#include "core/measure/disturbance.hpp"
#include "core/measure/statistics.hpp"
#include "core/sequence.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr auto period = std::chrono::milliseconds(20);
constexpr double piece_s = 5e-4;  // of either half of a sample
constexpr double good_by = 0.02;

struct Options {
  double seconds{};
  double disturb{};
  std::string json;
};

double seconds_of(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// The work of a sample, by one thread.
class Work {
 public:
  Work()
      : instructions_(openmp::native_instructions()),
        compute_(openmp::compute_kernels(instructions_, "vector", DType::fp32).at(0)),
        read_(openmp::stream_kernel(instructions_, Access::read, Stores::none)),
        operands_(compute_.kernel->dtype) {
    fused_ = iterations([this](std::uint64_t n) { multiply_adds(n); });
    passes_ = iterations([this](std::uint64_t n) { loads(n); });
  }
  double multiply_adds() {
    return timed([this](std::uint64_t n) { multiply_adds(n); }, fused_);
  }
  double loads() {
    return timed([this](std::uint64_t n) { loads(n); }, passes_);
  }

 private:
  void multiply_adds(std::uint64_t n) { compute_.kernel->run(n, operands_.data(), &sink_); }
  void loads(std::uint64_t n) { read_.kernel->run(values_.data(), nullptr, nullptr, values_.size(), n, &sink_); }
  template <class Piece>
  static double timed(Piece&& piece, std::uint64_t n) {
    const auto start = Clock::now();
    piece(n);
    return seconds_of(Clock::now() - start);
  }
  template <class Piece>
  static std::uint64_t iterations(Piece&& piece) {
    std::uint64_t n = 1;
    while (std::min({timed(piece, n), timed(piece, n), timed(piece, n)}) < piece_s) n *= 2;
    return n;
  }

  openmp::Instructions instructions_;
  openmp::ComputeChoice compute_;
  openmp::StreamChoice read_;
  openmp::Operands operands_;
  openmp::Sink sink_{};
  alignas(64) std::array<double, 2048> values_{};
  std::uint64_t fused_{}, passes_{};
};

struct Sample {
  double multiply_adds_s{}, loads_s{};
  Block block;
  double time_s() const { return multiply_adds_s + loads_s; }
};

std::vector<Sample> take_samples(int cpu, Clock::time_point end) {
  if (!openmp::confine_this_thread({cpu})) throw Error(fmt::format("cannot use cpu {}", cpu));
  Work work;
  std::vector<Sample> samples;
  for (auto next = Clock::now(); next < end; next = std::max(next + period, Clock::now())) {
    std::this_thread::sleep_until(next);
    Sample sample;
    openmp::SentinelPair pair;
    const long switches = involuntary_switches();
    pair.before = openmp::run_sentinel();
    sample.multiply_adds_s = work.multiply_adds();
    sample.loads_s = work.loads();
    pair.after = openmp::run_sentinel();
    measure::TimedBatch seen;
    openmp::describe({&pair, 1}, seen);
    sample.block.batches = 1;
    sample.block.involuntary_switches = static_cast<double>(involuntary_switches() - switches);
    sample.block.sentinel_s = seen.sentinel_s;
    sample.block.throughput_s = seen.throughput_s;
    samples.push_back(sample);
  }
  return samples;
}

/// The other hardware threads of the cpu's core, as far as the system tells.
std::vector<int> siblings(int cpu) {
  const auto path = fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu);
  auto cpus = openmp::parse_cpu_list(openmp::first_line(path).value_or(""));
  std::erase(cpus, cpu);
  return cpus;
}

std::string quantiles(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::string line;
  for (const double p : {0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9}) {
    const auto at = static_cast<std::size_t>(p * static_cast<double>(values.size() - 1));
    line += fmt::format(" {:>7.3f}", values[at] / undisturbed_time(values));
  }
  return line;
}

double percent(int part, int all) { return all == 0 ? 0.0 : 100.0 * part / all; }

/// Samples in which the thread was switched out are seen without a sentinel, so they are counted only.
void print(int cpu, std::vector<Sample> samples, double level) {
  const auto taken = samples.size();
  std::erase_if(samples, [](const Sample& sample) { return sample.block.involuntary_switches > 0; });
  if (samples.empty()) {
    fmt::print("cpu {}: switched out in all of {} samples\n", cpu, taken);
    return;
  }
  const auto each = [&](auto&& figure) { return mapped(samples, figure); };
  const auto times = each([](const Sample& s) { return s.time_s(); });
  const double undisturbed = undisturbed_time(times);
  fmt::print(
      "cpu {}: {} samples, {} without a switch; over its own undisturbed figure: least, 5, 10, 25, 50, 75, 90 %\n", cpu,
      taken, samples.size());
  fmt::print("  chain        {}\n", quantiles(each([](const Sample& s) { return s.block.sentinel_s; })));
  fmt::print("  dense / chain{}\n",
             quantiles(each([](const Sample& s) { return *measure::throughput_ratio(s.block); })));
  fmt::print("  multiply-adds{}\n", quantiles(each([](const Sample& s) { return s.multiply_adds_s; })));
  fmt::print("  loads        {}\n", quantiles(each([](const Sample& s) { return s.loads_s; })));
  fmt::print("  sample       {}\n", quantiles(times));
  const auto chain = measure::half_sample_mode(each([](const Sample& s) { return s.block.sentinel_s; }));
  const auto line = [&](const std::string& name, auto&& called) {
    const auto disturbed = mapped(samples, [&](const auto& sample) { return called(sample.block); });
    std::string text = fmt::format("  {:<30}", name);
    for (const double slow_by : {0.05, 0.1, 0.2}) {
      const auto result = score(times, disturbed, undisturbed, good_by, slow_by);
      text += fmt::format(" {:>6.1f} % of {:>4}", percent(result.seen, result.slow), result.slow);
      if (slow_by == 0.2)
        text += fmt::format("  {:>6.1f} % of {:>4}", percent(result.doubted, result.good), result.good);
    }
    fmt::print("{}\n", text);
  };
  fmt::print("  {:<30} {:^16} {:^16} {:^16} {:^17}\n", "called disturbed", "slow > 5 %", "> 10 %", "> 20 %",
             fmt::format("good <= {:g} %", 100 * good_by));
  line("chain", [&](const Block& b) { return b.sentinel_s > (1 + measure::disturbance_tolerance) * chain; });
  for (const double tolerance : {0.005, 0.01, 0.02, 0.05, 0.1, 0.2}) {
    line(fmt::format("dense / chain, {:g} %", 100 * tolerance),
         [&](const Block& b) { return *measure::throughput_ratio(b) > (1 + tolerance) * level; });
  }
  const auto disturbed = measure::classify(mapped(samples, &Sample::block), level).disturbed;
  std::size_t i = 0;
  line("classify()", [&](const Block&) { return disturbed[i++]; });
}

nlohmann::json to_json(const std::vector<Sample>& samples) {
  auto array = nlohmann::json::array();
  for (const auto& s : samples) {
    array.push_back({{"multiply_adds_s", s.multiply_adds_s},
                     {"loads_s", s.loads_s},
                     {"involuntary_switches", s.block.involuntary_switches},
                     {"sentinel_s", s.block.sentinel_s},
                     {"throughput_s", s.block.throughput_s}});
  }
  return array;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  po::options_description described("What the sentinel sees: gable_bench_sentinel");
  auto add = described.add_options();
  add("seconds", po::value(&options.seconds)->default_value(30), "how long to look");
  add("disturb", po::value(&options.disturb)->default_value(0),
      "share of the time that a disturber works, 0 to 0.9: on the other hardware threads of a core, where there are "
      "such; "
      "else on the same ones");
  add("json", po::value(&options.json), "write every sample with its provenance to this file");
  if (!read_options(argc, argv, described)) return {};
  if (options.seconds < 1) throw Error("--seconds: at least 1");
  if (options.disturb < 0 || options.disturb > 0.9) throw Error("--disturb: from 0 to 0.9");
  return options;
}

int run(int argc, char** argv) {
  const auto options = parse(argc, argv);
  if (!options) return 0;
  Record record(options->json, argc, argv, Mode::quick);
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options->seconds));
  // One cpu a core is measured, so that the samples do not disturb each other.
  std::vector<int> cpus, disturbers;
  for (const int cpu : openmp::cpus_of_this_thread()) {
    const auto others = siblings(cpu);
    if (std::any_of(others.begin(), others.end(), [&](int other) { return other < cpu; })) continue;
    cpus.push_back(cpu);
    if (others.empty()) disturbers.push_back(cpu);
    disturbers.insert(disturbers.end(), others.begin(), others.end());
  }
  std::vector<std::vector<Sample>> samples(cpus.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    threads.emplace_back([&, i] { samples[i] = take_samples(cpus[i], end); });
  std::optional<Disturber> disturber;
  if (options->disturb > 0) disturber.emplace(Neighbour{Disturbing::bursts, options->disturb}, disturbers, 1);
  for (auto& thread : threads) thread.join();

  std::vector<Block> all;
  for (const auto& taken : samples) {
    for (const auto& sample : taken) all.push_back(sample.block);
  }
  const auto level = measure::throughput_baseline(all);
  if (!level) throw Error("--seconds: not one sample was taken");
  fmt::print("undisturbed dense / chain, over all cpus: {:.4f}\n", *level);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    if (!samples[i].empty()) print(cpus[i], samples[i], *level);
  }
  nlohmann::json document{{"throughput_level", *level}};
  for (std::size_t i = 0; i < cpus.size(); ++i) document["cpus"][std::to_string(cpus[i])] = to_json(samples[i]);
  record.write(std::move(document), -1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_sentinel", run, argc, argv); }
