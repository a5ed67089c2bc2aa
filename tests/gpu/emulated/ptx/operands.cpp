#include "tests/gpu/emulated/ptx/operands.hpp"

#include <algorithm>
#include <optional>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/ptx/declaration.hpp"
#include "tests/gpu/emulated/ptx/text.hpp"

namespace gable::emulated {
namespace {

std::optional<SpecialRegister> special_register(std::string_view name) {
  using S = SpecialRegister;
  static const std::map<std::string, SpecialRegister, std::less<>> names{{"%tid.x", S::tid_x},
                                                                         {"%tid.y", S::tid_y},
                                                                         {"%tid.z", S::tid_z},
                                                                         {"%ntid.x", S::ntid_x},
                                                                         {"%ntid.y", S::ntid_y},
                                                                         {"%ntid.z", S::ntid_z},
                                                                         {"%ctaid.x", S::ctaid_x},
                                                                         {"%ctaid.y", S::ctaid_y},
                                                                         {"%ctaid.z", S::ctaid_z},
                                                                         {"%nctaid.x", S::nctaid_x},
                                                                         {"%nctaid.y", S::nctaid_y},
                                                                         {"%nctaid.z", S::nctaid_z},
                                                                         {"%laneid", S::laneid},
                                                                         {"%warpid", S::warpid},
                                                                         {"%lanemask_eq", S::lanemask_eq},
                                                                         {"%lanemask_lt", S::lanemask_lt},
                                                                         {"%lanemask_le", S::lanemask_le},
                                                                         {"%lanemask_gt", S::lanemask_gt},
                                                                         {"%lanemask_ge", S::lanemask_ge},
                                                                         {"%smid", S::smid},
                                                                         {"%nsmid", S::nsmid},
                                                                         {"%nwarpid", S::nwarpid},
                                                                         {"%dynamic_smem_size", S::dynamic_smem_size},
                                                                         {"%total_smem_size", S::total_smem_size},
                                                                         {"%gridid", S::gridid},
                                                                         {"WARP_SZ", S::warp_sz},
                                                                         {"%clusterid.x", S::clusterid_x}};
  const auto known = names.find(name);
  return known == names.end() ? std::nullopt : std::optional(known->second);
}

/// "name+8" and "name-8" as name and number; without a number, 0.
std::pair<std::string, std::int64_t> with_offset(std::string_view text) {
  const auto sign = text.find_first_of("+-", 1);
  if (sign == std::string_view::npos || literal(text)) return {trimmed(text), 0};
  const std::string number = trimmed(text.substr(sign + (text[sign] == '+' ? 1 : 0)));
  const auto offset = literal(number);
  if (!offset) throw EmulationError("no number: " + number);
  return {trimmed(text.substr(0, sign)), static_cast<std::int64_t>(*offset)};
}

}  // namespace

void Operands::open_scope() {
  registers_.emplace_back();
  locals_.emplace_back();
}

void Operands::close_scope() {
  registers_.pop_back();
  locals_.pop_back();
}

void Operands::declare(const std::string& statement) {
  const auto end = std::min(statement.find_first_of(" \t\n"), statement.size());
  const std::string directive = statement.substr(0, end);
  if (directive == ".reg") {
    const auto names = std::min(statement.find_first_of(" \t\n", statement.find('.', end)), statement.size());
    for (const std::string& name : split(std::string_view(statement).substr(names), ',')) {
      const auto count_at = std::min(name.find('<'), name.size());
      const Declaration one = read_declaration(statement.substr(0, names) + " " + name.substr(0, count_at));
      const int bits = one.predicate ? 1 : static_cast<int>(8 * one.element);
      if (count_at == name.size()) {
        registers_.back()[one.name] = {function_.registers++, bits};
        continue;
      }
      const auto count = literal(name.substr(count_at + 1, name.find('>') - count_at - 1));
      if (!count) throw EmulationError("no number of registers: " + statement);
      for (std::uint64_t i = 0; i < *count; ++i) {
        registers_.back()[one.name + std::to_string(i)] = {function_.registers++, bits};
      }
    }
  } else if (directive == ".local" || directive == ".param") {
    const Declaration one = read_declaration(statement);
    function_.local_bytes = rounded_up(function_.local_bytes, std::max<std::uint64_t>(one.alignment, 16));
    locals_.back()[one.name] = {local_count_++, function_.local_bytes};
    function_.local_bytes += one.size;
  } else if (directive == ".shared") {
    const Declaration one = read_declaration(statement);
    Variable variable;
    variable.space = Variable::Space::shared;
    variable.size = one.size;
    variable.alignment = one.alignment;
    function_.module->variables.insert_or_assign(one.name, std::move(variable));
  }
}

const Operands::Declared* Operands::find(std::string_view name) const {
  for (auto scope = registers_.rbegin(); scope != registers_.rend(); ++scope) {
    const auto known = scope->find(name);
    if (known != scope->end()) return &known->second;
  }
  return nullptr;
}

Register Operands::constant(std::uint64_t value) {
  const auto [known, added] = constants_.try_emplace(value, ~static_cast<Register>(function_.constants.size()));
  if (added) function_.constants.emplace_back().fill(value);
  return known->second;
}

Register Operands::value(std::string_view text) {
  if (text == "_") return no_register;
  if (const Declared* declared = find(text)) return declared->number;
  if (const auto special = special_register(text)) {
    const auto [known, added] = addresses_.try_emplace(std::string(text), function_.registers);
    if (added) function_.special_registers.emplace_back(function_.registers++, *special);
    return known->second;
  }
  if (const auto number = literal(text)) return constant(*number);
  const auto [name, offset] = with_offset(text);
  return symbol(name, offset);
}

std::vector<Register> Operands::values(std::string_view text) {
  std::vector<Register> all;
  const bool braced = !text.empty() && text.front() == '{' && text.back() == '}';
  if (braced) text = text.substr(1, text.size() - 2);
  for (const std::string& one : split(text, braced ? ',' : '|')) all.push_back(value(one));
  return all;
}

Address Operands::address(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') {
    throw EmulationError("no address: " + std::string(text));
  }
  const auto [name, offset] = with_offset(trimmed(text.substr(1, text.size() - 2)));
  return {value(name), offset};
}

