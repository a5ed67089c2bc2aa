#include "core/library/machine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/verdict/named_machine.hpp"

namespace gable::library {
namespace {

Roof roof_of(const ComputeRoof& roof) {
  Roof one{LimitKind::compute, roof.label, roof.flop_per_s, roof.low, roof.high};
  one.unit = to_string(roof.unit);
  one.dtype = to_string(roof.dtype);
  one.operating_point = to_string(roof.at);
  return one;
}

Roof roof_of(const BandwidthRoof& roof) {
  Roof one{roof.link ? LimitKind::link : LimitKind::bandwidth, roof.label, roof.byte_per_s, roof.low, roof.high};
  one.level = roof.level;
  one.access = to_string(roof.access);
  return one;
}

Roof roof_of(const Overhead& launch) {
  const double seconds = launch.seconds;
  return {LimitKind::overhead, launch.label, seconds, launch.low.value_or(seconds), seconds};
}

void check(const Work& work) {
  using Figure = std::pair<const char*, double>;
  for (const auto& [name, value] :
       {Figure{"operations", work.operations}, Figure{"bytes_read", work.bytes_read},
        Figure{"bytes_written", work.bytes_written}, Figure{"working_set", work.working_set}}) {
    if (!std::isfinite(value) || value < 0)
      throw Error(fmt::format("{} is {}, not a finite figure from 0 on", name, value));
  }
  if (work.launches < 1) throw Error(fmt::format("launches is {}, less than one", work.launches));
}

}  // namespace

Machine open(const std::string& name) {
  if (const auto file = file_named(name)) {
    const Result result = load_result(file->path);
    const std::string device = device_named(result, file->path, file->device);
    Machine machine{machine_of(result, device, Scope::node), {}};
    machine.model.source = file->path;
    for (const Point& point : result.points) {
      if (point.device == device) machine.points.push_back(point);
    }
    return machine;
  }
  return {machine_named(name), {}};
}

std::vector<Roof> roofs_of(const Roofline& roofline) {
  std::vector<Roof> roofs;
  for (const ComputeRoof& roof : roofline.compute()) roofs.push_back(roof_of(roof));
  for (const BandwidthRoof& roof : roofline.bandwidth()) roofs.push_back(roof_of(roof));
  if (roofline.overhead()) roofs.push_back(roof_of(*roofline.overhead()));
  return roofs;
}

Judgement judge(const Roofline& roofline, const Work& work) {
  check(work);
  const auto dtype = parse_dtype(work.dtype);
  if (!dtype) throw Error(fmt::format("no type '{}'", work.dtype));
  const auto unit = work.unit.empty() ? Unit::multiply_add : parse_unit(work.unit);
  if (!unit) throw Error(fmt::format("no unit '{}'", work.unit));
  Types types = uniform_types(*dtype);
  if (*unit == Unit::matrix) types.compute = *dtype;  // its roofs are named after what is multiplied, not what is added
  Stage stage;
  if (work.operations > 0) stage.work = {{*unit, work.operations}};
  stage.bytes_read = work.bytes_read;
  stage.bytes_written = work.bytes_written;
  stage.working_set = work.working_set > 0 ? work.working_set : work.bytes_read + work.bytes_written;
  stage.launches = work.launches;
  Judgement judgement = roofline.judge(std::vector{stage}, types, work.cold);
  if (!judgement.bound) throw Error(fmt::format("no roof of the machine applies to this work in {}", work.dtype));
  return judgement;
}

}  // namespace gable::library
