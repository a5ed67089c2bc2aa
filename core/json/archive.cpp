#include "core/json/archive.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace gable {

std::string JsonLocation::pointer() const {
  if (parent_ == nullptr) return {};
  if (key_.empty()) return fmt::format("{}/{}", parent_->pointer(), index_);
  return parent_->pointer() + (nlohmann::json::json_pointer() / std::string(key_)).to_string();
}

void JsonLocation::fail(std::string_view problem) const {
  const auto where = pointer();
  throw Error(where.empty() ? std::string(problem) : fmt::format("{}: {}", where, problem));
}

void JsonLocation::expected(std::string_view what) const {
  fail(fmt::format("expected {}, got {}", what, value_.type_name()));
}

void JsonLocation::allow_keys(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : value_.items()) {
    if (std::ranges::count(known, key) == 0)
      fail(fmt::format("unknown key '{:.60}'; known: {}", key, fmt::join(known, ", ")));
  }
}

}  // namespace gable
