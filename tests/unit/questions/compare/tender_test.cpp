// The report of a comparison for who decides: what is in it, and that names from files are text and nothing else.
#include "core/questions/compare/comparison_answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/questions/compare/subject.hpp"
#include "tests/unit/questions/made_up.hpp"

namespace gable::questions {
namespace {

/// B does relu in half of A's time. `name` is that of B.
Compared two_machines(const std::string& name) {
  Result a = test::made_up_result("Slow"), b = test::made_up_result(name);
  for (Result* result : {&a, &b}) {
    test::add_peak(*result, DType::fp32, result == &a ? 1e11 : 2e11);
    test::add_memory(*result, result == &a ? 1e10 : 2e10);
    test::add_point(*result, "relu", 1e8, 1e9, result == &a ? 0.2 : 0.1);
  }
  a.devices[0].facts = {{"power cap", "300 W", ""}};
  b.devices[0].facts = {{"power cap", "250 W", ""}};
  test::add_point(b, "gelu", 1e8, 1e9, 0.1);
  b.points.push_back(b.points.front());
  b.points.back().id = "no memory left";
  b.points.back().status = Status::error;
  b.points.back().reason = "out of memory";
  const std::vector<NamedResult> sources{{"a.json", a}, {"b.json", b}};
  Compared compared{subjects_of(sources), {}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  return compared;
}

CostAssumptions assumptions() {
  return {.capital = {1000, 1500}, .power_w = {100, 100}, .years = 1, .tariff_per_kwh = 0.1};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// Tags in the order in which they are closed and opened; void ones are left out. Empty where they nest as they must.
std::string nesting_fault(const std::string& html) {
  std::vector<std::string> open;
  for (auto at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const auto end = html.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    if (tag.starts_with('!') || tag.starts_with("meta") || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return "unexpected " + tag;
      open.pop_back();
    }
  }
  return open.empty() ? "" : "left open: " + open.back();
}

TEST(Tender, SaysWhoLeadsByHowMuchAndHowSure) {
  const Compared compared = two_machines("Fast");
  const std::string text = html(tender(compared, {}, {"1.2.3"}));
  EXPECT_TRUE(has(text, "<h2>Summary</h2>")) << text;
  EXPECT_TRUE(has(text, "B (Fast): 2 (1.96…2.04) times as fast as A (Slow) over 1 row of 1 of 2 operators.")) << text;
  EXPECT_TRUE(has(text, "B is faster than A by more than the noise within the runs; fewer than 6 runs")) << text;
  for (const char* words :
       {"<h2>Method</h2>", "<caption>Operators, and times as fast as A</caption>", "power cap: A 300 W, B 250 W",
        "only B has (1): gelu fp32 n=1000 (cold)",
        "no figure of B, error: out of memory (1): relu fp32 n=1000 (cold), kokkos", "Written by gable 1.2.3."})
    EXPECT_TRUE(has(text, words)) << words;
  EXPECT_FALSE(has(text, "Total cost")) << "nobody asked";
}

/// Of what the decision rests on the heaviest rows: relu alone, which counts as "activations".
TEST(Tender, ShowsTheRowsThatCountWithTheirWeights) {
  Result a = test::made_up_result("Slow");
  for (const char* op : {"add", "gelu", "relu"}) test::add_point(a, op, 1e8, 1e9, 0.2);
  a.points.back().label = "activations";
  Result b = a;
  b.devices[0].name = b.run.hostname = "Other";
  Compared compared{subjects_of(std::vector<NamedResult>{{"a.json", a}, {"b.json", b}}), {}, {}};
  compared.options.weights = {{"activations", 3}, {"add", 1}};
  compared.answer = compare(compared.subjects, compared.options);
  const std::string text = html(tender(compared, {}, {"1"}));
  EXPECT_TRUE(has(text, "relu fp32 n=1000 (cold) (activations, 75 %)")) << text;
  EXPECT_TRUE(has(text, "add fp32 n=1000 (cold) (25 %)"));
  EXPECT_FALSE(has(text, "<td>gelu"));
}

/// 1000 + 8766 h x 0.1 kW x 0.1 = 1087.66 against 1587.66 for twice the performance.
TEST(Tender, HoldsTheTotalCostAndWhatWouldTurnIt) {
  const Compared compared = two_machines("Fast");
  const std::string text = html(tender(compared, total_cost(compared, assumptions()), {"1"}));
  EXPECT_TRUE(has(text,
                  "B (Fast) has the most performance per total cost, 1.37 times that of A, by the measured times of 1 "
                  "of 2 operators alone."))
      << text;
  EXPECT_TRUE(has(text, "<td>total</td><td>1088</td><td>1588</td>")) << text;
  EXPECT_TRUE(has(text, "<caption>What would turn the decision</caption>"));
  EXPECT_TRUE(has(text, "<td>price of B</td><td class=\"figure\">1500</td><td class=\"figure\">2088</td>"))
      << "2 x 1087.66 - 87.66: " << text;
  EXPECT_TRUE(has(text, "It rests on 1 row of operators that all measured subjects have, of A&#39;s 1 and B&#39;s 2."))
      << text;
  // B is level at 2087.66, 1.39 times its price; A at 1587.66 / 2 - 87.66 = 706.17, which is 1 / 1.42 of its own
  EXPECT_TRUE(has(text, "B stays ahead of A until the price of B rises above 2088 (now 1500).")) << text;
  EXPECT_LT(text.find("else beyond these runs"), text.find("B vs A: 1.37")) << "explained before it is used";
  EXPECT_TRUE(has(text, "total = capital + 1 year x 8766 h x power under load x PUE 1 x 0.1 per kWh"));
}

/// The table shows ten that turn the decision.
TEST(Tender, SaysOfAssumptionsThatAreNotShownWhetherTheyTurnAnything) {
  const Compared compared = two_machines("Fast");
  TotalCost cost = total_cost(compared, assumptions());
  const auto text = [&] { return markdown(tender(compared, cost, {"1"})); };
  const BreakEven turns = *std::ranges::find(cost.break_evens, Assumption::price, &BreakEven::assumption);
  cost.break_evens.assign(10, turns);
  EXPECT_FALSE(has(text(), "by more than these") || has(text(), "no possible value"));
  cost.break_evens.push_back(turns);
  EXPECT_TRUE(has(text(), "1 more would have to change by more than these.")) << text();
  EXPECT_FALSE(has(text(), "no possible value"));
  cost.break_evens.assign(2, turns);
  cost.break_evens[1].at.reset();
  EXPECT_TRUE(has(text(), "1 other assumption turns it at no possible value.")) << text();
  EXPECT_FALSE(has(text(), "by more than these"));
}

TEST(Tender, IsOneHtmlDocumentThatNeedsNothingElse) {
  const Compared compared = two_machines("Fast");
  const std::string text = html(tender(compared, total_cost(compared, assumptions()), {"1"}));
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_EQ(nesting_fault(text), "");
  EXPECT_EQ(count(text, "<title>"), 1U);
  EXPECT_EQ(count(text, "<svg "), 1U);
  for (const char* outside : {"<script", "<link", "src=", "href=", "url("}) EXPECT_FALSE(has(text, outside)) << outside;
}

TEST(Tender, BeginsWithItsConclusionAndThePicture) {
  const Compared compared = two_machines("Fast");
  const auto document = tender(compared, {}, {"1", "Nodes <2026>", "<svg id=\"roofs\"></svg>"});
  const std::string text = html(document);
  EXPECT_TRUE(has(text, "<h1>Nodes &lt;2026&gt;</h1>\n<p class=\"lead\">B (Fast) is 2 (1.96…2.04) times as fast as"))
      << text;
  EXPECT_LT(text.find("id=\"roofs\""), text.find("<table>"));
  EXPECT_LT(text.find("id=\"roofs\""), text.find("<h2>"));
  for (const char* words : {"table-layout:fixed", "@media print", "prefers-color-scheme:dark"})
    EXPECT_TRUE(has(text, words)) << words;
  EXPECT_TRUE(has(markdown(document), "\n**B (Fast) is 2 "));
}

TEST(Tender, NamesOfFilesAndDevicesAreTextAndNothingElse) {
  const std::string name = "<script>alert(1)</script> \"&\" 'x' \x01\xff";
  const Compared compared = two_machines(name);
  const std::string text = html(tender(compared, {}, {"1"}));
  EXPECT_FALSE(has(text, "<script")) << text;
  EXPECT_TRUE(has(text, "&lt;script&gt;alert(1)&lt;/script&gt; &quot;&amp;&quot; &#39;x&#39; ?\xEF\xBF\xBD")) << text;
  EXPECT_EQ(nesting_fault(text), "");
  Compared drawn = two_machines("Fast");
  drawn.answer.operators[0].key.params = "n=<b>&";
  EXPECT_TRUE(has(html(tender(drawn, {}, {"1"})), "relu fp32 n=&lt;b&gt;&amp; (cold)</text>")) << "in the picture, too";
}

TEST(Tender, NamesTheFirstRowsThatAreNotComparableAndCountsTheOthers) {
  Result a = test::made_up_result("Slow"), b = test::made_up_result("Fast");
  for (Result* result : {&a, &b}) test::add_point(*result, "relu", 1e8, 1e9, 0.1);
  for (int i = 0; i < 20; ++i) {
    Point& point = test::add_point(b, "gemm", 1e8, 1e9, 0.1);
    point.params = "n=" + std::to_string(i);
    point.status = i < 15 ? Status::error : Status::skipped;
    point.reason = i < 15 ? "needs " + std::to_string(i) + " GB" : "no library";
    test::add_point(a, "gelu", 1e8, 1e9, 0.1).params = "n=" + std::to_string(i);
  }
  const std::vector<NamedResult> sources{{"a.json", a}, {"b.json", b}};
  Compared compared{subjects_of(sources), {}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  const std::string text = html(tender(compared, {}, {"1"}));
  EXPECT_TRUE(has(text, "no figure of B, error: needs … GB (15): gemm fp32 n=0 (cold), kokkos; ")) << text;
  EXPECT_TRUE(has(text, "no figure of B, skipped: no library (5): gemm fp32 n=15 (cold), kokkos; ")) << text;
  EXPECT_EQ(count(text, "gemm fp32 n="), 10U) << "5 of the 15, and 5";
  EXPECT_TRUE(has(text, "… 10 more</li>")) << text;
  EXPECT_TRUE(has(text, "only A has (20): gelu fp32 n=0 (cold); ")) << text;
  EXPECT_FALSE(has(text, "--json")) << "a reader of a report has no options";
}

TEST(Tender, NamesNoHostsAndNoFolders) {
  std::vector<NamedResult> sources{{"/data/tender/a.json", test::made_up_result("One CPU")},
                                   {"/data/tender/b.json", test::made_up_result("One CPU")}};
  sources[0].result.run.hostname = "node17.site";
  sources[1].result.run.hostname = "node18.site";
  for (NamedResult& source : sources) test::add_point(source.result, "relu", 1e8, 1e9, 0.1);
  Compared compared{subjects_of(sources, true), {}, {}};
  compared.answer = compare(compared.subjects, compared.options);
  const std::string text = html(tender(compared, {}, {"1"}));
  EXPECT_TRUE(has(text, "b.json (full)")) << text;
  EXPECT_FALSE(has(text, "/data/tender")) << text;
  EXPECT_FALSE(has(text, "site")) << text;
}

TEST(TotalCostTables, WithoutAnIntervalNothingIsDecided) {
  Compared compared = two_machines("Fast");
  compared.answer.operators[0].cells[1]->figure.low.reset();
  const auto lines = decision_lines(compared, total_cost(compared, assumptions()));
  EXPECT_EQ(lines[0],
            "Not decided: B (Fast) has the most performance per total cost, but there is no interval against A, by the "
            "measured times of 1 of 2 operators alone.");
  EXPECT_TRUE(std::ranges::any_of(lines, [](const std::string& line) {
    return line.starts_with("Without the intervals, B stays ahead of A until the price of B rises above 2088");
  }));
}

TEST(TotalCostTables, MoneyHasItsCurrencyAndItsThousandsApart) {
  EXPECT_EQ(money_text(1234567.8, "EUR"), "1 234 568 EUR");
  EXPECT_EQ(money_text(999.96, "EUR"), "1000 EUR");
  EXPECT_EQ(money_text(0.22, "EUR"), "0.22 EUR");
  EXPECT_EQ(money_text(-12345, "EUR"), "-12 345 EUR");
  EXPECT_EQ(money_text(12345, ""), "12345");
}

TEST(TotalCostTables, PowersOfOtherPartsAreNamed) {
  Compared compared = two_machines("Fast");
  CostAssumptions all = assumptions();
  const auto lines = [&] { return decision_lines(compared, total_cost(compared, all)); };
  const auto names_parts = [](const std::string& line) { return line.starts_with("Powers are not of the same parts"); };
  EXPECT_TRUE(std::ranges::none_of(lines(), names_parts)) << "both are stated";
  all.power_w[1].reset();
  compared.subjects[1].tdp_w = 200;
  const auto all_lines = lines();
  const auto found = std::ranges::find_if(all_lines, names_parts);
  ASSERT_NE(found, all_lines.end());
  EXPECT_TRUE(has(*found, "A stated, B a limit, which nobody measured")) << *found;
}

TEST(TotalCostTables, ABaselineThatWasNotMeasuredIsNamed) {
  Compared compared = two_machines("Fast");
  std::swap(compared.subjects[0], compared.subjects[1]);
  compared.subjects[0].points.clear();
  compared.answer = compare(compared.subjects, compared.options);
  const auto lines = decision_lines(compared, total_cost(compared, assumptions()));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(has(lines[0], "Name a measured subject first")) << lines[0];
}

TEST(Tender, MarkdownEscapesWhatWouldBeAMark) {
  const Compared compared = two_machines("a|b *c* <d> [e](f) `g` _h_\n# i");
  const std::string text = markdown(tender(compared, {}, {"1"}));
  EXPECT_TRUE(has(text, R"(a\|b \*c\* \<d\> \[e\](f) \`g\` \_h\_ # i)")) << text;
  EXPECT_TRUE(text.starts_with("# Comparison of Slow, a")) << text;
  EXPECT_TRUE(has(text, "\n## Summary\n"));
  EXPECT_FALSE(has(text, "<svg"));
  int subjects = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with("| compared |") && !line.starts_with("| device |")) continue;
    EXPECT_EQ(count(line, " |"), 3U) << "a bar in a name is no new cell: " << line;
    ++subjects;
  }
  EXPECT_EQ(subjects, 2);
}

TEST(Document, HeadsOfLinesAreNoMarksInMarkdown) {
  render::Document document{
      "1. not a list",
      {render::Paragraph{"- nor this"}, render::Paragraph{"2) nor this"}, render::List{{"# no heading"}}}};
  EXPECT_EQ(markdown(document), "# 1\\. not a list\n\n\\- nor this\n\n2\\) nor this\n\n- \\# no heading\n\n");
}

TEST(Document, EmptyTablesAndColumnsAreLeftOut) {
  TextTable table({{"full"}, {"empty"}});
  render::Document document{"t", {render::Table{"nothing", table}}};
  EXPECT_FALSE(has(html(document), "<table>"));
  table.add({"x", ""});
  document.blocks = {render::Table{"something", table}};
  EXPECT_TRUE(has(html(document), "<th>full</th></tr>")) << html(document);
  EXPECT_TRUE(has(markdown(document), "| full |\n| --- |\n| x |\n")) << markdown(document);
}

}  // namespace
}  // namespace gable::questions