int Operands::bits(std::string_view text) const {
  const Declared* declared = find(text);
  return declared == nullptr ? 64 : declared->bits;
}

Register Operands::symbol(const std::string& name, std::int64_t offset) {
  const auto known_register = [&](const std::string& key, auto& list, std::uint64_t place) {
    const auto [known, added] = addresses_.try_emplace(key + "+" + std::to_string(offset), function_.registers);
    if (added) list.emplace_back(function_.registers++, place + static_cast<std::uint64_t>(offset));
    return known->second;
  };
  for (auto scope = locals_.rbegin(); scope != locals_.rend(); ++scope) {
    const auto local = scope->find(name);
    if (local == scope->end()) continue;
    return known_register("local " + std::to_string(local->second.first), function_.local_addresses,
                          local->second.second);
  }
  for (const Parameter& one : function_.parameters) {
    if (one.name == name) return known_register(name, function_.parameter_addresses, one.offset);
  }
  for (const Parameter& one : function_.results) {
    if (one.name == name) return known_register(name, function_.result_addresses, one.offset);
  }
  const auto found = function_.module->variables.find(name);
  if (found == function_.module->variables.end()) throw EmulationError("unknown name: " + name);
  const Variable& variable = found->second;
  if (variable.space != Variable::Space::shared) {
    return constant(reinterpret_cast<std::uintptr_t>(variable.storage + offset));
  }
  if (variable.dynamic) {
    if (offset != 0) throw EmulationError("an offset to dynamic shared memory: " + name + "+" + std::to_string(offset));
    const auto [known, added] = addresses_.try_emplace(name, ~static_cast<Register>(function_.constants.size()));
    if (added) {
      function_.dynamic_shared.push_back(static_cast<int>(function_.constants.size()));
      function_.constants.emplace_back();
    }
    return known->second;
  }
  const auto [place, added] =
      shared_offsets_.try_emplace(name, rounded_up(function_.static_shared_bytes, variable.alignment));
  if (added) function_.static_shared_bytes = place->second + variable.size;
  return constant(place->second + static_cast<std::uint64_t>(offset));
}

}  // namespace gable::emulated
