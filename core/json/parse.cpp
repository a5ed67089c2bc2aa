#include "core/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.hpp"

namespace gable {
namespace {

using Json = nlohmann::json;

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

/// Goes over a text and builds what stands at some places.
class Taker : public Json::json_sax_t {
 public:
  explicit Taker(std::span<const JsonPlace> places) : places_(places) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool truth) override { return put(truth); }
  bool number_integer(number_integer_t number) override { return put(number); }
  bool number_unsigned(number_unsigned_t number) override { return put(number); }
  bool number_float(number_float_t number, const string_t&) override { return put(number); }
  bool string(string_t& text) override { return put(std::move(text)); }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& object = levels_[depth_ - 1];
    object.key = std::move(name);
    if (!object.is_new_key())
      throw Error(fmt::format("key '{}' is there twice in one object", short_message(object.key)));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
  }

 private:
  /// An object or a list that is open.
  struct Level {
    bool is_list{};
    std::size_t index{};  ///< of a list: of the value in it that began last
    std::string key;      ///< of an object: the last
    // its keys: most have few, and they stand where those of the one before did
    std::vector<std::string> first;
    std::size_t count{};         ///< of the first, the others are of objects before
    std::set<std::string> more;  ///< where they are many

    void begin(bool list) {
      is_list = list;
      index = static_cast<std::size_t>(-1);
      count = 0;
      more.clear();
    }
    bool is_new_key() {
      constexpr std::size_t few = 24;
      const auto end = first.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(first.begin(), end, key) != end) return false;
      if (count == few) return more.insert(key).second;
      if (first.size() == count) first.emplace_back();
      first[count++] = key;
      return true;
    }
  };

  /// Whether the value that begins now is at the end of a path.
  bool is_at(const JsonPlace& place) const {
    if (place.path.size() != depth_) return false;
    for (std::size_t i = 0; i < depth_; ++i) {
      if (levels_[i].is_list ? place.path[i] != "*" : place.path[i] != levels_[i].key) return false;
    }
    return true;
  }

  /// Puts the value that begins now where it belongs; null where nobody takes it.
  Json* placed(Json value) {
    if (depth_ > 0) ++levels_[depth_ - 1].index;
    if (!taken_) {
      const auto place = std::ranges::find_if(places_, [this](const JsonPlace& one) { return is_at(one); });
      if (place == places_.end()) return nullptr;
      taken_ = &*place;
      return &(value_ = std::move(value));
    }
    Json& around = *built_.back();
    if (!around.is_array()) return &(around[levels_[depth_ - 1].key] = std::move(value));
    around.push_back(std::move(value));
    return &around.back();
  }
  bool put(Json value) {
    if (placed(std::move(value)) && built_.empty()) hand_over();
    return true;
  }
  bool open(Json empty) {
    constexpr std::size_t deepest = 100;
    const bool is_list = empty.is_array();
    if (Json* const place = placed(std::move(empty))) built_.push_back(place);
    if (depth_ == deepest) throw Error(fmt::format("nested more than {} deep", deepest));
    if (levels_.size() == depth_) levels_.emplace_back();
    levels_[depth_++].begin(is_list);
    return true;
  }
  bool close() {
    --depth_;
    if (!taken_) return true;
    built_.pop_back();
    if (built_.empty()) hand_over();
    return true;
  }
  void hand_over() {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < depth_; ++i) {
      if (levels_[i].is_list) indices.push_back(levels_[i].index);
    }
    std::exchange(taken_, nullptr)->take(value_, indices);
  }

  std::span<const JsonPlace> places_;
  const JsonPlace* taken_{};  ///< the place of the value that is being built
  Json value_;
  std::vector<Json*> built_;   ///< what is open of it, outermost first
  std::vector<Level> levels_;  ///< outermost first; those from `depth_` on are left of others
  std::size_t depth_{};
};

}  // namespace

void take_json(std::string_view text, std::span<const JsonPlace> places) {
  try {
    Taker taker(places);
    Json::sax_parse(text.begin(), text.end(), &taker);
  } catch (const std::bad_alloc&) {
    throw Error("too large for the memory of this machine");
  }
}

Json parse_json(std::string_view text) {
  Json document;
  const JsonPlace whole{{}, [&](Json& value, std::span<const std::size_t>) { document = std::move(value); }};
  take_json(text, {&whole, 1});
  return document;
}

const Json& member_of(const Json& object, std::string_view key) {
  static const Json none;
  const auto found = object.find(std::string(key));
  return found == object.end() ? none : *found;
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
