#include "core/result/json.hpp"

#include <nlohmann/json.hpp>

#include "core/result/fields.hpp"
#include "core/result/row_fields.hpp"
#include "core/result/version.hpp"

namespace gable::result {
namespace {

template <class A, SameStruct<Result> S>
void result_fields(A& a, S& s) {
  a.field("build", s.build);
  pairs_field<NamedBuild>(a, "workers", s.workers);
  a.field("run", s.run);
  a.field("devices", s.devices);
  a.field("ceilings", s.ceilings);
  a.field("curves", s.curves);
  a.field("points", s.points);
  a.field("notes", s.notes);
}

}  // namespace

nlohmann::json to_json(const Build& build) { return write_json(build); }
nlohmann::json to_json(const DeviceInfo& device) { return write_json(device); }
nlohmann::json to_json(const Row& row) { return write_json(row); }

nlohmann::json to_json(const Result& result) {
  JsonWriter writer;
  writer.field("schema_version", fmt::format("{}.{}", schema_major, schema_minor));
  result_fields(writer, result);
  return writer.take();
}

Build build_from_json(const nlohmann::json& json) { return read_json_root<Build>(json); }
DeviceInfo device_from_json(const nlohmann::json& json) { return read_json_root<DeviceInfo>(json); }
Row row_from_json(const nlohmann::json& json) { return read_json_root<Row>(json); }

Result result_from_json(const nlohmann::json& json) {
  format_version(json);
  const JsonLocation place(json);
  const JsonReader reader(place);
  Result result;
  result_fields(reader, result);
  return result;
}

}  // namespace gable::result
