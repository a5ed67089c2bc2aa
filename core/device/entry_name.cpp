#include "core/device/entry_name.hpp"

#include <cctype>

namespace gable::catalogue {
namespace {

/// Letters and digits that stand together, in lower case.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : lower(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// The same, or one letter is changed, missing or too many.
bool but_for_one_letter(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (b.size() > a.size() + 1) return false;
  const auto differ = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const std::size_t skip = a.size() == b.size() ? 1 : 0;
  return differ == a.size() || a.substr(differ + skip) == b.substr(differ + 1);
}

}  // namespace

bool is_near(std::string_view written, std::string_view known) {
  const auto wanted = words_of(written), there = words_of(known);
  return !wanted.empty() && std::ranges::all_of(wanted, [&](const std::string& word) {
    return std::ranges::any_of(there, [&](const std::string& one) {
      return word == one || (std::min(word.size(), one.size()) > 2 && but_for_one_letter(word, one));
    });
  });
}

std::string lower(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

}  // namespace gable::catalogue
