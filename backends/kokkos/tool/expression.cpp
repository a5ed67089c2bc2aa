#include "backends/kokkos/tool/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <system_error>

#include "core/text/parse_number.hpp"

namespace gable::tool {
namespace {

/// Longer expressions are refused, and so are those that nest deeper than the stack allows.
constexpr std::size_t longest = 1000;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Length of the name that a text begins with.
std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (is_letter(text[length]) || (length > 0 && is_digit(text[length])))) ++length;
  return length;
}

/// By recursive descent; each call takes what it reads off the front of `rest_`.
class Evaluation {
 public:
  Evaluation(std::string_view text, const Lookup& parameters) : text_(text), rest_(text), parameters_(parameters) {}

  double all() {
    const double value = sum();
    if (!rest_.empty()) fail();
    return value;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::runtime_error("'" + std::string(text_) + "' cannot be read " +
                             (rest_.empty() ? "to its end" : "from '" + std::string(rest_) + "' on"));
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take('+'))
        value += product();
      else if (take('-'))
        value -= product();
      else
        return value;
    }
  }
  double product() {
    double value = signed_power();
    for (;;) {
      if (take('*'))
        value *= signed_power();
      else if (take('/'))
        value /= signed_power();
      else
        return value;
    }
  }
  double signed_power() {
    if (take('-')) return -signed_power();
    const double base = operand();
    return take('^') ? std::pow(base, signed_power()) : base;
  }
  double operand() {
    if (take('(')) return bracketed();
    if (rest_.empty()) fail();
    if (is_digit(rest_[0]) || rest_[0] == '.') {
      double value = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      return value;
    }
    const std::string_view name = rest_.substr(0, name_length(rest_));
    if (name.empty()) fail();
    const std::string_view from = rest_;
    rest_.remove_prefix(name.size());
    if (take('(')) {
      if (name == "log2") return std::log2(bracketed());
      rest_ = from;
      fail();
    }
    if (const auto value = parameters_(name)) return *value;
    throw std::runtime_error("parameter '" + std::string(name) + "' is not known");
  }
  double bracketed() {
    const double value = sum();
    if (!take(')')) fail();
    return value;
  }

  std::string_view text_, rest_;
  const Lookup& parameters_;
};

}  // namespace

double evaluate(std::string_view expression, const Lookup& parameters) {
  if (expression.size() > longest) throw std::runtime_error("an expression is longer than 1000 characters");
  return Evaluation(expression, parameters).all();
}

std::optional<Parameters> parse_parameters(std::string_view text) {
  Parameters parameters;
  for (;;) {
    const auto comma = text.find(',');
    std::string_view one = text.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::string_view name = one.substr(0, name_length(one));
    one.remove_prefix(name.size());
    if (name.empty() || !one.starts_with('=')) return {};
    one.remove_prefix(1);
    const auto value = parse_number<double>(one);
    if (!value || !std::isfinite(*value)) return {};
    parameters.emplace_back(name, *value);
    if (comma == text.npos) return parameters;
    text.remove_prefix(comma + 1);
  }
}

ParametrisedName split_name(std::string_view text) {
  const auto open = text.rfind('[');
  if (!text.ends_with(']') || open == text.npos) return {text, {}};
  if (auto parameters = parse_parameters(text.substr(open + 1, text.size() - open - 2)))
    return {text.substr(0, open), std::move(*parameters)};
  return {text, {}};
}

std::optional<double> find_parameter(const Parameters& parameters, std::string_view name) {
  for (const auto& [known, value] : parameters) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace gable::tool
