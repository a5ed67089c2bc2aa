#include "cli/side_values.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <system_error>

#include "core/device/entry_name.hpp"
#include "core/error.hpp"
#include "core/report/comparison_words.hpp"

namespace gable::cli {
namespace {

using analysis::Subject;
using report::letter;

/// Unlike list() this keeps what is there twice: two sides may cost the same.
std::vector<std::string> entries_of(const po::variables_map& values, const std::string& option) {
  std::vector<std::string> entries;
  for (const std::string& text : texts(values, option)) {
    std::istringstream parts(text + ',');
    for (std::string part; std::getline(parts, part, ',');) {
      if (part.empty()) throw Error(fmt::format("--{}: empty entry in '{}'", option, text));
      entries.push_back(part);
    }
  }
  return entries;
}

std::size_t subject_named(const std::string& option, const std::vector<Subject>& subjects, const std::string& name) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    if (name == letter(i) || name == subjects[i].name) return i;
    if (!name.empty() && catalogue::lower(subjects[i].name).find(catalogue::lower(name)) != std::string::npos)
      fitting.push_back(i);
  }
  if (fitting.size() == 1) return fitting.front();
  std::string known;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    known += fmt::format("{}{} ({})", i == 0 ? "" : ", ", letter(i), subjects[i].name);
  throw Error(fmt::format("--{}: '{}' is {} of {}", option, name, fitting.empty() ? "none" : "several", known));
}

}  // namespace

std::vector<std::optional<double>> values_by_side(const po::variables_map& values, const std::string& option,
                                                  const std::vector<Subject>& subjects,
                                                  const std::function<double(std::string_view)>& read) {
  const auto entries = entries_of(values, option);
  if (entries.empty()) return {};
  std::vector<std::optional<double>> figures(subjects.size());
  const auto set = [&](std::size_t subject, const std::string& text) {
    if (figures[subject])
      throw Error(fmt::format("--{}: a second {} of {}: {}", option, option, letter(subject), text));
    figures[subject] = read(text);
  };
  std::size_t in_order = 0;
  for (const std::string& entry : entries) {
    const auto equals = entry.rfind('=');
    if (equals != std::string::npos)
      set(subject_named(option, subjects, entry.substr(0, equals)), entry.substr(equals + 1));
    else if (in_order == subjects.size())
      throw Error(fmt::format("--{}: more {}s than the {} devices that are compared", option, option, subjects.size()));
    else
      set(in_order++, entry);
  }
  return figures;
}

double number_within(std::string_view option, std::string_view text, double least, double most, std::string_view what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size() && value >= least && value <= most) return value;
  throw Error(fmt::format("--{}: '{}' is no {}", option, text, what));
}

}  // namespace gable::cli
