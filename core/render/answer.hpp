#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/answer.hpp"
#include "core/render/document.hpp"

/// The ways to write an Answer, one renderer each.
namespace gable::render {

enum class AnswerForm { text, json, csv, markdown };
/// What options call them, in the order of AnswerForm.
inline constexpr std::array<std::string_view, 4> answer_form_names{"text", "json", "csv", "md"};
std::optional<AnswerForm> parse_answer_form(std::string_view name);
/// In that form, ended by a line feed; text in lines of at most `width` columns.
std::string write(const Answer& answer, AnswerForm form, int width = 120);

/// What people read: columns, facts and sections that have a title, and sentences.
Document document_of(const Answer& answer);
/// The columns of a table that have a title.
TextTable text_table(const Answer::Table& table);
/// Figures in full digits under their keys, in the order of the sections.
std::string json_text(const Answer& answer);
/// One table for each section (RFC 4180), each behind a line "# KEY" and an empty line between them. Columns are called
/// by their keys; a table in a cell follows as one of its own, behind the columns of its row. An object of the result
/// format is told by its members. Lists are joined by "; ".
std::string csv_text(const Answer& answer);

/// One row without its answer: as an object, as a line of CSV, and the line that heads such lines.
nlohmann::json json_of(const Answer::Facts& row);
std::string csv_line_of(const Answer::Facts& row);
std::string csv_header_of(const Answer::Facts& row);

}  // namespace gable::render
