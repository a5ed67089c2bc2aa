#include "core/render/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text/safe_text.hpp"

namespace gable::embedded {
extern const std::string_view document_style, document_print_style;
}

namespace gable::render {
namespace {

template <class... Forms>
struct Each : Forms... {
  using Forms::operator()...;
};

template <class... Forms>
Each(Forms...) -> Each<Forms...>;

/// Indices of the columns that hold something.
std::vector<std::size_t> used_columns(const TextTable& table) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (std::ranges::any_of(table.rows(), [&](const auto& row) { return !row[i].empty(); })) used.push_back(i);
  }
  return used;
}

std::string html_table(const Table& block) {
  const auto used = used_columns(block.table);
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    return fmt::format("<{}{}>{}</{}>", tag, block.table.columns()[column].right ? " class=\"figure\"" : "",
                       for_markup(text), tag);
  };
  std::string text =
      fmt::format("<div class=\"table\"><table>\n<caption>{}</caption>\n<thead><tr>", for_markup(block.caption));
  for (const std::size_t i : used) text += cell("th", i, block.table.columns()[i].title);
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& row : block.table.rows()) {
    text += "<tr>";
    for (const std::size_t i : used) text += cell("td", i, row[i]);
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table></div>\n";
}

std::string html_list(const List& block) {
  const char* tag = block.first > 0 ? "ol" : "ul";
  std::string text = block.first > 0 ? fmt::format("<ol start=\"{}\">\n", block.first) : "<ul>\n";
  for (const std::string& item : block.items) text += fmt::format("<li>{}</li>\n", for_markup(item));
  return text + fmt::format("</{}>\n", tag);
}

/// Escapes what begins a heading, a list or a rule at the head of a line: "# ", "1. ", "---", but not "1.5" or "-3 %".
void escape_head(std::string& line) {
  const auto digits = line.find_first_not_of("0123456789");
  if (digits == std::string::npos) return;
  const auto behind = digits == 0 ? line.find_first_not_of(line.front()) : digits + 1;
  if (behind < line.size() && line[behind] != ' ') return;
  constexpr std::string_view heads = "#+-=", behind_number = ".)";
  if ((digits > 0 ? behind_number : heads).find(line[digits]) != std::string_view::npos) line.insert(digits, "\\");
}

/// Escapes what Markdown or HTML would take for markup; a line stays a line.
std::string escape_markdown(std::string_view text) {
  constexpr std::string_view marks = "\\`*_[]<>|~$&";
  std::string result;
  for (const char c : printable(text)) {
    if (marks.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  escape_head(result);
  return result;
}

std::string markdown_table(const Table& block) {
  const auto used = used_columns(block.table);
  std::string text = block.caption.empty() ? "|" : fmt::format("**{}**\n\n|", escape_markdown(block.caption));
  for (const std::size_t i : used) text += fmt::format(" {} |", escape_markdown(block.table.columns()[i].title));
  text += "\n|";
  for (const std::size_t i : used) text += block.table.columns()[i].right ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& row : block.table.rows()) {
    text += '|';
    for (const std::size_t i : used) text += fmt::format(" {} |", escape_markdown(row[i]));
    text += '\n';
  }
  return text + '\n';
}

/// What stands before an item of a list: its number, or `without`.
std::string mark_of(const List& block, const std::string& item, const char* without) {
  return block.first > 0 ? fmt::format("{}. ", block.first + (&item - block.items.data())) : without;
}

std::string markdown_list(const List& block) {
  std::string text;
  for (const std::string& item : block.items)
    text += fmt::format("{}{}\n", mark_of(block, item, "- "), escape_markdown(item));
  return text + '\n';
}

}  // namespace

std::string html(const Document& document) {
  const std::string title = for_markup(document.title);
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n"
      "<h1>{}</h1>\n",
      title, embedded::document_style, document.for_print ? embedded::document_print_style : "", title);
  const Each form{[](const Heading& block) {
                    return fmt::format("<h2{}>{}</h2>\n", block.new_page ? " class=\"page\"" : "",
                                       for_markup(block.text));
                  },
                  [](const Paragraph& block) {
                    return fmt::format("<p{}>{}</p>\n", block.lead ? " class=\"lead\"" : "", for_markup(block.text));
                  },
                  [](const List& block) { return block.items.empty() ? "" : html_list(block); },
                  [](const Table& block) { return block.table.empty() ? "" : html_table(block); },
                  [](const Picture& block) {
                    return fmt::format("<figure>\n{}\n<figcaption>{}</figcaption>\n</figure>\n", block.svg,
                                       for_markup(block.caption));
                  }};
  for (const auto& block : document.blocks) text += std::visit(form, block);
  return text + "</body>\n</html>\n";
}

std::string markdown(const Document& document) {
  std::string text = document.title.empty() ? "" : fmt::format("# {}\n\n", escape_markdown(document.title));
  const Each form{[](const Heading& block) { return fmt::format("## {}\n\n", escape_markdown(block.text)); },
                  [](const Paragraph& block) {
                    return fmt::format(fmt::runtime(block.lead ? "**{}**\n\n" : "{}\n\n"), escape_markdown(block.text));
                  },
                  [](const List& block) { return block.items.empty() ? "" : markdown_list(block); },
                  [](const Table& block) { return block.table.empty() ? "" : markdown_table(block); },
                  [](const Picture&) { return std::string{}; }};
  for (const auto& block : document.blocks) text += std::visit(form, block);
  return text;
}

std::string text(const Document& document, int width) {
  std::string text = wrap(document.title, width, 0);
  int indent = 0;       // of sentences, below a heading
  bool beside = false;  // something stands between the heading and here
  const Each form{[&](const Heading& block) {
                    indent = 2;
                    return (text.empty() ? "" : "\n") + wrap(block.text, width, 0);
                  },
                  [&](const Paragraph& block) { return wrap(block.text, width, indent); },
                  [&](const List& block) {
                    std::string lines;
                    for (const std::string& item : block.items)
                      lines += wrap(mark_of(block, item, "") + item, width, indent);
                    return lines;
                  },
                  [&](const Table& block) {
                    return block.table.empty()
                               ? ""
                               : (beside ? "\n" : "") + wrap(block.caption, width, 0) +
                                     block.table.render(block.whole ? std::numeric_limits<int>::max() : width);
                  },
                  [](const Picture&) { return std::string{}; }};
  for (const auto& block : document.blocks) {
    text += std::visit(form, block);
    beside = !std::holds_alternative<Heading>(block);
  }
  return text;
}

}  // namespace gable::render
