#include "tests/gpu/emulated/ptx/operands.hpp"

#include <algorithm>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"

namespace gable::emulated {
namespace {

Extent thread_id(const Warp& warp, std::uint32_t lane) {
  const Extent& size = warp.block->size;
  const std::uint32_t thread = static_cast<std::uint32_t>(warp.index) * warp_size + lane;
  return {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
}

/// What a special register holds; empty if `name` is none.
LaneValue special_register(std::string_view name) {
  using Value = Extent (*)(const Warp&, std::uint32_t);
  static const std::map<std::string_view, Value> values{
      {"%tid", thread_id},
      {"%ntid", [](const Warp& warp, std::uint32_t) { return warp.block->size; }},
      {"%ctaid", [](const Warp& warp, std::uint32_t) { return warp.block->id; }},
      {"%nctaid", [](const Warp& warp, std::uint32_t) { return warp.block->grid; }},
      {"%laneid", [](const Warp&, std::uint32_t lane) { return Extent{lane}; }},
      {"%lanemask_lt", [](const Warp&, std::uint32_t lane) { return Extent{(1U << lane) - 1}; }},
      {"%warpid", [](const Warp& warp, std::uint32_t) { return Extent{static_cast<std::uint32_t>(warp.index)}; }}};
  const std::string_view component = name.substr(std::min(name.find('.'), name.size()));
  const auto known = values.find(name.substr(0, name.size() - component.size()));
  if (known == values.end()) return {};
  const auto member = component == ".z" ? &Extent::z : component == ".y" ? &Extent::y : &Extent::x;
  return [value = known->second, member](const Warp& warp, std::uint32_t lane) { return value(warp, lane).*member; };
}

}  // namespace

void Operands::declare(const std::string& statement) {
  if (statement.starts_with(".reg")) {
    declare_registers(statement);
  } else if (statement.starts_with(".local")) {
    const Variable one = read_variable(statement);
    const std::uint64_t offset = rounded_up(function_.local_bytes, std::max<std::uint64_t>(one.alignment, 16));
    function_.local_bytes = offset + one.size;
    const Register number = prepared([offset](const Warp& warp, std::uint32_t lane) {
      return reinterpret_cast<std::uint64_t>(warp.frame->local_of(lane)) + offset;
    });
    scopes_.back()[one.name] = {number, 64};
  } else if (statement.starts_with(".shared")) {
    Variable one = read_variable(statement);
    known_.erase(one.name);
    function_.module->variables.insert_or_assign(one.name, std::move(one));
  } else if (!statement.starts_with(".pragma")) {
    throw EmulationError("unknown directive: " + statement);
  }
}

/// ".reg .b32 %r<9>, %other".
void Operands::declare_registers(const std::string& statement) {
  const auto names = std::min(statement.find_first_of(" \t\n", statement.find('.', 1)), statement.size());
  const std::string type = trimmed(statement.substr(4, names - 4));
  const int bits = type.empty() ? 0 : type_of(std::string_view(type).substr(1)).register_bits();
  if (bits == 0) throw EmulationError("no registers: " + statement);
  for (const std::string& name : split(std::string_view(statement).substr(names), ',')) {
    const auto count_at = name.find('<');
    if (count_at == name.npos) {
      scopes_.back()[name] = {function_.registers++, bits};
      continue;
    }
    const auto count = literal(name.substr(count_at + 1, name.find('>') - count_at - 1));
    if (!count) throw EmulationError("no number of registers: " + statement);
    for (std::uint64_t i = 0; i < *count; ++i) {
      scopes_.back()[name.substr(0, count_at) + std::to_string(i)] = {function_.registers++, bits};
    }
  }
}

const Operands::Declared* Operands::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto known = scope->find(name); known != scope->end()) return &known->second;
  }
  return nullptr;
}

Register Operands::constant(std::uint64_t value) {
  function_.constants.emplace_back().fill(value);
  return ~static_cast<Register>(function_.constants.size() - 1);
}

Register Operands::prepared(LaneValue value) {
  function_.prepared.emplace_back(function_.registers, std::move(value));
  return function_.registers++;
}

Register Operands::value(std::string_view text) {
  if (text == "_") return no_register;
  if (const Declared* declared = find(text)) return declared->number;
  auto known = known_.find(text);
  if (known == known_.end()) known = known_.emplace(text, make(text)).first;
  return known->second;
}

/// The register of a literal, special register, parameter or variable.
Register Operands::make(std::string_view name) {
  if (const auto number = literal(name)) return constant(*number);
  if (LaneValue special = special_register(name)) return prepared(std::move(special));
  for (const Parameter& one : function_.parameters) {
    if (one.name != name) continue;
    return prepared([offset = one.offset](const Warp& warp, std::uint32_t) {
      return reinterpret_cast<std::uint64_t>(warp.block->parameters.data()) + offset;
    });
  }
  const auto found = function_.module->variables.find(name);
  if (found == function_.module->variables.end()) throw EmulationError("unknown name: " + std::string(name));
  const Variable& variable = found->second;
  if (!variable.shared) return constant(reinterpret_cast<std::uintptr_t>(variable.storage));
  if (variable.is_dynamic()) {
    return prepared([](const Warp& warp, std::uint32_t) { return warp.block->dynamic_shared_begin; });
  }
  const std::uint64_t offset = rounded_up(function_.static_shared_bytes, variable.alignment);
  function_.static_shared_bytes = offset + variable.size;
  return constant(offset);
}

std::vector<Register> Operands::values(std::string_view text) {
  std::vector<Register> all;
  const bool braced = text.starts_with('{') && text.ends_with('}');
  if (braced) text = text.substr(1, text.size() - 2);
  for (const std::string& one : split(text, braced ? ',' : '|')) all.push_back(value(one));
  return all;
}

Address Operands::address(std::string_view text) {
  if (text.size() < 3 || !text.starts_with('[') || !text.ends_with(']')) {
    throw EmulationError("no address: " + std::string(text));
  }
  const std::string inside = trimmed(text.substr(1, text.size() - 2));
  const auto sign = std::min(inside.find_first_of("+-"), inside.size());
  const auto number = sign + (inside.substr(sign, 1) == "+" ? 1 : 0);  // nvcc writes "+-8", too
  const auto offset = sign == inside.size() ? 0 : literal(trimmed(inside.substr(number)));
  if (!offset) throw EmulationError("no address: " + std::string(text));
  return {value(trimmed(inside.substr(0, sign))), static_cast<std::int64_t>(*offset)};
}

int Operands::bits(std::string_view text) const {
  const Declared* declared = find(text);
  return declared == nullptr ? 64 : declared->bits;
}

}  // namespace gable::emulated
