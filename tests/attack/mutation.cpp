#include "mutation.hpp"

#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace gable::attack {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 24> words{"",
                                                 "-1",
                                                 "0",
                                                 "1e308",
                                                 "-1e308",
                                                 "1e-320",
                                                 "nan",
                                                 "inf",
                                                 "0x10",
                                                 "1,5",
                                                 "9223372036854775808",
                                                 "'",
                                                 "\"",
                                                 "\\",
                                                 "`id`",
                                                 "$(id)",
                                                 "=1+1",
                                                 "../..",
                                                 "%s%n",
                                                 "]]>",
                                                 "<script>",
                                                 "\xff\xfe",
                                                 "\x1b[31m",
                                                 "\xe2\x80\xae"};

constexpr std::array<std::string_view, 18> sql_values{"NULL",
                                                      "''",
                                                      "0",
                                                      "-1",
                                                      "9223372036854775807",
                                                      "-9223372036854775808",
                                                      "1e308",
                                                      "-1e-320",
                                                      "9e999",
                                                      "'nan'",
                                                      "X'ff00fe'",
                                                      "char(0, 1, 27, 8238)",
                                                      "zeroblob(1000000)",
                                                      "hex(zeroblob(300000))",
                                                      "randomblob(5000)",
                                                      "'[1,2]'",
                                                      "(SELECT 1)",
                                                      "rowid"};
constexpr std::array<std::string_view, 14> sql_statements{
    "PRAGMA encoding='UTF-16'",
    "PRAGMA page_size=512",
    "PRAGMA auto_vacuum=FULL",
    "PRAGMA journal_mode=WAL",
    "PRAGMA user_version=-1",
    "CREATE VIEW StringIds AS SELECT 1 AS id, 'a' AS value",
    "CREATE TABLE \"a\"\"b'c\nd\"(x)",
    "CREATE TABLE gpus(id, name AS (hex(zeroblob(400000000))), value AS (zeroblob(900000000)))",
    "INSERT INTO gpus(id) VALUES (0), (1)",
    "INSERT INTO StringIds SELECT * FROM StringIds LIMIT 99",
    "INSERT INTO rocpd_info_kernel_symbol_1 SELECT * FROM rocpd_info_kernel_symbol_1 LIMIT 99",
    "INSERT INTO rocpd_kernel_dispatch_1 SELECT * FROM rocpd_kernel_dispatch_1 LIMIT 99",
    "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = start - 5",
    "CREATE UNIQUE INDEX i ON StringIds(value COLLATE NOCASE)"};

json hostile_value(Random& random) {
  switch (below(random, 12)) {
    case 0:
      return nullptr;
    case 1:
      return true;
    case 2:
      return -1;
    case 3:
      return 0;
    case 4:
      return 1.7e308;
    case 5:
      return 5e-324;
    case 6:
      return std::numeric_limits<std::int64_t>::min();
    case 7:
      return std::numeric_limits<std::uint64_t>::max();
    case 8:
      return json::array();
    case 9:
      return json::object();
    case 10:
      return std::string(below(random, 5000), 'x');
    default:
      return hostile_word(random);
  }
}

/// Some value in the document, deep ones as likely as others of their kind.
json& some_value(json& root, Random& random) {
  json* at = &root;
  while (at->is_structured() && !at->empty() && below(random, 6) != 0) {
    auto child = at->begin();
    std::advance(child, static_cast<std::ptrdiff_t>(below(random, at->size())));
    at = &*child;
  }
  return *at;
}

void change_value(json& document, Random& random) {
  json& value = some_value(document, random);
  switch (below(random, 7)) {
    case 0:
      if (value.is_structured() && !value.empty()) {
        auto child = value.begin();
        std::advance(child, static_cast<std::ptrdiff_t>(below(random, value.size())));
        value.erase(child);
      }
      return;
    case 1:
      if (value.is_array() && !value.empty()) {
        const json copy = value[below(random, value.size())];
        for (std::size_t i = 0, n = 1 + below(random, 40); i < n; ++i) value.push_back(copy);
      }
      return;
    case 2: {
      const json other = some_value(document, random);  // a copy: one may hold the other
      some_value(document, random) = other;
      return;
    }
    case 3:
      for (std::size_t i = 0, n = below(random, 150); i < n; ++i) value = json::array({std::move(value)});
      return;
    case 4:
      if (value.is_object()) value[hostile_word(random)] = hostile_value(random);
      return;
    case 5:
      if (value.is_number()) value = value.get<double>() * (below(random, 2) == 0 ? -1 : 1e12);
      return;
    default:
      value = hostile_value(random);
  }
}

void change_bytes(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  switch (below(random, 5)) {
    case 0:
      text.resize(at);
      return;
    case 1:
      if (at < text.size()) text[at] = static_cast<char>(below(random, 256));
      return;
    case 2:
      text.insert(at, hostile_word(random));
      return;
    case 3:
      text.erase(at, below(random, 200));
      return;
    default:
      text.insert(at, text.substr(below(random, text.size() + 1), below(random, 400)));
  }
}

