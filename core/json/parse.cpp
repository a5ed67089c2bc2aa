#include "core/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/walk.hpp"

namespace gable {
namespace {

/// The library's message without its "[json.exception…] " tag, on one printable line of bounded length.
std::string short_message(std::string_view what) {
  constexpr std::size_t longest = 160;
  if (const auto tag = what.find("] "); what.starts_with('[') && tag != std::string_view::npos)
    what.remove_prefix(tag + 2);
  std::string line;
  for (const char c : what.substr(0, longest)) line += c >= ' ' && c <= '~' ? c : '?';
  if (what.size() > longest) line += "...";
  return line;
}

}  // namespace

void OpenKeys::open() {
  constexpr std::size_t deepest = 100;
  if (++depth_ > deepest) throw Error(fmt::format("nested more than {} deep", deepest));
  if (keys_.size() < depth_) keys_.emplace_back();
}

void OpenKeys::close() {
  Keys& keys = keys_[--depth_];
  keys.count = 0;
  keys.more.clear();
}

void OpenKeys::add(const std::string& key) {
  constexpr std::size_t few = 24;
  Keys& keys = keys_[depth_ - 1];
  const auto end = keys.first.begin() + static_cast<std::ptrdiff_t>(keys.count);
  bool is_new = std::find(keys.first.begin(), end, key) == end;
  if (is_new && keys.count == few) {
    is_new = keys.more.insert(key).second;
  } else if (is_new) {
    if (keys.first.size() == keys.count) keys.first.emplace_back();
    keys.first[keys.count++] = key;
  }
  if (!is_new) throw Error(fmt::format("key '{}' is there twice in one object", short_message(key)));
}

bool JsonWalk::parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
  throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
}

nlohmann::json parse_json(std::string_view text) {
  try {
    JsonWalk().walk(text);  // the library would keep the last value of a key and drop the others in silence
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
  } catch (const std::bad_alloc&) {
    throw Error("too large for the memory of this machine");
  }
}

std::string dump_json(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json_string(std::string& text, std::string_view value) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::ranges::all_of(value, plain)) {
    text += dump_json(nlohmann::json(value), -1);
    return;
  }
  text += '"';
  text += value;
  text += '"';
}

void append_json_number(std::string& text, std::int64_t value) {
  fmt::format_to(std::back_inserter(text), "{}", value);
}

void append_json_number(std::string& text, double value) {
  // whole numbers of up to 15 digits are most of the figures of a profile, and have one form
  constexpr double most = 1e15;
  if (value >= 0 && value < most && value == std::trunc(value) && !std::signbit(value)) {
    append_json_number(text, static_cast<std::int64_t>(value));
    text += ".0";
    return;
  }
  text += std::isfinite(value) ? dump_json(nlohmann::json(value), -1) : "null";
}

void append_json(std::string& text, const nlohmann::json& json, std::size_t blanks) {
  using Json = nlohmann::json;
  if (const auto* object = json.get_ptr<const Json::object_t*>()) {
    append_json_lines(text, *object, "{}", blanks, [&](const auto& entry) {
      append_json_string(text, entry.first);
      text += ": ";
      append_json(text, entry.second, blanks + 1);
    });
  } else if (const auto* array = json.get_ptr<const Json::array_t*>()) {
    append_json_lines(text, *array, "[]", blanks, [&](const Json& value) { append_json(text, value, blanks + 1); });
  } else if (const auto* string = json.get_ptr<const Json::string_t*>()) {
    append_json_string(text, *string);
  } else if (json.is_number_unsigned()) {
    fmt::format_to(std::back_inserter(text), "{}", json.get<std::uint64_t>());
  } else if (json.is_number_integer()) {
    fmt::format_to(std::back_inserter(text), "{}", json.get<std::int64_t>());
  } else {
    text += dump_json(json, -1);
  }
}

}  // namespace gable
