#pragma once
#include <string>
#include <variant>
#include <vector>

#include "core/text/text_table.hpp"

namespace gable::render {

struct Heading {
  std::string text;
  bool new_page{};  ///< in print
};
struct Paragraph {
  std::string text;
  bool lead{};  ///< what the document says first
};
struct List {
  std::vector<std::string> items;
  int first{};  ///< number of the first item; 0: they have none
};
struct Table {
  std::string caption;
  TextTable table;
  bool whole{};  ///< no cell is shortened on a terminal
};
/// A drawing, and what it shows for who cannot see it.
struct Picture {
  std::string caption;
  std::string svg;  ///< an svg element, its texts escaped
};

/// What people read, whatever it is written in. Texts are plain: each form escapes them.
struct Document {
  std::string title;
  std::vector<std::variant<Heading, Paragraph, List, Table, Picture>> blocks;
  bool for_print{};  ///< all tables are as wide as the page, their columns equal
};

/// One HTML5 document in UTF-8 that needs nothing else: its style inside, no script, no link. Columns without any cell
/// are left out.
std::string html(const Document& document);

/// GitHub's Markdown; what has a meaning there is escaped. Pictures are left out: many readers show none.
std::string markdown(const Document& document);

/// Lines of at most `width` columns, for a terminal; sentences below a heading are indented. Pictures are left out.
std::string text(const Document& document, int width);

}  // namespace gable::render
