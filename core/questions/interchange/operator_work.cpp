#include "core/questions/interchange/operator_work.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/sequence.hpp"

namespace gable::interchange {
namespace {

using nlohmann::json;
using Sizes = std::vector<double>;

/// A type as PyTorch's profiler calls it (the C++ name).
struct ElementType {
  std::string_view recorded, name;
  double bytes;
  std::optional<DType> dtype{};  ///< nothing for those that no unit is known of
};
constexpr std::array element_types{ElementType{"float", "fp32", 4, DType::fp32},
                                   ElementType{"double", "fp64", 8, DType::fp64},
                                   ElementType{"c10::BFloat16", "bf16", 2, DType::bf16},
                                   ElementType{"c10::Half", "fp16", 2, DType::fp16},
                                   ElementType{"c10::Float8_e4m3fn", "fp8_e4m3", 1, DType::fp8_e4m3},
                                   ElementType{"c10::Float8_e5m2", "fp8_e5m2", 1, DType::fp8_e5m2},
                                   ElementType{"c10::Float8_e4m3fnuz", "fp8_e4m3fnuz", 1, DType::fp8_e4m3fnuz},
                                   ElementType{"c10::Float8_e5m2fnuz", "fp8_e5m2fnuz", 1, DType::fp8_e5m2fnuz},
                                   ElementType{"int", "int32", 4, DType::int32},
                                   ElementType{"signed char", "int8", 1, DType::int8},
                                   ElementType{"long int", "int64", 8},
                                   ElementType{"long", "int64", 8},
                                   ElementType{"short int", "int16", 2},
                                   ElementType{"short", "int16", 2},
                                   ElementType{"unsigned char", "uint8", 1},
                                   ElementType{"bool", "bool", 1},
                                   ElementType{"c10::complex<float>", "complex64", 8},
                                   ElementType{"c10::complex<double>", "complex128", 16}};

const ElementType* type_named(std::string_view recorded) {
  return find_by(element_types, recorded, &ElementType::recorded);
}

double product_of(std::span<const double> sizes) {
  double product = 1;
  for (const double size : sizes) product *= size;
  return product;
}

/// Sizes of one list; nothing where it is none, as a list of tensors is.
std::optional<Sizes> sizes_of(const json& list) {
  if (!list.is_array()) return {};
  Sizes sizes;
  for (const json& size : list) {
    if (!size.is_number_integer() || size.get<double>() < 0) return {};
    sizes.push_back(size.get<double>());
  }
  return sizes;
}

/// One input: a tensor where it has a type that is known and sizes.
struct Tensor {
  const ElementType* type;
  Sizes sizes;
  double stored;  ///< elements, those that a stride of 0 repeats once
  double bytes() const { return stored * type->bytes; }
};

class Inputs {
 public:
  explicit Inputs(const RecordedInputs& recorded)
      : dims_(list(recorded.dims)),
        types_(list(recorded.types)),
        strides_(list(recorded.strides)),
        values_(list(recorded.values)) {}

  std::size_t size() const { return dims_.size(); }
  bool strides_known() const { return !strides_.empty(); }

  std::optional<Tensor> tensor(std::size_t at) const {
    if (at >= dims_.size() || at >= types_.size() || !types_[at].is_string()) return {};
    const ElementType* const type = type_named(types_[at].get_ref<const std::string&>());
    auto sizes = sizes_of(dims_[at]);
    if (type == nullptr || !sizes) return {};
    Tensor tensor{type, std::move(*sizes), 1};
    const auto strides = at < strides_.size() ? sizes_of(strides_[at]) : std::nullopt;
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
      const bool repeated = strides && strides->size() == tensor.sizes.size() && (*strides)[i] == 0;
      if (!repeated) tensor.stored *= tensor.sizes[i];
    }
    return tensor;
  }
  /// A tensor that has dimensions: scalars are recorded without.
  std::optional<Tensor> array(std::size_t at) const {
    auto found = tensor(at);
    return found && !found->sizes.empty() ? found : std::nullopt;
  }
  /// Whether nothing was passed for an optional tensor.
  bool is_absent(std::size_t at) const {
    return at < types_.size() && types_[at].is_string() && types_[at].get_ref<const std::string&>().empty();
  }
  std::string value(std::size_t at) const {
    return at < values_.size() && values_[at].is_string() ? values_[at].get<std::string>() : std::string();
  }
  /// "[1, 1]" of an argument.
  std::optional<Sizes> sizes_value(std::size_t at) const {
    const std::string text = value(at);
    const json parsed = json::parse(text, nullptr, false);
    return sizes_of(parsed);
  }

