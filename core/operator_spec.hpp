#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/counting_scalar.hpp"
#include "core/error.hpp"
#include "core/operator.hpp"
#include "core/sequence.hpp"

namespace gable {

/// One named parameter of an operator, a size or a word:
/// `static constexpr std::array fields{Field{"n", &Params::n, "elements"}};`
template <class P>
struct Field {
  std::string_view name;
  Index P::*member{};
  std::string P::*word{};
  std::string_view meaning;

  constexpr Field(std::string_view its_name, Index P::*size, std::string_view its_meaning)
      : name(its_name), member(size), meaning(its_meaning) {}
  constexpr Field(std::string_view its_name, std::string P::*its_word, std::string_view its_meaning)
      : name(its_name), word(its_word), meaning(its_meaning) {}
};

/// Whether an operator's Params hold words beside sizes.
template <class P>
inline constexpr bool has_words = !std::is_trivially_copyable_v<P>;

/// Arrays of a reference, in the order of the operator's buffers with that role.
template <class S>
using Inputs = std::span<const std::vector<S>>;
template <class S>
using Outputs = std::span<std::vector<S>>;

/// Named parameters to the operator's own struct. Throws Error naming the operator and the parameter that is missing,
/// unknown, no number or no word, not positive, or, taken together, too large: the product of the sizes, which bounds
/// every array, must stay below 2^62 bytes at 8 bytes an element. An operator's `static void check(const Params&)`
/// throws for what else does not go together.
template <class Op>
typename Op::Params typed_params(const Params& params) {
  const auto names = mapped(Op::fields, [](const auto& field) { return field.name; });
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  for (const auto& [name, value] : params.values()) {
    if (std::ranges::count(names, name) == 0)
      throw Error(fmt::format("{}: unknown parameter '{}'; it takes {}", Op::name, name, known));
  }
  typename Op::Params typed{};
  double product = 8.0;
  for (const auto& field : Op::fields) {
    if (!params.has(field.name)) {
      throw Error(fmt::format("{}: parameter '{}' is missing; it takes {}", Op::name, field.name, known));
    }
    if constexpr (has_words<typename Op::Params>) {
      if (field.word != nullptr) {
        typed.*field.word = params.word(field.name);
        continue;
      }
    }
    const Index value = params.at(field.name);
    if (value <= 0)
      throw Error(fmt::format("{}: parameter '{}' must be positive, not {}", Op::name, field.name, value));
    product *= static_cast<double>(value);
    typed.*field.member = value;
  }
  if (product >= 4611686018427387904.0) {
    throw Error(fmt::format("{}: the size of '{}' overflows: more than 2^62 bytes", Op::name, params.to_string()));
  }
  if constexpr (requires { Op::check(typed); }) Op::check(typed);
  return typed;
}

template <class Op>
Params named_params(const typename Op::Params& typed) {
  Params params;
  for (const auto& field : Op::fields) {
    if constexpr (has_words<typename Op::Params>) {
      if (field.word != nullptr) {
        params.set(std::string(field.name), typed.*field.word);
        continue;
      }
    }
    params.set(std::string(field.name), typed.*field.member);
  }
  return params;
}

namespace detail {

template <class Op>
std::vector<Params> named_list(const std::vector<typename Op::Params>& list) {
  return mapped(list, named_params<Op>);
}

template <class Op>
void check_types(const Types& types) {
  const auto known = Op::types();
  if (std::find(known.begin(), known.end(), types) == known.end()) {
    throw Error(fmt::format("{}: does not take {} x {} -> {}", Op::name, to_string(types.a), to_string(types.b),
                            to_string(types.out)));
  }
}

/// Whether work() counts flops by a convention that is not what the reference does: `static constexpr bool
/// flops_by_convention = true` in the operator.
template <class Op>
inline constexpr bool flops_by_convention = [] {
  if constexpr (requires { Op::flops_by_convention; }) return Op::flops_by_convention;
  return false;
}();

/// Runs the reference on counting scalars. The values matter little: a reference does the same operations for all of
/// them.
template <class Op>
CountedWork count_work(const Params& params, const Types& types) {
  check_types<Op>(types);
  const auto typed = typed_params<Op>(params);
  std::vector<std::vector<CountingScalar>> inputs, outputs;
  for (const BufferSpec& buffer : Op::buffers(typed, types)) {
    const auto count = static_cast<std::size_t>(buffer.count);
    if (is_written(buffer.role)) outputs.emplace_back(count);
    if (!is_read(buffer.role)) continue;
    auto& values = inputs.emplace_back(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = buffer.value ? buffer.value(static_cast<Index>(i))
                               : buffer.low + (buffer.high - buffer.low) * static_cast<double>(i * 7 % 11) / 11.0;
    }
  }
  CountingScalar::reset();
  Op::template reference<CountingScalar>(typed, inputs, outputs);
  return CountingScalar::counted();
}

}  // namespace detail

/// The operator's struct as a spec: what it declares, behind plain function pointers that take named sizes.
template <class Op>
OperatorSpec make_spec() {
  OperatorSpec spec;
  spec.name = Op::name;
  spec.summary = Op::summary;
  for (const auto& field : Op::fields) spec.parameters.emplace_back(field.name, field.meaning);
  spec.types = Op::types();
  spec.default_params = [](const DeviceInfo& device, const Types& types) {
    return detail::named_list<Op>(Op::default_params(device, types));
  };
  spec.conformance_params = [] { return detail::named_list<Op>(Op::conformance_params()); };
  spec.work = [](const Params& params, const Types& types) {
    detail::check_types<Op>(types);
    return Op::work(typed_params<Op>(params), types);
  };
  spec.buffers = [](const Params& params, const Types& types) {
    detail::check_types<Op>(types);
    return Op::buffers(typed_params<Op>(params), types);
  };
  spec.reference = [](const Params& params, Inputs<double> inputs, Outputs<double> outputs) {
    Op::template reference<double>(typed_params<Op>(params), inputs, outputs);
  };
  if constexpr (!detail::flops_by_convention<Op>) {
    spec.count = [](const Params& params, const Types& types) { return detail::count_work<Op>(params, types); };
  }
  spec.tolerance = [](const Params& params, const Types& types) {
    return Op::tolerance(typed_params<Op>(params), types);
  };
  if constexpr (requires { Op::non_finite; }) spec.non_finite = Op::non_finite;
  if constexpr (requires { Op::in_place; }) spec.in_place = Op::in_place;
  if constexpr (requires { Op::fused; }) spec.fused = Op::fused;
  if constexpr (requires { Op::int8; }) spec.int8 = Op::int8;
  if constexpr (requires(const typename Op::Params& params, const Types& types) {
                  Op::workspace_bytes(params, types);
                }) {
    spec.workspace_bytes = [](const Params& params, const Types& types) {
      return Op::workspace_bytes(typed_params<Op>(params), types);
    };
  }
  return spec;
}

/// The one spec of an operator in this program.
template <class Op>
const OperatorSpec& spec_of() {
  static const OperatorSpec spec = make_spec<Op>();
  return spec;
}

}  // namespace gable
