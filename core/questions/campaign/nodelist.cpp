#include "core/questions/campaign/nodelist.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <tuple>
#include <unordered_set>

#include "core/error.hpp"
#include "core/text/parse_number.hpp"
#include "core/text/safe_text.hpp"

namespace gable::campaign {
namespace {

/// Digits of a number that std::uint64_t holds.
constexpr std::size_t most_digits = 18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The number of a text of digits; nothing of other texts.
std::optional<std::uint64_t> number_of(std::string_view text) {
  return text.size() > most_digits ? std::nullopt : parse_number<std::uint64_t>(text);
}

[[noreturn]] void fail(std::string_view list, std::string_view why) {
  throw Error(fmt::format("'{:.80}' is no list of nodes: {}", printable(list), why));
}

/// Parts of a text between commas that are in no bracket.
std::vector<std::string_view> entries_of(std::string_view list) {
  std::vector<std::string_view> entries;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '[' || list[i] == ']') {
      if (inside == (list[i] == '[')) fail(list, "its brackets do not fit");
      inside = !inside;
    } else if (list[i] == ',' && !inside) {
      entries.push_back(list.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (inside) fail(list, "its brackets do not fit");
  entries.push_back(list.substr(begin));
  return entries;
}

/// "001-003,007" as 001, 002, 003, 007.
std::vector<std::string> numbers_of(std::string_view list, std::string_view ranges) {
  std::vector<std::string> numbers;
  for (const std::string_view range : entries_of(ranges)) {
    const auto dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const auto low = number_of(first);
    const auto high = dash == std::string_view::npos ? low : number_of(range.substr(dash + 1));
    if (!low || !high || *low > *high) fail(list, fmt::format("'{:.40}' is no range of numbers", printable(range)));
    if (*high - *low >= most_nodes - std::min(numbers.size(), most_nodes))
      fail(list, fmt::format("more than {} nodes", most_nodes));
    for (auto i = *low; i <= *high; ++i) numbers.push_back(fmt::format("{:0{}}", i, first.size()));
  }
  return numbers;
}

/// All names that an entry such as "r[1-2]n[01-16]" stands for.
std::vector<std::string> names_of(std::string_view list, std::string_view entry) {
  std::vector<std::string> names{""};
  while (!entry.empty()) {
    const auto open = entry.find('[');
    for (std::string& name : names) name += entry.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = entry.find(']');
    const auto numbers = numbers_of(list, entry.substr(open + 1, close - open - 1));
    if (numbers.size() > most_nodes / names.size()) fail(list, fmt::format("more than {} nodes", most_nodes));
    std::vector<std::string> longer;
    longer.reserve(names.size() * numbers.size());
    for (const std::string& name : names) {
      for (const std::string& number : numbers) longer.push_back(name + number);
    }
    names = std::move(longer);
    entry.remove_prefix(close + 1);
  }
  return names;
}

/// A name that ends in a number.
struct Numbered {
  std::uint64_t number;
  std::string digits;
  bool operator<(const Numbered& other) const {
    return std::tie(number, digits) < std::tie(other.number, other.digits);
  }
};

/// "001-004,007" of sorted numbers.
std::string ranges_of(const std::vector<Numbered>& numbers) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < numbers.size();) {
    const std::size_t width = numbers[first].digits.size();
    std::size_t last = first;
    const auto follows = [&](const Numbered& next) {
      return next.number == numbers[last].number + 1 && next.digits == fmt::format("{:0{}}", next.number, width);
    };
    while (last + 1 < numbers.size() && follows(numbers[last + 1])) ++last;
    ranges.push_back(first == last ? numbers[first].digits
                                   : fmt::format("{}-{}", numbers[first].digits, numbers[last].digits));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

}  // namespace

std::vector<std::string> expand_nodelist(std::string_view list) {
  std::vector<std::string> all;
  std::unordered_set<std::string> known;
  for (const std::string_view entry : entries_of(list)) {
    if (entry.empty()) fail(list, "one of its names is empty");
    for (std::string& name : names_of(list, entry)) {
      if (!is_node_name(name)) fail(list, fmt::format("'{:.80}' is no name of a node", printable(name)));
      if (!known.insert(name).second) continue;
      all.push_back(std::move(name));
      if (all.size() > most_nodes) fail(list, fmt::format("more than {} nodes", most_nodes));
    }
  }
  return all;
}

std::string compress_nodelist(std::span<const std::string> names) {
  std::map<std::string, std::vector<Numbered>> numbered;  // by what stands before the number
  for (const std::string& name : names) {
    std::size_t begin = name.size();
    while (begin > 0 && name.size() - begin < most_digits && is_digit(name[begin - 1])) --begin;
    auto& group = numbered[name.substr(0, begin)];
    if (begin < name.size())
      group.push_back({*number_of(std::string_view(name).substr(begin)), name.substr(begin)});
    else if (group.empty() || !group.front().digits.empty())
      group.insert(group.begin(), {0, ""});
  }
  std::vector<std::string> entries;
  for (auto& [prefix, numbers] : numbered) {
    if (numbers.front().digits.empty()) {
      entries.push_back(prefix);
      numbers.erase(numbers.begin());
    }
    std::ranges::sort(numbers, std::less<>{});
    const auto same = [](const Numbered& a, const Numbered& b) { return a.digits == b.digits; };
    numbers.erase(std::unique(numbers.begin(), numbers.end(), same), numbers.end());
    if (numbers.size() == 1) entries.push_back(prefix + numbers.front().digits);
    if (numbers.size() > 1) entries.push_back(fmt::format("{}[{}]", prefix, ranges_of(numbers)));
  }
  return fmt::format("{}", fmt::join(entries, ","));
}

bool is_node_name(std::string_view name) {
  static const std::regex of_our_files(".*\\.(summary|retest-[0-9]+)(\\..*)?");
  return !name.empty() && name == for_file_name(name) && !std::regex_match(std::string(name), of_our_files);
}

std::string node_name(std::string_view host, std::span<const std::string> expected) {
  const std::string whole = for_file_name(host), first = for_file_name(host.substr(0, host.find('.')));
  const bool is_short = std::ranges::count(expected, whole) == 0 && std::ranges::count(expected, first) != 0;
  return is_short ? first : whole;
}

std::string this_node(std::span<const std::string> expected) {
  if (const char* name = std::getenv("SLURMD_NODENAME"); name && *name) return node_name(name, expected);
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return node_name(host.data(), expected);
}

}  // namespace gable::campaign