/// Figures that are others, which most readers accept: what lies behind refusal is tried, too.
Mutated other_figures(std::string text, Random& random) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t i = 0, n = 1 + below(random, 6); i < n; ++i) {
    const std::size_t at = text.find_first_of(digits, below(random, text.size() + 1));
    const bool in_a_word = at != std::string::npos && at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1]));
    if (at != std::string::npos && !in_a_word) text[at] = digits[below(random, digits.size())];
  }
  return {std::move(text)};
}

/// A key of some object, written twice.
bool double_a_key(std::string& text, Random& random) {
  const std::size_t quote = text.find("\":", below(random, text.size()));
  if (quote == std::string::npos || quote == 0) return false;
  const std::size_t begin = text.rfind('"', quote - 1);
  if (begin == std::string::npos) return false;
  text.insert(begin, text.substr(begin, quote + 1 - begin) + ":0,");
  return true;
}

/// A time that no machine has, in a row that was measured.
bool spoil_a_time(std::string& text, Random& random) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_object() || !document.contains("points") || document["points"].empty()) return false;
  json& point = document["points"][below(random, document["points"].size())];
  if (point.value("status", "") != "ok") return false;
  constexpr std::array<double, 4> impossible{-1.0, 0.0, 1e300, -1e-9};
  point["time_s"] = impossible[below(random, impossible.size())];
  text = document.dump();
  return true;
}

}  // namespace

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); }

std::string hostile_word(Random& random) { return std::string(words[below(random, words.size())]); }

Mutated mutate_json(const std::string& given, Random& random) {
  std::string text = given;
  if (below(random, 8) == 0) return other_figures(text, random);
  switch (below(random, 10)) {
    case 0: {
      const bool doubled = double_a_key(text, random);
      return {text, doubled};
    }
    case 1:
      return {text + (below(random, 2) == 0 ? "}" : " {}"), true};
    case 2:
      if (spoil_a_time(text, random)) return {text, true};
      [[fallthrough]];
    case 3:
    case 4:
    case 5:
      for (std::size_t i = 0, n = 1 + below(random, 3); i < n; ++i) change_bytes(text, random);
      return {text};
    default: {
      json document = json::parse(text);
      for (std::size_t i = 0, n = 1 + below(random, 4); i < n; ++i) change_value(document, random);
      return {document.dump(-1, ' ', false, json::error_handler_t::replace)};
    }
  }
}

Mutated mutate_lines(const std::string& text, Random& random) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::string& line = lines[below(random, lines.size())];
  const Mutated changed = mutate_json(line, random);
  line = changed.text;
  // A journal's last line may be torn: it is dropped, whatever is in it.
  const bool last = &line == &lines.back();
  std::string result;
  for (const std::string& one : lines) result += one + '\n';
  if (below(random, 8) != 0) return {result, changed.must_be_refused && !last};
  change_bytes(result, random);
  return {result};
}

Mutated mutate_csv(const std::string& given, Random& random) {
  std::string text = given;
  if (below(random, 6) == 0) return {text + "\"never closed", true};
  if (below(random, 4) == 0) return other_figures(text, random);
  for (std::size_t i = 0, n = 1 + below(random, 4); i < n; ++i) {
    const std::size_t comma = text.find_first_of(",\n", below(random, text.size()));
    if (below(random, 2) == 0 || comma == std::string::npos) {
      change_bytes(text, random);
      continue;
    }
    const std::size_t end = text.find_first_of(",\n", comma + 1);
    text.replace(comma + 1, end == std::string::npos ? std::string::npos : end - comma - 1, hostile_word(random));
  }
  return {text};
}

Mutated mutate_sql(const std::string& text, Random& random) {
  constexpr std::string_view name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  std::vector<std::string> lines;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
  }
  for (std::size_t i = 0, n = below(random, 6); i < n && !lines.empty(); ++i) {
    const auto line = lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size()));
    const std::size_t word = std::min(line->find_first_of(name, below(random, line->size() + 1)), line->size());
    const std::size_t length = std::min(line->find_first_not_of(name, word), line->size()) - word;
    switch (below(random, 6)) {
      case 0:
        lines.erase(line);
        break;
      case 1:
        lines.insert(line, 1 + below(random, 14), std::string(*line));
        break;
      case 2:
        lines.insert(line, std::string(sql_statements[below(random, sql_statements.size())]));
        break;
      case 3: {
        const std::string& other = lines[below(random, lines.size())];
        const std::size_t from = std::min(other.find_first_of(name, below(random, other.size() + 1)), other.size());
        line->replace(word, length, other.substr(from, other.find_first_not_of(name, from) - from));
        break;
      }
      default:
        line->replace(word, length, sql_values[below(random, sql_values.size())]);
    }
  }
  std::string sql;
  for (const std::string& line : lines) sql += line + '\n';
  return {sql};
}

void damage_database(std::string& bytes, Random& random) {
  constexpr std::size_t page = 4096, header = 100, head_of_page = 24;
  for (std::size_t i = 0, n = 1 + below(random, 8); i < n && !bytes.empty(); ++i) {
    const std::size_t pages = 1 + bytes.size() / page;
    const std::size_t at = std::array{below(random, header), below(random, pages) * page + below(random, head_of_page),
                                      below(random, bytes.size())}[below(random, 3)];
    if (at < bytes.size()) bytes[at] = static_cast<char>(below(random, 256));
  }
  if (below(random, 8) == 0) change_bytes(bytes, random);
}

}  // namespace gable::attack
