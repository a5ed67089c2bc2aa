#include "benchmarks/likwid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <optional>
#include <variant>

#include "benchmarks/child.hpp"
#include "core/error.hpp"

namespace gable::bench {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  return boost::split(lines, text, boost::is_any_of("\n"));
}

/// What follows "key:" on the line that begins with it.
std::optional<std::string> value_of(std::string_view text, std::string_view key) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(fmt::format("{}:", key))) return boost::trim_copy(line.substr(key.size() + 1));
  }
  return {};
}

double number_of(std::string_view text, std::string_view key) {
  const auto value = value_of(text, key);
  if (!value) throw Error(fmt::format("likwid-bench printed no '{}:' line", key));
  double number{};
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  const bool followed = end != value->data() + value->size() && *end != ' ';
  if (error != std::errc{} || followed || !std::isfinite(number) || number < 0.0) {
    throw Error(fmt::format("likwid-bench: '{}: {}' is not a number", key, *value));
  }
  return number;
}

/// likwid-bench ends with code 0 even when a kernel cannot run.
void throw_on_error_line(std::string_view output) {
  for (const std::string& line : lines_of(output)) {
    for (const std::string_view word : {"ERROR", "Error", "error:"}) {
      if (line.starts_with(word)) throw Error(fmt::format("likwid-bench: {}", boost::trim_copy(line)));
    }
  }
}

double expected_per_pass(const LikwidJob& job, const KernelProperties& properties) {
  if (!job.counts_flops) return job.bytes;
  return job.bytes / properties.bytes_per_element * properties.flops_per_element;
}

}  // namespace

std::set<std::string> parse_kernels(std::string_view listing) {
  std::set<std::string> kernels;
  for (const std::string& line : lines_of(listing)) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos || dash == 0) continue;
    const auto name = boost::trim_copy(line.substr(0, dash));
    if (name.find_first_of(" \t\r") == std::string::npos) kernels.insert(name);
  }
  return kernels;
}

KernelProperties parse_properties(std::string_view listing) {
  throw_on_error_line(listing);
  return {number_of(listing, "Flops per element"), number_of(listing, "Bytes per element"),
          static_cast<int>(number_of(listing, "Number of streams"))};
}

LikwidRun parse_run(std::string_view output) {
  throw_on_error_line(output);
  const LikwidRun run{number_of(output, "Time"), 1e6 * number_of(output, "MFlops/s"),
                      1e6 * number_of(output, "MByte/s")};
  if (run.time_s <= 0.0 || run.byte_per_s <= 0.0) throw Error("likwid-bench measured no time");
  return run;
}

Likwid::Likwid() {
  const auto listing = run_child({"likwid-bench", "-a"});
  if (listing.exit_code == 127) throw Error("cannot start 'likwid-bench': not found");
  kernels_ = parse_kernels(listing.output);
  if (kernels_.empty()) throw Error("likwid-bench -a lists no kernel");
}

LikwidRun Likwid::run(const LikwidJob& job) const {
  const auto properties = parse_properties(run_child({"likwid-bench", "-l", job.kernel}).output);
  // -s takes whole seconds only, and a second is beyond a burst; -i counts the passes of every thread.
  const double passes = job.duration_s * job.rate_per_s / expected_per_pass(job, properties);
  const auto iterations = std::max(10L, std::lround(passes));
  // -W: every thread makes its own part of the streams. kB is 1000 bytes.
  const auto workgroup = fmt::format("N:{}kB:{}", std::max(1L, static_cast<long>(job.bytes / 1000.0)), job.threads);
  return parse_run(
      run_child({"likwid-bench", "-t", job.kernel, "-W", workgroup, "-i", std::to_string(iterations)}).output);
}

namespace {

constexpr double burst_s = 0.02;  ///< beyond the time a process needs to get going, before a wide-vector clock acts
constexpr double sustained_s = 1.0;
constexpr double stream_s = 0.3;
/// peakflops loads one element per 15 multiply-adds: this much a thread stays in any L1.
constexpr double peakflops_bytes = 16e3;

/// Endings of likwid's kernel names: for arithmetic, for streams without and with it.
struct Naming {
  std::string_view implementation;
  std::vector<std::string> arithmetic, load, triad;
};
const std::vector<Naming>& namings() {
  static const std::vector<Naming> all{
      {"avx512", {"_avx512_fma"}, {"_avx512", "_avx"}, {"_avx512_fma", "_avx512", "_avx_fma"}},
      {"avx2", {"_avx_fma", "_avx"}, {"_avx"}, {"_avx_fma", "_avx"}},
      {"sse2", {"_sse"}, {"_sse"}, {"_sse"}},
  };
  return all;
}

std::vector<std::string> joined(std::string_view stem, const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  for (const std::string& ending : endings) names.push_back(std::string(stem) + ending);
  return names;
}

void add_compute(std::vector<Planned>& all, const Ceiling& row, const Naming& naming, int threads) {
  const bool floats = row.dtype == DType::fp64 || row.dtype == DType::fp32;
  const bool narrower = row.variant == "isa:" + row.implementation;
  if (row.name != "vector" || !floats || row.at == OperatingPoint::library) return;
  if (!row.variant.empty() && !narrower) return;
  const bool single = row.dtype == DType::fp32;
  all.push_back({row.id, fmt::format("{} {}, {}", single ? "fp32" : "fp64", to_string(row.at), row.implementation),
                 "flop/s", joined(single ? "peakflops_sp" : "peakflops", naming.arithmetic), peakflops_bytes * threads,
                 row.at == OperatingPoint::burst ? burst_s : sustained_s});
}

void add_bandwidth(std::vector<Planned>& all, const Ceiling& row, const Naming& naming) {
  if (!row.variant.empty() || row.at != OperatingPoint::sustained || row.access == Access::write) return;
  const bool bypassing = row.stores == Stores::non_temporal;
  const std::string suffix = bypassing ? "_mem" : "";
  std::vector<std::string> kernels;
  if (row.access == Access::read) kernels = joined("load", naming.load);
  if (row.access == Access::copy) kernels = joined("copy" + suffix, naming.load);
  if (row.access == Access::triad) kernels = joined("stream" + suffix, naming.triad);
  if (kernels.empty()) return;
  all.push_back({row.id, fmt::format("{} {}{}", row.name, to_string(row.access), bypassing ? ", non-temporal" : ""),
                 "byte/s", std::move(kernels), 0.0, stream_s});
}

}  // namespace

std::vector<Planned> plan(const std::vector<worker::ItemInfo>& items, int threads) {
  std::vector<Planned> all;
  for (const auto& item : items) {
    const auto* ceiling = std::get_if<Ceiling>(&item.planned);
    if (!ceiling) continue;
    const auto naming = std::find_if(namings().begin(), namings().end(), [&](const Naming& candidate) {
      return candidate.implementation == ceiling->implementation;
    });
    if (naming == namings().end()) continue;
    if (ceiling->kind == CeilingKind::compute) add_compute(all, *ceiling, *naming, threads);
    if (ceiling->kind == CeilingKind::bandwidth) add_bandwidth(all, *ceiling, *naming);
  }
  return all;
}

}  // namespace gable::bench
