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

nlohmann::json to_json(const Build& build) { return write_value(build); }
nlohmann::json to_json(const DeviceInfo& device) { return write_value(device); }

nlohmann::json to_json(const Row& row) {
  auto json = std::visit([](const auto& entry) { return write_value(entry); }, row);
  constexpr std::array names{"ceiling", "curve", "point"};
  json[row_key] = names.at(row.index());
  return json;
}

nlohmann::json to_json(const Result& result) {
  Writer writer;
  writer.field("schema_version", fmt::format("{}.{}", schema_major, schema_minor));
  result_fields(writer, result);
  return writer.take();
}

Build build_from_json(const nlohmann::json& json) { return read_root<Build>(json); }
DeviceInfo device_from_json(const nlohmann::json& json) { return read_root<DeviceInfo>(json); }

Row row_from_json(const nlohmann::json& json) {
  const Place place(json);
  std::string kind;
  Reader(place).field(row_key, kind);
  if (kind == "ceiling") return read_root<Ceiling>(json);
  if (kind == "curve") return read_root<Curve>(json);
  if (kind == "point") return read_root<Point>(json);
  throw Error(fmt::format("/{}: '{:.60}' is not known here", row_key, kind));
}

Result result_from_json(const nlohmann::json& json) {
  format_version(json);
  const Place place(json);
  const Reader reader(place);
  Result result;
  result_fields(reader, result);
  return result;
}

}  // namespace gable::result
