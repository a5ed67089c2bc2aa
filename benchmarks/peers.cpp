// Compares our ceilings with likwid-bench and our gemm with the BLAS of the worker, interleaved in one run.
#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <optional>

#include "benchmarks/comparison.hpp"
#include "benchmarks/likwid.hpp"
#include "benchmarks/options.hpp"
#include "benchmarks/ours.hpp"
#include "core/error.hpp"

namespace {

using namespace gable;
using namespace gable::bench;
namespace po = boost::program_options;

constexpr double goal = 0.98;
constexpr int gemm_sizes[] = {512, 1024, 2048};

struct Options {
  int rounds{};
  std::string only, json;
};

bool is_wanted(const Options& options, const std::string& quantity) {
  return options.only.empty() || quantity.find(options.only) != std::string::npos;
}

/// Our figure of one round: nothing where the row is not ok, and then why.
struct Figure {
  double rate{};
  double working_set_bytes{};
  int threads{};
  std::string reason;
};

Figure our_ceiling(const Ours& ours, const std::string& id) {
  const auto rows = ours.measure({id});
  const auto* row = rows.empty() ? nullptr : std::get_if<Ceiling>(&rows.front());
  if (!row) return {0, 0, 0, "no row"};
  if (row->status != Status::ok && row->status != Status::suspect) return {0, 0, 0, row->reason};
  return {row->value.value, row->working_set_bytes.value_or(0.0), row->threads, ""};
}

/// One round of one quantity: ours and every kernel, in turn first.
void take_round(int round, const Ours& ours, const Likwid& likwid, const Planned& planned, const Figure& first,
                Comparison& comparison) {
  std::vector<double> theirs(planned.kernels.size());
  const auto run_peers = [&] {
    for (std::size_t i = 0; i < planned.kernels.size(); ++i) {
      Pairing& pairing = comparison.pairings[i];
      if (!pairing.reason.empty()) continue;
      try {
        const auto run = likwid.run({planned.kernels[i], planned.bytes > 0 ? planned.bytes : first.working_set_bytes,
                                     first.threads, first.rate, planned.duration_s, planned.unit == "flop/s"});
        theirs[i] = planned.unit == "flop/s" ? run.flop_per_s : run.byte_per_s;
      } catch (const Error& error) {
        pairing.reason = error.what();
      }
    }
  };
  if (round % 2 == 1) run_peers();
  const Figure figure = our_ceiling(ours, planned.id);
  if (round % 2 == 0) run_peers();
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i] <= 0.0 || figure.rate <= 0.0) continue;
    comparison.pairings[i].ours.push_back(figure.rate);
    comparison.pairings[i].theirs.push_back(theirs[i]);
  }
}

std::vector<Comparison> compare_ceilings(const Options& options, const Ours& ours) {
  std::vector<Comparison> comparisons;
  std::vector<Planned> planned;
  for (auto& one : plan(ours.items(), ours.device().cores)) {
    if (is_wanted(options, one.quantity)) planned.push_back(std::move(one));
  }
  if (planned.empty()) return comparisons;
  std::optional<Likwid> likwid;
  std::string absent;
  try {
    likwid.emplace();
  } catch (const Error& error) {
    absent = error.what();
  }
  // The first look is not counted: it tells the working set, and a rate to choose likwid's passes by.
  std::vector<Figure> first;
  for (const auto& one : planned) {
    first.push_back(likwid ? our_ceiling(ours, one.id) : Figure{0, 0, 0, absent});
    Comparison comparison{one.quantity, one.unit, {}};
    for (const auto& kernel : one.kernels) {
      const bool known = likwid && likwid->has(kernel);
      comparison.pairings.push_back({"likwid " + kernel, {}, {}, known ? "" : "this likwid-bench has no such kernel"});
      if (!first.back().reason.empty()) comparison.pairings.back().reason = first.back().reason;
    }
    comparisons.push_back(std::move(comparison));
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < planned.size(); ++i) {
      if (first[i].reason.empty()) take_round(round, ours, *likwid, planned[i], first[i], comparisons[i]);
    }
    fmt::print(stderr, "ceilings: round {} of {}\n", round + 1, options.rounds);
  }
  return comparisons;
}

/// The planned gemms of one type and size whose arrays stay hot: Kokkos', in its usual form, and libraries'.
std::vector<const Point*> planned_gemms(const Ours& ours, DType dtype, const std::string& params) {
  std::vector<const Point*> found;
  for (const auto& item : ours.items()) {
    const auto* point = std::get_if<Point>(&item.planned);
    if (!point || point->op != "gemm" || point->types.a != dtype || point->params != params || point->cold) continue;
    const bool other_form = point->implementation.starts_with("kokkos") && point->implementation != "kokkos";
    if (!other_form) found.push_back(point);
  }
  return found;
}

