#include "core/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.hpp"

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

/// Walks a document before it is kept (the library would keep the last value of a key and drop the others in silence).
class Check : public nlohmann::json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.add(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
  }

 private:
  bool open() {
    open_.open();
    return true;
  }
  bool close() {
    open_.close();
    return true;
  }
  OpenKeys open_;
};

}  // namespace

void OpenKeys::open() {
  constexpr std::size_t deepest = 100;
  keys_.emplace_back();
  if (keys_.size() > deepest) throw Error(fmt::format("nested more than {} deep", deepest));
}

void OpenKeys::close() { keys_.pop_back(); }

void OpenKeys::add(const std::string& key) {
  if (!keys_.back().insert(key).second)
    throw Error(fmt::format("key '{}' is there twice in one object", short_message(key)));
}

nlohmann::json parse_json(std::string_view text) {
  try {
    Check check;
    nlohmann::json::sax_parse(text.begin(), text.end(), &check);
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
