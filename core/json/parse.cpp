#include "core/json/parse.hpp"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

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

/// Refuses a key that an object has already: the library would keep the last value and drop the others in silence.
class UniqueKeys {
 public:
  bool operator()(int, nlohmann::json::parse_event_t event, const nlohmann::json& value) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) objects_.emplace_back();
    if (event == Event::object_end) objects_.pop_back();
    if (event == Event::key && !objects_.back().insert(value.get_ref<const std::string&>()).second)
      throw Error(
          fmt::format("key '{}' is there twice in one object", short_message(value.get_ref<const std::string&>())));
    return true;
  }

 private:
  std::vector<std::set<std::string>> objects_;  ///< keys of those that are open, outermost first
};

}  // namespace

nlohmann::json parse_json(std::string_view text) {
  try {
    UniqueKeys unique;
    return nlohmann::json::parse(text.begin(), text.end(), std::ref(unique));
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
  } catch (const std::bad_alloc&) {
    throw Error("not a result: too large for the memory of this machine");
  }
}

std::string dump_json(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gable
