#include "core/result/json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/json/text_writer.hpp"
#include "core/result/fields.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/result.hpp"
#include "core/result/row_fields.hpp"

namespace gable::result {
namespace {

/// Files from before there was this kind of row have none of them.
template <class A, class List>
void list_of_a_later_kind(A& a, const char* key, List& rows) {
  if constexpr (std::is_const_v<List>) {
    if (!rows.empty()) a.field(key, rows);
  } else {
    std::optional<List> some;
    a.field(key, some);
    rows = std::move(some).value_or(List{});
  }
}

/// The key of the rows of one kind: "points".
template <class List>
std::string list_key() {
  return fmt::format("{}s", to_string(kind_of_type<typename List::value_type>));
}

template <class A, SameStruct<Result> S>
void result_fields(A& a, S& s) {
  a.field("build", s.build);
  pairs_field<NamedBuild>(a, "workers", s.workers);
  a.field("run", s.run);
  a.field("request", s.request);
  a.field("devices", s.devices);
  for_each_row_list(s, [&]<class List>(List& rows) {
    constexpr RowKind kind = kind_of_type<typename List::value_type>;
    const std::string key = list_key<List>();
    if constexpr (kind <= RowKind::point)
      a.field(key.c_str(), rows);
    else
      list_of_a_later_kind(a, key.c_str(), rows);
  });
  a.field("notes", s.notes);
}

}  // namespace

namespace {

template <class T>
concept IsRow = std::constructible_from<Row, const T&>;

/// Writes a document whose lists of rows are empty.
class WriterWithoutRows : public JsonWriter {
 public:
  using JsonWriter::field;
  template <IsRow T>
  void field(const char* key, const std::vector<T>&) {
    JsonWriter::field(key, std::vector<std::string>{});
  }
};

template <class Writer>
nlohmann::json written(const Result& result) {
  Writer writer;
  writer.field("schema_version", fmt::format("{}.{}", schema_major, schema_minor));
  result_fields(writer, result);
  return writer.take();
}

template <class T>
void append_rows(JsonText& to, const std::vector<T>& rows, const TakeText& take) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  append_json_lines(to.text, rows, "[]", 1, [&](const T& row) {
    append_json_of(to, row, 2);
    if (take && to.text.size() >= enough) take(to.text);
  });
}

}  // namespace

nlohmann::json to_json(const Build& build) { return write_json(build); }
nlohmann::json to_json(const DeviceInfo& device) { return write_json(device); }
nlohmann::json to_json(const Row& row) { return write_json(row); }

nlohmann::json to_json(const Result& result) { return written<JsonWriter>(result); }

std::string to_text(const Result& result, const TakeText& take) {
  const nlohmann::json head = written<WriterWithoutRows>(result);
  JsonText to;
  std::string& text = to.text;
  text = "{";
  std::string_view before = "\n ";
  for (const auto& entry : head.items()) {
    const std::string& key = entry.key();
    text += std::exchange(before, ",\n ");
    text += dump_json(nlohmann::json(key), -1) + ": ";
    bool rows = false;
    for_each_row_list(result, [&]<class List>(const List& list) {
      if (key != list_key<List>()) return;
      rows = true;
      append_rows(to, list, take);
    });
    if (!rows) append_json(text, entry.value(), 1);
  }
  text += "\n}\n";
  return std::move(text);
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

FormatVersion format_version(const nlohmann::json& json) {
  const auto found = json.is_object() ? json.find("schema_version") : json.end();
  if (found == json.end()) throw Error("not a gable result: it has no schema_version");
  FormatVersion version{-1, -1};
  if (const auto* text = found->get_ptr<const std::string*>()) {
    const char* const end = text->data() + text->size();
    const auto first = std::from_chars(text->data(), end, version.major);
    const bool dot = first.ec == std::errc{} && first.ptr != end && *first.ptr == '.';
    const auto second = dot ? std::from_chars(first.ptr + 1, end, version.minor) : first;
    if (!dot || second.ec != std::errc{} || second.ptr != end) version.minor = -1;
  }
  if (version.major < 1 || version.minor < 0) throw Error("/schema_version: expected a version such as \"1.0\"");
  if (version.major > schema_major) {
    throw Error(fmt::format("result was written by format {}.{}, this gable reads up to {}.x", version.major,
                            version.minor, schema_major));
  }
  return version;
}

}  // namespace gable::result