 private:
  static json list(const std::string& text) {
    json parsed = json::parse(text, nullptr, false);
    return parsed.is_array() ? parsed : json::array();
  }
  json dims_, types_, strides_, values_;
};

std::string described(const Inputs& inputs) {
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto tensor = inputs.array(i);
    if (tensor)
      text += fmt::format("{}{}[{:.0f}]", text.empty() ? "" : " ", tensor->type->name, fmt::join(tensor->sizes, ","));
  }
  return text;
}

OperatorWork product_work(const Inputs& inputs, const Tensor& first, double operations, double read, double elements) {
  return {.operands = described(inputs),
          .operations = operations,
          .dtype = first.type->dtype,
          .is_product = true,
          .bytes_read = read,
          .bytes_written = elements * first.type->bytes,
          .strides_known = inputs.strides_known()};
}

/// Products of matrices, one or a batch, whose factors stand from `first` on; what is added stands before them.
std::optional<OperatorWork> matrix_product(const Inputs& inputs, std::size_t first) {
  const auto a = inputs.array(first), b = inputs.array(first + 1);
  const auto added = first > 0 ? inputs.array(0) : std::nullopt;
  if (!a || !b || a->type != b->type || a->sizes.size() != b->sizes.size() || (first > 0 && !added)) return {};
  const std::size_t rank = a->sizes.size();
  if (rank != 2 && rank != 3) return {};
  const double batch = rank == 3 ? a->sizes[0] : 1;
  const double m = a->sizes[rank - 2], k = a->sizes[rank - 1], n = b->sizes[rank - 1];
  if (b->sizes[rank - 2] != k || (rank == 3 && b->sizes[0] != batch)) return {};
  const double read = a->bytes() + b->bytes() + (added ? added->bytes() : 0);
  return product_work(inputs, *a, 2 * batch * m * n * k, read, batch * m * n);
}
std::optional<OperatorWork> mm(const Inputs& inputs) { return matrix_product(inputs, 0); }
std::optional<OperatorWork> addmm(const Inputs& inputs) { return matrix_product(inputs, 1); }

/// y = x Wᵀ + b.
std::optional<OperatorWork> linear(const Inputs& inputs) {
  const auto x = inputs.array(0), weight = inputs.array(1), bias = inputs.array(2);
  if (!x || !weight || weight->sizes.size() != 2 || x->type != weight->type) return {};
  const double k = weight->sizes[1], n = weight->sizes[0];
  if (x->sizes.back() != k || !(k > 0)) return {};
  const double rows = product_of(x->sizes) / k;
  return product_work(inputs, *x, 2 * rows * n * k, x->bytes() + weight->bytes() + (bias ? bias->bytes() : 0),
                      rows * n);
}

/// Where the arguments of a convolution stand; bias 0: it has none.
struct ConvolutionArguments {
  std::size_t bias, stride, padding, dilation;
};