void take_gemm_round(int round, const Ours& ours, std::vector<std::string> ids, double flop, Comparison& comparison) {
  Pairing& pairing = comparison.pairings.front();
  if (round % 2 == 1) std::reverse(ids.begin(), ids.end());
  double kokkos = 0.0;
  double library = 0.0;
  for (const Row& row : ours.measure(ids)) {
    const auto& point = std::get<Point>(row);
    if (point.status != Status::ok) {
      pairing.reason = fmt::format("{}: {}", point.implementation, point.reason);
      continue;
    }
    (point.implementation == "kokkos" ? kokkos : library) = flop / point.time.value;
  }
  if (kokkos <= 0.0 || library <= 0.0) return;
  pairing.ours.push_back(kokkos);
  pairing.theirs.push_back(library);
}

std::vector<Comparison> compare_gemm(const Options& options) {
  std::vector<Comparison> comparisons;
  Request request{.mode = Mode::full, .dtypes = {DType::fp64, DType::fp32}, .ceilings = false};
  Case gemm{.op = "gemm", .must_fit = true};
  for (const int n : gemm_sizes) gemm.params.push_back(Params::parse(fmt::format("m={0},n={0},k={0}", n)));
  request.cases = {gemm};
  const Ours ours(request);
  for (const DType dtype : request.dtypes) {
    for (std::size_t size = 0; size < std::size(gemm_sizes); ++size) {
      const auto n = static_cast<double>(gemm_sizes[size]);
      Comparison comparison{fmt::format("gemm {} {}", to_string(dtype), gemm_sizes[size]), "flop/s", {}};
      if (!is_wanted(options, comparison.quantity)) continue;
      std::vector<std::string> ids;
      std::string peer = "vendor library";
      for (const Point* point : planned_gemms(ours, dtype, gemm.params[size].to_string())) {
        ids.push_back(point->id);
        if (point->implementation != "kokkos") peer = point->implementation;
      }
      comparison.pairings.push_back({peer, {}, {}, ids.size() < 2 ? "this worker has no library gemm" : ""});
      for (int round = 0; ids.size() > 1 && round < options.rounds; ++round) {
        take_gemm_round(round, ours, ids, 2.0 * n * n * n, comparison);
      }
      fmt::print(stderr, "{}: done\n", comparison.quantity);
      comparisons.push_back(std::move(comparison));
    }
  }
  return comparisons;
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  po::options_description described("Our ceilings against likwid-bench, our gemm against the BLAS: gable_bench_peers");
  auto add = described.add_options();
  add("rounds", po::value(&options.rounds)->default_value(7), "rounds; from 6 on the range is a 95 % interval");
  add("only", po::value(&options.only), "quantities whose name contains this text");
  add("json", po::value(&options.json), "write all rounds with their provenance to this file");
  if (!read_options(argc, argv, described)) return {};
  if (options.rounds < 1) throw Error("--rounds: at least 1");
  return options;
}

/// What to make of the verdicts: likwid-bench averages over everything that happens, our ceilings leave out what a
/// covariate calls disturbed, so a busy machine favours us.
std::string busy_note(double load, int cores) {
  if (load < 0.5 * cores) return {};
  return fmt::format("load average {:.1f} on {} cores when this began: others compute here, the verdicts do not hold\n",
                     load, cores);
}

int run(int argc, char** argv) {
  double load{};
  if (::getloadavg(&load, 1) != 1) load = 0.0;
  const auto options = parse(argc, argv);
  if (!options) return 0;
  Record record(options->json, argc, argv, Mode::full);
  Request ceilings{.mode = Mode::full, .points = false};
  const Ours ours(ceilings);
  auto comparisons = compare_ceilings(*options, ours);
  try {
    for (auto& comparison : compare_gemm(*options)) comparisons.push_back(std::move(comparison));
  } catch (const Error& error) {
    fmt::print(stderr, "gemm: not compared: {}\n", error.what());
  }
  if (comparisons.empty()) throw Error(fmt::format("--only: no quantity has '{}' in its name", options->only));
  fmt::print("{}: {}\n{}", ours.device().id, ours.device().name, table(comparisons, goal));
  fmt::print("{}", busy_note(load, ours.device().cores));
  record.provenance.devices = {ours.device()};
  record.provenance.workers = {ours.program()};
  record.write({{"comparisons", to_json(comparisons, goal)}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return gable::bench::run_program("gable_bench_peers", run, argc, argv); }
