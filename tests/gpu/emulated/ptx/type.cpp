#include "tests/gpu/emulated/ptx/type.hpp"

#include <array>
#include <utility>

namespace gable::emulated {

Type type_of(std::string_view name) {
  using Kind = Type::Kind;
  static constexpr std::array<std::pair<std::string_view, Type>, 26> types{{
      {"pred", {Kind::predicate, 1}},
      {"u4", {Kind::unsigned_integer, 4}},
      {"u8", {Kind::unsigned_integer, 8}},
      {"u16", {Kind::unsigned_integer, 16}},
      {"u32", {Kind::unsigned_integer, 32}},
      {"u64", {Kind::unsigned_integer, 64}},
      {"u16x2", {Kind::unsigned_integer, 16, true}},
      {"s4", {Kind::signed_integer, 4}},
      {"s8", {Kind::signed_integer, 8}},
      {"s16", {Kind::signed_integer, 16}},
      {"s32", {Kind::signed_integer, 32}},
      {"s64", {Kind::signed_integer, 64}},
      {"s16x2", {Kind::signed_integer, 16, true}},
      {"b1", {Kind::bits, 1}},
      {"b8", {Kind::bits, 8}},
      {"b16", {Kind::bits, 16}},
      {"b32", {Kind::bits, 32}},
      {"b64", {Kind::bits, 64}},
      {"b128", {Kind::bits, 128}},
      {"f16", {Kind::floating, 16}},
      {"f32", {Kind::floating, 32}},
      {"tf32", {Kind::floating, 32}},
      {"f64", {Kind::floating, 64}},
      {"f16x2", {Kind::floating, 16, true}},
      {"bf16", {Kind::floating, 16, false, true}},
      {"bf16x2", {Kind::floating, 16, true, true}},
  }};
  for (const auto& [known, type] : types) {
    if (known == name) return type;
  }
  return {};
}

}  // namespace gable::emulated
