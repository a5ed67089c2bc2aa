#include "core/questions/predict/fusion.hpp"

#include <algorithm>
#include <vector>

#include "core/error.hpp"
#include "core/questions/predict/what_if.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

double bytes(const BufferSpec& buffer) { return static_cast<double>(buffer.count) * size_bytes(buffer.dtype); }

/// Bytes of an operator's arrays, each once on each side, and how many of their values are of 2-byte floating types.
struct Arrays {
  double read{}, written{}, updated{};
  double conversions{};
};

Arrays arrays_of(const OperatorSpec& spec, const Params& params, const Types& types) {
  Arrays arrays;
  for (const BufferSpec& buffer : spec.buffers(params, types)) {
    if (is_read(buffer.role)) arrays.read += bytes(buffer);
    if (is_written(buffer.role)) arrays.written += bytes(buffer);
    if (buffer.role == Role::updated) arrays.updated += bytes(buffer);
    if (size_bytes(buffer.dtype) != 2) continue;
    arrays.conversions += static_cast<double>(buffer.count) * (buffer.role == Role::updated ? 2 : 1);
  }
  return arrays;
}

/// Without anything handed on; one launch.
Stage together(std::span<const Stage> stages) {
  Stage whole;
  whole.name = "fused";
  for (const Stage& stage : stages) {
    whole.work.insert(whole.work.end(), stage.work.begin(), stage.work.end());
    whole.inner.insert(whole.inner.end(), stage.inner.begin(), stage.inner.end());
    whole.bytes_read += stage.bytes_read;
    whole.bytes_written += stage.bytes_written;
    whole.bytes_updated += stage.bytes_updated;
    whole.random_lines += stage.random_lines;
    whole.random_span = std::max(whole.random_span, stage.random_span);
  }
  return whole;
}

double conversions(const Stage& stage) {
  return sum_over(stage.work, [](const UnitWork& one) { return one.unit == Unit::convert ? one.operations : 0; });
}

/// What does not move is not converted either.
void scale_conversions(Stage& stage, double factor) {
  for (UnitWork& work : stage.work) {
    if (work.unit == Unit::convert) work.operations *= factor;
  }
}

/// A stage that hands on so many of its bytes.
Stage without(Stage stage, double handed_on) {
  if (const double moved = gable::bytes(stage); moved > 0) scale_conversions(stage, 1 - handed_on / moved);
  return stage;
}

/// What is updated in place is one place, however often it moves.
double places(const Stage& stage) { return gable::bytes(stage) - stage.bytes_updated; }

}  // namespace

Stage fused(const Stage& before, const Stage& after, const HandedOn& handed_on) {
  Stage whole = together(std::vector{without(before, handed_on.bytes), without(after, handed_on.bytes)});
  whole.bytes_read -= handed_on.bytes;
  whole.bytes_written -= handed_on.bytes;
  whole.bytes_updated -= handed_on.updated;
  whole.working_set = places(whole);
  return whole;
}

Stage fused(std::span<const Stage> stages) {
  if (stages.empty()) return {};
  Stage whole = together(stages.first(1));
  whole.working_set = places(whole);
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const double handed = std::min(stages[i - 1].bytes_written, stages[i].bytes_read);
    // An array that both update stays one that is updated; one that only one of them updates is no longer read, or no
    // longer written.
    const double updated = std::max(std::min(whole.bytes_updated, handed), std::min(stages[i].bytes_updated, handed));
    whole = fused(whole, stages[i], {handed, updated});
  }
  return whole;
}

Stage fused(const OperatorSpec& spec, const Params& params, const Types& types, std::span<const Stage> stages,
            int runs) {
  const Arrays arrays = arrays_of(spec, params, types);
  Stage whole = together(stages);
  // An operator may read a part of an array only (rows of a table): never more than its stages do.
  whole.bytes_read = std::min(whole.bytes_read, runs * arrays.read);
  whole.bytes_written = std::min(whole.bytes_written, runs * arrays.written);
  whole.bytes_updated = std::min(whole.bytes_updated, runs * arrays.updated);
  whole.working_set = places(whole);
  if (const double now = conversions(whole); now > runs * arrays.conversions)
    scale_conversions(whole, runs * arrays.conversions / now);
  return whole;
}

Stage fused(const Point& point, Operators operators) {
  const OperatorSpec* spec = known_operator(point, operators);
  if (spec != nullptr && !point.params.empty()) {
    try {
      return fused(*spec, Params::parse(point.params), point.types, point.stages, point.launches);
    } catch (const Error&) {  // a file of another version, whose operator took other sizes
    }
  }
  return fused(point.stages);
}

HandedOn handed_on(const OperatorSpec& first, const Params& first_params, const Types& first_types,
                   const OperatorSpec& second, const Params& second_params, const Types& second_types) {
  auto read = second.buffers(second_params, second_types);
  std::erase_if(read, [](const BufferSpec& buffer) { return !is_read(buffer.role); });
  HandedOn handed_on;
  for (const BufferSpec& written : first.buffers(first_params, first_types)) {
    if (!is_written(written.role)) continue;
    const auto taker = std::ranges::find(read, written.count, &BufferSpec::count);
    if (taker == read.end()) continue;
    const double both = std::min(bytes(written), bytes(*taker));
    handed_on.bytes += both;
    if (written.role == Role::updated || taker->role == Role::updated) handed_on.updated += both;
    read.erase(taker);
  }
  return handed_on;
}

}  // namespace gable::questions
