#include "core/result/parse.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

namespace gable::result {
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

nlohmann::json parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("not valid JSON: {}", short_message(error.what())));
  } catch (const std::bad_alloc&) {
    throw Error("not a result: too large for the memory of this machine");
  }
}

std::string dump_json(const nlohmann::json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gable::result
