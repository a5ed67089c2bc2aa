#include "core/report/junit.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "core/text/markup.hpp"

namespace gable::report {
namespace {

using analysis::AcceptanceRow;
using analysis::Verdict;

/// Text of an attribute.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (const auto entity = entity_of(c); !entity.empty())
      result += entity;
    else if (c == '\n')
      result += "&#10;";
    else if (c == '\t')
      result += "&#9;";
    else
      result += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return result;
}

std::string case_of(const AcceptanceRow& row) {
  const std::string head =
      fmt::format("    <testcase classname=\"gable.{}\" name=\"{}\"", escaped(row.criterion), escaped(row.name));
  if (row.verdict == Verdict::pass) return head + "/>\n";
  if (row.verdict == Verdict::extra)
    return fmt::format("{}><skipped message=\"{}\"/></testcase>\n", head, escaped(row.reason));
  return fmt::format("{}><failure type=\"{}\" message=\"{}\"/></testcase>\n", head, to_string(row.verdict),
                     escaped(row.reason));
}

struct Counted {
  int tests{}, failures{}, skipped{};
  std::string cases{};
};

std::string attributes(const Counted& counted) {
  return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", counted.tests, counted.failures,
                     counted.skipped);
}

void add(Counted& counted, const AcceptanceRow& row) {
  ++counted.tests;
  if (analysis::fails(row.verdict)) ++counted.failures;
  if (row.verdict == Verdict::extra) ++counted.skipped;
}

}  // namespace

std::string junit(std::span<const AcceptanceRow> rows, std::span<const std::string> remarks) {
  std::vector<std::pair<std::string, Counted>> suites;
  Counted all;
  for (const AcceptanceRow& row : rows) {
    if (suites.empty() || suites.back().first != row.criterion) suites.emplace_back(row.criterion, Counted{});
    add(all, row);
    add(suites.back().second, row);
    suites.back().second.cases += case_of(row);
  }
  std::string printed;
  for (const std::string& remark : remarks) printed += escaped(remark) + '\n';
  if (!suites.empty() && !printed.empty())
    suites.front().second.cases += fmt::format("    <system-out>{}</system-out>\n", printed);
  std::string text = fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gable check\" {}>\n",
                                 attributes(all));
  for (const auto& [name, counted] : suites)
    text += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", escaped(name), attributes(counted),
                        counted.cases);
  return text + "</testsuites>\n";
}

}  // namespace gable::report
