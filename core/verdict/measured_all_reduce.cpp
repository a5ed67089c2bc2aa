#include "core/verdict/measured_all_reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "core/sequence.hpp"

namespace gable {
namespace {

void add_times(MeasuredAllReduce& measured, const Result& result, const Ceiling& row) {
  const auto positive = [](double value) { return value > 0; };
  const auto fits = [&](const Curve& curve) {
    return curve.device == row.device && curve.threads == row.threads && curve.name == collective_times &&
           curve.series == message_series_name(all_reduce_row, measured.medium) && curve.status == Status::ok &&
           curve.x.size() == curve.y.size() && std::ranges::is_sorted(curve.x) &&
           std::ranges::all_of(curve.x, positive) && std::ranges::all_of(curve.y, positive);
  };
  const auto curve = std::ranges::find_if(result.curves, fits);
  if (curve == result.curves.end()) return;
  measured.bytes = curve->x;
  measured.seconds = curve->y;
}

}  // namespace

int nodes_of(const Result& result, const std::string& device) {
  std::set<std::string_view> hosts;
  const auto found = std::ranges::find(result.devices, device, &DeviceInfo::id);
  if (found == result.devices.end()) return 0;
  for (const auto& fact : found->facts) {
    if (fact.source == "MPI_Get_processor_name") hosts.insert(fact.value);
  }
  return static_cast<int>(hosts.size());
}

double MeasuredAllReduce::seconds_of(double message_bytes) const {
  if (bytes.empty()) return 2.0 * (ranks - 1) / ranks * message_bytes / bus_byte_per_s;
  const auto above = std::ranges::lower_bound(bytes, message_bytes);
  if (above == bytes.begin()) return seconds.front();
  if (above == bytes.end()) return seconds.back() * message_bytes / bytes.back();
  const auto i = static_cast<std::size_t>(above - bytes.begin());
  const double part = (message_bytes - bytes[i - 1]) / (bytes[i] - bytes[i - 1]);
  return seconds[i - 1] + part * (seconds[i] - seconds[i - 1]);
}

std::optional<MeasuredAllReduce> measured_all_reduce(const Result& result, const std::string& device,
                                                     MessageMedia media) {
  for (const MessageMedium medium : media) {
    const auto rate = [](const Ceiling& row) { return row.value.value; };
    const Ceiling* best = highest_of(result.ceilings, rate, [&](const Ceiling& row) {
      return row.kind == CeilingKind::link && row.device == device &&
             row.name == message_row_name(all_reduce_row, medium) && medium_of(row) == medium &&
             row.variant.starts_with(bus_bandwidth) && row.status == Status::ok && row.value.value > 0 &&
             row.threads > 1;
    });
    if (best == nullptr) continue;
    MeasuredAllReduce measured;
    measured.medium = medium;
    measured.ranks = best->threads;
    measured.bus_byte_per_s = best->value.value;
    measured.nodes = nodes_of(result, device);
    add_times(measured, result, *best);
    return measured;
  }
  return {};
}

}  // namespace gable
