#include "core/result/json.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/json/text_writer.hpp"
#include "core/result/fields.hpp"
#include "core/result/for_each_row.hpp"
#include "core/result/row_fields.hpp"

namespace gable::result {
namespace {

using nlohmann::literals::operator""_json_pointer;

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
    const std::string key = list_key<List>();
    a.field(key.c_str(), rows);
  });
  a.field("notes", s.notes);
}

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
  writer.field("schema_version", std::string(schema_version));
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

Result result_from_json(const nlohmann::json& json) {
  check_format(json);
  const JsonLocation place(json);
  const JsonReader reader(place);
  Result result;
  result_fields(reader, result);
  return result;
}

void check_format(const nlohmann::json& document) {
  if (!document.is_object() || !document.contains("schema_version"))
    throw Error("not a gable result: it has no schema_version");
  const auto text_at = [&](const nlohmann::json::json_pointer& at) {
    const bool there = document.contains(at) && document.at(at).is_string();
    return there ? document.at(at).get<std::string>() : std::string("of an unknown version");
  };
  const std::string version = text_at("/schema_version"_json_pointer);
  if (version == schema_version) return;
  throw Error(fmt::format("result of format {:.30}, written by gable {:.30}: this gable reads format {} only", version,
                          text_at("/build/version"_json_pointer), schema_version));
}

}  // namespace gable::result
