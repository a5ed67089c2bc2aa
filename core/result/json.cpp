#include "core/result/json.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "core/result/fields.hpp"
#include "core/result/row_fields.hpp"
#include "core/result/version.hpp"

namespace gable::result {
namespace {

constexpr const char* row_key = "row";

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

nlohmann::json to_json(const Row& row) {
  auto json = std::visit([](const auto& entry) { return write_json(entry); }, row);
  constexpr std::array names{"ceiling", "curve", "point"};
  json[row_key] = names.at(row.index());
  return json;
}

nlohmann::json to_json(const Result& result) {
  JsonWriter writer;
  writer.field("schema_version", fmt::format("{}.{}", schema_major, schema_minor));
  result_fields(writer, result);
  return writer.take();
}

Build build_from_json(const nlohmann::json& json) { return read_json_root<Build>(json); }
DeviceInfo device_from_json(const nlohmann::json& json) { return read_json_root<DeviceInfo>(json); }

Row row_from_json(const nlohmann::json& json) {
  const JsonLocation place(json);
  std::string kind;
  JsonReader(place).field(row_key, kind);
  if (kind == "ceiling") return read_json_root<Ceiling>(json);
  if (kind == "curve") return read_json_root<Curve>(json);
  if (kind == "point") return read_json_root<Point>(json);
  throw Error(fmt::format("/{}: '{:.60}' is not known here", row_key, kind));
}

Result result_from_json(const nlohmann::json& json) {
  format_version(json);
  const JsonLocation place(json);
  const JsonReader reader(place);
  Result result;
  result_fields(reader, result);
  return result;
}

}  // namespace gable::result