std::optional<OperatorWork> convolution(const Inputs& inputs, const ConvolutionArguments& at) {
  const auto x = inputs.array(0), weight = inputs.array(1);
  const auto stride = inputs.sizes_value(at.stride), padding = inputs.sizes_value(at.padding),
             dilation = inputs.sizes_value(at.dilation);
  if (!x || !weight || !stride || !padding || !dilation || x->type != weight->type) return {};
  const std::size_t rank = x->sizes.size();
  if (rank < 3 || weight->sizes.size() != rank || stride->size() != rank - 2 || padding->size() != rank - 2 ||
      dilation->size() != rank - 2)
    return {};
  double elements = x->sizes[0] * weight->sizes[0];
  for (std::size_t i = 0; i + 2 < rank; ++i) {
    if (!((*stride)[i] > 0)) return {};
    const double span = x->sizes[i + 2] + 2 * (*padding)[i] - (*dilation)[i] * (weight->sizes[i + 2] - 1) - 1;
    if (span < 0) return {};
    elements *= std::floor(span / (*stride)[i]) + 1;
  }
  const auto bias = at.bias > 0 ? inputs.array(at.bias) : std::nullopt;
  const double read = x->bytes() + weight->bytes() + (bias ? bias->bytes() : 0);
  OperatorWork work =
      product_work(inputs, *x, 2 * elements * product_of(std::span(weight->sizes).subspan(1)), read, elements);
  work.operands += fmt::format(" stride {:.0f} padding {:.0f} dilation {:.0f}", fmt::join(*stride, "x"),
                               fmt::join(*padding, "x"), fmt::join(*dilation, "x"));
  return work;
}
std::optional<OperatorWork> cudnn_convolution(const Inputs& inputs) { return convolution(inputs, {0, 3, 2, 4}); }
std::optional<OperatorWork> other_convolution(const Inputs& inputs) { return convolution(inputs, {2, 4, 3, 5}); }

/// O = softmax(Q Kᵀ) V of [batch, rows, heads, width], or with heads before rows.
std::optional<OperatorWork> attention(const Inputs& inputs, bool heads_first, bool causal) {
  const auto q = inputs.array(0), k = inputs.array(1), v = inputs.array(2);
  if (!q || !k || !v || q->sizes.size() != 4 || k->sizes.size() != 4 || v->sizes.size() != 4) return {};
  const std::size_t row = heads_first ? 2 : 1;
  const double rows = q->sizes[row], keys = k->sizes[row], width = q->sizes[3], out = v->sizes[3];
  if (causal && rows != keys) return {};  // where the diagonal lies is not recorded
  const double heads = q->sizes[0] * q->sizes[3 - row];
  const double scores = causal ? heads * rows * (rows + 1) / 2 : heads * rows * keys;
  OperatorWork work =
      product_work(inputs, *q, 2 * scores * (width + out), q->bytes() + k->bytes() + v->bytes(), heads * rows * out);
  if (causal) work.operands += " causal";
  return work;
}

std::optional<OperatorWork> flash_attention(const Inputs& inputs) {
  constexpr std::size_t cumulative = 3, causal = 8;
  const std::string masked = inputs.value(causal);
  if (!inputs.is_absent(cumulative) || masked.empty()) return {};  // sequences of several lengths, else
  return attention(inputs, false, masked == "True");
}
std::optional<OperatorWork> efficient_attention(const Inputs& inputs) {
  constexpr std::size_t cumulative = 4, mask = 9;
  const std::string masked = inputs.value(mask);
  if (!inputs.is_absent(cumulative) || masked.empty()) return {};
  return attention(inputs, false, masked != "0");
}
std::optional<OperatorWork> attention_of_cpu(const Inputs& inputs) {
  constexpr std::size_t causal = 4;
  const std::string masked = inputs.value(causal);
  return masked.empty() ? std::nullopt : attention(inputs, true, masked == "True");
}

