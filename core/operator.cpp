#include "core/operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/error.hpp"
#include "core/sequence.hpp"

namespace gable {

void Params::set(std::string name, Value value) {
  for (auto& [key, old] : values_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  values_.emplace_back(std::move(name), std::move(value));
}

const Params::Value& Params::find(std::string_view name) const {
  for (const auto& [key, value] : values_) {
    if (key == name) return value;
  }
  throw Error(fmt::format("parameter '{}' is missing in '{}'", name, to_string()));
}

Index Params::at(std::string_view name) const {
  if (const auto* number = std::get_if<Index>(&find(name))) return *number;
  throw Error(fmt::format("parameter '{}' must be a whole number in '{}'", name, to_string()));
}

const std::string& Params::word(std::string_view name) const {
  if (const auto* word = std::get_if<std::string>(&find(name))) return *word;
  throw Error(fmt::format("parameter '{}' must be a word in '{}'", name, to_string()));
}

bool Params::has(std::string_view name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& entry) { return entry.first == name; });
}

std::string Params::to_string() const {
  std::string text;
  for (const auto& [name, value] : values_) {
    text += fmt::format("{}{}=", text.empty() ? "" : ",", name);
    std::visit([&](const auto& one) { text += fmt::format("{}", one); }, value);
  }
  return text;
}

namespace {

/// Letters, and what paths begin with.
bool is_word(std::string_view text) {
  constexpr std::string_view beginnings = "_./~";
  if (text.empty()) return false;
  const char first = text.front();
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || beginnings.find(first) != beginnings.npos;
}

}  // namespace

Params Params::parse(std::string_view text) {
  constexpr Index limit = Index{1} << 62;
  const auto fail = [&](std::string_view part, std::string_view why) {
    throw Error(fmt::format("parameters '{}': '{}' {}", text, part, why));
  };
  Params params;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto part = text.substr(begin, end - begin);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) fail(part, "is not name=value");
    const auto name = part.substr(0, equals);
    const auto digits = part.substr(equals + 1);
    if (params.has(name)) fail(part, "is given twice");
    begin = end + 1;
    if (is_word(digits)) {
      if (digits.find('=') != std::string_view::npos) fail(part, "has a second '='");
      params.set(std::string(name), std::string(digits));
      continue;
    }
    Index value{};
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) fail(part, "is out of range");
    if (error != std::errc{} || rest != digits.data() + digits.size()) fail(part, "is not a whole number");
    if (value <= 0) fail(part, "must be positive");
    if (value > limit) fail(part, "is out of range");
    params.set(std::string(name), value);
  }
  return params;
}

double memory_bytes(const OperatorSpec& spec, const Params& params, const Types& types, double most) {
  double touched = 0;
  for (const Stage& stage : spec.work(params, types)) touched = std::max(touched, stage.working_set);
  if (touched > most) return touched;
  double sum = spec.workspace_bytes == nullptr ? 0 : spec.workspace_bytes(params, types);
  for (const BufferSpec& buffer : spec.buffers(params, types)) {
    sum += static_cast<double>(buffer.count) * size_bytes(buffer.dtype);
  }
  return sum;
}

Params ordered(const OperatorSpec& spec, const Params& params) {
  spec.work(params, spec.types.front());
  Params result;
  for (const auto& [name, meaning] : spec.parameters) {
    const auto& values = params.values();
    const auto found = std::ranges::find(values, name, [](const auto& entry) { return std::string_view(entry.first); });
    result.set(found->first, found->second);
  }
  return result;
}

std::string refused_type(const OperatorSpec& spec, DType dtype) {
  if (std::ranges::count(spec.types, dtype, &Types::a) != 0) return {};
  const bool elsewhere = dtype == DType::int8 && !spec.int8.empty();
  return fmt::format("{} does not take {}{}", spec.name, to_string(dtype),
                     elsewhere ? fmt::format(": {} does", spec.int8) : "");
}

const Types& types_of(const OperatorSpec& spec, DType dtype) {
  if (const Types* types = find_by(spec.types, dtype, &Types::a)) return *types;
  throw Error(refused_type(spec, dtype));
}

void OperatorInstance::set_input(std::size_t, Index, double) {
  throw Error("the inputs of this instance cannot be set");
}

const OperatorSpec* known_spec(Operators specs, std::string_view name) {
  const OperatorSpec* const* const found = find_by(specs, name, &OperatorSpec::name);
  return found ? *found : nullptr;
}

const OperatorSpec& find_spec(Operators specs, std::string_view name) {
  return *find_known(specs, name, &OperatorSpec::name, "operator");
}

}  // namespace gable
