#include "benchmarks/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace gable::bench {
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
