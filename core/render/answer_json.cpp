#include <nlohmann/json.hpp>

#include "core/render/answer.hpp"

namespace gable::render {
namespace {

template <class Json>
Json& at(Json& json, const std::string& path) {
  if (path.empty() || path == ".") return json;
  return path.find('/') == std::string::npos ? json[path] : json[typename Json::json_pointer('/' + path)];
}

template <class Json>
void put_table(Json& json, const Answer::Table& table);

template <class Json>
void put_value(Json& json, const Answer::Value& value) {
  std::visit(
      [&](const auto& held) {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::shared_ptr<const Answer::Table>>)
          put_table(json, *held);
        else if constexpr (std::is_same_v<Held, Answer::Object>)
          json = Json::parse(held.json);
        else if constexpr (!std::is_same_v<Held, std::monostate>)
          json = held;
      },
      value.held);
}

template <class Json>
void put_row(Json& json, const Answer::Table& table, const std::vector<Answer::Value>& row) {
  if (json.is_null()) json = Json::object();
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string& key = table.columns[i].key;
    if (!key.empty() && !row[i].empty()) put_value(at(json, key), row[i]);
  }
}

template <class Json>
void put_table(Json& json, const Answer::Table& table) {
  json = Json::array();
  for (const auto& row : table.rows) put_row(json.emplace_back(Json::object()), table, row);
}

}  // namespace

std::string json_text(const Answer& answer) {
  using Json = nlohmann::ordered_json;
  Json json;
  for (const Answer::Section& section : answer.sections) {
    if (section.readers == Answer::Readers::people) continue;
    Json& place = at(json, section.key);
    if (section.facts)
      put_row(place, section.table, section.table.rows.front());
    else
      put_table(place, section.table);
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

nlohmann::json json_of(const Answer::Facts& row) {
  auto json = nlohmann::json::object();
  for (const Answer::Fact& fact : row)
    if (!fact.key.empty() && !fact.value.empty()) put_value(at(json, fact.key), fact.value);
  return json;
}

}  // namespace gable::render