/// Each input once and an output of their common shape. `flops`: of an element; negative where it is not known.
std::optional<OperatorWork> elementwise(const Inputs& inputs, double flops, bool in_place) {
  std::vector<std::pair<std::size_t, Tensor>> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (auto found = inputs.array(i)) arrays.emplace_back(i, std::move(*found));
  }
  if (arrays.empty()) return {};
  const Tensor& first = arrays.front().second;
  const bool one_type = std::ranges::all_of(arrays, [&](const auto& one) { return one.second.type == first.type; });
  if (!one_type && !(in_place && arrays.front().first == 0)) return {};  // the type of the output is not recorded
  OperatorWork work;
  Sizes shape;  // innermost first
  for (const auto& [at, tensor] : arrays) {
    shape.resize(std::max(shape.size(), tensor.sizes.size()), 1);
    for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
      shape[i] = std::max(shape[i], tensor.sizes[tensor.sizes.size() - 1 - i]);
    work.bytes_read += tensor.bytes();
  }
  const double elements = product_of(shape);
  work.operands = described(inputs);
  work.dtype = first.type->dtype;
  if (flops >= 0 && work.dtype) work.operations = flops * elements;
  work.bytes_written = elements * first.type->bytes;
  work.strides_known = inputs.strides_known();
  return work;
}

/// Writes the first input, reads the second.
std::optional<OperatorWork> copy(const Inputs& inputs) {
  const auto to = inputs.array(0), from = inputs.tensor(1);
  if (!to || !from) return {};
  return OperatorWork{.operands = described(inputs),
                      .operations = 0,
                      .bytes_read = from->bytes(),
                      .bytes_written = product_of(to->sizes) * to->type->bytes,
                      .strides_known = inputs.strides_known()};
}

struct Known {
  std::string_view name;  ///< behind "aten::"
  std::optional<OperatorWork> (*work)(const Inputs&);
};
constexpr std::array known_operators{Known{"mm", &mm},
                                     Known{"bmm", &mm},
                                     Known{"addmm", &addmm},
                                     Known{"baddbmm", &addmm},
                                     Known{"linear", &linear},
                                     Known{"cudnn_convolution", &cudnn_convolution},
                                     Known{"miopen_convolution", &other_convolution},
                                     Known{"mkldnn_convolution", &other_convolution},
                                     Known{"_flash_attention_forward", &flash_attention},
                                     Known{"_efficient_attention_forward", &efficient_attention},
                                     Known{"_scaled_dot_product_flash_attention_for_cpu", &attention_of_cpu},
                                     Known{"copy_", &copy}};

struct Elementwise {
  std::string_view name;  ///< behind "aten::"; with a "_" at its end the first input is written
  double flops;           ///< of an element; negative: not known
};
constexpr std::array elementwise_operators{
    Elementwise{"add", 1},   Elementwise{"sub", 1},   Elementwise{"mul", 1},       Elementwise{"div", 1},
    Elementwise{"relu", 1},  Elementwise{"neg", -1},  Elementwise{"clamp_min", 1}, Elementwise{"threshold_backward", 1},
    Elementwise{"silu", -1}, Elementwise{"gelu", -1}, Elementwise{"sigmoid", -1},  Elementwise{"tanh", -1},
    Elementwise{"exp", -1},  Elementwise{"sqrt", -1}, Elementwise{"rsqrt", -1},    Elementwise{"pow", -1},
    Elementwise{"sin", -1},  Elementwise{"cos", -1}};

}  // namespace

std::optional<OperatorWork> work_of_operator(std::string_view name, const RecordedInputs& inputs) {
  constexpr std::string_view library = "aten::";
  if (!name.starts_with(library) || inputs.dims.empty() || inputs.types.empty()) return {};
  name.remove_prefix(library.size());
  const auto known = std::ranges::find(known_operators, name, &Known::name);
  if (known != known_operators.end()) return known->work(Inputs(inputs));
  const bool in_place = name.ends_with('_');
  if (in_place) name.remove_suffix(1);
  const auto found = std::ranges::find(elementwise_operators, name, &Elementwise::name);
  if (found == elementwise_operators.end()) return {};
  return elementwise(Inputs(inputs), found->flops, in_place);
}

}  // namespace gable::interchange
